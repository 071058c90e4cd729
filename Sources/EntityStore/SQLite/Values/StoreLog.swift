/// Hears of the work of a store: of slow statements, waits, checkpoints, migrations and repeated reads, and of all
/// statements on request.
///
/// ```swift
/// var options = StoreOptions()
/// options.log = StoreLog(slowerThan: .milliseconds(50)) { print($0) }
/// let store = try EntityStore(.file(url), entities: [User.self], options: options)
/// // slow statement: 0.083521 seconds, 12 rows: SELECT … FROM main."User" AS t0 WHERE … [SCAN t0]
/// ```
/// Events have no values of objects: `?` stands for each value in the text of a statement. SQL that the app wrote, in
/// `SQL(raw:)` and in the steps of a migration, is reported as it was written, with its literals.
///
/// The log hears of each statement that the store runs, including those of its opening, of copies and of maintenance.
/// For work without a store, `EntityStore.migrationPlan` and `EntityStore.delete` take a log. The log does not hear of
/// the `EXPLAIN QUERY PLAN` that finds the plan of a slow statement. It does not hear of statements that SQLite runs
/// within others: those of triggers, of full-text search and of `VACUUM`. A text of several statements that runs in one
/// call is reported as one statement.
public struct StoreLog: Sendable {
  let slowerThan: Duration?
  let statements: Bool
  private let handler: @Sendable (StoreLog.Event) -> Void

  /// - Parameters:
  ///   - slowerThan: The time from which a statement or a wait counts as slow; `nil` reports none.
  ///   - statements: Whether all other statements are reported, too.
  ///   - handler: Called on the thread that did the work, after the work, and often within a transaction. It must
  ///     return soon, and must not use the store. The store holds no lock of its own meanwhile. Several threads may
  ///     call it at once.
  public init(
    slowerThan: Duration? = .milliseconds(100), statements: Bool = false,
    _ handler: @escaping @Sendable (StoreLog.Event) -> Void
  ) {
    self.slowerThan = slowerThan
    self.statements = statements
    self.handler = handler
  }

  func tell(_ event: StoreLog.Event) { handler(event) }

  func isSlow(_ duration: Duration) -> Bool { slowerThan.map { duration >= $0 } ?? false }

  /// Reports a long wait.
  func tellWait(of duration: Duration, for turn: StoreLog.Wait.Turn) {
    guard isSlow(duration) else { return }
    tell(.wait(StoreLog.Wait(duration: duration, turn: turn, isOnMainActor: MainQueue.isCurrent)))
  }
}

extension StoreLog {
  /// An event in the work of a store; see ``StoreLog``.
  public enum Event: Sendable, CustomStringConvertible {
    /// A statement ended, or failed.
    case statement(StoreLog.Statement)
    /// A unit, a save or a read waited long for its turn.
    case wait(StoreLog.Wait)
    /// Commits were brought from the log of the file, `-wal`, into the file.
    case checkpoint(StoreLog.Checkpoint)
    /// The file was brought to the declared schema.
    case migration(StoreLog.Migration)
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
}
