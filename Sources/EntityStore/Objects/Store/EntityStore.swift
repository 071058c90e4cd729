import Synchronization

/// A store of entities: rows in SQLite, seen as objects through contexts.
///
/// ```swift
/// let store = try EntityStore(.file(url), entities: [User.self, Address.self])
/// let users = try store.main.fetch(User.where { $0.email == nil })          // on the main actor
/// let ids = try await store.background { context in                        // a transaction of its own
///   try context.fetch(User.all).map(\.entityID)
/// }
/// ```
public final class EntityStore: Sendable {
  package let core: StoreCore
  private let mainConnection: ConnectionBox
  @MainActor private(set) var mainContext: EntityContext?
  @MainActor var closing = StoreClosing()
  private let isMergeScheduled = Mutex(false)

  /// Opens the store, and makes it where there is none.
  ///
  /// The file of an earlier version of the app takes the `migrations` that it has not taken, and is then brought to the
  /// declared schema: it gets the parts that it lacks, names that changed, and keeps what was removed. The article
  /// *Migrations* has all of it; ``migrationPlan(for:entities:removed:migrations:backup:busyTimeout:log:)`` tells it
  /// without a change. A file of a newer version is refused, and nothing of it is touched. One that can't be written, for a
  /// full disk or as a read-only one, is opened all the same where it lacks nothing: it can be read.
  ///
  /// - Parameters:
  ///   - location: The file, or `.inMemory`.
  ///   - entities: Every entity that the store holds.
  ///   - removed: The names of entities that earlier versions of the app had. The file keeps their rows until a step drops
  ///     them.
  ///   - migrations: The steps that the store can't make by itself, in order. They run on the calling thread.
  ///   - backup: Where the file is copied before a change that does more than add.
  ///   - keyStyle: How names of properties become keys in responses.
  ///   - busyTimeout: How long a unit of work, a save or a read waits while nothing moves: while one and the same unit runs,
  ///     or another process writes to the file, or no reader becomes free. A long line of short units is no reason to fail.
  ///   - options: How the file is used: whether it may be written, and how long a commit waits for the disk.
  /// - Throws: ``StoreError``: `invalidSchema`, `schemaMismatch`, `notAStore`, `cannotOpen`, and `diskFull` or
  ///   `readOnly` where the file would have to be written. The file is then untouched. `migrationFailed` names the step,
  ///   and leaves the file as it was before that one.
  public init(
    _ location: StoreLocation, entities: [any ManagedEntity.Type], removed: [String] = [],
    migrations: [Migration] = [], backup: StoreBackup = .beside, keyStyle: KeyStyle = .snakeCase,
    busyTimeout: Duration = .seconds(5), options: StoreOptions = StoreOptions()
  ) throws {
    let declaration = try StoreDeclaration(
      SchemaModel(entities, keyStyle: keyStyle), removed: removed, migrations: migrations, backup: backup)
    core = try StoreCore(location, declaration, busyTimeout: busyTimeout, options: options)
    mainConnection = ConnectionBox(try core.newReader())
    core.attach(to: self)
  }

  /// The context of the main actor. It lives as long as the store, and follows the commits of other contexts.
  @MainActor public var main: EntityContext {
    if let mainContext { return mainContext }
    // Enabled before the first read of the generation, so that no commit after it goes unnoticed.
    core.follow(core.summaries)
    let context = EntityContext(core, kind: .main, connection: mainConnection.connection)
    mainContext = context
    return context
  }

  /// Closes the file for the main context.
  @MainActor func closeMain() { mainConnection.connection.close() }

