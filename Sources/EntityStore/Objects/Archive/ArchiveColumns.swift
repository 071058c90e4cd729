/// Where the values of an archive's rows go.
struct ArchiveColumns {
  let model: EntityModel
  /// By the column of the archive: the property; `nil` for one that the app removed.
  let properties: [Int?]
  /// By the column of the archive: the side of a one-to-one relationship without a column, which was a link of its own.
  let counterparts: [PropertyModel?]

  /// - Parameters:
  ///   - name: The entity's name in the archive.
  ///   - columns: Its columns there.
  /// - Returns: `nil` for a relationship that the app removed.
  /// - Throws: ``StoreError`` of kind `unknownEntity` or `schemaMismatch`.
  init?(_ name: String, _ columns: [String], _ schema: SchemaModel) throws {
    guard let model = try schema.archived(name) else { return nil }
    self.model = model
    properties = try columns.map { column in
      if let property = model.archived(column) {
        // A composite uid follows from its parts, which are read by their names, and a derived property from its sources.
        return property.isStored && !property.isComposite && !property.isDerived ? property.index : nil
      }
      // A position says nothing to a relationship that is ordered no more.
      if model.removedNames.contains(column) || column.hasPrefix("_") { return nil }
      throw StoreError(
        .schemaMismatch,
        "The archive has '\(model.name).\(column)', which is not declared. Declare it, or say that it was renamed or removed."
      )
    }
    counterparts = columns.map { model.archived($0).flatMap { $0.isCounterpart ? $0 : nil } }
    var missing = model.required
    for property in properties { if let property { missing.subtract(ColumnMask(property)) } }
    if let property = missing.indices.first(where: { _ in true }) {
      throw StoreError(
        .schemaMismatch,
        "The archive lacks '\(model.name).\(model.properties[property].name)', which every object has to have.")
    }
  }

  var insert: String {
    let names =
      ["_pk", "_edited", "_placeholder"] + properties.compactMap { $0.map { model.properties[$0].name } }
      + (model.uidParts == nil ? [] : [PropertyModel.compositeName])
      + model.derived.indices.map { model.properties[$0].name }
    let places = Array(repeating: "?", count: names.count).joined(separator: ", ")
    return "INSERT INTO \(model.table) (\(names.map(\.quoted).joined(separator: ", "))) VALUES (\(places))"
  }
}

extension SchemaModel {
  /// The entity that had a name when an archive was written; `nil` for a relationship that the app removed.
  ///
  /// - Throws: ``StoreError`` of kind `unknownEntity`.
  func archived(_ name: String) throws -> EntityModel? {
    if let model = entity(ofTable: name) ?? entities.first(where: { $0.formerNames.contains(name) }) { return model }
    // The pairs of a relationship have the names of both.
    let parts = name.split(separator: ",", maxSplits: 1).map(String.init)
    if parts.count == 2, let owner = try archived(parts[0]) {
      if let property = owner.archived(parts[1]), case .manyToMany(let membership, _) = property.kind {
        return entities[membership.links]
      }
      if owner.removedNames.contains(parts[1]) { return nil }
    }
    throw StoreError(
      .unknownEntity, "The archive has '\(name)', which the store was opened without. Add it to `entities:`.")
  }
}

extension EntityModel {
  /// The property that had a name when an archive was written.
  func archived(_ name: String) -> PropertyModel? {
    properties.first { $0.name == name } ?? properties.first { $0.formerNames.contains(name) }
  }

  /// The names of edited properties, as they are now.
  func archived(marks: String) -> String {
    marks.split(separator: ",").map { archived(String($0))?.name ?? String($0) }.joined(separator: ",")
  }
}

extension PropertyModel {
  /// The value that a row of an archive gets in this column; `nil` for one that it can't have.
  ///
  /// - Parameter row: Gives the row id that an archived one has become.
  func archived(_ value: StoredValue, isPlaceholder: Bool, row: (Int64) -> Int64?) -> StoredValue? {
    guard case .attribute(let type, let isOptional) = kind else {
      switch value {
      case .null: return isRequired && !isPlaceholder ? nil : .null
      case .integer(let pk): return row(pk).map(StoredValue.integer)
      default: return nil
      }
    }
    if value.isNull { return isOptional || isUID || positionOf != nil ? .null : nil }
    return switch (type, value) {
    case (.bool, .integer), (.integer, .integer), (.integer(64, false), .text), (.float, .real), (.double, .real),
      (.date, .real), (.decimal, .text), (.string, .text), (.uuid, .text), (.url, .text), (.json, .text),
      (.data, .blob):
      value
    default: nil
    }
  }
}
