/// Values in rows that do not have their property's type: JSON of another declaration of the type, or a value of
/// another program. The property reads as its default.
///
/// A raw value without a case is not one of these: a server may send it, and `isUnrecognized` finds it.
struct UnreadableValues {
  let connection: Connection
  let schema: SchemaModel

  /// The rows of one property.
  struct Found {
    let model: EntityModel
    let property: PropertyModel
    /// The row ids of the first such rows.
    var rows: [Int64] = []
    var count = 0
  }

  /// - Parameter most: The most row ids of each property.
  func found(most: Int) throws -> [Found] {
    try schema.declared.flatMap { model in
      try model.properties.compactMap { property -> Found? in
        guard case .attribute = property.kind, !property.isComposite, !property.facts.isRaw,
          property.facts.derivation == nil
        else { return nil }
        var found = Found(model: model, property: property)
        let name = property.name.quoted
        let statement = try connection.prepare("SELECT _pk, \(name) FROM \(model.table) WHERE \(name) IS NOT NULL")
        defer { statement.reset() }
        while try statement.step() {
          guard property.stored(statement.value(1)) == nil else { continue }
          found.count += 1
          if found.rows.count < most { found.rows.append(statement.int64(0)) }
        }
        return found.count == 0 ? nil : found
      }
    }
  }
}