  /// Runs a unit of work in a context of its own, off the main thread and off the cooperative pool.
  ///
  /// The unit is one transaction: its changes are saved and committed when the closure returns, and dropped when it
  /// throws, or when the task was cancelled by then. Objects stay within the closure; hand over ids.
  ///
  /// Units run one at a time, in the order they were asked for; saves of the main context go before those that wait. However
  /// long the line, a unit waits as long as the line moves.
  ///
  /// - Parameters:
  ///   - author: Whose changes these are. Those of the app are local edits until the server acknowledges them. With
  ///     `.server` they are as if a response had said them: for records that come with the app, or by another way than a
  ///     request. A value that differs from the row's ends a local edit of it, and a deletion is none that the server must
  ///     hear of.
  ///   - work: The unit. Its context and objects are used within it alone.
  /// - Throws: ``StoreError``, of kind `writerBusy` when one unit, or another process that writes to the file, held the
  ///   writer for `busyTimeout`; `CancellationError` when the task was cancelled before the commit; the errors of
  ///   `work`. Nothing of the unit is in the store then.
  public func background<T: Sendable>(
    as author: ChangeAuthor = .app, _ work: @Sendable (EntityContext) throws -> T
  ) async throws -> T {
    try await core.unit(isOfServer: author == .server) { rows in
      let context = EntityContext(self.core, kind: .unit, connection: rows.connection, rows: rows)
      defer { context.finish() }
      try context.saving.beginUnit()
      let result = try work(context)
      try context.saving.throwMistakes()
      try context.saving.flush()
      return result
    }
  }

  /// Runs a read-only unit of work on one snapshot of the store, off the main thread and off the cooperative pool. It holds
  /// up no writer, however long it takes. Four run at a time; others wait in the order they came.
  ///
  /// - Throws: ``StoreError``, of kind `readersBusy` when no read began or ended for `busyTimeout`; `CancellationError`
  ///   when the task was cancelled before its turn; the errors of `work`.
  public func read<T: Sendable>(_ work: @Sendable (EntityContext) throws -> T) async throws -> T {
    try await core.read(work)
  }

  /// Empties the store in one unit of work: all rows, the notes of local edits, of deletions and of answers. The schema stays.
  /// Unsaved changes of the main context stay in their objects, whose rows are gone.
  ///
  /// An answer that is under way is taken in all the same: let requests end first.
  ///
  /// - Parameter discardsPending: Whether changes that the server has not acknowledged are lost with it;
  ///   ``StorePending/export()`` keeps them elsewhere.
  /// - Throws: ``StoreError`` of kind `pendingChanges` where there are such, and they are not to be lost. Nothing went then.
  public func reset(discardsPending: Bool = false) async throws {
    try await core.unit { try RowReplacement(rows: $0).empty(discardsPending: discardsPending) }
  }

  /// Brings the objects of the main context up to date, if it was ever used.
  @MainActor package func mergeMain() throws { try mainContext?.merging.merge() }

  /// Has the main context tell more observers in a turn of its own.
  func scheduleTelling() {
    Task { @MainActor [weak self] in self?.mainContext?.observers.tellMore() }
  }

  /// Has the main context go on looking for what it keeps of objects that are gone, in a turn of its own.
  func scheduleRound() {
    Task { @MainActor [weak self] in self?.mainContext?.observers.goOnWithRounds() }
  }

  /// Has the children of the main context tell their observers in a turn of its own.
  func scheduleDelivery() {
    Task { @MainActor [weak self] in self?.mainContext?.family.deliverToChildren() }
  }

  /// Has the main context take over the commits of others in a turn of its own.
  func scheduleMerge() {
    isMergeScheduled.withLock { scheduled in
      guard !scheduled else { return }
      scheduled = true
      // Under the lock: who finds the merge scheduled relies on its turn.
      Task { @MainActor [weak self] in
        guard let self else { return }
        self.isMergeScheduled.withLock { $0 = false }
        // An error here comes again at the next read of the main context, which can throw it.
        try? self.mergeMain()
      }
    }
  }
}

/// Whose changes a unit of work makes.
public enum ChangeAuthor: Sendable, Hashable {
  /// The app's: local edits, until the server acknowledges them.
  case app
  /// The server's.
  case server
}

/// The connection of the main context, opened with the store so that opening can throw.
///
/// `@unchecked Sendable`: it is taken out in `EntityStore.main` and `closeMain` only, on the main actor, and used by the main
/// context.
private final class ConnectionBox: @unchecked Sendable {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }
}
