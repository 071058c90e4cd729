// Local deletions that the server is yet to hear of: each has a row in a table of its own, so that no response brings the
// object back. An object that the server never had leaves none.

extension RowEdits {
  /// The uid by which the server knows a row that is about to go; `nil` for one that it never had.
  func serverUID(_ model: EntityModel, _ pk: Int64) throws -> StoredValue? {
    guard let index = model.uid, let found = try rows.find(model, pk: pk), !found.row.marks.isNew else { return nil }
    let uid = found.value(index)
    return uid.isNull ? nil : uid
  }

  /// An object of the server was deleted here.
  ///
  /// - Parameters:
  ///   - address: As ``address(_:_:)``.
  ///   - cause: The row id of the object whose deletion took it along; `nil` where it was deleted by itself.
  /// - Returns: `false` where another object has the uid, so that nothing is to be sent.
  @discardableResult
  package func leaveTombstone(
    _ model: EntityModel, _ pk: Int64, _ uid: StoredValue, address: String? = nil, cause: Int64? = nil
  ) throws -> Bool {
    // The same save gave the uid to a new object: that is the server's object again.
    if let other = try rows.current(model, uid: uid) {
      try acknowledge(model, pk: other.pk, ColumnMask(), endsInsertion: true)
      return false
    }
    hasTombstones[model.number] = true
    noteChanges += 1
    rows.observers.tell { $0.willChangeDeletion(model, pk) }
    // An earlier deletion of an object with the uid gives way.
    if let earlier = try deletedRow(model, uid), earlier != pk { try takeOver(model, from: earlier, to: pk) }
    let note = DeletionNote(
      uid: uid, time: rows.stamp.now, cause: cause, number: try rows.stamp.number(), address: address)
    try connection.prepare(
      "INSERT \(DeletionNote.into) ON CONFLICT DO UPDATE SET pk = excluded.pk, time = excluded.time, cause = excluded.cause, "
        + "number = excluded.number, address = excluded.address"
    ).run([.text(model.name), .integer(pk)] + note.values)
    return true
  }

  /// Ends the deletion of a row whose uid that of another row has: the other one gets the deletions that it caused, its
  /// version and its entries.
  func takeOver(_ model: EntityModel, from earlier: Int64, to pk: Int64) throws {
    rows.observers.tell { $0.willChangeDeletion(model, earlier) }
    try rows.collections.noteRow(model, earlier)
    try connection.prepare("DELETE FROM \(Tombstones.table) WHERE entity = ? AND pk = ?")
      .run([.text(model.name), .integer(earlier)])
    let caused = try connection.rows(
      "UPDATE \(Tombstones.table) SET cause = ? WHERE cause = ? RETURNING entity, pk",
      [.integer(pk), .integer(earlier)]
    ) { ($0.text(0) ?? "", $0.int64(1)) }
    for (entity, pk) in caused {
      if let model = schema.entity(ofTable: entity) { rows.observers.tell { $0.willChangeDeletion(model, pk) } }
    }
    try rows.outbox.moveEntries(model, from: earlier, to: pk)
    try rows.outbox.moveVersion(model, from: earlier, to: pk)
  }

  /// The server's values of the attributes that the URL of a row has beside the uid, for the row's tombstone; `nil` for
  /// an entity without such attributes, and where one of the values is not known.
  func address(_ model: EntityModel, _ pk: Int64) throws -> String? {
    let indices = rows.writer.merging.address(of: model.number)
    guard !indices.isEmpty else { return nil }
    let known = try serverValues(model, pk, indices.reduce(into: ColumnMask()) { $0.insert($1) })
    var address = ObjectAddress()
    for index in indices {
      guard case .attribute(let type, _) = model.properties[index].kind, known.mask.contains(index),
        let text = known[index].uidText(type)
      else { return nil }
      address[model.properties[index].name] = text
    }
    return address.text
  }

  /// Whether an object was deleted here, and the server is yet to hear of it.
  package func isDeletedHere(_ model: EntityModel, _ uid: StoredValue) throws -> Bool {
    try deletedRow(model, uid) != nil
  }

  /// The row id of the object with a uid that was deleted here, while the server is yet to hear of it.
  package func deletedRow(_ model: EntityModel, _ uid: StoredValue) throws -> Int64? {
    guard try hasTombstones(model) else { return nil }
    return try connection.rows(
      "SELECT pk FROM \(Tombstones.table) WHERE entity = ? AND uid = ?", [.text(model.name), uid]
    ) { $0.int64(0) }.first
  }

  /// The uid of the object that was deleted here and has an address; `nil` where there is none, or several.
  package func deletedUID(_ model: EntityModel, at address: ObjectAddress) throws -> StoredValue? {
    guard let text = address.text, try hasTombstones(model) else { return nil }
    return try connection.deletedUID(model, at: text)
  }

  /// Why a deletion is no longer noted.
  package enum TombstoneEnd {
    /// The server has the deletion.
    case acknowledged
    /// The server keeps the object, which is not here.
    case takenBack
    /// An object has the uid again.
    case returned
  }

