/// The unsaved changes of a context as plain values, on their way to the writer.
struct ChangeSet: Sendable {
  struct Row: Sendable {
    let entity: Int
    let pk: Int64
    let values: RowValues
    /// The many-to-many relationships that were edited. Their memberships are rows of their own. The change set has the
    /// memberships that differ from the rows that the context knew.
    let editedLists: ColumnMask
    /// The members of each edited list that was set as a whole.
    let lists: [Int: Set<Int64>]
    /// The columns of `values` that came from a response, and so are no local edits.
    let fromResponse: ColumnMask
    /// The values that the row's edits are based on.
    let bases: EditBases
    let isInserted: Bool
    let traits: InsertionTraits

    var updateTraits: UpdateTraits {
      if traits.contains(.incomplete) { return [.incomplete, .leavesPlaceholder] }
      return traits.contains(.placeholder) ? .leavesPlaceholder : .whole
    }
  }

  /// The outcome of a row's change.
  struct Written {
    /// The columns whose values changed.
    var changed = ColumnMask()
    /// The columns in which the row and the object differ now: edits that gave way to the values of others.
    var yielded = ColumnMask()
  }

  var rows: [Row] = []
  var deleted: [RowKey] = []
  /// The rows among `deleted` whose deletion a response reported.
  var deletedThere: Set<RowKey> = []
  /// Whether the changes are of a unit. A new object of a unit has no row before the unit sends it. Of two saves of the
  /// main context that insert an object, either may be written first.
  var isOfUnit = false
  /// Whether an update by hand of a response made the changes.
  var isOfResponse = false
  /// The purpose for which the changes are written.
  var purpose = RowEdit.Purpose.save
  /// The author of the changes in the history; `nil` for the store's own author.
  var author: String?
  /// The policies for columns that others changed since they were edited; `nil` in a unit.
  var policies: ConflictPolicies?
  /// The memberships among `deleted` that were taken out of a list here, and the side of that list.
  var unlinked: [(key: RowKey, side: Int)] = []

  var isEmpty: Bool { rows.isEmpty && deleted.isEmpty }

  /// Writes the changes.
  ///
  /// - Parameter image: Receives the image of the save, if the save can be undone.
  /// - Returns: The outcome for each row.
  /// - Throws: ``StoreError``: `objectDeleted` when a changed object's row is gone, `conflict`; the error of a custom policy.
  func apply(to writer: RowWriter, _ image: SaveImageBox? = nil) throws -> [Written] {
    if let author { writer.author = author }
    if let image { writer.record(into: image) }
    guard purpose == .save, EditBatch.areEnough(rows.count, of: writer.writer.rowsInBatch) else {
      return try writeAll(to: writer, inBatches: false)
    }
    return try writer.batches.attempt { try writeAll(to: writer, inBatches: $0) }
  }

  /// - Throws: ``BatchFailure`` where a batch can't be written as a whole.
  func writeAll(to writer: RowWriter, inBatches: Bool) throws -> [Written] {
    var written = Array(repeating: Written(), count: rows.count)
    var conflicts = ConflictCheck(policies)
    // Deletions come after the rows, because their rules apply to new rows too. But a new row comes later if it has the
    // uid of a row that a cascade deletes and is a different object. Memberships come last of all, after the rows that
    // they link.
    try makeWay(in: writer)
    let going = Set(deleted)
    writer.collisions.absorbers = []
    writer.pairs.markedLists = []
    writer.pairs.endedLists = []
    var later: [Int] = []
    var batches = SaveBatches(self, writer, areWanted: inBatches)
    for position in rows.indices {
      if try batches.write(position, &written, &conflicts) { continue }
      let row = rows[position]
      if try row.isInserted && (replaces(row, going, writer) || (!later.isEmpty && lacksEnds(row, writer))) {
        later.append(position)
      } else {
        written[position] = try write(row, to: writer, &conflicts)
      }
    }
    try conflicts.checkFailed()
    for (key, side) in unlinked {
      try writer.pairs.markRemoved(writer.schema.entities[key.entity], key.pk, through: side)
    }
    // The response itself decides about an object that its own update deletes.
    let areOfServer = writer.isOfServer || isOfResponse
    try writer.deletion.delete(deleted, leavesTombstones: !areOfServer, but: deletedThere)
    for position in later { written[position] = try write(rows[position], to: writer, &conflicts) }
    try conflicts.checkFailed()
    for (key, lists) in editedLists(writer) { try writer.pairs.complete(key, lists) }
    try settleLists(writer)
    return written
  }

  /// Removes a list's edit mark from rows where the save marked no pair: others made the same change, or the other ends
  /// of the pairs are gone.
  private func settleLists(_ writer: RowWriter) throws {
    for list in writer.pairs.endedLists { try writer.pairs.settleUnmarked(list) }
    for row in rows {
      let model = writer.schema.entities[row.entity]
      for list in row.editedLists.subtracting(row.fromResponse).indices {
        guard let membership = model.properties[list].membership else { continue }
        try writer.pairs.settleUnmarked(
          .init(links: membership.links, side: membership.side, pk: writer.collisions.survivor(model, row.pk)))
      }
    }
  }

  /// The edited lists by row, in the order of `rows`. If two rows were merged into one, so are their lists.
  private func editedLists(_ writer: RowWriter) -> [(key: RowKey, lists: [Int: Set<Int64>])] {
    var edited: [(key: RowKey, lists: [Int: Set<Int64>])] = []
    var places: [RowKey: Int] = [:]
    for row in rows where !row.lists.isEmpty {
      let pk = writer.collisions.survivor(writer.schema.entities[row.entity], row.pk)
      let key = RowKey(entity: row.entity, pk: pk)
      if let place = places[key] {
        edited[place].lists.merge(row.lists) { $0.union($1) }
      } else {
        places[key] = edited.count
        edited.append((key, row.lists))
      }
    }
    return edited
  }

