// The notes of deletions that the server is yet to hear of. They have values of objects whose rows are gone.

extension FileEditor {
  /// - Throws: ``StoreError`` for an entity with pending deletions, which name their objects by the present uid.
  func checkNoDeletions(of entity: String) throws {
    guard try count("SELECT count(*) FROM \(Tombstones.table) WHERE entity = ?", [.text(entity)]) > 0 else { return }
    // Without its cause, a deletion by a delete rule would be sent by itself. It goes first: SQLite 3.40 deletes the rows of one
    // side of an OR before it looks for those of the other side.
    let (table, condition) = (Tombstones.name, "entity = '\(entity)'")
    throw StoreError(
      .migrationFailed,
      "Objects of '\(entity)' were deleted here, and the server knows them by the former uid. Keep it until the deletions are "
        + "sent, or give them up in the step, with those that they caused: execute(\"DELETE FROM \(table) "
        + "WHERE cause IN (SELECT pk FROM \(table) WHERE \(condition)) OR \(condition)\").")
  }

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

  /// Converts a property of deleted objects, of which the file has the uid and the address.
  ///
  /// - Parameter convert: Makes the new value of the property. It gets the values that are known of an object by their names,
  ///   and the old value.
  func convertDeletions(
    of entity: String, _ old: StoredProperty, to new: StoredProperty,
    _ convert: (_ known: [(name: String, value: StoredValue)], _ value: StoredValue) throws -> StoredValue
  ) throws {
    let stored = schema.entities[try self.entity(entity)]
    let names = stored.uid ?? stored.properties.filter(\.isUID).map(\.name)
    let place = names.firstIndex(of: old.name)
    let notes = try connection.rows(
      "SELECT pk, uid, address FROM \(Tombstones.table) WHERE entity = ?", [.text(entity)]
    ) { (pk: $0.value(0), uid: $0.value(1), address: $0.text(2).flatMap { ObjectAddress($0) } ?? ObjectAddress()) }
    guard let type = AttributeType(name: new.type),
      !notes.isEmpty && place != nil || notes.contains(where: { $0.address[old.name] != nil })
    else { return }
    let converted = try notes.map { note in
      var (uid, address) = (note.uid, note.address)
      var parts = stored.uid == nil ? [uid] : UIDParts.values(of: uid) ?? []
      let known = Array(zip(names, parts)) + address.values(of: stored.properties.filter { !names.contains($0.name) })
      guard let value = known.first(where: { $0.0 == old.name })?.1 else {
        // A value that can't be read has the former form.
        address[old.name] = nil
        return (uid, address, note.pk)
      }
      let result = try convert(known, value)
      if let place {
        guard type.hasForm(result) else {
          throw StoreError(
            .migrationFailed,
            "'\(entity).\(new.name)' would have a value that is not stored as \(new.type) is, in the uid of an object that "
              + "was deleted here.")
        }
        parts[place] = result
        uid = stored.uid == nil ? result : UIDParts.uid(parts)
      }
      // Without the value the URL can't be made, and the deletion waits for a person.
      if address[old.name] != nil { address[old.name] = type.hasForm(result) ? result.uidText(type) : nil }
      return (uid, address, note.pk)
    }
    // Two objects may have swapped their uids. A blob is the uid of none.
    try run("UPDATE \(Tombstones.table) SET uid = CAST(pk AS BLOB) WHERE entity = ?", [.text(entity)])
    let update = try Statement(
      "UPDATE \(Tombstones.table) SET uid = ?, address = ? WHERE entity = ? AND pk = ?", on: connection)
    for (uid, address, pk) in converted {
      try update.run([uid, address.text.map { .text($0) } ?? .null, .text(entity), pk])
    }
  }

  /// The value of an SQL expression for a deleted object, of which a few values are known.
  func value(
    of sql: String, _ known: [(name: String, value: StoredValue)], _ entity: String, _ property: StoredProperty
  ) throws -> StoredValue {
    let columns = known.enumerated().map { "?\($0 + 1) AS \($1.name.quoted)" }.joined(separator: ", ")
    let names = ["_pk", "_edited", "_placeholder"] + schema.entities[try self.entity(entity)].properties.map(\.name)
    let others = names.filter { name in !known.contains { $0.name == name } }.map { "NULL AS \($0.quoted)" }
      .joined(separator: ", ")
    do {
      // SQLite takes an unknown name in double quotes for a text. A name that stands there twice is an error.
      return try connection.rows(
        "SELECT (\(sql)) FROM (SELECT \(columns)) AS \(entity.quoted), (SELECT \(others)), (SELECT \(others))",
        known.map(\.value)
      ) { $0.value(0) }.first ?? .null
    } catch let error as StoreError {
      throw StoreError(
        .migrationFailed,
        "'\(entity).\(property.name)' can't be converted for objects that were deleted here, of which the file has the uid "
          + "and the values of the URL alone. Convert it by a function, or by SQL that names nothing else. \(error.message)",
        sql: sql)
    }
  }
}

extension ObjectAddress {
  /// The values of those properties that the address has, in their stored form.
  fileprivate func values(of properties: [StoredProperty]) -> [(name: String, value: StoredValue)] {
    properties.compactMap { property in
      guard let text = self[property.name], let type = AttributeType(name: property.type) else { return nil }
      return StoredValue(uidText: text, type).map { (property.name, $0) }
    }
  }
}
