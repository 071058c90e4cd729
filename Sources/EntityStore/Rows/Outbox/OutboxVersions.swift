// The versions that the server gave objects, as entity tags.

extension RowOutbox {
  /// Notes the version of an object that a response is about, where versions come from responses.
  package func noteVersion(_ etag: String?, of key: RowKey) throws {
    guard case .responses = rows.writer.merging.versions(of: key.entity) else { return }
    try setVersion(etag, of: key)
  }

  /// Keeps the version of an object that is about to be deleted here, where it is an attribute of the object.
  func keepVersion(_ model: EntityModel, _ pk: Int64) throws {
    guard case .attribute(let index, let isWeak) = rows.writer.merging.versions(of: model.number),
      case .attribute(let type, _) = model.properties[index].kind,
      let (_, values) = try rows.find(model, pk: pk)?.read(model, ColumnMask(index))
    else { return }
    let text = values[index].uidText(type)
    try setVersion(text.map { EntityTag.tag(of: $0, isWeak: isWeak) }, of: RowKey(entity: model.number, pk: pk))
  }

  /// The object is deleted on the server too, or is back.
  func forgetVersion(_ model: EntityModel, _ pk: Int64) throws {
    guard rows.writer.merging.versions(of: model.number) != nil else { return }
    try setVersion(nil, of: RowKey(entity: model.number, pk: pk))
  }

  /// The version of a row is that of another one, unless this has its own.
  func moveVersion(_ model: EntityModel, from earlier: Int64, to pk: Int64) throws {
    let entity = StoredValue.text(model.name)
    try connection.prepare("UPDATE OR IGNORE \(VersionTable.table) SET pk = ? WHERE entity = ? AND pk = ?")
      .run([.integer(pk), entity, .integer(earlier)])
    try connection.prepare("DELETE FROM \(VersionTable.table) WHERE entity = ? AND pk = ?")
      .run([entity, .integer(earlier)])
  }

  /// Sets the version of an object; `nil` where it is not known. A weak tag holds for no condition (RFC 9110 §13.1.1), and
  /// counts as none, unless the rule of the entity says that its server compares weak tags.
  package func setVersion(_ etag: String?, of key: RowKey) throws {
    let model = schema.entities[key.entity]
    let takesWeak = rows.writer.merging.versions(of: key.entity)?.takesWeak == true
    guard let etag, etag.hasPrefix("\"") || takesWeak && EntityTag.isWeak(etag), etag.utf8.count <= 1_024 else {
      return try connection.prepare("DELETE FROM \(VersionTable.table) WHERE entity = ? AND pk = ?")
        .run([.text(model.name), .integer(key.pk)])
    }
    try connection.prepare(
      "INSERT INTO \(VersionTable.table) (entity, pk, etag) VALUES (?1, ?2, ?3) "
        + "ON CONFLICT (entity, pk) DO UPDATE SET etag = ?3 WHERE etag <> ?3"
    ).run([.text(model.name), .integer(key.pk), .text(etag)])
  }

  /// The version of an object; `nil` where it is not known.
  package func version(of key: RowKey) throws -> String? { try connection.outboxVersion(schema, key) }
}

extension Connection {
  /// The version of an object; `nil` where it is not known.
  func outboxVersion(_ schema: SchemaModel, _ key: RowKey) throws -> String? {
    try rows(
      "SELECT etag FROM \(VersionTable.table) WHERE entity = ? AND pk = ?",
      [.text(schema.entities[key.entity].name), .integer(key.pk)]
    ) { $0.text(0) }.first ?? nil
  }
}
