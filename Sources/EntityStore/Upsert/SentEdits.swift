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
  /// What the row had of edits that were made on top of saved ones, and are not saved themselves.
  private let before: RowValues
  private let listsBefore: [Int: Set<Int64>]
  /// The objects without uid in to-many relationships that were sent: what links them to their parent.
  private let parts: [(entity: Int, link: Int, members: [Int64])]
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
    let context = object.entityContext
    let sent = edits.intersection(mask).intersection(state.model.lists)
    // A list that can't be read was not sent empty; it stays edited.
    lists = Self.members(sent) { list in
      try context.map { try $0.members(of: object, list).map(\._$state.pk) }
    }
    let covered = state.unsaved.intersection(state.edited).intersection(mask)
    let found = covered.isEmpty ? nil : try? context?.saved(object, covered)
    before = found?.values ?? RowValues(count: 0)
    listsBefore = found?.lists ?? [:]
    parts = state.model.properties.compactMap { property in
      guard mask.contains(property.index), case .toMany(let target, let link, _) = property.kind, let context,
        context.core.schema.entities[target].uid == nil,
        let members = try? context.members(of: object, property.index)
      else { return nil }
      return (target, link, members.map(\._$state.pk))
    }
    marker = Marker()
    state.sent.append(marker)
  }

  private static func members(_ lists: ColumnMask, _ read: (Int) throws -> [Int64]?) -> [Int: Set<Int64>] {
    var members: [Int: Set<Int64>] = [:]
    for list in lists.indices { members[list] = (try? read(list)).map { Set($0) } }
    return members
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
    let values = writer.repointed(model, values).row
    let dangling = try linksToUnsaved(writer, model, values)
    let found = try writer.find(model, pk: pk)
    guard found != nil || isUnsaved else { return nil }
    let uid = model.uid.flatMap { found?.value($0) }
    let edited = found?.row.edited ?? ColumnMask()
    for index in values.mask.subtracting(dangling).indices {
      if let now = found?.value(index), !now.isIdentical(to: values[index]) {
        let isAsBefore = before.mask.contains(index) && before[index].isIdentical(to: now)
        if isNewer(index, edited, saved, isAsBefore: isAsBefore) { continue }
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
    var settled: [(membership: PropertyModel.Membership, list: Int, sent: Set<Int64>)] = []
    for (list, sent) in lists.sorted(by: { $0.key < $1.key }) {
      guard case .manyToMany(let membership, _) = model.properties[list].kind else { continue }
      let target = writer.schema.entities[membership.target]
      let sent = Set(sent.map { writer.survivor(target, $0) })
      let now = try Set(writer.members(membership, of: pk))
      if now != sent, isNewer(list, edited, saved, isAsBefore: listsBefore[list] == now) { continue }
      // All its members must have rows.
      if try sent.subtracting(now).allSatisfy({ try writer.exists(target, $0) }) {
        settled.append((membership, list, sent))
      }
    }
    try acknowledgeParts(on: writer)
    guard !row.mask.isEmpty || !settled.isEmpty else { return nil }
    _ = try writer.write(model, pk: pk, row, source)
    for (membership, list, sent) in settled {
      try writer.setMembers(membership, of: pk, sent)
      acknowledged.insert(list)
    }
    guard !acknowledged.isEmpty else { return nil }
    try writer.acknowledge(model, pk: pk, acknowledged)
    return (uid, acknowledged)
  }

  /// Whether a property that has not the value that was sent was edited since, here or in another context: that edit was
  /// not sent yet.
  private func isNewer(_ index: Int, _ edited: ColumnMask, _ saved: ColumnMask, isAsBefore: Bool) -> Bool {
    saved.contains(index) || (edited.contains(index) && !isAsBefore)
  }

  private func acknowledgeParts(on writer: RowWriter) throws {
    for (entity, link, members) in parts {
      let model = writer.schema.entities[entity]
      for member in members {
        guard let found = try writer.find(model, pk: member) else { continue }
        let isMember = found.link(link) == pk
        found.release()
        if isMember { try writer.acknowledge(model, pk: member, ColumnMask(link)) }
      }
    }
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
  /// What the row of an object has of edited properties, without what is unsaved.
  fileprivate func saved<E: ManagedEntity>(
    _ object: E, _ mask: ColumnMask
  ) throws -> (values: RowValues, lists: [Int: Set<Int64>])? {
    let model = object._$state.model
    let pk = object._$state.pk
    return try entry(isGetter: true) {
      let statement = try connection.prepare(model.selectByPK)
      defer { statement.reset() }
      try statement.bind(pk, at: 1)
      guard try statement.step() else { return nil }
      var values = RowValues(count: model.properties.count)
      for index in mask.intersection(model.stored).indices {
        values[index] = statement.value(index + EntityModel.resultOffset)
      }
      var lists: [Int: Set<Int64>] = [:]
      for list in mask.intersection(model.lists).indices {
        guard case .manyToMany(let membership, _) = model.properties[list].kind else { continue }
        let links = core.schema.entities[membership.links]
        lists[list] = Set(
          try connection.rows(links.selectLinks(membership.side, from: links.table), [.integer(pk)]) { $0.int64(1) })
      }
      return (values, lists)
    }
  }

  fileprivate func isInserted(_ entity: Int, _ pk: Int64) -> Bool {
    changed[entity][pk]?._$state.flags.contains(.inserted) == true
  }

  func settle(_ object: any ManagedEntity, _ mask: ColumnMask) {
    let state = object._$state
    state.dirty.subtract(mask)
    for list in mask.intersection(state.model.lists).indices { state.lists[list] = nil }
    state.fromResponse.subtract(mask)
    state.forgetOriginals(mask)
    // Whether a list is edited stands in the row, too.
    state.stale.formUnion(mask.intersection(state.model.stored.union(state.model.lists)))
    rowPending(state.model, state.pk)
    if !state.hasChanges, state.saving.isEmpty { changed[state.model.number][state.pk] = nil }
  }
}
