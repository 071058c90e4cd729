/// Two columns of an earlier version of the app that are the sides of a one-to-one relationship. One column goes: its
/// links become links of the column that stays, with their local edits.
struct OneToOneJoin {
  /// The entity and property whose column goes.
  let entity: EntityModel
  let property: PropertyModel
  /// The entity whose column stays.
  let target: EntityModel
  let link: PropertyModel
  /// A table or a query with the links of the column that goes: `owner` and `target`, the row ids of both ends.
  let links: String

  /// - Returns: `nil` for a property that is not a side without a column.
  init?(_ entity: EntityModel, _ property: PropertyModel, _ schema: SchemaModel, links: String) {
    guard property.isCounterpart, case .toMany(let number, let link, _) = property.kind else { return nil }
    self.entity = entity
    self.property = property
    target = schema.entities[number]
    self.link = target.properties[link]
    self.links = links
  }

  var name: String { "'\(entity.name).\(property.name)'" }
  var otherName: String { "'\(target.name).\(link.name)'" }

  /// - Throws: The error from `mismatch`, which gets the contradiction in words, where the two columns contradict each
  ///   other.
  func check(_ count: (String, [StoredValue]) throws -> Int64, _ mismatch: (String) -> StoreError) throws {
    let places = try contradictions.reduce(0) { try $0 + count($1.sql, $1.values) }
    guard places > 0 else { return }
    throw mismatch("the two contradict each other in \(places) \(places == 1 ? "place" : "places")")
  }

  /// Joins the links and their edits. The caller ends the edits of the column that goes.
  func run(_ run: (String, [StoredValue]) throws -> Void) throws {
    for (sql, values) in statements { try run(sql, values) }
  }

  private typealias Query = (sql: String, values: [StoredValue])

  /// Queries that count the contradictions between the two columns.
  private var contradictions: [Query] {
    let column = link.name.quoted
    let held = "SELECT 1 FROM \(target.table) AS s WHERE s.\(column) ="
    return [
      ("SELECT count(*) FROM (SELECT 1 \(OneToOne.twins(links, "target")))", []),
      // It is a contradiction too where an edit took the object out of one column, and the other column still has it.
      (
        "SELECT count(*) FROM \(links) AS o LEFT JOIN \(target.table) AS t ON t._pk = o.target WHERE t._pk IS NULL "
          + "OR t.\(column) <> o.owner OR t.\(column) IS NULL "
          + "AND (\(isCleared("t")) OR EXISTS (\(held) o.owner))", [.text(link.name), .text(target.name)]
      ),
      (
        "SELECT count(*) FROM \(entity.table) AS e WHERE \(isCleared("e")) "
          + "AND e._pk NOT IN (SELECT owner FROM \(links)) AND EXISTS (\(held) e._pk)",
        [.text(property.name), .text(entity.name)]
      ),
    ]
  }

  private var statements: [Query] {
    let column = link.name.quoted
    // The server's links before edits, in the column that goes: the link that was edited last counts.
    let insert =
      "WITH former (owner, target, time, number) AS (SELECT pk, base, max(time), number FROM \(EditNotes.table) "
      + "WHERE entity = ?2 AND property = ?1 AND has_base = 1 AND base IS NOT NULL GROUP BY base) "
      + "INSERT OR IGNORE INTO \(EditNotes.table) (entity, pk, property, base, has_base, time, number, made) "
    let names: [StoredValue] = [
      .text(property.name), .text(entity.name), .text(link.name), .text(target.name),
    ]
    return [
      // An edit that set a link. It stays an edit also where both columns have the link, and an edit of the other
      // column keeps its own note.
      (
        insert + "SELECT ?4, o.target, ?3, f.owner, "
          + "CASE WHEN f.owner IS NOT NULL OR \(isNew("e")) THEN 1 ELSE coalesce(n.has_base, 0) END, n.time, "
          + "coalesce(n.number, 0), coalesce(n.number, 0) "
          + "FROM \(links) AS o JOIN \(entity.table) AS e ON e._pk = o.owner LEFT JOIN \(EditNotes.table) AS n "
          + "ON n.entity = ?2 AND n.pk = o.owner AND n.property = CASE WHEN \(isNew("e")) THEN '' ELSE ?1 END "
          + "LEFT JOIN former AS f ON f.target = o.target WHERE \(isEdited("e"))", names
      ),
      // An edit that took an object out: for the object it is an edit to no link.
      (
        insert + "SELECT ?4, f.target, ?3, f.owner, 1, f.time, f.number, f.number FROM former AS f "
          + "JOIN \(target.table) AS t ON t._pk = f.target WHERE t.\(column) IS NULL AND t._pk NOT IN (SELECT target FROM \(links))",
        names
      ),
      (
        "UPDATE \(target.table) SET \(column) = (SELECT o.owner FROM \(links) AS o WHERE o.target = "
          + "\(target.table)._pk) WHERE \(column) IS NULL AND _pk IN (SELECT target FROM \(links))", []
      ),
      (
        "UPDATE \(target.table) SET _edited = coalesce(_edited || ',', '') || ?1 WHERE NOT \(isEdited(target.table)) "
          + "AND _pk IN (SELECT pk FROM \(EditNotes.table) WHERE entity = ?2 AND property = ?1)",
        [.text(link.name), .text(target.name)]
      ),
      // In a new object everything is an edit, and it has one note for all.
      (
        "DELETE FROM \(EditNotes.table) WHERE entity = ?2 AND property = ?1 "
          + "AND pk IN (SELECT _pk FROM \(target.table) AS t WHERE \(isNew("t")))",
        [.text(link.name), .text(target.name)]
      ),
    ]
  }

  /// Whether an edit took a link out of a column that is empty now. A link that was set here and cleared again had no
  /// link before.
  ///
  /// The first parameter is the name of the property, the second one the name of the entity.
  private func isCleared(_ table: String) -> String {
    "\(isEdited(table)) AND NOT \(isNew(table)) AND NOT EXISTS (SELECT 1 FROM \(EditNotes.table) AS n "
      + "WHERE n.entity = ?2 AND n.pk = \(table)._pk AND n.property = ?1 AND n.has_base = 1 AND n.base IS NULL)"
  }

  private func isNew(_ table: String) -> String { isEdited(table, "'\(EditMarks.new)'") }

  /// - Parameter name: As SQL; the first parameter by default.
  private func isEdited(_ table: String, _ name: String = "?1") -> String {
    "instr(',' || coalesce(\(table)._edited, '') || ',', ',' || \(name) || ',') > 0"
  }
}
