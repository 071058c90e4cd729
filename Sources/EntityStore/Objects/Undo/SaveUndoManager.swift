public import Observation

/// Undoes and redoes the saves of the main context: `store.main.undoManager`.
///
/// ```swift
/// store.main.undoManager.limit = .saves(50)
/// user.name = "Ada"
/// try store.main.save()
/// try store.main.undoManager.undo()           // as before the save, in the file too
/// try store.main.undoManager.redo()
/// ```
///
/// An undo is one unit of work, and takes back everything that the save did: deletions by rule, lists and their order,
/// and local edits that the server does not have yet. An object that comes back is the same object with the same id.
/// Contexts and observers learn of an undo as of any commit.
///
/// Only saves of the main context are undone. If somebody else changed a column since, in a unit of work, by a response
/// or in another process, the undo does not overwrite it: it throws, and changes nothing. It does not touch unsaved
/// edits: ``EntityContext/rollback()`` drops those. The article *Undoing saves* has the rules.
///
/// Isolation: that of the main context, the main actor.
public final class SaveUndoManager: Observable {
  /// The saves that one step takes back.
  private struct Step {
    /// In the order of their commits.
    var images: [SaveImage] = []
    var bytes = 0

    /// The generation of the step's last commit, which no other step has.
    var generation: Int64 { images.last?.generation ?? 0 }

    init(_ images: [SaveImage] = []) {
      self.images = images
      bytes = images.reduce(0) { $0 + $1.bytes }
    }

    init(_ images: [SaveImage], of age: Int64) { self.init(images.filter { $0.age == age }) }

    mutating func add(_ image: SaveImage) {
      let place = images.firstIndex { $0.generation > image.generation } ?? images.endIndex
      images.insert(image, at: place)
      bytes += image.bytes
    }
  }

  private weak var context: EntityContext?
  private let registrar = ObservationRegistrar()
  private var undoSteps: [Step] = []
  private var redoSteps: [Step] = []
  private var groups = 0
  private var group = Step()
  /// Whether a save of the group can't be undone.
  private var isGroupLost = false
  /// How often the rows of the file had been replaced at the last merge.
  private var age: Int64 = 0
  /// The properties whose observers have yet to hear of a change.
  private var news: (undo: Bool, redo: Bool) = (false, false)

  init(_ context: EntityContext) { self.context = context }

  /// How many saves are kept for undo; ``UndoLimit/off`` at first. A lower limit drops the oldest saves.
  ///
  /// It has no effect in contexts other than the main one, which have nothing to undo.
  public var limit = UndoLimit.off {
    didSet { change { trim() } }
  }

  /// Whether a save can be undone; `false` within a group. Observable.
  public var canUndo: Bool {
    registrar.access(self, keyPath: \.canUndo)
    return hasUndo
  }

  /// Whether an undone save can be redone: `false` after the next save, and within a group. Observable.
  public var canRedo: Bool {
    registrar.access(self, keyPath: \.canRedo)
    return hasRedo
  }

  /// Takes back the last save, or group of saves, that is not undone yet. The calling thread waits as for a save.
  ///
  /// - Returns: Whether there was a save to undo.
  /// - Throws: ``StoreError``: `unsavedChanges` when the context has changes or a save is under way; `conflict` when
  ///   others changed the same columns or made the same change, and `objectDeleted` when the server already has a
  ///   deletion, both with the objects; `wrongContext` within a group; `writerBusy`. After an error nothing is undone,
  ///   and the step stays.
  @discardableResult
  public func undo() throws -> Bool { try context?.undoing.goBack(.undo, self) ?? false }

  /// Takes back the last save without blocking the thread. It waits for a save under way.
  ///
  /// Isolation: the caller's, which is the context's own.
  ///
  /// - Returns: Whether there was a save to undo.
  /// - Throws: ``StoreError``, as the synchronous `undo()`; `CancellationError` when the task was cancelled before the
  ///   commit.
  @discardableResult
  public nonisolated(nonsending) func undo() async throws -> Bool {
    do { return atCaller(try await context?.undoing.goBackWhenFree(.undo, self) ?? false) } catch {
      throw atCaller(error)
    }
  }

  /// Repeats the save that was undone last. The calling thread waits as for a save.
  ///
  /// - Returns: Whether there was a save to redo.
  /// - Throws: ``StoreError``, as `undo()`.
  @discardableResult
  public func redo() throws -> Bool { try context?.undoing.goBack(.redo, self) ?? false }

  /// Repeats the save that was undone last, without blocking the thread.
  ///
  /// Isolation: the caller's, which is the context's own.
  ///
  /// - Returns: Whether there was a save to redo.
  /// - Throws: ``StoreError``, as `undo()`; `CancellationError` when the task was cancelled before the commit.
  @discardableResult
  public nonisolated(nonsending) func redo() async throws -> Bool {
    do { return atCaller(try await context?.undoing.goBackWhenFree(.redo, self) ?? false) } catch {
      throw atCaller(error)
    }
  }

  /// Begins a group: the saves until its end are one step, which is undone as a whole. A group within a group belongs
  /// to the outer one.
  ///
  /// Until the end of the group nothing can be undone or redone.
  public func beginGroup() { change { groups += 1 } }

  /// Ends the group that was begun last.
  public func endGroup() {
    guard groups > 0 else { return }
    change {
      groups -= 1
      guard groups == 0 else { return }
      if !isGroupLost, !group.images.isEmpty { push(group) }
      group = Step()
      isGroupLost = false
    }
  }

  /// Drops everything that can be undone or redone. The rows stay as they are.
  public func removeAll() {
    change {
      undoSteps = []
      redoSteps = []
      group = Step()
    }
  }

  // MARK: Steps

  enum Direction { case undo, redo }

