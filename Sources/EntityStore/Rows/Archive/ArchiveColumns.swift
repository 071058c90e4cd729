import Foundation

/// Where the values of an archive's rows go.
struct ArchiveColumns {
  let model: EntityModel
  /// For each column of the archive, its property; `nil` for a column that is not read.
  let properties: [Int?]
  /// For each column of the archive, the side of a one-to-one relationship that has no column in the app, but was a
  /// link in the archive.
  let counterparts: [PropertyModel?]
  /// The columns that the archive lacks, which get their defaults.
  let lacking: [Int]

  /// - Parameters:
  ///   - columns: The columns in the archive.
  ///   - names: The names of the archive, which include the names of the columns.
  /// - Throws: ``StoreError`` of kind `schemaMismatch`.
  init(_ model: EntityModel, _ columns: [String], _ names: ArchiveNames) throws {
    self.model = model
    guard Set(columns).count == columns.count else {
      throw StoreError.damagedArchive("a column of '\(model.name)' stands there twice")
    }
    let properties: [Int?] = try columns.map { column in
      if let property = names.property(column, of: model) {
        // A composite uid follows from its parts, and a derived property from its sources: their columns are not read.
        return property.isStored && !property.isComposite && !property.isDerived ? property.index : nil
      }
      // A position has no meaning for a relationship that is no longer ordered.
      if model.removedNames.contains(column) || column.hasPrefix("_") { return nil }
      throw StoreError(
        .schemaMismatch,
        "The archive has '\(model.name).\(column)', which is not declared. Declare it, or say that it was renamed or removed."
      )
    }
    counterparts = columns.map { names.property($0, of: model).flatMap { $0.isCounterpart ? $0 : nil } }
    var missing = model.required
    for property in properties { if let property { missing.subtract(ColumnMask(property)) } }
    if let property = missing.indices.first(where: { _ in true }) {
      throw StoreError(
        .schemaMismatch,
        "The archive lacks '\(model.name).\(model.properties[property].name)', which every object has to have.")
    }
    self.properties = properties
    lacking = model.stored.subtracting(model.derived).indices.filter { index in
      !properties.contains(index) && !model.properties[index].isComposite
    }
  }

  /// The properties of which the archive does not say whether a response had them: those that it lacks, and all of them
  /// in an archive of an entity that did not track its coverage.
  var uncovered: [PropertyModel] {
    guard let coverage = model.coverage else { return [] }
    let asked = properties.contains(coverage) ? model.coverable.intersection(model.stored) : model.coverable
    return asked.indices.filter { lacking.contains(coverage) || lacking.contains($0) }.map { model.properties[$0] }
  }

  var insert: String {
    let names =
      ["_pk", "_edited", "_placeholder"] + (properties.compactMap(\.self) + lacking).map { model.properties[$0].name }
      + (model.uidParts == nil ? [] : [PropertyModel.compositeName])
      + model.derived.indices.map { model.properties[$0].name }
    return model.insert(names)
  }
}

extension PropertyModel {
  /// The value that a row of an archive gets in this column; `nil` where the column can't have the archive's value.
  ///
  /// - Parameter rows: The new row ids of the archive's rows.
  func archived(_ value: StoredValue, isPlaceholder: Bool, rows: ArchivedRows) -> StoredValue? {
    guard case .attribute(let type, let isOptional) = kind else {
      return value.isNull && isRequired && !isPlaceholder ? nil : rows.link(value)
    }
    if positionOf != nil { return rows.position(value) }
    if value.isNull {
      if isOptional || isUID { return .null }
      // The property was optional when the archive was written. A placeholder has nothing but its uid.
      return isPlaceholder || facts.isDefaultDeclared ? defaultValue : nil
    }
    return type.hasForm(value) ? value : nil
  }
}
