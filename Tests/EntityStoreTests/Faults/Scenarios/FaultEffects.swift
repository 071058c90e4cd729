@testable import EntityStore

/// The effects of a scenario's steps that must be there, after steps that were acknowledged, refused and undone.
@MainActor struct FaultEffects {
  private let steps: [FaultStep]
  /// Whether the effect of each step is there; `nil` where nothing is known.
  private(set) var areThere: [Bool?]
  /// The steps that were acknowledged.
  private(set) var done: Set<Int> = []
  private var tried: Set<Int> = []
  /// A save or a group of saves that an undo takes back.
  private struct Way {
    var saved: [Int] = []
    /// The steps whose refused changes went along.
    var along: [Int] = []
    var all: [Int] { saved + along }
  }

  private var undoable: [Way] = []
  private var redoable: [Way] = []
  /// The saves since the group began; `nil` where none is open.
  private var group: Way?
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
    let next = Self.next(undo)
    do {
      switch step.kind {
      case .change: try await change(place, in: store)
      case .undo: try await goBack(.undo, place, in: store)
      case .redo: try await goBack(.redo, place, in: store)
      case .beginGroup: beginGroup(place, undo)
      case .endGroup: endGroup(place, undo)
      }
    } catch let mistake as FaultRun.Mistake {
      throw mistake
    } catch {
      guard next == Self.next(undo) else {
        throw FaultRun.Mistake(description: "'\(step.name)' was refused and changed what can be undone: \(error)")
      }
      throw error
    }
    // The step of a save whose image could not be read is lost, with those before it.
    if undo.images(.undo) == nil { undoable = [] }
    if undo.images(.redo) == nil { redoable = [] }
    let can = [group == nil && !undoable.isEmpty, group == nil && !redoable.isEmpty]
    guard can == [undo.canUndo, undo.canRedo] else {
      throw FaultRun.Mistake(
        description: "after '\(step.name)' an undo is \(undo.canUndo), a redo \(undo.canRedo), and not \(can)")
    }
  }

  /// The commits that the next undo and the next redo take back, by their generations: within an open group, too, where
  /// nothing can be undone.
  private static func next(_ undo: SaveUndoManager) -> [Int64?] {
    [undo.images(.undo)?.first?.generation, undo.images(.redo)?.first?.generation]
  }

  private mutating func change(_ place: Int, in store: EntityStore) async throws {
    let (step, undo) = (steps[place], store.main.undoManager)
    let last = undo.images(.undo)?.first?.generation
    try await step.run(store)
    let next = undo.images(.undo)?.first?.generation
    // The saves before a save can't be undone without it.
    guard next == nil || next != last || group != nil || !step.isOfMain || areThere[place] != false else {
      throw FaultRun.Mistake(description: "'\(step.name)' is passed over by the next undo")
    }
    acknowledge(place, isUndoable: next != nil && next != last)
  }

  private mutating func acknowledge(_ place: Int, isUndoable: Bool) {
    var save = Way(saved: [place])
    if steps[place].isOfMain {
      save.along = tried.subtracting(done).subtracting([place]).filter { steps[$0].isOfMain && areThere[$0] == false }
    }
    for part in save.along { areThere[part] = nil as Bool? }
    areThere[place] = true
    done.insert(place)
    if let open = group, steps[place].isOfMain {
      group = Way(saved: open.saved + save.saved, along: open.along + save.along)
      redoable = []
    }
    guard isUndoable else { return }
    undoable.append(save)
    redoable = []
  }

  private mutating func beginGroup(_ place: Int, _ undo: SaveUndoManager) {
    undo.beginGroup()
    group = Way()
    done.insert(place)
  }

  private mutating func endGroup(_ place: Int, _ undo: SaveUndoManager) {
    let last = undo.images(.undo)?.first?.generation
    undo.endGroup()
    // One of its saves may have no image: then there is no step.
    if let group, undo.images(.undo)?.first?.generation != last { undoable.append(group) }
    group = nil
    done.insert(place)
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
        ? try store.main.undoing.goBack(direction, undo) : try await store.main.undoing.goBackWhenFree(direction, undo)
    } catch {
      doubtful.formUnion(way?.all ?? [])
      throw error
    }
    done.insert(place)
    guard went != (way == nil) else {
      throw FaultRun.Mistake(description: "\(direction) of \(way?.all ?? []) tells that it did: \(went)")
    }
    guard let way else { return }
    for part in way.saved { areThere[part] = direction == .redo }
    for part in way.along { areThere[part] = direction == .undo ? false : nil }
    if direction == .undo {
      undoable.removeLast()
      redoable.append(way)
    } else {
      redoable.removeLast()
      undoable.append(way)
    }
  }

  /// The effects that are known while nobody undoes the writes of a refused commit.
  var surelyThere: [Bool?] {
    areThere.enumerated().map { $0.element == true && !doubtful.contains($0.offset) ? true : nil }
  }
}
