package import Foundation

/// A row of `_entity_outbox`: the part of the outbox that does not follow from the marks. All else of the outbox is
/// derived from them.
package struct OutboxEntry: Sendable, Equatable {
  /// The effect of the request of an entry.
  package enum Kind: Int64, Sendable, CaseIterable {
    case create = 1
    case update = 2
    case deletion = 3
    case command = 4
  }

  package enum State: Int64, Sendable, CaseIterable {
    /// The claim of a request that may have reached the server. A claim whose sender is gone has an unknown end.
    case sending = 1
    /// A claim that is over, without an effect on the server or with one that a repetition does not double: the request
    /// is sent again. A command that was not sent yet has this state, too.
    case waiting = 2
    /// The server refused the request, or the request can't be made.
    case refused = 3
    /// A person decides between the value here and the server's.
    case conflict = 4
    /// The server has no such object any more. The row stays in place, with its edits.
    case gone = 5
  }

  /// A refused change that is tried again after a longer wait than this, in seconds, is shown as refused until then.
  package static let longWait = 1_800.0

  /// The number of the entry, which no other entry of the file ever has: `AUTOINCREMENT`. 0 for an entry that is not in
  /// the file yet.
  package var number: Int64 = 0
  /// The object. Its row may be gone.
  package var key: RowKey
  package var kind: Kind
  package var state: State
  /// The name of a command; `nil` for other kinds.
  package var name: String?
  /// The request without its body, as JSON. It has no credentials: these are made at each sending.
  package var request: String?
  package var body: Data?
  /// The edits that the request carries, as JSON: an object with their forms by the names of their properties; see
  /// `SentEdits+Stored.swift`. A link is the row id of its target, and a list has the row ids of its members. An update whose
  /// request is yet to be made has the names alone: its ``ownProperties``.
  package var sent: String?
  /// The idempotency key.
  package var idempotencyKey: String?
  /// The uid of the object when the request was made, as text.
  package var uid: String?
  /// How often the request was sent, or the change where each request is made anew.
  package var attempts = 0
  /// The earliest time of the next try, in seconds since 1970; `nil` for at once.
  package var next: Double?
  /// When the entry got its state, in seconds since 1970.
  package var time: Double
  /// The highest number of the object's edits when the request was made; see ``PendingFacts/number``. An object with a
  /// higher number was edited since.
  package var edited: Int64 = 0
  /// The status of the last answer; `nil` where none came.
  package var status: Int?
  /// Why the request failed: a text for a person, at most 16 KiB.
  package var reason: String?
  /// The body of the last refusal, at most 16 KiB.
  package var answer: Data?
  /// JSON beside the request: the arguments of a command; the values of each property in conflict.
  package var kept: String?
  /// The properties of an update whose request is yet to be made: the update is before a command, which later edits go behind, or
  /// is tried again. `nil` for an update with all edits.
  package var ownProperties: ColumnMask?

  /// Whether a request creates the object, or may have created it, so that no other one must.
  package var mayCreate: Bool { kind == .create && (state == .sending || state == .waiting && request != nil) }

  /// Whether the server fails at this create or command again and again. An earlier try may have arrived all the same, so the
  /// claim keeps its key and its bytes for the next one. A person sees it as refused until then.
  package var isRefusedClaim: Bool {
    guard state == .sending, kind == .create || kind == .command, let next, next < .infinity else { return false }
    return next - time > Self.longWait
  }

  package init(key: RowKey, kind: Kind, state: State, time: Double) {
    (self.key, self.kind, self.state, self.time) = (key, kind, state, time)
  }
}