  /// Rows that lose their uids give them up before other rows get them. Otherwise the two rows would be taken for one
  /// object.
  private func makeWay(in writer: RowWriter) throws {
    var leaving = Set(deleted)
    // Uses indices, because a copy of a row would count references.
    for place in rows.indices where !rows[place].isInserted && setUID(at: place, writer) != nil {
      leaving.insert(.init(entity: rows[place].entity, pk: rows[place].pk))
    }
    guard !leaving.isEmpty else { return }
    for place in rows.indices {
      guard let index = setUID(at: place, writer), !rows[place].values[index].isNull else { continue }
      let row = rows[place]
      let model = writer.schema.entities[row.entity]
      guard let found = try writer.find(model, uid: row.values[index])?.read(model, ColumnMask(index)),
        found.row.pk != row.pk, leaving.contains(.init(entity: row.entity, pk: found.row.pk))
      else { continue }
      try writer.uniqueness.displace(model, found.row.pk, index, found.values[index])
    }
  }

  /// The uid column, if the change of a row sets it.
  private func setUID(at place: Int, _ writer: RowWriter) -> Int? {
    guard let uid = writer.schema.entities[rows[place].entity].uid else { return nil }
    return rows[place].values.mask.contains(uid) ? uid : nil
  }

  /// Whether a new row may replace one that these deletions remove.
  private func replaces(_ row: Row, _ going: Set<RowKey>, _ writer: RowWriter) throws -> Bool {
    let model = writer.schema.entities[row.entity]
    guard !going.isEmpty else { return false }
    if let link = try writer.pairs.membership(model, writer.collisions.repointed(model, row.values).row) {
      return going.contains(.init(entity: row.entity, pk: link))
    }
    guard let uid = model.uid, row.values.mask.contains(uid),
      let known = try writer.current(model, uid: row.values[uid])
    else { return false }
    return known.pk != row.pk
  }

  /// Whether a row is a membership, and one of the two rows that it links does not exist yet.
  private func lacksEnds(_ row: Row, _ writer: RowWriter) throws -> Bool {
    let links = writer.schema.entities[row.entity]
    return try links.isLinks && writer.pairs.lacksEnds(links, writer.collisions.repointed(links, row.values).row)
  }

  /// Writes one row. After a conflict has failed the save, only checks it for conflicts.
  func write(_ row: Row, to writer: RowWriter, _ conflicts: inout ConflictCheck) throws -> Written {
    let model = writer.schema.entities[row.entity]
    let source = RowSource.edit(
      RowEdit(
        fromResponse: row.fromResponse, lists: row.editedLists, for: purpose,
        isOfResponse: isOfResponse))
    if !(isOfUnit && row.isInserted), let found = try writer.find(model, pk: row.pk) {
      var values = row.values
      var settled = ConflictCheck.Settled()
      if !row.bases.isEmpty { settled = try conflicts.settle(&values, row.bases, model, over: found, writer) }
      if conflicts.hasFailed { return Written() }
      let changed = try writer.update(model, found, values, source, row.updateTraits).changed
      // The context itself has told of the edited targets.
      for link in settled.links {
        try writer.noteLink(model, link.index, pk: row.pk, from: link.old, to: values.link(link.index), .effect)
      }
      return Written(changed: changed, yielded: settled.yielded)
    }
    if conflicts.hasFailed { return Written() }
    if let changed = try follow(row, model, source, writer) { return Written(changed: changed) }
    guard row.isInserted else {
      // The object was only moved in a list.
      if row.values.mask.subtracting(model.positions).isEmpty, row.editedLists.isEmpty { return Written() }
      let edited = row.values.mask.union(row.editedLists)
      if conflicts.yieldsToDeletion(of: model, edited) { return Written(yielded: row.values.mask) }
      throw StoreError(
        .objectDeleted,
        "An object of '\(model.name)' (row \(row.pk)) was changed, but is deleted. Check isDeleted, and drop the "
          + "change with `rollback(_:)`.", objects: [model.id(row.pk)])
    }
    return Written(changed: try writer.insert(model, pk: row.pk, row.values, source, row.traits).changed)
  }

  /// Writes the edits of an object whose row was merged into another row to that row. Values that these changes set
  /// there themselves take precedence. The edits are no conflict: their bases are values of the row that is gone, which
  /// say nothing about the other row.
  ///
  /// - Returns: `nil` if the row was not merged into another.
  private func follow(
    _ row: Row, _ model: EntityModel, _ source: RowSource, _ writer: RowWriter
  ) throws -> ColumnMask? {
    let pk = writer.collisions.survivor(model, row.pk)
    guard pk != row.pk, let found = try writer.find(model, pk: pk) else { return nil }
    var values = row.values
    values.remove(model.identity)
    // Values of a response are no edits; the next response has them again.
    values.remove(row.fromResponse)
    for other in rows where other.entity == row.entity && other.pk == pk { values.remove(other.values.mask) }
    let outcome = try writer.update(model, found, values, source, row.updateTraits.subtracting(.incomplete))
    // The object of that row does not have these values yet.
    writer.tell(model, pk, .updated, outcome.changed, isDirect: false)
    return outcome.changed
  }
}
