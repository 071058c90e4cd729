package import EntityStore

/// One change of a plan: what its request does, and when.
package struct PlannedLine: Sendable, Equatable {
  package enum Action: Sendable, Hashable {
    case create, update, deletion, command
    /// The server is asked whether it has the object of a create whose answer was lost.
    case lookUp
    /// The object is read: the answer to its update was lost, and the update was taken back here.
    case read
  }

  package enum State: Sendable, Hashable {
    /// It is sent now.
    case ready
    /// More than ``OutboxSituation/width`` requests are ready: it is sent once another request has ended.
    case queued
    /// Its request is under way.
    case sending
    /// It waits for a time, in seconds since 1970.
    case later(Double)
    /// It waits for the changes of other objects.
    case after([RowKey])
    /// It waits for an entry that a person settles: a refused, unknown, conflicting or kept one.
    case blocked([Int64])
    /// It waits for these objects, each of which requires another one of them: none can be created first. A person takes
    /// out a link.
    case cycle([RowKey])
    /// It waits for a person.
    case refused, unknown, conflict, gone
  }

  package var key: RowKey
  package var action: Action
  package var state: State
  /// The entry of the change; `nil` for a change that follows from the marks alone.
  package var entry: Int64?
  /// The properties of a create or an update that its request carries; all of a frozen request.
  package var properties: ColumnMask
  /// The edits that the request leaves out, and that follow as an update: optional links to objects that the server does not
  /// have, and edits behind a later command.
  package var leftOut: ColumnMask
  /// Whether the request is sent byte for byte as its entry has it.
  package var isFrozen = false

  package init(
    key: RowKey, action: Action, state: State, entry: Int64? = nil, properties: ColumnMask = ColumnMask(),
    leftOut: ColumnMask = ColumnMask()
  ) {
    (self.key, self.action, self.state, self.entry) = (key, action, state, entry)
    (self.properties, self.leftOut) = (properties, leftOut)
  }
}

/// The plan of an outbox: each pending change and each entry, in the order of sending.
package struct PlannedOutbox: Sendable, Equatable {
  package var lines: [PlannedLine] = []
  /// The objects of the lines.
  package var objects: Set<RowKey> = []
  /// The first requests that may begin, in their order: the places of the lines that each carries. Those for which there
  /// is room are ready.
  package var requests: [[Int]] = []
  /// The entries whose changes are no more: the engine removes them.
  package var over: Set<Int64> = []
  /// The time at which the plan changes by itself, in seconds since 1970; `nil` for never.
  package var next: Double?

  package init() {}
}
