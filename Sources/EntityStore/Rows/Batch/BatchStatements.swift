import CSQLite
import EntityJSON

// The statements of a batch, whose rows SQLite reads from the table-valued function `_entity_batch`.

extension RowBatch {
  /// The stored columns, as a statement names them and as the batch has them.
  private var columns: [(name: String, cell: String)] {
    model.stored.indices.map { (model.properties[$0].name.quoted, "v.c\($0)") }
  }

  /// Finds each row of the batch by a column, and compares it with the row in the file. The statement returns no rows,
  /// but for an entity with ``EntityModel/coverage`` those that lack properties: the row's number in the batch, and the
  /// names.
  ///
  /// The order of the join is fixed: it goes through the batch, and looks into the table by its index.
  ///
  /// - Parameter lazies: The lazy columns that are compared.
  func findingSQL(byColumn column: Int, _ lazies: ColumnMask = ColumnMask()) -> String {
    let missing = model.coverageOfRow
    // The third parameter is the time after which a response need not be noted again.
    let old =
      model.age == nil ? [] : ["CASE WHEN t.\(PropertyModel.ageName.quoted) BETWEEN ?3 AND ?4 THEN NULL ELSE 1 END"]
    let own = missing + old
    let found = own.isEmpty ? "1" : "v.n, \(missing.first ?? "NULL"), \(old.first ?? "NULL")"
    return "SELECT \(found) FROM _entity_batch(?1) v CROSS JOIN \(model.table) t "
      + "ON t.\(model.properties[column].name.quoted) = v.c\(column) "
      + "WHERE \(Self.first([takingSQL(1, lazies)] + own)) IS NOT NULL"
  }

  /// Finds and compares as ``findingSQL(byColumn:)`` does, but by the row ids of the batch. The statement returns the
  /// rows with marks, and those that lack properties: the row's number in the batch, its marks, and the names of the
  /// properties.
  ///
  /// - Parameter withBases: Whether the rows of a second batch, with the same numbers, are compared as well.
  func findingByRowSQL(withBases: Bool) -> String {
    let missing = model.coverageOfRow
    let taken = (withBases ? [1, 2] : [1]).map { takingSQL($0) } + ["t._edited"] + missing
    return "SELECT \((["v.n", "t._edited"] + missing).joined(separator: ", ")) "
      + "FROM _entity_batch(?1) v CROSS JOIN \(model.table) t ON t._pk = v.pk WHERE \(Self.first(taken)) IS NOT NULL"
  }

  /// The first value that is not NULL. The function that takes a row returns NULL, so that `coalesce` evaluates the next
  /// argument too.
  private static func first(_ values: [String]) -> String {
    values.count == 1 ? values[0] : "coalesce(\(values.joined(separator: ", ")))"
  }

  /// - Parameter batch: The parameter of the batch that takes what differs.
  private func takingSQL(_ batch: Int, _ lazies: ColumnMask = ColumnMask()) -> String {
    let taken = model.stored.subtracting(model.derived).subtracting(model.lazy.subtracting(lazies))
    let values = (0..<table.columns).map { index in
      // The value of a lazy column may be large: it is read for the rows alone that have one for it.
      if lazies.contains(index) {
        let name = "t.\(model.properties[index].name.quoted)"
        return "CASE WHEN v.c\(index) IS NOT NULL THEN \(name) WHEN typeof(\(name)) <> 'null' THEN 1 END"
      }
      return index < model.properties.count && taken.contains(index)
        ? "t.\(model.properties[index].name.quoted)" : "NULL"
    }
    return "_entity_take(?\(batch), v.n, t._pk, t._edited, t._placeholder, \(values.joined(separator: ", ")))"
  }

  /// Reads each row of the table whose column has a value of the batch. The last column is the number of the row in the
  /// batch.
  func loadingSQL(byColumn column: Int) -> String {
    let names = model.properties.map { $0.isStored && !$0.isLazy ? "t.\($0.name.quoted)" : "NULL" }
    return "SELECT t._pk, t._edited, t._placeholder, \(names.joined(separator: ", ")), v.n "
      + "FROM _entity_batch(?1) v CROSS JOIN \(model.table) t ON t.\(model.properties[column].name.quoted) = v.c\(column)"
  }

  /// The second parameter has the marks that all of the rows get.
  ///
  /// `OR FAIL` needs no statement journal. In a statement of many rows that journal would take each page that changes.
  /// The rows before a failing row stay: the caller undoes them.
  var insertingSQL: String {
    let names = ["_pk", "_edited", "_placeholder"] + columns.map(\.name)
    let values = ["v.pk", "?2", "v.placeholder"] + columns.map(\.cell)
    return "INSERT OR FAIL INTO \(model.table) (\(names.joined(separator: ", "))) "
      + "SELECT \(values.joined(separator: ", ")) FROM _entity_batch(?1) v"
  }

  /// - Parameter isMarking: Whether the rows get marks, the second parameter.
  func updatingSQL(_ mask: ColumnMask, isMarking: Bool) -> String {
    let parts =
      mask.indices.map { "\(model.properties[$0].name.quoted) = v.c\($0)" } + (isMarking ? ["_edited = ?2"] : [])
    return "UPDATE OR FAIL \(model.table) AS t SET \(parts.joined(separator: ", ")) FROM _entity_batch(?1) v "
      + "WHERE t._pk = v.pk"
  }
}

extension EntityModel {
  /// Each row of a batch, with each row that links to it.
  func heldSQL(by link: Int) -> String {
    let column = properties[link].name.quoted
    return "SELECT v.pk, t._pk FROM _entity_batch(?1) v CROSS JOIN \(table) t ON t.\(column) = v.pk ORDER BY t._pk"
  }

  /// The memberships of each row of a batch, in the order of its list: row id, mark, member, and the row id of the owner
  /// last.
  func pairsSQL(of side: Int) -> String {
    let (own, other) = (properties[side].name.quoted, properties[1 - side].name.quoted)
    return "SELECT t._pk, t._edited, t.\(other), v.pk FROM _entity_batch(?1) v CROSS JOIN \(table) t "
      + "ON t.\(own) = v.pk ORDER BY 4, \(pairOrder(side, member: 3))"
  }
}

extension RowStatements {
  enum BatchKind: UInt8 {
    case find = 16
    case insert, update, updateMarking, load, findByRow, findByRowAndBases, noteBases
  }

  func batch(
    _ kind: BatchKind, of model: EntityModel, _ mask: ColumnMask, on connection: Connection, sql: () -> String
  ) throws -> Statement {
    try statement(.init(entity: model.number, mask: mask, kind: kind.rawValue), on: connection, sql: sql)
  }
}
