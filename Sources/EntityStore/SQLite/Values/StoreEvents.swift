import Dispatch
import Foundation

/// A statement that a store has run.
public struct StoreStatement: Sendable, CustomStringConvertible {
  /// The text of the statement, in which `?` stands for each value: values may be private.
  public let sql: String
  /// The time that SQLite took for the statement, without the time between its rows.
  public let duration: Duration
  /// The number of rows that the statement returned.
  public let rows: Int
  /// Whether the statement took so long that it counts as slow.
  public let isSlow: Bool
  /// For a slow statement, SQLite's plan: the lines of `EXPLAIN QUERY PLAN` (https://sqlite.org/eqp.html). `SCAN` reads
  /// all rows of a table, `SEARCH` uses an index.
  public let plan: [String]
  /// Whether the main actor waited for the statement.
  public let isOnMainActor: Bool

  public var description: String {
    "\(isSlow ? "slow statement" : "statement")\(isOnMainActor ? " on the main actor" : ""): \(duration), \(rows) rows: "
      + "\(sql)\(plan.isEmpty ? "" : " [\(plan.joined(separator: "; "))]")"
  }
}

/// A wait that is over.
public struct StoreWait: Sendable, CustomStringConvertible {
  /// The turn that was waited for.
  public enum Turn: Sendable, Hashable {
    /// The turn to write, also after other processes.
    case writer
    /// One of the readers.
    case reader
  }

  /// The time from the call to its turn.
  public let duration: Duration
  /// The turn that was waited for.
  public let turn: Turn
  /// Whether the main actor was blocked meanwhile.
  public let isOnMainActor: Bool

  public var description: String {
    "waited for the \(turn == .writer ? "writer" : "readers")\(isOnMainActor ? " on the main actor" : ""): \(duration)"
  }
}

/// A checkpoint: commits came from the log into the file (https://sqlite.org/wal.html#ckpt).
public struct StoreCheckpoint: Sendable, CustomStringConvertible {
  /// The time that the checkpoint took.
  public let duration: Duration
  /// The pages that the log had.
  public let pages: Int
  /// The number of these pages that are in the file now. Others stay in the log for reads that see an earlier moment.
  public let movedPages: Int

  public var description: String { "checkpoint: \(duration), \(movedPages) of \(pages) pages" }
}

/// The changes by which the opening of a store brought its file to the declared schema.
public struct StoreMigration: Sendable, CustomStringConvertible {
  /// The time that the steps and changes took, their commits included.
  public let duration: Duration
  /// The steps that ran.
  public let steps: [String]
  /// The changes in words, including the changes of the steps.
  public let changes: [String]

  public var description: String {
    "migration: \(duration), steps: \(steps.isEmpty ? "none" : steps.joined(separator: ", ")); "
      + changes.joined(separator: "; ")
  }
}

/// Reads of one relationship with a statement for each object. Prefetching needs only a few statements; see
/// ``EntityQuery/prefetching(_:)``.
public struct RepeatedReads: Sendable, CustomStringConvertible {
  /// The relationship: `Post.comments`.
  public let relationship: String
  /// The statements so far, since the last query or merged commit of the context. A loop is reported once.
  public let statements: Int

  public var description: String {
    "\(statements) statements read '\(relationship)' of one object each: a query with 'prefetching' reads it for all at once"
  }
}

/// The queue of the main actor. The thread does not identify it where the queue is not the main thread's, as in a
/// process with an asynchronous `main` on Linux.
enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }
}
