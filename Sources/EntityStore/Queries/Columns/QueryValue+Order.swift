/// A value in a query that has an order: a number, a date, or a text, also in the order of a language.
public protocol QueryOrdered: Sendable {
  /// The type of the values with which it is compared.
  associatedtype Bound

  func _is(_ comparison: String, _ bound: Bound) -> EntityPredicate
}

extension QueryOrdered {
  /// `$0.age < 21`
  /// // t0."age" < ?
  ///
  /// `$0.score < 2.5`, of an optional; a row without a value is not found
  /// // t0."score" < ?
  ///
  /// `$0.name.collated(by: locale) < "M"`
  /// // t0."name" COLLATE "_entity_nb" < ?
  public static func < (column: Self, value: Bound) -> EntityPredicate { column._is("<", value) }

  /// `$0.age <= 21`
  /// // t0."age" <= ?
  public static func <= (column: Self, value: Bound) -> EntityPredicate { column._is("<=", value) }

  /// `$0.age > 21`
  /// // t0."age" > ?
  public static func > (column: Self, value: Bound) -> EntityPredicate { column._is(">", value) }

  /// `$0.age >= 21`
  /// // t0."age" >= ?
  public static func >= (column: Self, value: Bound) -> EntityPredicate { column._is(">=", value) }
}
