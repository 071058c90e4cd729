import EntityStore

/// The rows of a store: from the bytes of a response to the columns, with no object made.
final class RowTarget: MappingTarget {
  let writer: RowWriter
  private let objects: ObjectMapper
  let session: UpsertSession

  init(_ writer: RowWriter, _ objects: ObjectMapper) {
    self.writer = writer
    self.objects = objects
    session = objects.session
  }

  var rows: RowWriter? { writer }

  func objects(_ own: RowMapper) -> ObjectMapper { objects }

  /// A row by its id, or else by its uid.
  struct Known {
    var uid: StoredValue?
    var row: Int64?
  }

  // MARK: Finding

  func known(_ model: EntityModel, uid: StoredValue?, row: Int64?) -> Known? {
    uid == nil && row == nil ? nil : Known(uid: uid, row: row)
  }

  func uid(_ model: EntityModel, of known: Known) throws -> StoredValue? {
    if let uid = known.uid { return uid }
    return try known.row.flatMap { try uid(model, $0) }
  }

  func uid(_ model: EntityModel, _ pk: Int64) throws -> StoredValue? {
    guard let index = model.uid, let found = try find(model, pk) else { return nil }
    defer { found.release() }
    let uid = found.value(index)
    return uid.isNull ? nil : uid
  }

  func awaitsUID(_ model: EntityModel, _ known: Known) throws -> Bool {
    guard let index = model.uid, let row = known.row, let found = try find(model, row) else { return false }
    defer { found.release() }
    return found.value(index).isNull
  }

  func reference(_ model: EntityModel, uid: StoredValue, inserted: (Int64) -> Void) throws -> Int64 {
    if let pending = try objects.target.pendingRow(model, uid) { return pending }
    return try writer.row(model, uid: uid, inserted: inserted)
  }

  /// A row by its id, with all that updates by hand set.
  private func find(_ model: EntityModel, _ pk: Int64) throws -> RowWriter.Found? {
    try objects.target.writePending(of: model)
    return try writer.find(model, pk: pk)
  }

  private func find(_ model: EntityModel, _ known: Known) throws -> RowWriter.Found? {
    if let row = known.row { return try find(model, row) }
    guard let uid = known.uid else { return nil }
    try objects.target.writePending(of: model)
    return try writer.find(model, uid: uid)
  }

  // MARK: The object

  func delete(_ model: EntityModel, _ known: Known) throws -> (pk: Int64, isPlaceholder: Bool)? {
    guard let found = try find(model, known) else { return nil }
    defer { found.release() }
    return (found.pk, found.row.isPlaceholder)
  }

  func begin(_ plan: MappingPlan, _ known: Known?, uid: StoredValue?, row: Int64?) -> Known {
    known ?? Known(uid: uid, row: row)
  }

  func write(
    _ plan: MappingPlan, _ subject: Known, _ row: RowValues, newer: ColumnMask, gone: ColumnMask, mayAwait: Bool
  ) throws -> Written? {
    let model = plan.model
    let source = RowWriter.Source.response(keepsEdits: session.keepsEdits, newer: newer)
    let found = try find(model, subject)
    var completeness = MappingPlan.Completeness.whole
    // A new row that meets the one of its uid has what that one has.
    if !model.required.isEmpty, found?.row.isPlaceholder ?? true,
      try found != nil || subject.row == nil || !isKnown(model, subject.uid)
    {
      do {
        completeness = try plan.completeness(row.mask, gone: gone, mayAwait: mayAwait) { found?.link($0) ?? 0 }
      } catch {
        found?.release()
        throw error
      }
      if completeness == .refused {
        found?.release()
        return nil
      }
    }
    let isComplete = completeness == .whole
    let outcome =
      if let found {
        try writer.update(model, found, row, source, isComplete: isComplete)
      } else {
        try writer.insert(
          model, pk: subject.row ?? writer.newPrimaryKey(), row, source, isComplete: isComplete,
          hasFreeUID: subject.row == nil)
      }
    return Written(
      pk: outcome.pk, isInserted: outcome.isInserted, isChanged: !outcome.changed.isEmpty, taken: outcome.changed,
      isAwaiting: !isComplete)
  }

  /// Whether the row of a uid is there, and more than a placeholder.
  private func isKnown(_ model: EntityModel, _ uid: StoredValue?) throws -> Bool {
    guard let found = try find(model, Known(uid: uid)) else { return false }
    found.release()
    return !found.row.isPlaceholder
  }

