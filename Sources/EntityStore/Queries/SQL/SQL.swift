/// SQL that an app writes, with bound values: for queries that the conditions of ``EntityQuery`` can't express.
///
/// ```swift
/// let users = try context.fetch(User.self, sql: "SELECT _pk FROM \(User.self) WHERE \(User.columns.name) GLOB \(pattern)")
/// let rows = try context.fetch(sql: "SELECT city, count(*) FROM \(Address.self) GROUP BY 1", as: (String?, Int).self)
/// let short = try context.fetch(User.where { SQL("length(\($0.name)) < \(limit)") })
/// ```
/// A value in `\( )` is bound, and is never a part of the SQL, whatever it holds. SQLite gets the rest of a text as it
/// is: never build it from outside input. SQL only reads: SQL that writes, begins a transaction or attaches a file
/// throws ``StoreError`` of kind `invalidQuery`.
///
/// | in a text | is |
/// | --- | --- |
/// | `\(value)` | `?`, with the value as its property stores it |
/// | `\([1, 2, 3])` | a list for `IN`: `age IN \(ages)` |
/// | `\(User.self)` | the objects that the context sees, unsaved changes included, without placeholders |
/// | `\(User.columns.name)` | the quoted name of a column |
/// | `\($0.name)`, `\($0)` | in a closure of a query: an expression of its row, the name of the row |
/// | `\(user)`, `\(user.entityID)` | the row id of an object |
/// | `\(User.where { … })` | the row ids that a query finds, for `IN (…)` |
/// | `\(raw: text)` | the text as it is |
///
/// `\(User.self)` stands in the place of a table. It has only the name that you give it: `FROM \(User.self) AS u`. Its
/// columns are `_pk`, the row id, and the stored properties. A to-one relationship is the row id of its target. The
/// name of a table stands for the rows in the file, without unsaved changes and with placeholders.
public struct SQL: ExpressibleByStringInterpolation, Sendable {
  let fragment: SQLFragment

  public init(stringLiteral text: String) { fragment = "\(raw: text)" }

  public init(stringInterpolation: StringInterpolation) { fragment = .joined(stringInterpolation.pieces, "") }

  /// The pieces of a text and its values; see ``SQL``.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces: [SQLFragment] = []

    public init(literalCapacity: Int, interpolationCount: Int) { pieces.reserveCapacity(interpolationCount * 2 + 1) }

