// Partial indexes: indexes of the rows that meet a condition.

extension EntityIndex where E: ManagedEntity {
  /// An index of the objects that meet a condition. It is smaller, and is written only when one of these objects
  /// changes.
  ///
  /// ```swift
  /// .index(\.title, where: { $0.isOpen })  // CREATE INDEX … ON "Ticket" ("title") WHERE "isOpen" IS 1
  /// ```
  /// It serves queries that have the same condition: `Ticket.where { $0.isOpen }.sorted(by: \.title)`.
  ///
  /// - Parameters:
  ///   - first: The first column.
  ///   - more: Further columns.
  ///   - condition: A comparison of the entity's own attributes and links with values, or several with `&&`, `||`, `!`.
  public static func index<A, each More, C: QueryCondition>(
    _ first: KeyPath<E.Columns, Column<E, A>>, _ more: repeat KeyPath<E.Columns, Column<E, each More>>,
    where condition: (QueryRow<E>) -> C
  ) -> EntityIndex {
    EntityIndex(
      columns: names(first, repeat each more), isUnique: false, condition: condition(.root)._predicate.sql.ofIndex)
  }

  /// Values that are unique together among the objects that meet a condition.
  ///
  /// ```swift
  /// .unique(\.desk, where: { $0.isOpen })  // one open ticket for each desk
  /// ```
  /// - Parameters:
  ///   - first: The first column.
  ///   - more: Further columns.
  ///   - condition: A comparison of the entity's own attributes and links with values, or several with `&&`, `||`, `!`.
  public static func unique<A, each More, C: QueryCondition>(
    _ first: KeyPath<E.Columns, Column<E, A>>, _ more: repeat KeyPath<E.Columns, Column<E, each More>>,
    where condition: (QueryRow<E>) -> C
  ) -> EntityIndex {
    EntityIndex(
      columns: names(first, repeat each more), isUnique: true, condition: condition(.root)._predicate.sql.ofIndex)
  }
}
