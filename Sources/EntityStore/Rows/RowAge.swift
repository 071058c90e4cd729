// The column with the time at which a response last had an object; see ``ManagedEntity/expires``.

extension EntityModel {
  /// How old the noted time may be before it is written again, in seconds: a tenth of the lifetime. So an equal response
  /// that comes soon writes nothing, and the age of a row is right to a tenth.
  package var lag: Int64 { lifetime / 10 }

  /// Whether a response at `now` is to be noted in a row with this time.
  func isOld(_ heard: StoredValue, at now: Int64) -> Bool {
    guard case .integer(let heard) = heard else { return true }
    // A time from the future is of a clock that was put back.
    return heard > now || heard < now - lag
  }
}

extension RowWriter {
  /// The time that a new row gets; `nil` for an object of which no response is known.
  func heard(_ source: RowSource, isPlaceholder: Bool) -> StoredValue? {
    if isPlaceholder { return nil }
    switch source {
    case .response: return .integer(seconds)
    case .edit: return isOfServer ? .integer(seconds) : nil
    case .effect: return nil
    }
  }
}
