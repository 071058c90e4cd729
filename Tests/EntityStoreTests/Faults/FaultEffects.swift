@testable import EntityStore

/// Which effects of a scenario's steps must be there, after steps that were acknowledged, refused and undone.
@MainActor struct FaultEffects {
  private let steps: [FaultStep]
  /// Of each step; `nil` where nothing is known.
  private(set) var areThere: [Bool?]
  /// The steps that were acknowledged.
  private(set) var done: Set<Int> = []
  private var tried: Set<Int> = []
  /// The saves that can be undone, and those that can be redone: the step of each, and those whose refused changes it took along.
  private var undoable: [[Int]] = []
  private var redoable: [[Int]] = []
  /// The steps whose effect an undo was to take back that was refused.
  private var doubtful: Set<Int> = []

  init(_ steps: [FaultStep]) {
    self.steps = steps
    areThere = steps.map { _ in false }
  }

  /// Does a step, and notes what it did.
  ///
  /// - Throws: The error with which the store refused it.
  mutating func run(_ place: Int, in store: EntityStore) async throws {
    let (step, undo) = (steps[place], store.main.undoManager)
    tried.insert(place)
    let could = [undo.canUndo, undo.canRedo]
    do {
      switch step.kind {
      case .change: try await change(place, in: store)
      case .undo: try await goBack(.undo, place, in: store)
      case .redo: try await goBack(.redo, place, in: store)
      }
    } catch {
      guard could == [undo.canUndo, undo.canRedo] else {
        throw FaultRun.Mistake(description: "'\(step.name)' was refused and changed what can be undone: \(error)")
      }
      throw error
    }
    // The step of a save whose image could not be read is lost, with those before it.
    if !undo.canUndo { undoable = [] }
    if !undo.canRedo { redoable = [] }
  }

  private mutating func change(_ place: Int, in store: EntityStore) async throws {
    let (step, undo) = (steps[place], store.main.undoManager)
    let last = undo.images(.undo)?.first?.generation
    try await step.run(store)
    let next = undo.images(.undo)?.first?.generation
    // What came before a save can't be undone without it.
    guard next == nil || next != last || !step.isOfMain || areThere[place] != false else {
      throw FaultRun.Mistake(description: "'\(step.name)' is passed over by the next undo")
    }
    acknowledge(place, isUndoable: next != nil && next != last)
  }

  private mutating func acknowledge(_ place: Int, isUndoable: Bool) {
    var save = [place]
    if steps[place].isOfMain {
      save += tried.subtracting(done).subtracting(save).filter { steps[$0].isOfMain && areThere[$0] == false }
    }
    for part in save { areThere[part] = nil as Bool? }
    areThere[place] = true
    done.insert(place)
    guard isUndoable else { return }
    undoable.append(save)
    redoable = []
  }

  private mutating func goBack(
    _ direction: SaveUndoManager.Direction, _ place: Int, in store: EntityStore
  ) async throws {
    // A save that was refused left its changes, which stand in the way.
    guard !store.main.hasChanges else { return }
    let undo = store.main.undoManager
    let way = direction == .undo ? undoable.last : redoable.last
    let went: Bool
    do {
      // By turns in the way that waits and in the other one.
      went =
        place.isMultiple(of: 2)
        ? try store.main.goBack(direction, undo) : try await store.main.goBackWhenFree(direction, undo)
    } catch {
      doubtful.formUnion(way ?? [])
      throw error
    }
    done.insert(place)
    guard went != (way == nil) else {
      throw FaultRun.Mistake(description: "\(direction) of \(way ?? []) tells that it did: \(went)")
    }
    guard let way else { return }
    for (number, part) in way.enumerated() {
      areThere[part] = direction == .undo ? false : number == 0 ? true : nil
    }
    if direction == .undo {
      undoable.removeLast()
      redoable.append(way)
    } else {
      redoable.removeLast()
      undoable.append(way)
    }
  }

  /// What is known while nobody undoes what a refused commit wrote.
  var surelyThere: [Bool?] {
    areThere.enumerated().map { $0.element == true && !doubtful.contains($0.offset) ? true : nil }
  }
}
