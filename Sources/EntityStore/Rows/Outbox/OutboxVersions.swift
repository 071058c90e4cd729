// The versions that the server gave objects, as entity tags.

extension RowOutbox {
  /// Notes the version of an object; `nil` where it is not known any more. A weak tag holds for no condition (RFC 9110
  /// §13.1.1), and counts as none.
  package func setVersion(_ etag: String?, of key: RowKey) throws {
    let model = schema.entities[key.entity]
    guard rows.writer.merging.keepsVersions(of: key.entity) else { return }
    guard let etag, etag.hasPrefix("\""), etag.utf8.count <= 1_024 else {
      return try connection.prepare("DELETE FROM \(VersionTable.table) WHERE entity = ? AND pk = ?")
        .run([.text(model.name), .integer(key.pk)])
    }
    try connection.prepare(
      "INSERT INTO \(VersionTable.table) (entity, pk, etag) VALUES (?1, ?2, ?3) "
        + "ON CONFLICT (entity, pk) DO UPDATE SET etag = ?3 WHERE etag <> ?3"
    ).run([.text(model.name), .integer(key.pk), .text(etag)])
  }

  /// The version of an object; `nil` where it is not known.
  package func version(of key: RowKey) throws -> String? {
    try connection.rows(
      "SELECT etag FROM \(VersionTable.table) WHERE entity = ? AND pk = ?",
      [.text(schema.entities[key.entity].name), .integer(key.pk)]
    ) { $0.text(0) }.first ?? nil
  }
}
