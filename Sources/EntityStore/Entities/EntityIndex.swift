/// An index over several columns of an entity, or over a part of its rows: an element of ``ManagedEntity/indexes``.
///
/// ```swift
/// static var indexes: [EntityIndex<Ticket>] {
///   [.unique(\.project, \.number), .index(\.author, \.createdAt), .index(\.title, where: { $0.isOpen })]
/// }
/// ```
/// Attributes and to-one relationships are columns, and lists are not. For a single column of all rows there are
/// `@Unique` and `@Indexed`.
public struct EntityIndex<E>: Sendable {
  let columns: [String]
  let isUnique: Bool
  var condition: IndexCondition?
}

extension EntityIndex where E: ManagedEntity {
  /// An index that serves conditions on its first columns, and orders by them.
  ///
  /// ```sql
  /// CREATE INDEX "Ticket,,author,createdAt" ON "Ticket" ("author", "createdAt")
  /// ```
  /// - Parameters:
  ///   - first: The first column.
  ///   - second: The second column.
  ///   - more: Further columns.
  public static func index<A, B, each More>(
    _ first: KeyPath<E.Columns, Column<E, A>>, _ second: KeyPath<E.Columns, Column<E, B>>,
    _ more: repeat KeyPath<E.Columns, Column<E, each More>>
  ) -> EntityIndex {
    EntityIndex(columns: names(first, second, repeat each more), isUnique: false)
  }

  /// An index of values that are unique together: no two objects have the same values. It serves queries as any index
  /// does.
  ///
  /// Only the end of a save, a unit or a response counts: within it, objects may swap values. An object without a value
  /// in one of the columns equals no other object, and a placeholder equals none either. Two equal objects are refused
  /// with ``StoreError`` of kind `uniqueViolation`, which names both objects.
  ///
  /// - Parameters:
  ///   - first: The first column.
  ///   - second: The second column.
  ///   - more: Further columns.
  public static func unique<A, B, each More>(
    _ first: KeyPath<E.Columns, Column<E, A>>, _ second: KeyPath<E.Columns, Column<E, B>>,
    _ more: repeat KeyPath<E.Columns, Column<E, each More>>
  ) -> EntityIndex {
    EntityIndex(columns: names(first, second, repeat each more), isUnique: true)
  }

  static func names<each V>(_ columns: repeat KeyPath<E.Columns, Column<E, each V>>) -> [String] {
    var names: [String] = []
    for column in repeat each columns { names.append(E.columns[keyPath: column].name) }
    return names
  }
}

extension SchemaModel {
  /// - Throws: ``StoreError`` of kind `invalidSchema` that names the index.
  static func indexes<E: ManagedEntity>(of type: E.Type, _ properties: [PropertyModel]) throws -> [IndexModel] {
    var known: Set<[String]> = []
    return try E.indexes.map { index in
      func invalid(_ reason: String) -> StoreError {
        StoreError(
          .invalidSchema,
          "The index of \(IndexModel.label(E.entityName, index.columns)) \(reason)")
      }
      guard E.IndexedEntity.self == E.self else {
        throw invalid("is one of another entity, '\(E.IndexedEntity.self)'.")
      }
      let columns = try index.columns.map { name in
        guard let property = properties.first(where: { $0.name == name }), property.isStored,
          !property.isHidden || property.isDerived
        else {
          throw invalid("can't be: '\(name)' has no column. Lists have none.")
        }
        return property.index
      }
      guard Set(columns).count == columns.count else { throw invalid("has a column twice.") }
      if let condition = index.condition, condition.sql == nil {
        throw invalid(
          "has a condition that no index can have. It compares the entity's own attributes and links with values: no "
            + "properties of other objects, no lists, no other queries, no more than eight values in `isIn`, no text without "
            + "regard to accents.")
      }
      var mask = ColumnMask()
      for column in columns { mask.insert(column) }
      for property in properties where index.condition?.columns.contains(property.name.quoted) == true {
        mask.insert(property.index)
      }
      let model = IndexModel(
        columns: columns, names: index.columns, isUnique: index.isUnique, condition: index.condition?.sql, mask: mask)
      guard known.insert(model.names + [model.condition ?? ""]).inserted else {
        throw invalid("is declared twice; one that is unique serves queries, too.")
      }
      return model
    }
  }
}
