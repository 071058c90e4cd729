import EntityStore

/// A row as pages show it: its marks, and a cell for each property.
struct ObjectRow: Encodable {
  let pk: Int64
  let isPlaceholder: Bool
  /// Whether the object was made here.
  let isNew: Bool
  /// In the order of the properties.
  let cells: [Cell]

  /// The expressions of a query for rows of the table `t`: the row id, the marks, the placeholder, the values, and a label for
  /// each link.
  ///
  /// - Parameter characters: The most characters of a text.
  static func columns(_ entity: StoreFileSchema.Entity, characters: Int, _ schema: StoreFileSchema) -> String {
    (["t._pk", "t._edited", "t._placeholder"] + entity.properties.map { $0.value("t", characters: characters) }
      + entity.properties.compactMap { targetLabel($0, schema) }).joined(separator: ", ")
  }

  /// - Parameter found: Rows of a query for ``columns(_:characters:_:)``.
  static func all(
    _ found: [[StoredValue]], of entity: StoreFileSchema.Entity, characters: Int, _ reader: StoreFileReader
  ) throws -> [ObjectRow] {
    let marked = found.filter { !$0[1].isNull }.compactMap { $0[0].integer }
    let edits = try EditedProperties(entity.name, marked, reader)
    return found.map { row in
      let pk = row[0].integer ?? 0
      let marks = Set((row[1].string ?? "").split(separator: ",").map(String.init))
      var labels = row.dropFirst(3 + entity.properties.count).makeIterator()
      let cells = zip(entity.properties, row.dropFirst(3)).map { property, value in
        var cell = property.cell(value, key: "\(pk).\(property.name)", characters: characters)
        if let target = property.target {
          let label = labels.next() ?? .null
          if let pk = value.integer { cell = .link(to: ObjectLink(target, pk, label), key: cell.key) }
        }
        if marks.contains(property.name) { cell.edit = edits.edit(pk, property) }
        return cell
      }
      return ObjectRow(pk: pk, isPlaceholder: row[2] == .integer(1), isNew: marks.contains("_new"), cells: cells)
    }
  }

  /// An SQL expression for the label of the object that a link leads to; `nil` for an attribute.
  private static func targetLabel(_ property: StoreFileSchema.Property, _ schema: StoreFileSchema) -> String? {
    guard let name = property.target else { return nil }
    guard let target = schema[name] else { return "NULL" }
    return "(SELECT \(target.label("x")) FROM \(target.table) AS x WHERE x._pk = t.\(property.column))"
  }
}

extension Cell {
  /// The cell of a to-one relationship, whose column names the entity already.
  fileprivate static func link(to object: ObjectLink, key: String) -> Cell {
    Cell(key: key, text: object.label, kind: .link, link: object)
  }
}
