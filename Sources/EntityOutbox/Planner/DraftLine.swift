import EntityStore

/// A line of a plan before its place among the others is known.
struct DraftLine {
  let key: RowKey
  var action: PlannedLine.Action
  var entry: Int64?
  /// The generation of the last edit that the request carries: the order of sending.
  var number: Int64
  var properties = ColumnMask()
  /// The edited properties that are for later requests.
  var later = ColumnMask()
  /// The earliest moment of sending, in seconds since 1970.
  var earliest = -Double.infinity
  /// Whether the request is made from the marks at the moment of sending, so that it names the objects that the links
  /// lead to.
  var isMadeFromMarks = false
  var isFrozen = false
  var isSending = false
  /// The state of a line that waits for a person.
  var hold: PlannedLine.State?
  /// Whether the server refused the request, or fails at it, and the request is tried again by itself. Other changes don't
  /// count on it.
  var isRetryOfRefused = false

  init(_ key: RowKey, _ action: PlannedLine.Action, entry: Int64? = nil, number: Int64) {
    (self.key, self.action, self.entry, self.number) = (key, action, entry, number)
  }

  /// Whether the change is settled by nobody but a person, or by a try that may fail again.
  var isHeld: Bool { hold != nil || isRetryOfRefused }

  /// Whether the line waits for no other one: the request is under way, or waits for a person.
  var isSource: Bool { isSending || hold != nil }
}