  /// Whether a group is open: its saves become one step.
  var isGrouping: Bool { groups > 0 }

  private var hasUndo: Bool { groups == 0 && !undoSteps.isEmpty }
  private var hasRedo: Bool { groups == 0 && !redoSteps.isEmpty }

  /// Checks the age of the file, in a merge. If its rows were replaced, by any process, earlier saves can't be undone.
  func noteAge(_ age: Int64) {
    guard age != self.age else { return }
    self.age = age
    note {
      undoSteps = undoSteps.map { Step($0.images, of: age) }.filter { !$0.images.isEmpty }
      redoSteps = redoSteps.map { Step($0.images, of: age) }.filter { !$0.images.isEmpty }
      group = Step(group.images, of: age)
    }
  }

  var hasNews: Bool { news.undo || news.redo }

  /// Tells observers of the news.
  func tellNews() {
    guard hasNews else { return }
    let told = news
    news = (false, false)
    if told.undo { registrar.withMutation(of: self, keyPath: \.canUndo) {} }
    if told.redo { registrar.withMutation(of: self, keyPath: \.canRedo) {} }
  }

  /// The box for the image of a save that begins; `nil` if the save can't be undone.
  func box() -> SaveImageBox? {
    guard let context, context.kind == .main, !context.family.isChild, limit.saves > 0 else { return nil }
    return SaveImageBox(bytes: limit.bytes)
  }

  /// A save is committed. A later save may be reported first: while an asynchronous save ends, others can be made.
  ///
  /// - Parameter box: `nil` if the save took no image.
  func saved(_ box: SaveImageBox?) {
    switch box?.content {
    case nil, .nothing: return
    // Without this step, the earlier steps can't be reached.
    case .lost:
      isGroupLost = isGrouping
      removeAll()
    case .image(let image):
      // The context may have merged a later commit that replaced the rows.
      guard image.age >= age else { return }
      change {
        redoSteps.removeAll { $0.generation < image.generation }
        guard isGrouping else { return push(Step([image])) }
        guard !isGroupLost else { return }
        group.add(image)
        guard group.bytes > limit.bytes else { return }
        isGroupLost = true
        (undoSteps, group) = ([], Step())
      }
    }
  }

  /// The saves that the next step in a direction takes back, the last save first.
  func images(_ direction: Direction) -> [SaveImage]? {
    (direction == .undo ? undoSteps : redoSteps).last?.images.reversed()
  }

  /// A step is committed. Its own image becomes the step in the other direction.
  ///
  /// Meanwhile saves may have been made, and all steps may have been dropped.
  ///
  /// - Parameter generation: The generation of the step's last save.
  func went(_ direction: Direction, _ generation: Int64?, _ box: SaveImageBox) {
    change {
      var step: Step?
      if case .image(let image) = box.content, image.age >= age { step = Step([image]) }
      switch direction {
      case .undo:
        guard let place = undoSteps.lastIndex(where: { $0.generation == generation }) else { return }
        undoSteps.remove(at: place)
        // Without an image of this undo it can't be redone, and then the steps that were undone before it can't be
        // reached.
        guard let step else { return redoSteps = [] }
        // A later save ends the redo steps.
        guard undoSteps.allSatisfy({ $0.generation < step.generation }) else { return }
        redoSteps.append(step)
        trim()
      case .redo:
        guard let place = redoSteps.lastIndex(where: { $0.generation == generation }) else {
          // A save that was made meanwhile ended the redo steps. Both can be undone.
          if let step, undoSteps.contains(where: { $0.generation > generation ?? 0 }) { push(step) }
          return
        }
        redoSteps.remove(at: place)
        if let step { push(step) } else { undoSteps = [] }
      }
    }
  }

  private func push(_ step: Step) {
    let place = undoSteps.firstIndex { $0.generation > step.generation } ?? undoSteps.endIndex
    undoSteps.insert(step, at: place)
    trim()
  }

  /// Drops the steps that are farthest from the present state.
  private func trim() {
    guard limit.saves > 0 else {
      (undoSteps, redoSteps, group) = ([], [], Step())
      return
    }
    undoSteps.removeFirst(max(0, undoSteps.count - limit.saves))
    redoSteps.removeFirst(max(0, redoSteps.count - limit.saves))
    var bytes = (undoSteps + redoSteps).reduce(0) { $0 + $1.bytes }
    while bytes > limit.bytes, !undoSteps.isEmpty || !redoSteps.isEmpty {
      bytes -= (redoSteps.count > undoSteps.count ? redoSteps.removeFirst() : undoSteps.removeFirst()).bytes
    }
  }

  /// Tells observers once `body` is done.
  private func change(_ body: () -> Void) {
    note(body)
    tellNews()
  }

  private func note(_ body: () -> Void) {
    let (hadUndo, hadRedo) = (hasUndo, hasRedo)
    body()
    news = (news.undo || hadUndo != hasUndo, news.redo || hadRedo != hasRedo)
  }
}

/// How much is kept for undo: ``SaveUndoManager/limit``.
public struct UndoLimit: Sendable, Hashable {
  /// The largest number of saves, or groups of saves.
  public let saves: Int
  /// The approximate memory limit for the values of the saves, in bytes. A larger save can't be undone, and neither can
  /// earlier saves.
  public let bytes: Int

  /// Nothing is kept, and saves cost nothing extra.
  public static let off = UndoLimit(saves: 0, bytes: 0)

  /// - Parameters:
  ///   - count: The largest number of saves, or groups of saves.
  ///   - bytes: The approximate memory limit for their values, in bytes.
  public static func saves(_ count: Int, bytes: Int = 16 * 1024 * 1024) -> UndoLimit {
    UndoLimit(saves: max(0, count), bytes: max(0, bytes))
  }
}
