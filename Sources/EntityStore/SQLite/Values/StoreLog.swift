/// Hears of the work of a store: of slow statements, waits, checkpoints, migrations and repeated reads; of all statements
/// where that is asked for.
///
/// ```swift
/// var options = StoreOptions()
/// options.log = StoreLog(slowerThan: .milliseconds(50)) { print($0) }
/// let store = try EntityStore(.file(url), entities: [User.self], options: options)
/// // slow statement: 0.083521 seconds, 12 rows: SELECT … FROM main."User" AS t0 WHERE … [SCAN t0]
/// ```
/// Events have no values of objects: in the text of a statement `?` stands for each. SQL that the app wrote, in `SQL(raw:)` and
/// in the steps of a migration, is told as it was written, with its literals.
///
/// It hears of each statement that the store runs, those of its opening, of copies and of its care included. For work without
/// a store, `EntityStore.migrationPlan` and `EntityStore.delete` take a log. It does not hear of the `EXPLAIN QUERY PLAN` that
/// finds the plan of a slow statement, nor of statements within others: those of triggers, of full-text search and of `VACUUM`,
/// which SQLite runs. A text of several statements that runs in one call is told of as one.
public struct StoreLog: Sendable {
  let slowerThan: Duration?
  let statements: Bool
  private let handler: @Sendable (StoreEvent) -> Void

  /// - Parameters:
  ///   - slowerThan: The time from which on a statement or a wait is a slow one; `nil` for none.
  ///   - statements: Whether all other statements are told of, too.
  ///   - handler: Called on the thread that did the work, after it, and often within a transaction: it returns soon, and does
  ///     not use the store. The store holds no lock of its own meanwhile. Several threads may call it at once.
  public init(
    slowerThan: Duration? = .milliseconds(100), statements: Bool = false,
    _ handler: @escaping @Sendable (StoreEvent) -> Void
  ) {
    self.slowerThan = slowerThan
    self.statements = statements
    self.handler = handler
  }

  func tell(_ event: StoreEvent) { handler(event) }

  func isSlow(_ duration: Duration) -> Bool { slowerThan.map { duration >= $0 } ?? false }

  /// Tells of a wait that was long.
  func tellWait(of duration: Duration, for turn: StoreWait.Turn) {
    guard isSlow(duration) else { return }
    tell(.wait(StoreWait(duration: duration, turn: turn, isOnMainActor: MainQueue.isCurrent)))
  }
}

/// Something that a store did; see ``StoreLog``.
public enum StoreEvent: Sendable, CustomStringConvertible {
  /// A statement ended, or failed.
  case statement(StoreStatement)
  /// A unit, a save or a read waited long for its turn.
  case wait(StoreWait)
  /// Commits were brought from the log of the file, `-wal`, into the file.
  case checkpoint(StoreCheckpoint)
  /// The file was brought to the declared schema.
  case migration(StoreMigration)
  /// A loop reads a relationship of one object after the other ("N+1").
  case repeatedReads(RepeatedReads)

  public var description: String {
    switch self {
    case .statement(let statement): "\(statement)"
    case .wait(let wait): "\(wait)"
    case .checkpoint(let checkpoint): "\(checkpoint)"
    case .migration(let migration): "\(migration)"
    case .repeatedReads(let reads): "\(reads)"
    }
  }
}
