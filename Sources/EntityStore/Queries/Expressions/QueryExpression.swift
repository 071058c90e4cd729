/// A value that SQL computes for each row: a column, a property of a linked object, the count of a list, an id.
public protocol QueryExpression<Value>: Sendable {
  /// The type that the value has in Swift.
  associatedtype Value

  // Only the store uses the members below.

  var _expression: SQLExpression { get }
  /// `nil` when the type does not have the stored value.
  static func _value(_ stored: StoredValue) -> Value?
  /// The value in place of a stored value that the type does not have; `nil` where there is no such value.
  static var _neutral: Value? { get }
}

/// An expression in SQL.
public struct SQLExpression: Sendable {
  /// The value in place of a stored value that the type does not have.
  enum Fallback: Sendable {
    /// The default of a property.
    case property(any ManagedEntity.Type, Int)
    /// NaN, which SQLite stores as NULL.
    case notANumber

    static func property<E: ManagedEntity, V>(_ keyPath: KeyPath<E.Columns, Column<E, V>>) -> Fallback {
      .property(E.self, E.columns[keyPath: keyPath].index)
    }
  }

  let sql: SQLFragment
  var fallback: Fallback?
}

extension QueryExpression {
  /// The value, as a property has it: a raw value without a case reads as the default. A value that SQL computed has no
  /// default.
  ///
  /// - Throws: ``StoreError`` of kind `invalidValue` where no value can stand for the stored one.
  func value(_ stored: StoredValue, _ schema: SchemaModel) throws -> Value {
    if let value = Self._value(stored) { return value }
    var name = "A value of a query"
    if case .property(let type, let index)? = _expression.fallback {
      let model = try schema.model(type)
      if let value = Self._value(model.defaultForReading(index)) { return value }
      name = "'\(model.name).\(model.properties[index].name)'"
    } else if !stored.isNull {
      throw StoreError(
        .invalidValue,
        "A query computed a value that '\(Value.self)' does not have: it is out of range. Fetch the properties themselves "
          + "with 'select', and compute in Swift.")
    } else if case .notANumber? = _expression.fallback, let value = Self._notANumber {
      return value
    }
    if let value = Self._neutral { return value }
    throw StoreError(
      .invalidValue,
      "\(name) has no value in some row, or one that '\(Value.self)' does not have, and no default stands for it. Give the "
        + "property a default, or select it through an optional relationship.")
  }

  /// NaN, where the type has one.
  private static var _notANumber: Value? { (Double.nan as? Value) ?? (Float.nan as? Value) }
}

/// The id of the object itself.
public struct QueryIDColumn<E: ManagedEntity>: QueryExpression {
  public typealias Value = EntityID<E>

  let sql: SQLFragment

  public var _expression: SQLExpression { SQLExpression(sql: sql) }
  public static func _value(_ stored: StoredValue) -> EntityID<E>? { .of(stored) }
  public static var _neutral: EntityID<E>? { nil }
}

extension QueryRow {
  /// The id of the object: `User.all.select { ($0.entityID, $0.name) }`
  /// // SELECT t0._pk, t0."name" FROM "User" AS t0 WHERE t0._placeholder = 0 ORDER BY t0._pk
  public var entityID: QueryIDColumn<E> { QueryIDColumn(sql: "\(alias)._pk") }
}

/// The value of a to-one relationship is the id of its object, as in a snapshot.
extension QueryOptionalLink: QueryExpression {
  public typealias Value = EntityID<T>?

  public var _expression: SQLExpression { SQLExpression(sql: "\(target: T.self, _sql.sql)") }
  public static func _value(_ stored: StoredValue) -> EntityID<T>?? { .some(.of(stored)) }
  public static var _neutral: EntityID<T>?? { .some(nil) }
}

/// The value of a required to-one relationship is the id of its object; `nil` where there is no object, as in a
/// placeholder.
extension QueryLink: QueryExpression {
  public typealias Value = EntityID<T>?

  public var _expression: SQLExpression { SQLExpression(sql: "\(target: T.self, _sql.sql)") }
  public static func _value(_ stored: StoredValue) -> EntityID<T>?? { .some(.of(stored)) }
  public static var _neutral: EntityID<T>?? { .some(nil) }
}

extension EntityID {
  fileprivate static func of(_ stored: StoredValue) -> EntityID? {
    guard case .integer(let pk) = stored else { return nil }
    return EntityID(pk: pk)
  }
}
