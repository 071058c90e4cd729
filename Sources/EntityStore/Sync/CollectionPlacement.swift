/// Objects that are made here and that stand in a stored collection until an answer has them.
struct CollectionPlacement: Sendable {
  let key: AnswerKey
  let entity: String
  /// Whether they stand before all others, and not behind them.
  let isFirst: Bool
  /// Finds the row ids of the objects that are no members yet.
  let sql: String
  let values: [StoredValue]
}