  /// Nothing is written until the object is whole; a failure ends the response.
  func abandon(_ subject: Known, isRefused: Bool) {}
  func end(_ subject: Known, isAwaiting: Bool) {}
  func object(of subject: Known) -> (any ManagedEntity)? { nil }

  func missingLink(_ model: EntityModel, _ pk: Int64) throws -> Int? {
    guard let found = try find(model, pk) else { return nil }
    defer { found.release() }
    return model.required.indices.first { found.link($0) == 0 }
  }

  // MARK: Links and lists

  func link(_ model: EntityModel, _ property: Int, of known: Known) throws -> HeldLink {
    guard let found = try find(model, known) else { return HeldLink() }
    defer { found.release() }
    return HeldLink(
      owner: found.pk, row: found.link(property), isEdited: found.row.edited.contains(property))
  }

  func link(_ model: EntityModel, _ property: Int, of pk: Int64) throws -> Int64 {
    guard let found = try find(model, pk) else { return 0 }
    defer { found.release() }
    return found.link(property)
  }

  func setLink(
    _ model: EntityModel, _ pk: Int64, _ property: Int, to target: Int64, newer: ColumnMask
  ) throws -> Bool {
    try objects.target.writePending(of: model)
    let before = writer.rowsWritten
    try writer.setLink(
      model, pk, property, to: target, .response(keepsEdits: session.keepsEdits, newer: newer))
    return writer.rowsWritten != before
  }

  func members(
    _ model: EntityModel, _ property: Int, of pk: Int64
  ) throws -> (rows: [Int64], areEdited: Bool) {
    let entities = writer.schema.entities
    switch model.properties[property].kind {
    case .attribute, .toOne: return ([], false)
    case .toMany(let target, let inverse, _):
      try objects.target.writePending(of: entities[target])
      return try writer.holders(entities[target], inverse, of: pk)
    case .manyToMany(let membership, _):
      try objects.target.writePending(of: entities[membership.links])
      let rows = try writer.members(membership, of: pk)
      return (rows, try writer.areEdited(entities[membership.target], rows))
    }
  }

  func setMemberships(
    _ plan: MappingPlan, _ property: Int, _ membership: PropertyModel.Membership, of pk: Int64, _ wanted: Set<Int64>,
    newer: ColumnMask
  ) throws -> Bool {
    try objects.target.writePending(of: writer.schema.entities[membership.links])
    if !session.keepsEdits { try writer.endMarks(membership, of: pk) }
    let before = try writer.pairs(membership, of: pk)
    var isChanged = false
    // Pairs that were edited here stay as they are until that is acknowledged; all others are what the response says.
    for member in wanted.subtracting(before.lazy.map(\.member)).sorted()
    where try allowsChange(membership, member) && !writer.isRemovedHere(membership, of: pk, member) {
      try writer.addMember(membership, of: pk, member)
      isChanged = true
    }
    for pair in before where !wanted.contains(pair.member) {
      guard try !pair.isAddedHere && allowsChange(membership, pair.member) else { continue }
      try writer.removePair(membership, of: pk, pair)
      isChanged = true
    }
    return isChanged
  }

  /// Whether no newer answer said what the list on the other side is.
  private func allowsChange(_ membership: PropertyModel.Membership, _ member: Int64) throws -> Bool {
    guard session.isOrdered, let inverse = membership.inverse else { return true }
    let target = writer.schema.entities[membership.target]
    return session.newer(target, try uid(target, member)).map { !$0.contains(inverse) } ?? false
  }

  func isEdited(_ model: EntityModel, _ pk: Int64, _ property: Int) throws -> Bool {
    try writer.isEdited(model, pk, property)
  }

  func endEdits(_ model: EntityModel, _ pk: Int64, _ lists: ColumnMask) throws {
    try writer.acknowledge(model, pk: pk, lists)
  }

  func delete(_ model: EntityModel, _ pks: [Int64]) throws -> Int {
    try objects.target.writePending()
    let keys = pks.map { RowWriter.RowKey(entity: model.number, pk: $0) }
    return try keys.count - writer.deleteWherePossible(keys).denied.count
  }

  func release(_ model: EntityModel, _ pk: Int64) throws {
    try objects.target.writePending()
    try writer.deleteEmbedded(model, pk)
  }
}

extension RowWriter {
  /// Deletes a row without uid that its parent let go of, unless another one holds it.
  func deleteEmbedded(_ model: EntityModel, _ pk: Int64) throws {
    let key = RowKey(entity: model.number, pk: pk)
    if try !hasParent(key) { _ = try deleteWherePossible([key]) }
  }
}
