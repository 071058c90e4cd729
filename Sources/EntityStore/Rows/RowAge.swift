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

extension RowKnowledge {
  /// The time that a new row gets; `nil` for an object of which no response is known.
  func heard(_ source: RowSource, isPlaceholder: Bool) -> StoredValue? {
    if isPlaceholder { return nil }
    switch source {
    case .response: return .integer(rows.stamp.seconds)
    case .edit: return rows.isOfServer ? .integer(rows.stamp.seconds) : nil
    case .effect: return nil
    }
  }

  /// Notes that the server has some rows as they are here: it said so without sending them.
  ///
  /// Only the noted time changes, so nothing else hears of it. A placeholder has no values that the server could confirm.
  func hearAgain(_ model: EntityModel, _ pks: [Int64]) throws {
    guard model.age != nil, !pks.isEmpty else { return }
    try rows.execution.hear(model, pks, at: rows.stamp.seconds)
  }
}

extension EntityModel {
  /// The parameters of ``Connection/isOldAmong(_:)``.
  func ageParameters(_ pks: [Int64], now: Int64) -> [StoredValue] {
    [.list(pks.map { .integer($0) }), .integer(now), .integer(now - lag)]
  }
}

extension Connection {
  /// Whether one of some rows has a time that is to be noted again; see ``EntityModel/isOld(_:at:)``.
  func hasOldRow(_ model: EntityModel, among pks: [Int64], at now: Int64) throws -> Bool {
    guard model.age != nil, !pks.isEmpty else { return false }
    return try !rows(
      "SELECT 1 FROM \(model.table) WHERE \(isOldAmong(model)) LIMIT 1", model.ageParameters(pks, now: now)
    ) {
      _ in true
    }.isEmpty
  }

  /// The condition for a row whose time is to be noted again. Its parameters are the row ids, the time now, and the oldest
  /// time that stays.
  func isOldAmong(_ model: EntityModel) -> String {
    let heard = PropertyModel.ageName.quoted
    return "_pk IN (SELECT value FROM _entity_values(?1)) AND _placeholder = 0 "
      + "AND (\(heard) IS NULL OR \(heard) > ?2 OR \(heard) < ?3)"
  }
}
