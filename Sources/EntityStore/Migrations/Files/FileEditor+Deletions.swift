// The notes of deletions that the server is yet to hear of. They have values of objects whose rows are gone.

extension FileEditor {
  /// Renames a property in the addresses of deleted objects.
  func renameInAddresses(_ old: String, to new: String, of entity: String) throws {
    guard !isTrial else { return }
    let notes = try connection.rows(
      "SELECT pk, address FROM \(Tombstones.table) WHERE entity = ? AND address IS NOT NULL", [.text(entity)]
    ) { (pk: $0.value(0), address: $0.text(1).flatMap { ObjectAddress($0) }) }
    for note in notes {
      guard let address = note.address, address[old] != nil,
        let text = address.renamed({ $0 == old ? new : $0 }).text
      else { continue }
      try run(
        "UPDATE \(Tombstones.table) SET address = ? WHERE entity = ? AND pk = ?", [.text(text), .text(entity), note.pk])
    }
  }

  /// Gives the uids of deleted objects another type, where a property is the uid or a part of it.
  ///
  /// - Parameter convert: Makes the new value of the property. It gets the values of all parts of the uid by their names,
  ///   and the old value.
  func convertDeletedUIDs(
    of entity: String, _ old: StoredProperty, to new: StoredProperty,
    _ convert: (_ uid: [(name: String, value: StoredValue)], _ value: StoredValue) throws -> StoredValue
  ) throws {
    let parts = schema.entities[try self.entity(entity)].uid
    let names = parts ?? (old.isUID ? [old.name] : [])
    guard let place = names.firstIndex(of: old.name), let type = AttributeType(name: new.type) else { return }
    let notes = try connection.rows(
      "SELECT pk, uid FROM \(Tombstones.table) WHERE entity = ?", [.text(entity)]
    ) { (pk: $0.value(0), uid: $0.value(1)) }
    guard !notes.isEmpty else { return }
    let uids = try notes.map { note in
      guard var values = parts == nil ? [note.uid] : UIDParts.values(of: note.uid), values.count == names.count else {
        return note.uid
      }
      values[place] = try convert(Array(zip(names, values)), values[place])
      guard type.hasForm(values[place]) else {
        throw StoreError(
          .migrationFailed,
          "'\(entity).\(new.name)' would have a value that is not stored as \(new.type) is, in the uid of an object that "
            + "was deleted here.")
      }
      return parts == nil ? values[0] : UIDParts.uid(values)
    }
    // Two objects may have swapped their uids. A blob is the uid of none.
    try run("UPDATE \(Tombstones.table) SET uid = CAST(pk AS BLOB) WHERE entity = ?", [.text(entity)])
    let update = try Statement("UPDATE \(Tombstones.table) SET uid = ? WHERE entity = ? AND pk = ?", on: connection)
    for (note, uid) in zip(notes, uids) { try update.run([uid, .text(entity), note.pk]) }
  }

  /// The value of an SQL expression for a deleted object, of which the uid alone is known.
  func value(
    of sql: String, _ uid: [(name: String, value: StoredValue)], _ entity: String, _ property: StoredProperty
  ) throws -> StoredValue {
    let known = uid.enumerated().map { "?\($0 + 1) AS \($1.name.quoted)" }.joined(separator: ", ")
    let names = ["_pk", "_edited", "_placeholder"] + schema.entities[try self.entity(entity)].properties.map(\.name)
    let others = names.filter { name in !uid.contains { $0.name == name } }.map { "NULL AS \($0.quoted)" }
      .joined(separator: ", ")
    do {
      // SQLite takes an unknown name in double quotes for a text. A name that stands there twice is an error.
      return try connection.rows(
        "SELECT (\(sql)) FROM (SELECT \(known)) AS \(entity.quoted), (SELECT \(others)), (SELECT \(others))",
        uid.map(\.value)
      ) { $0.value(0) }.first ?? .null
    } catch let error as StoreError {
      throw StoreError(
        .migrationFailed,
        "'\(entity).\(property.name)' can't be converted for objects that were deleted here, of which the file has the uid "
          + "alone. Convert it by a function, or by SQL that names nothing else. \(error.message)", sql: sql)
    }
  }
}
