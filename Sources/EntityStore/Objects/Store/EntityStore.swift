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

  /// Opens the store, or creates it.
  ///
  /// A file of an earlier version of the app first gets the `migrations` that it has not taken. Then it is adapted to
  /// the declared schema: missing parts are added, names are changed, and removed parts are kept. The article
  /// *Migrations* describes this; ``migrationPlan(for:entities:removed:migrations:backup:busyTimeout:log:)`` shows it
  /// without a change. A file of a newer version is refused, and stays untouched. A file that can't be written, because
  /// the disk is full or the file is read-only, can still be opened for reading if it needs no change.
  ///
  /// - Parameters:
  ///   - location: The file, or `.inMemory`.
  ///   - entities: Every entity that the store holds.
  ///   - removed: The names of entities that earlier versions of the app had. The file keeps their rows until a step
  ///     drops them.
  ///   - migrations: The steps that the store can't make by itself, in order. They run on the calling thread.
  ///   - backup: Where the file is copied to before a change that does more than add.
  ///   - keyStyle: How names of properties become keys in responses.
  ///   - busyTimeout: How long a unit of work, a save or a read waits without progress: while one and the same unit
  ///     runs, while another process writes to the file, or while no reader becomes free. A long line of short units is
  ///     no reason to fail.
  ///   - options: How the file is used: whether it may be written, and how long a commit waits for the disk.
  /// - Throws: ``StoreError``: `invalidSchema`, `schemaMismatch`, `notAStore`, `cannotOpen`, and `diskFull` or
  ///   `readOnly` where the file would have to be written. The file is then untouched. `migrationFailed` names the
  ///   step, and leaves the file as it was before that step.
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
    // `follow` comes before the first read of the generation, so that no later commit is missed.
    core.follow(core.summaries)
    let context = EntityContext(core, kind: .main, connection: mainConnection.connection)
    mainContext = context
    return context
  }

  /// Closes the main context's connection.
  @MainActor func closeMain() { mainConnection.connection.close() }

  /// Runs a unit of work in a context of its own, off the main thread and off the cooperative pool.
  ///
  /// The unit is one transaction. Its changes are saved and committed when the closure returns. They are dropped when
  /// the closure throws, or when the task is cancelled by then. Objects stay within the closure; hand over ids.
  ///
  /// Units run one at a time, in the order of their calls; saves of the main context go before waiting units. A unit
  /// waits in a line of any length, as long as the line moves.
  ///
  /// - Parameters:
  ///   - author: The author of the changes. The app's changes are local edits until the server acknowledges them. With
  ///     `.server` the changes count as if a response had made them: use it for records that come with the app, or that
  ///     arrive without a request. A value that differs from the row's then ends a local edit of it, and a deletion is
  ///     not sent to the server.
  ///   - work: The unit. Use its context and objects only within the closure.
  /// - Throws: ``StoreError``, of kind `writerBusy` when one unit, or another process that writes to the file, held the
  ///   writer for `busyTimeout`; `CancellationError` when the task was cancelled before the commit; the errors of
  ///   `work`. The store then has none of the unit's changes.
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

  /// Runs a read-only unit of work on one snapshot of the store, off the main thread and off the cooperative pool. It
  /// delays no writer, however long it takes. Four run at a time; others wait in the order of their calls.
  ///
  /// - Throws: ``StoreError``, of kind `readersBusy` when no read began or ended for `busyTimeout`; `CancellationError`
  ///   when the task was cancelled before its turn; the errors of `work`.
  public func read<T: Sendable>(_ work: @Sendable (EntityContext) throws -> T) async throws -> T {
    try await core.read(work)
  }

  /// Empties the store in one unit of work: all rows, and the records of local edits, deletions and responses. The
  /// schema stays. Unsaved changes of the main context stay in their objects, whose rows are gone.
  ///
  /// A response that arrives later is still taken in: let requests end first.
  ///
  /// - Parameter discardsPending: Whether changes that the server has not acknowledged may be lost;
  ///   ``StorePending/export()`` can keep them elsewhere.
  /// - Throws: ``StoreError`` of kind `pendingChanges` when there are pending changes and `discardsPending` is `false`.
  ///   Nothing is deleted then.
  public func reset(discardsPending: Bool = false) async throws {
    try await core.unit { rows in
      try RowReplacement(rows: rows).empty(discardsPending: discardsPending)
      // The next account begins with nothing of this one.
      try rows.outbox.endOwner()
    }
  }

  /// Brings the objects of the main context up to date, if the main context was ever used.
  @MainActor package func mergeMain() throws { try mainContext?.merging.merge() }

  /// Has the main context tell more observers in a turn of its own.
  func scheduleTelling() {
    Task { @MainActor [weak self] in self?.mainContext?.observers.goOnTelling() }
  }

  /// Has the main context continue, in a turn of its own, to clear what it keeps of released objects.
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
      // Under the lock: a caller that finds the merge scheduled relies on its turn.
      Task { @MainActor [weak self] in
        guard let self else { return }
        self.isMergeScheduled.withLock { $0 = false }
        // The next read of the main context meets this error again, and can throw it.
        try? self.mergeMain()
      }
    }
  }
}

/// The author of a unit of work's changes.
public enum ChangeAuthor: Sendable, Hashable {
  /// The app: its changes are local edits, until the server acknowledges them.
  case app
  /// The server.
  case server
}

/// The connection of the main context, opened with the store so that opening can throw.
///
/// `@unchecked Sendable`: only `EntityStore.main` and `closeMain` take it out, on the main actor, and only the main
/// context uses it.
private final class ConnectionBox: @unchecked Sendable {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }
}