    public mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { pieces.append("\(raw: text)") }
    }

    /// A bound value. `nil` is NULL, which is equal to nothing: compare with `IS`.
    ///
    /// - Parameter value: The value.
    public mutating func appendInterpolation<V: AttributeValue>(_ value: V) {
      do {
        pieces.append("\(try V._stored(value))")
      } catch {
        // A text can't throw, but the query can. The error may have the value in it.
        let message = "A value of '\(V.self)' in SQL has no stored form: it can't be encoded."
        pieces.append("\(invalid: StoreError(.invalidValue, message))")
      }
    }

    /// A list of values for `IN`, of any length: `age IN \(ages)`. The list has no `nil`.
    ///
    /// - Parameter values: The values.
    public mutating func appendInterpolation<V: ScalarValue>(_ values: [V]) {
      pieces.append("(SELECT value FROM _entity_values(\(StoredValue.list(values.map(\.storedValue)))))")
    }

    /// The objects of an entity that the context sees.
    ///
    /// `\(User.self)`
    /// // (SELECT _pk, "name", … FROM "User" WHERE _placeholder = 0)
    ///
    /// - Parameter type: The entity.
    public mutating func appendInterpolation<E: ManagedEntity>(_ type: E.Type) {
      pieces.append("\(objects: E.self, .objects)")
    }

    /// The rows of an entity that the context sees, with rows that ``EntityQuery`` leaves out by default.
    ///
    /// - Parameters:
    ///   - type: The entity.
    ///   - hidden: The rows to include.
    public mutating func appendInterpolation<E: ManagedEntity>(_ type: E.Type, including hidden: EntityQuery<E>.Hidden)
    {
      switch hidden {
      case .placeholders: pieces.append("\(objects: E.self, .all)")
      }
    }

    /// The quoted name of a column: `\(User.columns.name)`.
    ///
    /// - Parameter column: The property.
    public mutating func appendInterpolation<E: ManagedEntity, V: AttributeValue>(_ column: Column<E, V>) {
      pieces.append("\(name: column.name)")
    }

    /// The quoted name of the column of a lazy property: `\(User.columns.photo)`.
    ///
    /// - Parameter column: The property.
    public mutating func appendInterpolation<E: ManagedEntity, V: AttributeValue>(_ column: Column<E, LazyValue<V>>) {
      pieces.append("\(name: column.name)")
    }

    /// The quoted name of a column with row ids: `\(Post.columns.author)`.
    ///
    /// - Parameter link: The to-one relationship.
    public mutating func appendInterpolation<E: ManagedEntity, T: ManagedEntity>(_ link: Column<E, T?>) {
      pieces.append("\(name: link.name)")
    }

    /// The quoted name of a column with row ids: `\(Post.columns.author)`.
    ///
    /// - Parameter link: The required to-one relationship.
    public mutating func appendInterpolation<E: ManagedEntity, T: ManagedEntity>(_ link: Column<E, T>) {
      pieces.append("\(name: link.name)")
    }

    /// Refused by the compiler: an entity has no column for a list.
    @available(
      *, unavailable, message: "a to-many relationship is no column: write a query of the entity that it leads to"
    )
    public mutating func appendInterpolation<E: ManagedEntity, T: ManagedEntity>(_ column: Column<E, [T]>) {}

    /// A value of the row in a closure of a query: `\($0.name)`, `\($0.address.city)`, `\($0.posts.count)`.
    ///
    /// - Parameter expression: The value.
    public mutating func appendInterpolation<X: QueryExpression>(_ expression: X) {
      pieces.append(expression._expression.sql)
    }

    /// The name of the row in a closure of a query: `\($0)._pk`.
    ///
    /// - Parameter row: The row.
    public mutating func appendInterpolation<E: ManagedEntity>(_ row: QueryRow<E>) { pieces.append("\(row.alias)") }

    /// A condition.
    ///
    /// - Parameter condition: The condition, of a row that the text can name.
    public mutating func appendInterpolation(_ condition: EntityPredicate) { pieces.append(condition.operand) }

    /// The row ids of the objects that a query finds: `WHERE author IN (\(query))`.
    ///
    /// - Parameter query: The query.
    public mutating func appendInterpolation<E: ManagedEntity>(_ query: EntityQuery<E>) {
      pieces.append(query.subselect())
    }

    /// The row id of an object.
    ///
    /// - Parameter object: The object.
    public mutating func appendInterpolation<E: ManagedEntity>(_ object: E) {
      pieces.append("\(.integer(object._$state.pk))")
    }

    /// The row id of an object.
    ///
    /// - Parameter id: The object's id.
    public mutating func appendInterpolation<E: ManagedEntity>(_ id: EntityID<E>) {
      pieces.append("\(.integer(id.pk))")
    }

    /// Another text.
    ///
    /// - Parameter sql: The text and its values.
    public mutating func appendInterpolation(_ sql: SQL) { pieces.append(sql.fragment) }

    /// A text as it is.
    ///
    /// - Parameter text: SQL without input from outside.
    public mutating func appendInterpolation(raw text: String) { pieces.append("\(raw: text)") }
  }
}

/// SQL is a condition: `User.where { SQL("length(\($0.name)) < \(5)") && $0.age > 21 }`
/// // ((length(t0."name") < ?) AND t0."age" > ?)
extension SQL: QueryCondition {
  public var _predicate: EntityPredicate { EntityPredicate("(\(fragment))") }
}
