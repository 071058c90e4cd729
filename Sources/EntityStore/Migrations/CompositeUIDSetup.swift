extension FileEditor {
  /// Brings composite uids in line with their parts, which a step may have changed.
  ///
  /// - Throws: ``StoreError`` of kind `uniqueViolation` where two rows have the same parts.
  func settleUIDs() throws {
    for entity in schema.entities {
      guard let parts = entity.uid, entity[PropertyModel.compositeName] != nil,
        parts.allSatisfy({ entity[$0] != nil })
      else { continue }
      let column = PropertyModel.compositeName.quoted
      let names = (["_pk", column] + parts.map(\.quoted)).joined(separator: ", ")
      var changed: [(pk: StoredValue, uid: StoredValue)] = []
      _ = try connection.rows("SELECT \(names) FROM \(entity.table)", []) { row in
        let uid = UIDParts.uid(parts.indices.lazy.map { row.value($0 + 2) })
        if !uid.isIdentical(to: row.value(1)) { changed.append((row.value(0), uid)) }
      }
      let update = try Statement("UPDATE \(entity.table) SET \(column) = ? WHERE _pk = ?", on: connection)
      // Two rows may have swapped their uids.
      for row in changed { try update.run([.null, row.pk]) }
      for row in changed { try update.run([row.uid, row.pk]) }
    }
  }
}
