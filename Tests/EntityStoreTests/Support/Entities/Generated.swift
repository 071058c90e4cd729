import EntityStore
import TestSupport

/// An entity of which queries are made up, each once in SQL and once in plain Swift.
protocol Generated: ManagedEntity {
  static var world: [any ManagedEntity.Type] { get }

  /// Makes, edits and deletes objects.
  static func change(_ context: EntityContext, _ random: inout SeededRandom) throws
  static func condition(_ random: inout SeededRandom) -> GeneratedCondition<Self>
  static func key(_ random: inout SeededRandom) -> GeneratedKey<Self>
  static func pair(_ random: inout SeededRandom) -> GeneratedPair<Self>

  /// A relationship to one object of the entity, in a query and of an object.
  static func link(of row: QueryRow<Self>) -> QueryOptionalLink<Self>
  var linked: Self? { get }
  /// A relationship to many of them.
  static func list(of row: QueryRow<Self>) -> QueryList<Self>
  var listed: [Self] { get }
}

/// A condition on an object.
struct GeneratedCondition<E: Generated> {
  let text: String
  let sql: (QueryRow<E>) -> EntityPredicate
  let holds: (E) -> Bool

  init(
    _ text: String, _ sql: @escaping (QueryRow<E>) -> EntityPredicate, _ holds: @escaping (E) -> Bool
  ) {
    (self.text, self.sql, self.holds) = (text, sql, holds)
  }
}

/// A condition on an object of a query, and on one of the query around it.
struct GeneratedPair<E: Generated> {
  let text: String
  let sql: (QueryRow<E>, QueryRow<E>) -> EntityPredicate
  let holds: (E, E) -> Bool

  init(
    _ text: String, _ sql: @escaping (QueryRow<E>, QueryRow<E>) -> EntityPredicate, _ holds: @escaping (E, E) -> Bool
  ) {
    (self.text, self.sql, self.holds) = (text, sql, holds)
  }
}

/// A key of an order.
struct GeneratedKey<E: Generated> {
  typealias Sorting = (EntityQuery<E>, EntityQuery<E>.Order, EntityQuery<E>.NilOrder?) -> EntityQuery<E>

  let text: String
  let sorted: Sorting
  /// Whether the one comes before the other, where the smallest comes first; `nil` where they are equal.
  let precedes: (E, E) -> Bool?
  let isNil: (E) -> Bool

  /// A key of numbers.
  init<V: Comparable>(_ text: String, _ sorted: @escaping Sorting, _ value: @escaping (E) -> V?) {
    self.text = text
    self.sorted = sorted
    precedes = { left, right in Order.precedes(value(left), value(right), <) }
    isNil = { value($0) == nil }
  }

  /// A key of texts, which come byte by byte.
  init(_ text: String, _ sorted: @escaping Sorting, bytes value: @escaping (E) -> [UInt8]?) {
    self.text = text
    self.sorted = sorted
    precedes = { left, right in Order.precedes(value(left), value(right)) { $0.lexicographicallyPrecedes($1) } }
    isNil = { value($0) == nil }
  }

  /// A key of texts in the order of a function.
  init(
    _ text: String, _ sorted: @escaping Sorting, texts value: @escaping (E) -> String?,
    _ isBefore: @escaping (String, String) -> Bool
  ) {
    self.text = text
    self.sorted = sorted
    precedes = { left, right in
      guard let one = value(left), let other = value(right) else {
        return value(left) == nil ? (value(right) == nil ? nil : true) : false
      }
      return isBefore(one, other) ? true : isBefore(other, one) ? false : nil
    }
    isNil = { value($0) == nil }
  }
}

/// Plain comparisons of values that may be none.
enum Order {
  static func precedes<V: Equatable>(_ left: V?, _ right: V?, _ isBefore: (V, V) -> Bool) -> Bool? {
    switch (left, right) {
    case (nil, nil): nil
    case (nil, _): true
    case (_, nil): false
    case (let left?, let right?): left == right ? nil : isBefore(left, right)
    }
  }
}

extension String {
  /// All that SQLite compares by default.
  var bytes: [UInt8] { Array(utf8) }
}
