import Synchronization

/// The local edits that a request carried to the server, to be acknowledged by its answer.
package struct SentEdits: Sendable {
  /// Hears of saves that happen while the request is under way.
  package final class Marker: Sendable {
    private let state = Mutex((saved: ColumnMask(), isOver: false, isWithdrawn: false, unshown: Unshown.none))
    private let parent: Marker?

    /// - Parameter parent: The marker of the object that this marker's object lives in.
    package init(in parent: Marker? = nil) { self.parent = parent }

    var isOfEmbedded: Bool { parent != nil }
    func saved(_ mask: ColumnMask) { state.withLock { $0.saved.formUnion(mask) } }
    var mask: ColumnMask { state.withLock(\.saved) }
    var isOver: Bool { parent?.isOver == true || state.withLock(\.isOver) }
    package func end() { state.withLock { $0.isOver = true } }
    /// The object was deleted before it was ever saved: the answer makes no row of it.
    func withdraw() { state.withLock { $0.isWithdrawn = true } }
    package var isWithdrawn: Bool { state.withLock(\.isWithdrawn) }
    /// The answer does not show that the server has these edits: they stay.
    package func leave(_ unshown: Unshown) { state.withLock { $0.unshown = unshown } }
    var unshown: Unshown { state.withLock(\.unshown) }
  }

  package let entity: Int
  package internal(set) var pk: Int64
  /// Whether the object had no row yet: then its edits make one. A row that is gone is not brought back.
  let isUnsaved: Bool
  /// The values as they were sent.
  package internal(set) var values: RowValues
  /// The values that a new row requires, and that were not sent.
  var required: RowValues
  /// The members of edited many-to-many relationships as they were sent.
  package internal(set) var lists: [Int: Set<Int64>]
  /// The members of other many-to-many relationships: their pairs may have been edited through the lists on the other
  /// side.
  var otherLists: [Int: Set<Int64>]
  /// The row's values of properties with an unsaved edit on top of a saved one.
  let before: RowValues
  /// The row's members of lists with unsaved edits.
  let listsBefore: [Int: Set<Int64>]
  var embedded: [Embedded]
  /// The members of ordered relationships in the order in which they were sent.
  var orders: [Int: [Int64]]
  /// Those of them that had an unsaved edit of the order.
  let unsavedOrders: ColumnMask
  /// Whether the object was made here, and the server has it once it has answered.
  package let endsInsertion: Bool
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

  /// The part of the edits that the server has by its answer.
  package struct Acknowledged {
    package fileprivate(set) var uid: StoredValue?
    /// The properties of the row that were acknowledged.
    package fileprivate(set) var mask = ColumnMask()
    /// The embedded objects in relationships of rows, in the order in which they were sent.
    package fileprivate(set) var orders: [Relationship: [Int64]] = [:]
    /// Such relationships that hold other objects than were sent.
    package fileprivate(set) var unsettled: Set<Relationship> = []

    /// Adds the relationships of another object that the request sent.
    package mutating func add(_ other: Acknowledged) {
      orders.merge(other.orders) { _, new in new }
      unsettled.formUnion(other.unsettled)
    }
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
    guard var sent = shown(of: writer.schema.entities[entity]) else { return known }
    // The edits of a row that turned out to be another one are that one's.
    sent.pk = writer.survivor(writer.schema.entities[entity], pk)
    (known.uid, known.mask) = try sent.acknowledge(on: writer, &known, sentLater)
    return known
  }

  private func acknowledge(
    on writer: RowWriter, _ known: inout Acknowledged, _ sentLater: (StoredValue?) -> ColumnMask = { _ in ColumnMask() }
  ) throws -> (uid: StoredValue?, mask: ColumnMask) {
    let model = writer.schema.entities[entity]
    guard try isUnsaved && !marker.isWithdrawn || writer.exists(model, pk) else { return (nil, ColumnMask()) }
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
      if try Set(sent) == members(of: model, group.property, writer),
        try !model.ordered.contains(group.property) || acknowledgeOrder(model, group.property, writer)
      {
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
    try writer.checkLazies()
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
    var source = RowSource.effect
    if isNew, !required.mask.isEmpty {
      let unsaved = try linksToUnsaved(writer, model, required)
      for index in required.mask.subtracting(unsaved).indices { row[index] = required[index] }
      source = .edit(fromResponse: acknowledged)
    }
    let settled = try sentLists(model, writer, saved, later)
    // The members of a list refer to the row.
    let hasMembers = embedded.contains { model.embeddedLists.contains($0.property) && !$0.members.isEmpty }
    guard !isNew || !row.mask.isEmpty || hasMembers || settled.contains(where: \.isEdited) || marker.isOfEmbedded else {
      return (uid, ColumnMask())
    }
    // First: where the uid that was sent is another row's, that one's edits were not sent, and are this row's from then on.
    try writer.acknowledge(model, pk: pk, acknowledged, endsInsertion: endsInsertion || marker.isOfEmbedded)
    _ = try writer.write(model, pk: pk, row, source)
    for (list, sent, _) in settled {
      try writer.acknowledge(sent)
      acknowledged.insert(list)
    }
    let isEmbedded = Set(embedded.map(\.property))
    for list in orders.keys.sorted() where !later.contains(list) && !isEmbedded.contains(list) {
      if try acknowledgeOrder(model, list, writer) { acknowledged.insert(list) }
    }
    return (uid, acknowledged)
  }

  /// - Returns: Whether the members have the order that was sent.
  private func acknowledgeOrder(_ model: EntityModel, _ list: Int, _ writer: RowWriter) throws -> Bool {
    guard let sent = orders[list], let target = writer.schema.target(of: model.properties[list]) else { return true }
    return try writer.acknowledgeOrder(
      model, list, of: pk, sent.map { writer.survivor(target, $0) },
      isUnsaved: unsavedOrders.contains(list) && !marker.mask.contains(list))
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
}
