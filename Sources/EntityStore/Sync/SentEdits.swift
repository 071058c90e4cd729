import Synchronization

/// The local edits that a request carried to the server, to be acknowledged by its answer.
package struct SentEdits: Sendable {
  /// Hears of saves that happen while the request is under way.
  package final class Marker: Sendable {
    private let state = Mutex((saved: ColumnMask(), isOver: false))
    private let parent: Marker?

    /// - Parameter parent: The marker of the object that this marker's object lives in.
    package init(in parent: Marker? = nil) { self.parent = parent }

    var isOfEmbedded: Bool { parent != nil }
    func saved(_ mask: ColumnMask) { state.withLock { $0.saved.formUnion(mask) } }
    var mask: ColumnMask { state.withLock(\.saved) }
    var isOver: Bool { parent?.isOver == true || state.withLock(\.isOver) }
    package func end() { state.withLock { $0.isOver = true } }
  }

  let entity: Int
  private(set) var pk: Int64
  /// Whether the object had no row yet: then its edits make one. A row that is gone is not brought back.
  let isUnsaved: Bool
  /// The values as they were sent.
  let values: RowValues
  /// The values that a new row requires, and that were not sent.
  let required: RowValues
  /// The members of edited many-to-many relationships as they were sent.
  private let lists: [Int: Set<Int64>]
  /// The members of other many-to-many relationships: their pairs may have been edited through the lists on the other
  /// side.
  private let otherLists: [Int: Set<Int64>]
  /// The row's values of properties with an unsaved edit on top of a saved one.
  private let before: RowValues
  /// The row's members of lists with unsaved edits.
  private let listsBefore: [Int: Set<Int64>]
  private let embedded: [Embedded]
  package let marker: Marker

  /// Embedded objects in a relationship that was sent. They were sent with their parent.
  package struct Embedded: Sendable {
    package init(property: Int, members: [SentEdits], removed: [SentEdits] = []) {
      self.property = property
      self.members = members
      self.removed = removed
    }

    let property: Int
    /// In the order in which they were sent.
    let members: [SentEdits]
    /// Those that were taken out of the list, which the rows do not know yet.
    let removed: [SentEdits]
  }

  /// The edits of `object` among the properties in `mask`.
  ///
  /// - Parameter embedded: The embedded objects in relationships that are in `mask`.
  package init<E: ManagedEntity>(
    of object: E, _ mask: ColumnMask, embedded: [Embedded] = [], marker: Marker = Marker()
  ) {
    let state = object._$state
    let context = object.entityContext
    context?.fulfil(object)
    let edits = state.unsaved.subtracting(state.fromResponse).union(state.edited)
    entity = state.model.number
    pk = state.pk
    isUnsaved = state.isInserted
    values = object.values(edits.intersection(mask).intersection(state.model.stored))
    required = object.values(isUnsaved ? state.model.required.subtracting(values.mask) : ColumnMask())
    let sent = edits.intersection(mask).intersection(state.model.lists)
    // This comes first: a pair that is in the rows by the time the lists are read is no edit of theirs.
    let covered = state.unsaved.intersection(state.edited.union(state.model.lists)).intersection(mask)
    let found = covered.isEmpty ? nil : try? context?.saved(object, covered)
    before = found?.values ?? RowValues(count: 0)
    listsBefore =
      isUnsaved
      ? Dictionary(uniqueKeysWithValues: sent.indices.map { ($0, []) }) : found?.lists ?? [:]
    // A list that can't be read was not sent empty; it stays edited.
    func members(_ list: Int) throws -> [Int64]? {
      try context.map { try $0.members(of: object, list).map(\._$state.pk) }
    }
    lists = Self.members(sent, members)
    otherLists = isUnsaved ? [:] : Self.members(mask.intersection(state.model.lists).subtracting(sent), members)
    // From here on an unsaved list has the members that were sent: taking one back is an edit on top of that.
    for (list, members) in lists where state.dirty.contains(list) && state.lists[list] == nil {
      state.lists[list] = members
    }
    self.embedded = embedded
    self.marker = marker
    state.sent.append(marker)
  }

  private static func members(_ lists: ColumnMask, _ read: (Int) throws -> [Int64]?) -> [Int: Set<Int64>] {
    var members: [Int: Set<Int64>] = [:]
    for list in lists.indices { members[list] = (try? read(list)).map { Set($0) } }
    return members
  }

  /// The part of the edits that the server has by its answer.
  package struct Acknowledged {
    package fileprivate(set) var uid: StoredValue?
    /// The properties of the row that were acknowledged.
    package fileprivate(set) var mask = ColumnMask()
    /// The embedded objects in relationships of rows, in the order in which they were sent.
    package fileprivate(set) var orders: [Relationship: [Int64]] = [:]
    /// Such relationships that hold other objects than were sent.
    package fileprivate(set) var unsettled: Set<Relationship> = []
  }

  /// A relationship of a row.
  package struct Relationship: Hashable {
    package init(entity: Int, pk: Int64, property: Int) {
      self.entity = entity
      self.pk = pk
      self.property = property
    }

    let entity: Int
    let pk: Int64
    let property: Int
  }

  /// Takes the edits as known to the server, within the transaction of the answer.
  ///
  /// - Parameter sentLater: Tells by the object's uid which of its properties later requests sent, whose answers were
  ///   taken in already. Those keep the values that they have by now.
  @discardableResult
  package func acknowledge(
    on writer: RowWriter, sentLater: (StoredValue?) -> ColumnMask = { _ in ColumnMask() }
  ) throws -> Acknowledged {
    var known = Acknowledged()
    var sent = self
    // The edits of a row that turned out to be another one are that one's.
    sent.pk = writer.survivor(writer.schema.entities[entity], pk)
    (known.uid, known.mask) = try sent.acknowledge(on: writer, &known, sentLater)
    return known
  }

  private func acknowledge(
    on writer: RowWriter, _ known: inout Acknowledged, _ sentLater: (StoredValue?) -> ColumnMask = { _ in ColumnMask() }
  ) throws -> (uid: StoredValue?, mask: ColumnMask) {
    let model = writer.schema.entities[entity]
    guard try isUnsaved || writer.exists(model, pk) else { return (nil, ColumnMask()) }
    let later = try sentLater(self.uid(model, writer))
    let embedded = embedded.filter { !later.contains($0.property) }
    // Objects in a list refer to this row. Objects in other relationships are referred to by it.
    for group in embedded where !model.embeddedLists.contains(group.property) {
      for member in group.members { _ = try member.acknowledge(on: writer, &known) }
    }
    let (uid, own) = try acknowledgeOwn(model, writer, later)
    var acknowledged = own
    for group in embedded {
      if model.embeddedLists.contains(group.property) {
        for member in group.members + group.removed { _ = try member.acknowledge(on: writer, &known) }
      }
      let relationship = Relationship(entity: entity, pk: pk, property: group.property)
      let sent = group.members.map(\.pk)
      if try Set(sent) == members(of: model, group.property, writer) {
        known.orders[relationship] = sent
        if model.embeddedLists.contains(group.property) { acknowledged.insert(group.property) }
      } else {
        known.unsettled.insert(relationship)
      }
    }
    let ofEmbedded = acknowledged.subtracting(own)
    if !ofEmbedded.isEmpty { try writer.acknowledge(model, pk: pk, ofEmbedded) }
    return (uid, acknowledged)
  }

  private func uid(_ model: EntityModel, _ writer: RowWriter) throws -> StoredValue? {
    guard let index = model.uid, let found = try writer.find(model, pk: pk) else { return nil }
    return found.value(index)
  }

  /// The rows in a relationship.
  private func members(of model: EntityModel, _ property: Int, _ writer: RowWriter) throws -> Set<Int64> {
    switch model.properties[property].kind {
    case .attribute: return []
    case .toOne:
      guard let found = try writer.find(model, pk: pk) else { return [] }
      return found.link(property) == 0 ? [] : [found.link(property)]
    case .toMany(let target, let link, _):
      return Set(try writer.holders(writer.schema.entities[target], link, of: pk).rows)
    case .manyToMany(let membership, _): return Set(try writer.members(membership, of: pk))
    }
  }

  /// - Parameter later: The properties that a later request sent.
  /// - Returns: The uid of the row, and which of its own values and lists the server knows.
  private func acknowledgeOwn(
    _ model: EntityModel, _ writer: RowWriter, _ later: ColumnMask
  ) throws -> (uid: StoredValue?, mask: ColumnMask) {
    let saved = marker.mask
    var acknowledged = ColumnMask()
    var row = RowValues(count: model.properties.count)
    let values = writer.repointed(model, values).row
    let dangling = try linksToUnsaved(writer, model, values)
    let columns = model.uid.map { values.mask.union(ColumnMask($0)) } ?? values.mask
    let found = try writer.find(model, pk: pk)?.read(model, columns)
    let uid = model.uid.flatMap { found?.values[$0] }
    let edited = found?.row.edited ?? ColumnMask()
    for index in values.mask.subtracting(dangling).indices {
      if let now = found?.values[index], !now.isIdentical(to: values[index]) {
        if later.contains(index) { continue }
        let isAsBefore = before.mask.contains(index) && before[index].isIdentical(to: now)
        if isNewer(index, edited, saved, isAsBefore: isAsBefore) { continue }
      }
      acknowledged.insert(index)
      row[index] = values[index]
    }
    let isNew = found == nil
    var source = RowWriter.Source.effect
    if isNew, !required.mask.isEmpty {
      let unsaved = try linksToUnsaved(writer, model, required)
      for index in required.mask.subtracting(unsaved).indices { row[index] = required[index] }
      source = .edit(fromResponse: acknowledged)
    }
    let settled = try sentLists(model, writer, saved, later)
    guard !isNew || !row.mask.isEmpty || settled.contains(where: \.isEdited) || marker.isOfEmbedded else {
      return (uid, ColumnMask())
    }
    // First: where the uid that was sent is another row's, that one's edits were not sent, and are this row's from then on.
    try writer.acknowledge(model, pk: pk, acknowledged)
    _ = try writer.write(model, pk: pk, row, source)
    for (list, sent, _) in settled {
      try writer.acknowledge(sent)
      acknowledged.insert(list)
    }
    return (uid, acknowledged)
  }

  /// The many-to-many relationships that were sent, and whether they were edited.
  ///
  /// - Parameter later: The properties that a later request sent.
  private func sentLists(
    _ model: EntityModel, _ writer: RowWriter, _ saved: ColumnMask, _ later: ColumnMask
  ) throws -> [(list: Int, sent: RowWriter.SentList, isEdited: Bool)] {
    let edited = lists.map { ($0.key, $0.value, true) } + otherLists.map { ($0.key, $0.value, false) }
    return try edited.sorted { $0.0 < $1.0 }.compactMap { list, members, isEdited in
      guard case .manyToMany(let membership, _) = model.properties[list].kind else { return nil }
      let target = writer.schema.entities[membership.target]
      func survivors(_ pks: Set<Int64>) -> Set<Int64> { Set(pks.map { writer.survivor(target, $0) }) }
      // The later request's answer has settled the pairs.
      if later.contains(list), try Set(writer.members(membership, of: pk)) != survivors(members) { return nil }
      // Where none of its members has a row, nothing of it can be written.
      guard try !isUnsaved || members.isEmpty || members.contains(where: { try writer.exists(target, $0) }) else {
        return nil
      }
      let sent = RowWriter.SentList(
        membership: membership, pk: pk, sent: survivors(members),
        before: isEdited ? listsBefore[list].map(survivors) : nil, isSavedSince: saved.contains(list))
      return (list, sent, isEdited)
    }
  }

  /// Whether a property that has not the value that was sent was edited since, here or in another context: that edit was
  /// not sent yet.
  private func isNewer(_ index: Int, _ edited: ColumnMask, _ saved: ColumnMask, isAsBefore: Bool) -> Bool {
    saved.contains(index) || (edited.contains(index) && !isAsBefore)
  }

  /// The links to objects that are not saved yet: they can't be written now, and go with the next save.
  private func linksToUnsaved(
    _ writer: RowWriter, _ model: EntityModel, _ values: RowValues
  ) throws -> ColumnMask {
    var mask = ColumnMask()
    for index in values.mask.indices {
      guard case .toOne(let target, _, _) = model.properties[index].kind, values.link(index) != 0 else { continue }
      if try !writer.exists(writer.schema.entities[target], values.link(index)) { mask.insert(index) }
    }
    return mask
  }

  /// Takes the edits off the object that sent them, where it still has the values that were sent.
  package func settle<E: ManagedEntity>(_ object: E) {
    marker.end()
    for member in embedded.flatMap({ $0.members + $0.removed }) {
      guard let object = object.entityContext?.objects[member.entity][member.pk] else { continue }
      member.settle(telling: object)
    }
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

  private func settle<E: ManagedEntity>(telling object: E) {
    object.tellingObservers { settle(object) }
  }
}