  /// Ends the note of a deletion. The deletions by a delete rule that it caused end too: the server has its own rules, and an
  /// object that comes back comes with these objects.
  ///
  /// - Returns: The object, and those whose deletions it caused; empty where it was not deleted here.
  @discardableResult
  package func endTombstone(_ model: EntityModel, uid: StoredValue, _ end: TombstoneEnd) throws -> [GoneObject] {
    try endTombstone("uid", model, uid, end)
  }

  @discardableResult
  package func endTombstone(_ model: EntityModel, pk: Int64, _ end: TombstoneEnd) throws -> [GoneObject] {
    try endTombstone("pk", model, .integer(pk), end)
  }

  /// Ends the deletion of the object whose uid a row gets.
  ///
  /// - Returns: Whether an object with the uid was deleted here.
  func endTombstone(_ model: EntityModel, of row: RowValues, _ pk: Int64) throws -> Bool {
    guard let uid = model.uid, row.mask.contains(uid), !row[uid].isNull else { return false }
    if let deleted = try deletedRow(model, row[uid]) { try rows.collections.moveMember(model, from: deleted, to: pk) }
    return try !endTombstone(model, uid: row[uid], .returned).isEmpty
  }

  private func endTombstone(
    _ column: String, _ model: EntityModel, _ value: StoredValue, _ end: TombstoneEnd
  ) throws -> [GoneObject] {
    guard try hasTombstones(model) else { return [] }
    let ended = try connection.rows(
      "DELETE FROM \(Tombstones.table) WHERE entity = ? AND \(column) = ? RETURNING pk, uid",
      [.text(model.name), value]
    ) { (pk: $0.int64(0), uid: $0.value(1)) }.first
    guard let ended else { return [] }
    noteChanges += 1
    try rows.outbox.forgetVersion(model, ended.pk)
    // No list lacks an object that the server does not have any more.
    try rows.answerNotes.endAnswers(lists: end != .acknowledged)
    // No row id is given twice, in whatever entity.
    let caused = try connection.rows(
      "DELETE FROM \(Tombstones.table) WHERE cause = ? RETURNING entity, pk, uid", [.integer(ended.pk)]
    ) { ($0.text(0) ?? "", $0.int64(1), $0.value(2)) }
    var all: [GoneObject] = []
    for (entity, pk, uid) in [(model.name, ended.pk, ended.uid)] + caused {
      guard let model = schema.entity(ofTable: entity) else { continue }
      all.append(GoneObject(model: model, uid: uid))
      rows.observers.tell { $0.willChangeDeletion(model, pk) }
      if end == .takenBack { try rows.collections.endLists(with: pk) }
      // The server may have kept what a delete rule deleted here.
      if end == .acknowledged, pk != ended.pk { try rows.collections.noteLacking(pk) }
      try rows.collections.noteRow(model, pk)
    }
    return all
  }

  /// Whether objects of an entity were deleted here. Mostly none was, and the result is kept: a response with many
  /// objects asks once.
  func hasTombstones(_ model: EntityModel) throws -> Bool {
    if let known = hasTombstones[model.number] { return known }
    let found = try !connection.rows(
      "SELECT 1 FROM \(Tombstones.table) WHERE entity = ? LIMIT 1", [.text(model.name)]
    ) { _ in true }.isEmpty
    hasTombstones[model.number] = found
    return found
  }
}

/// The note of a deletion that the server is yet to hear of; see `Tombstones`.
struct DeletionNote: Sendable, Equatable {
  let uid: StoredValue
  let time: Double
  let cause: Int64?
  var number: Int64
  let address: String?

  private static let columns = "uid, time, cause, number, address"
  fileprivate static let select = "SELECT \(columns) FROM \(Tombstones.table) WHERE entity = ? AND pk = ?"
  /// The part of an INSERT behind its verb, for the entity, the row id and ``values``.
  static let into = "INTO \(Tombstones.table) (entity, pk, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)"

  /// In the order of the columns.
  var values: [StoredValue] {
    [uid, .real(time), cause.map { .integer($0) } ?? .null, .integer(number), address.map { .text($0) } ?? .null]
  }
}

extension Connection {
  /// The note of a deletion that the server is yet to hear of.
  func deletion(_ model: EntityModel, _ pk: Int64) throws -> DeletionNote? {
    try rows(DeletionNote.select, [.text(model.name), .integer(pk)]) { row in
      DeletionNote(
        uid: row.value(0), time: row.double(1) ?? 0, cause: row.optionalInt64(2), number: row.int64(3),
        address: row.text(4))
    }.first
  }

  /// The uid of the object that was deleted here and has an address, as its tombstone has it.
  func deletedUID(_ model: EntityModel, at address: String) throws -> StoredValue? {
    let uids = try rows(
      "SELECT uid FROM \(Tombstones.table) WHERE entity = ? AND address = ? LIMIT 2",
      [.text(model.name), .text(address)]
    ) { $0.value(0) }
    return uids.count == 1 ? uids[0] : nil
  }
}
