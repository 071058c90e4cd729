extension SentEdits {
  /// Acknowledges the edits, within the transaction of the answer.
  ///
  /// - Parameter sentLater: The properties, by the object's uid, that later requests sent whose answers were taken in
  ///   already. These properties keep their present values.
  @discardableResult
  package func acknowledge(
    on writer: RowWriter, sentLater: (StoredValue?) -> ColumnMask = { _ in ColumnMask() }
  ) throws -> Acknowledged {
    var known = Acknowledged()
    guard var sent = shown(of: writer.schema.entities[entity]) else { return known }
    // The edits of a row that was absorbed belong to the row that absorbed it.
    sent.pk = writer.collisions.survivor(writer.schema.entities[entity], pk)
    (known.uid, known.mask) = try sent.acknowledge(on: writer, &known, sentLater)
    return known
  }

  private func acknowledge(
    on writer: RowWriter, _ known: inout Acknowledged, _ sentLater: (StoredValue?) -> ColumnMask = { _ in ColumnMask() }
  ) throws -> (uid: StoredValue?, mask: ColumnMask) {
    let model = writer.schema.entities[entity]
    guard try isUnsaved && !marker.isWithdrawn || writer.exists(model, pk) else { return (nil, ColumnMask()) }
    let later = try sentLater(self.uid(model, writer)).union(marker.superseded)
    let embedded = embedded.filter { !later.contains($0.property) }
    // An object in a list links to this row, so this row comes first. This row links to objects in other relationships,
    // so they come first.
    for group in embedded where !model.embeddedLists.contains(group.property) {
      for member in group.members { _ = try member.acknowledge(on: writer, &known) }
    }
    let own = try acknowledgeOwn(model, writer, later)
    var ofEmbedded = ColumnMask()
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
        if model.embeddedLists.contains(group.property), !own.acknowledged.contains(group.property) {
          ofEmbedded.insert(group.property)
        }
      } else {
        known.unsettled.insert(relationship)
      }
    }
    if !ofEmbedded.isEmpty { try writer.edits.acknowledge(model, pk: pk, ofEmbedded) }
    return (own.uid, own.told.union(ofEmbedded))
  }

  private func uid(_ model: EntityModel, _ writer: RowWriter) throws -> StoredValue? {
    guard let index = model.uid, let found = try writer.find(model, pk: pk) else { return nil }
    return found.value(index)
  }

  /// The rows in a relationship.
  private func members(of model: EntityModel, _ property: Int, _ writer: RowWriter) throws -> Set<Int64> {
    if let list = model.properties[property].list { return Set(try writer.order.members(of: list, pk).rows) }
    guard model.links.contains(property), let found = try writer.find(model, pk: pk) else { return [] }
    return found.link(property) == 0 ? [] : [found.link(property)]
  }

  /// The edits of the row itself that the server has by the answer.
  private struct Own {
    var uid: StoredValue?
    /// The edits that end.
    var acknowledged = ColumnMask()
    /// The properties whose sent values the server has: the edits that end, and edits with later edits, whose base is
    /// the sent value.
    var told = ColumnMask()
  }

  /// The columns that the row gets by the answer, and the bases that its edits get.
  private struct OwnValues {
    var own = Own()
    var row: RowValues
    var bases: RowValues
    /// Whether the row is not in the file yet.
    let isNew: Bool
    /// The properties that were set back. One may be saved without a write, and the server may have got another value in
    /// between.
    let setBack: ColumnMask

    init(_ model: EntityModel, isNew: Bool, setBack: ColumnMask) {
      row = RowValues(count: model.properties.count)
      bases = row
      (self.isNew, self.setBack) = (isNew, setBack)
    }
  }

  /// Compares the values that were sent with those of the row. Nothing is written.
  ///
  /// - Parameter later: The properties that a later request sent.
  private func ownValues(_ model: EntityModel, _ writer: RowWriter, _ later: ColumnMask) throws -> OwnValues {
    let values = writer.collisions.repointed(model, values).row
    let dangling = try linksToUnsaved(writer, model, values)
    let columns = model.uid.map { values.mask.union(ColumnMask($0)) } ?? values.mask
    let found = try writer.find(model, pk: pk)?.read(model, columns)
    try writer.checks.checkLazies()
    var result = OwnValues(model, isNew: found == nil, setBack: marker.setBack)
    result.own.uid = model.uid.flatMap { found?.values[$0] }
    let edited = found?.row.edited ?? ColumnMask()
    let since = edited.intersection(marker.edited).union(result.setBack)
    for index in values.mask.subtracting(dangling).indices {
      let server = marker.form(of: index) ?? values[index]
      let now = found?.values[index]
      let isAsSent = now.map { $0.isIdentical(to: values[index]) } ?? true
      if later.contains(index), since.contains(index) || !isAsSent { continue }
      result.own.told.insert(index)
      let isAsBefore = before.mask.contains(index) && now.map { before[index].isIdentical(to: $0) } == true
      // The property was edited since, here or in another context. That edit was not sent yet. Its base is the value
      // that the server has by now.
      if since.contains(index) || edited.contains(index) && !isAsSent && !isAsBefore {
        result.bases[index] = server
        continue
      }
      result.own.acknowledged.insert(index)
      result.row[index] = server
    }
    if marker.isAsked {
      // The create had no values of these: they were edited as those of a new object.
      let carried = values.mask.union(forgotten).union(model.identity)
      for index in edited.subtracting(carried).indices {
        if case .attribute = model.properties[index].kind { result.bases[index] = model.properties[index].defaultValue }
      }
    }
    return result
  }

  /// - Parameter later: The properties that a later request sent.
  private func acknowledgeOwn(_ model: EntityModel, _ writer: RowWriter, _ later: ColumnMask) throws -> Own {
    let values = try ownValues(model, writer, later)
    var (own, row) = (values.own, values.row)
    var source = RowSource.effect
    if values.isNew, !required.mask.isEmpty {
      let unsaved = try linksToUnsaved(writer, model, required)
      for index in required.mask.subtracting(unsaved).indices { row[index] = required[index] }
      source = .edit(RowEdit(fromResponse: own.acknowledged, isOfResponse: true))
    }
    let settled = try sentLists(model, writer, later)
    // The members of a list link to the row.
    let hasMembers = embedded.contains { model.embeddedLists.contains($0.property) && !$0.members.isEmpty }
    let isWritten = !values.isNew || !row.mask.isEmpty || !values.bases.mask.isEmpty || hasMembers
    guard isWritten || settled.contains(where: \.isEdited) || marker.isOfEmbedded else { return own }
    // This comes first: the write may absorb another row with the sent uid. The edits of that row were not sent, and
    // are this row's from then on.
    try writer.edits.acknowledge(model, pk: pk, own.acknowledged, endsInsertion: endsInsertion || marker.isOfEmbedded)
    _ = try writer.write(model, pk: pk, row, source)
    for index in values.setBack.intersection(values.bases.mask).indices {
      try writer.edits.markEdited(model, pk, index)
    }
    try writer.edits.setBases(model, pk, values.bases)
    for (list, sent, _) in settled {
      try writer.pairs.acknowledge(sent)
      own.acknowledged.insert(list)
    }
    let isEmbedded = Set(embedded.map(\.property))
    for list in orders.keys.sorted() where !later.contains(list) && !isEmbedded.contains(list) {
      if try acknowledgeOrder(model, list, writer) { own.acknowledged.insert(list) }
    }
    own.told.formUnion(own.acknowledged)
    return own
  }

  /// - Returns: Whether the members have the order that was sent.
  private func acknowledgeOrder(_ model: EntityModel, _ list: Int, _ writer: RowWriter) throws -> Bool {
    guard let sent = orders[list], let target = writer.schema.target(of: model.properties[list]) else { return true }
    guard !marker.isReordered(list) else { return false }
    return try writer.pairs.acknowledgeOrder(
      model, list, of: pk, sent.map { writer.collisions.survivor(target, $0) },
      isUnsaved: unsavedOrders.contains(list) && !marker.saved.contains(list))
  }

  /// The many-to-many relationships that were sent, and whether they were edited.
  ///
  /// - Parameter later: The properties that a later request sent.
  private func sentLists(
    _ model: EntityModel, _ writer: RowWriter, _ later: ColumnMask
  ) throws -> [(list: Int, sent: RowPairs.SentList, isEdited: Bool)] {
    let edited = lists.map { ($0.key, $0.value, true) } + otherLists.map { ($0.key, $0.value, false) }
    return try edited.sorted { $0.0 < $1.0 }.compactMap { list, members, isEdited in
      guard let membership = model.properties[list].membership else { return nil }
      let target = writer.schema.entities[membership.target]
      func survivors(_ pks: Set<Int64>) -> Set<Int64> { Set(pks.map { writer.collisions.survivor(target, $0) }) }
      // The later request's answer has settled the pairs.
      if later.contains(list),
        try marker.setBack.contains(list) || !marker.editedMembers(of: list).isEmpty
          || Set(writer.pairs.members(membership, of: pk)) != survivors(members)
      {
        return nil
      }
      // Where no member has a row, no pair of the list can be written.
      guard try !isUnsaved || members.isEmpty || members.contains(where: { try writer.exists(target, $0) }) else {
        return nil
      }
      let sent = RowPairs.SentList(
        membership: membership, pk: pk, sent: survivors(members),
        // Where another answer has confirmed the same members, the rows have what the server made of them.
        before: isEdited && !marker.isTold(list) ? listsBefore[list].map(survivors) : nil,
        isSavedSince: marker.saved.contains(list), editedSince: survivors(marker.editedMembers(of: list)))
      return (list, sent, isEdited)
    }
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

  /// Tells other requests under way that carry equal values which values the server made of them. Called once the
  /// answer is taken in, within its transaction.
  ///
  /// - Parameter mask: The properties that the server has as they were sent.
  package func tellOthers(_ mask: ColumnMask, on writer: RowWriter) throws {
    let model = writer.schema.entities[entity]
    let pk = writer.collisions.survivor(model, pk)
    let others = writer.edits.underWay(model, pk, but: marker)
    guard !others.isEmpty else { return }
    let shared = values.mask.intersection(mask).subtracting(model.lazy).indices.filter { index in
      others.contains { $0.carries(values[index], of: index) }
    }
    let known = try writer.edits.serverValues(model, pk, shared.reduce(into: ColumnMask()) { $0.insert($1) })
    let lists = lists.merging(otherLists) { edited, _ in edited }.filter { mask.contains($0.key) }
    writer.afterCommit { [values] in
      for other in others {
        for index in known.mask.indices where other.carries(values[index], of: index) {
          other.noteForm(known[index], of: index)
        }
        for (list, members) in lists where other.carries(members, of: list) { other.noteTold(list) }
      }
    }
  }
}
