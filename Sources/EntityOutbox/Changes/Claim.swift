import EntityRequests
import EntityStore
import HTTPFoundation

/// A request that may be sent: its entry is in the file.
struct Claim: Sendable {
  /// The end of a sending that threw no error.
  enum Ending: Sendable {
    /// The response was taken in. The transaction of the response has ended the entry.
    case taken(status: Int)
    /// The server does not have the object of a create whose answer was lost.
    case notFound
    /// The server has several objects that may be the one of a create whose answer was lost.
    case several(Int)
    /// The server has answered with another object than the one that was looked for.
    case another
    /// The upload goes on with another request, after a wait in seconds.
    case goesOn(AttachedFile, isFurther: Bool, wait: Double? = nil)
  }

  let entry: OutboxEntry
  let action: PlannedLine.Action
  let method: String
  let url: String
  /// Whether the request was sent, or frozen, before.
  var isFrozen = false
  /// Whether the server refused the change before, and the outbox tries it once more by itself.
  var isSecondTry = false
  /// Whether the request may be sent twice; `nil` where the rules of the entity say so.
  var isRepeatable: Bool?
  /// The number of the request in the order of their beginnings.
  var number = 0
  /// Sends the request, and takes the response in. The adapter takes the place of the client's; `nil` for the client's own.
  let send: @Sendable (_ adapter: (any RequestAdapter)?) async throws -> Ending
  /// The edits are under way no more.
  let end: @Sendable () -> Void

  func numbered(_ number: Int) -> Claim {
    var claim = self
    claim.number = number
    return claim
  }
}

/// A change that is to be claimed.
struct Change: Sendable {
  let line: PlannedLine
  /// The facts that the change was planned by; `nil` where nothing of the object is pending.
  let facts: PendingFacts?

  init(_ line: PlannedLine, _ facts: PendingFacts?) { (self.line, self.facts) = (line, facts) }
}

/// The unit of work in which a change is claimed.
struct ClaimingUnit {
  let context: EntityContext
  let rows: RowWriter
  /// In seconds since 1970.
  let now: Double
}

/// The object is read first: its version is not known, or its request must not be repeated.
struct NeedsReading: Error {
  /// The entry of an update whose request may have arrived; the reading ends it.
  var lost: OutboxEntry?
}

/// The plan has a change that can't be claimed yet.
struct NotReady: Error {
  /// The reason, for a person.
  let reason: String
}
