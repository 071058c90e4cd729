import Synchronization

/// The local edits that a request carried to the server, to be acknowledged by its answer.
package struct SentEdits: Sendable {
  /// Hears of saves that happen while the request is under way.
  package final class Marker: Sendable {
    private let state = Mutex((saved: ColumnMask(), isOver: false))

    func saved(_ mask: ColumnMask) { state.withLock { $0.saved.formUnion(mask) } }
    var mask: ColumnMask { state.withLock(\.saved) }
    var isOver: Bool { state.withLock(\.isOver) }
    package func end() { state.withLock { $0.isOver = true } }
  }

  let entity: Int
  let pk: Int64
  /// Whether the object had no row yet: then its edits make one. A row that is gone is not brought back.
  let isUnsaved: Bool
  /// The values as they were sent.
  let values: RowValues
  /// What a row needs to be made, and was not sent.
  let required: RowValues
  /// The members of many-to-many relationships as they were sent.
  private let lists: [Int: Set<Int64>]
  package let marker: Marker

  /// The edits of `object` among the properties in `mask`.
  package init<E: ManagedEntity>(of object: E, _ mask: ColumnMask) {
    let state = object._$state
    object.entityContext?.fulfil(object)
    let edits = state.unsaved.subtracting(state.fromResponse).union(state.edited)
    entity = state.model.number
    pk = state.pk
    isUnsaved = state.flags.contains(.inserted)
    values = object.values(edits.intersection(mask).intersection(state.model.stored))
    required = object.values(isUnsaved ? state.model.required.subtracting(values.mask) : ColumnMask())
    lists = Dictionary(
      uniqueKeysWithValues: edits.intersection(mask).intersection(state.model.lists).indices.map { list in
        (list, Set(((try? object.entityContext?.members(of: object, list)) ?? []).map(\._$state.pk)))
      })
    marker = Marker()
    state.sent.append(marker)
  }

  /// Takes the edits as known to the server, within the transaction of the answer.
  ///
  /// - Returns: The uid of the row, and the properties that were acknowledged; `nil` for none.
  @discardableResult
  package func acknowledge(on writer: RowWriter) throws -> (uid: StoredValue?, mask: ColumnMask)? {
    let model = writer.schema.entities[entity]
    let saved = marker.mask
    var acknowledged = ColumnMask()
    var row = RowValues(count: model.properties.count)
    let dangling = try linksToUnsaved(writer, model, values)
    let found = try writer.find(model, pk: pk)
    guard found != nil || isUnsaved else { return nil }
    let uid = model.uid.flatMap { found?.value($0) }
    for index in values.mask.subtracting(dangling).indices {
      // Saved since: only when it is still the value that was sent. Another one is a newer edit, not sent yet.
      if saved.contains(index), let found,
        !found.statement.column(index + EntityModel.resultOffset, equals: values[index])
      {
        continue
      }
      acknowledged.insert(index)
      row[index] = values[index]
    }
    found?.release()
    let isNew = found == nil
    var source = RowWriter.Source.effect
    if isNew, !required.mask.isEmpty {
      let unsaved = try linksToUnsaved(writer, model, required)
      for index in required.mask.subtracting(unsaved).indices { row[index] = required[index] }
      source = .edit(fromResponse: acknowledged)
    }
    let lists = try lists.keys.filter { try isSettled($0, model, saved, writer) }
    guard !row.mask.isEmpty || !lists.isEmpty else { return nil }
    _ = try writer.write(model, pk: pk, row, source)
    for list in lists.sorted() {
      try writeMembers(list, model, writer)
      acknowledged.insert(list)
    }
    guard !acknowledged.isEmpty else { return nil }
    try writer.acknowledge(model, pk: pk, acknowledged)
    return (uid, acknowledged)
  }

  /// Whether a list can be taken as known to the server: all its members have rows, and none was saved to it since.
  private func isSettled(_ list: Int, _ model: EntityModel, _ saved: ColumnMask, _ writer: RowWriter) throws -> Bool {
    guard case .manyToMany(let membership, _) = model.properties[list].kind, let sent = lists[list] else {
      return false
    }
    if saved.contains(list), try Set(writer.members(membership, of: pk)) != sent { return false }
    for member in sent {
      guard let row = try writer.find(writer.schema.entities[membership.target], pk: member) else { return false }
      row.release()
    }
    return true
  }

  private func writeMembers(_ list: Int, _ model: EntityModel, _ writer: RowWriter) throws {
    guard case .manyToMany(let membership, _) = model.properties[list].kind, let sent = lists[list] else { return }
    try writer.setMembers(membership, of: pk, sent)
  }

  /// The links to objects that are not saved yet: they can't be written now, and go with the next save.
  private func linksToUnsaved(
    _ writer: RowWriter, _ model: EntityModel, _ values: RowValues
  ) throws -> ColumnMask {
    var mask = ColumnMask()
    for index in values.mask.indices {
      guard case .toOne(let target, _, _) = model.properties[index].kind, values.link(index) != 0 else { continue }
      guard let row = try writer.find(writer.schema.entities[target], pk: values.link(index)) else {
        mask.insert(index)
        continue
      }
      row.release()
    }
    return mask
  }

  /// Takes the edits off the object that sent them, where it still has the values that were sent.
  package func settle<E: ManagedEntity>(_ object: E) {
    marker.end()
    let state = object._$state
    state.sent.removeAll { $0.isOver }
    let current = object.values(values.mask)
    var clean = ColumnMask()
    for index in values.mask.indices where current[index].isIdentical(to: values[index]) {
      // A link to an object that is not saved was not written: see `linksToUnsaved`.
      if case .toOne(let target, _, _) = state.model.properties[index].kind,
        object.entityContext?.isInserted(target, values.link(index)) == true
      {
        continue
      }
      clean.insert(index)
    }
    for (list, sent) in lists {
      guard let context = object.entityContext, case .manyToMany(let membership, _) = state.model.properties[list].kind,
        let current = try? context.members(of: object, list), Set(current.map(\._$state.pk)) == sent,
        !sent.contains(where: { context.isInserted(membership.target, $0) })
      else { continue }
      context.settleMemberships(of: object, ColumnMask(list))
      clean.insert(list)
    }
    object.entityContext?.settle(object, clean)
  }
}

extension EntityContext {
  fileprivate func isInserted(_ entity: Int, _ pk: Int64) -> Bool {
    changed[entity][pk]?._$state.flags.contains(.inserted) == true
  }

  func settle(_ object: any ManagedEntity, _ mask: ColumnMask) {
    let state = object._$state
    state.dirty.subtract(mask)
    for list in mask.intersection(state.model.lists).indices { state.lists[list] = nil }
    state.fromResponse.subtract(mask)
    state.stale.formUnion(mask.intersection(state.model.stored))
    rowPending(state.model, state.pk)
    if !state.hasChanges, state.saving.isEmpty { changed[state.model.number][state.pk] = nil }
  }
}
