/// A link of an archive whose column is the other side of a one-to-one relationship now.
struct ArchivedLink {
  let model: EntityModel
  let property: PropertyModel
  let owner: Int64
  let target: Int64
}

extension RowWriter {
  /// Sets the link of the other side, as the file of such a version is changed when it is opened.
  ///
  /// - Throws: ``StoreError`` of kind `schemaMismatch` where the two contradict each other.
  func join(_ archived: ArchivedLink) throws {
    guard case .toMany(let number, let link, _) = archived.property.kind else { return }
    let model = schema.entities[number]
    let name = model.properties[link].name.quoted
    let held = try connection.rows("SELECT \(name) FROM \(model.table) WHERE _pk = ?", [.integer(archived.target)]) {
      $0.optionalInt64(0)
    }.first
    let isEdited = try isEdited(archived.model, archived.owner, archived.property.index)
    if isEdited, let row = try current(archived.model, pk: archived.owner) {
      var marks = row.marks
      marks.known.subtract(ColumnMask(archived.property.index))
      try setMarks(archived.model, row, marks, told: ColumnMask(archived.property.index))
    }
    if held == archived.owner { return }
    guard held == .some(nil) else {
      throw StoreError(
        .schemaMismatch,
        "'\(archived.model.name).\(archived.property.name)' is the other side of "
          + "'\(model.name).\(model.properties[link].name)', and in the archive the two contradict each other.",
        objects: [archived.model.id(archived.owner)])
    }
    try connection.prepare("UPDATE \(model.table) SET \(name) = ? WHERE _pk = ?")
      .run([.integer(archived.owner), .integer(archived.target)])
    if isEdited { try markEdited(model, archived.target, link) }
  }
}
