/// Writes rows within one write transaction: only columns that are present, only where they differ.
///
/// Every change of a row, by whatever path, goes through it; it keeps the count and the summary of what was written.
package final class RowWriter {
  let connection: Connection
  package let schema: SchemaModel
  let origin: ContextID?
  /// The context whose changes these are; told at once of the rows that changed.
  weak var context: EntityContext?
  let writer: Writer
  /// Rows inserted, changed and deleted, in all entities.
  package private(set) var rowsWritten = 0
  /// The rows that took others in, since it was emptied.
  var absorbers: Set<RowKey> = []
  /// The lists of which pairs were marked as edited here, since it was emptied.
  var markedLists: Set<NamedList> = []
  /// The rows written since it was emptied, while somebody asks.
  package var written: Set<RowKey>?
  let statements: RowStatements
  /// What rows gave up to other rows of the same unit.
  var displaced = UniqueValues()
  /// Told of each row that took a unique value from another one.
  package var valueTaken: ((AnyEntityID) -> Void)?
  /// Whether pairs of many-to-many relationships were taken out here, by the number of their entity; see `PairMarks`.
  var removals: [Int: Bool] = [:]
  /// Whether the changes are sent for a query: a row may lack a relationship that it requires until ``checkPostponed()``, and
  /// have the uid of another one until ``settleUniqueValues()``.
  var postponesRequired = false
  private var incomplete: [RowKey: ColumnMask] = [:]
  private var changes: CommitSummary?
  private var isOpen = true

  package struct Outcome {
    package var pk: Int64
    /// The columns that were written.
    package var changed: ColumnMask
    /// Whether the row is new, or was a placeholder until now.
    package var isInserted: Bool
  }

  /// Where values come from; it decides what becomes of local edits.
  package enum Source {
    /// Set here. All but the columns that came from a response count as local edits, and so do `lists`, whose
    /// memberships are rows of their own.
    case edit(fromResponse: ColumnMask, lists: ColumnMask = ColumnMask())
    /// Read from a response. Locally edited columns stay if `keepsEdits`, else their edit ends; the `newer` ones stay.
    case response(keepsEdits: Bool, newer: ColumnMask)
    /// What follows from another change: no edit, and nothing is kept.
    case effect
  }

  init(_ writer: Writer, origin: ContextID?, collects: Bool) {
    self.writer = writer
    connection = writer.connection
    schema = writer.schema
    statements = writer.statements
    self.origin = origin
    if collects { changes = CommitSummary(first: 0, last: 0, origin: origin) }
  }

  private var commitActions: [() -> Void] = []

  /// Runs `action` after the commit, before the next unit of work begins; not at all if there is none.
  package func afterCommit(_ action: @escaping () -> Void) { commitActions.append(action) }

  func runCommitActions() {
    for action in commitActions { action() }
    commitActions = []
  }

  /// Ends the use of the writer: the transaction is over.
  func close() { isOpen = false }

  func checkOpen() throws {
    guard isOpen else {
      throw StoreError(.wrongContext, "The unit of work is over; its context can't be used any more.")
    }
    // What is written then would be committed at once, statement by statement.
    guard !connection.hasLostTransaction else {
      throw StoreError(
        .sqlite,
        "SQLite ended the transaction of the unit after an error: nothing of the unit is written. Let the unit "
          + "end with that error, and run it again once the cause is gone.")
    }
  }

  func summary(generation: Int64, schema: SchemaModel) -> CommitSummary {
    var summary =
      changes
      ?? CommitSummary(
        first: generation, last: generation, origin: nil,
        entities: Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.number, .all) }))
    summary.first = generation
    summary.last = generation
    return summary
  }

  package func newPrimaryKey() throws -> Int64 {
    try checkOpen()
    return try writer.newPrimaryKey()
  }

  func lease() throws -> PrimaryKeys.Range { try writer.lease() }

  // MARK: Parts that can be undone

  /// Runs `body`; what it wrote is gone when it throws.
  func atomically<T>(_ body: () throws -> T) throws -> T {
    try checkOpen()
    let mark = mark
    try connection.prepare("SAVEPOINT part").run()
    do {
      let value = try body()
      try connection.prepare("RELEASE part").run()
      return value
    } catch {
      // After a full disk SQLite may have ended the whole transaction: then there is nothing to go back to.
      try? connection.prepare("ROLLBACK TO part").run()
      try? connection.prepare("RELEASE part").run()
      try? undone(to: mark)
      throw error
    }
  }

  /// Which rows had turned out to be others, and which had given up values.
  struct Mark {
    fileprivate var forwards = 0
    fileprivate var survivors: [RowKey: Int64] = [:]
    fileprivate var displaced = UniqueValues()
  }

  var mark: Mark {
    Mark(forwards: changes?.forwards.count ?? 0, survivors: writer.survivors, displaced: displaced)
  }

  /// Rows went back to what they were: which ones is not known, so the summary no longer names any. Row ids that were
  /// leased stay leased.
  func undone(to mark: Mark) throws {
    removals = [:]
    writer.survivors = mark.survivors
    displaced = mark.displaced
    changes?.blur(keeping: mark.forwards)
    try writer.partUndone()
  }

  // MARK: Writing rows

  /// Writes a row that is not there yet. `pk` must be fresh.
  ///
  /// - Parameters:
  ///   - takesOver: Whether it may take over the row that has its uid, whatever the source.
  ///   - hasFreeUID: Whether the caller has just looked, and no row has its uid.
  package func insert(
    _ model: EntityModel, pk: Int64, _ given: RowValues, _ source: Source, isPlaceholder: Bool = false,
    isComplete: Bool = true, takesOver: Bool = false, hasFreeUID: Bool = false
  ) throws -> Outcome {
    try checkOpen()
    let lists = source.lists
    var edited = editedMask(model, source, changed: given.mask)
    var absorbed: AbsorbedRow?
    if !hasFreeUID, let uid = model.uid, given.mask.contains(uid), !given[uid].isNull,
      let other = try find(model, uid: given[uid]) {
      other.release()
      if try isTakeover(model, uid, of: other.row, by: pk, source, isWanted: takesOver) {
        absorbed = try absorb(model, other.pk, into: pk, edited: edited)
      } else {
        try displace(model, other.pk, uid, given[uid])
      }
    }
    let (given, repointed) = self.repointed(model, given)
    if model.isLinks, case .edit = source, try !canInsertMembership(model, pk: pk, given) {
      return Outcome(pk: pk, changed: ColumnMask(), isInserted: false)
    }
    let row = withDefaults(model, given)
    try checkNulls(model, pk, row)
    let missing =
      isComplete && !isPlaceholder && !model.required.isEmpty
      ? model.required.subtracting(row.mask.subtracting(row.nulls)) : ColumnMask()
    let removal = model.isLinks ? try forgetRemoval(model, given) : ColumnMask()
    if !edited.isEmpty { edited.formUnion(removal) }
    let statement = try statements.statement(
      .init(entity: model.number, mask: row.mask, kind: 0), on: connection
    ) {
      let names = row.mask.indices.map { model.properties[$0].name.quoted }
      let columns = ["_pk", "_edited", "_placeholder"] + names
      let marks = Array(repeating: "?", count: columns.count)
      return "INSERT INTO \(model.table) (\(columns.joined(separator: ", "))) VALUES (\(marks.joined(separator: ", ")))"
    }
    defer { statement.reset() }
    try statement.bind(pk, at: 1)
    try statement.bind(model.names(edited), at: 2)
    try statement.bind(isPlaceholder ? 1 : 0, at: 3)
    for (offset, index) in row.mask.indices.enumerated() { try statement.bind(row[index], at: offset + 4) }
    try run(statement, model, pk, row, row.mask)
    if model.isLinks { noteMarks(model, row, edited) }
    note(model, pk, .inserted, row.mask.union(lists), source)
    if !repointed.isEmpty { tell(model, pk, .updated, repointed, isDirect: false) }
    for index in row.mask.indices { try noteLink(model, index, pk: pk, from: 0, to: row.link(index), source) }
    if edited.isEmpty { try settleNames(model, given, removal) }
    var changed = given.mask.union(lists)
    if let absorbed {
      changed.subtract(try take(absorbed, model, pk, given: given.mask, edited: edited, source))
    }
    if !missing.isEmpty { try checkRequired(model, pk, missing) }
    return Outcome(pk: pk, changed: changed, isInserted: !isPlaceholder)
  }

  /// Writes what differs between `row` and the row that was found.
  ///
  /// - Parameter fills: Whether a placeholder becomes an object by it.
  package func update(
    _ model: EntityModel, _ found: Found, _ row: RowValues, _ source: Source, fills: Bool = true,
    isComplete: Bool = true
  ) throws -> Outcome {
    try checkOpen()
    var current = found.row
    var (row, repointed) = self.repointed(model, row)
    var mask = row.mask
    // The edits that the response overwrites: they end also where it has the same value.
    var ended = ColumnMask()
    if case .response(let keepsEdits, let newer) = source {
      mask.subtract(newer)
      if keepsEdits { mask.subtract(current.edited) } else { ended = mask.intersection(current.edited) }
    }
    var changed = ColumnMask()
    var links: [(index: Int, old: Int64)] = []
    for index in mask.indices where !found.has(row[index], index) {
      changed.insert(index)
      if case .toOne = model.properties[index].kind { links.append((index, found.link(index))) }
    }
    var fills = fills && current.isPlaceholder
    if case .effect = source { fills = false }
    let lost = held(model, found, changed)
    found.release()
    if !repointed.isEmpty { tell(model, current.pk, .updated, repointed, isDirect: false) }
    let lists = source.lists
    guard !changed.isEmpty || fills || !ended.isEmpty || !lists.subtracting(current.edited).isEmpty else {
      return Outcome(pk: current.pk, changed: lists, isInserted: false)
    }
    try checkNulls(model, current.pk, row, changed)
    if let uid = model.uid, changed.contains(uid) {
      if let taken = try takeUID(model, current, row[uid], given: mask, changed: changed, source) {
        current = taken.current
        changed.subtract(taken.kept)
        fills = fills && current.isPlaceholder
        // A link to the row that made way is one to the row itself.
        (row, repointed) = self.repointed(model, row)
        if !repointed.isEmpty { tell(model, current.pk, .updated, repointed, isDirect: false) }
      }
    }
    let missing =
      isComplete && !model.required.isEmpty && (fills || !current.isPlaceholder)
      ? model.required.intersection(fills ? model.required : changed).subtracting(changed.subtracting(row.nulls))
      : ColumnMask()
    let edited = editedMask(model, source, changed: changed).union(current.edited).subtracting(ended)
    let marks = edited == current.edited ? nil : EditMarks(known: edited, others: current.marks.others)
    try write(model, current.pk, changed, row, edited: marks, fills: fills)
    if !displaced.isEmpty {
      displaced.remove(RowKey(entity: model.number, pk: current.pk), changed)
      try giveBack(model, lost)
    }
    note(model, current.pk, fills ? .inserted : .updated, changed.union(lists).union(ended), source)
    for link in links where changed.contains(link.index) {
      try noteLink(model, link.index, pk: current.pk, from: link.old, to: row.link(link.index), source)
    }
    if !missing.isEmpty { try checkRequired(model, current.pk, missing) }
    return Outcome(pk: current.pk, changed: changed.union(lists), isInserted: fills)
  }

  /// Writes `row` to the row with `pk`, making it if need be.
  package func write(_ model: EntityModel, pk: Int64, _ row: RowValues, _ source: Source) throws -> Outcome {
    if let found = try find(model, pk: pk) { return try update(model, found, row, source) }
    return try insert(model, pk: pk, row, source)
  }

  /// Marks columns as acknowledged: the server has them, and later answers may change them.
  package func acknowledge(_ model: EntityModel, pk: Int64, _ mask: ColumnMask) throws {
    guard let found = try find(model, pk: pk) else { return }
    found.release()
    let edited = found.row.edited.subtracting(mask)
    guard edited != found.row.edited else { return }
    let marks = EditMarks(known: edited, others: found.row.marks.others)
    try write(model, pk, ColumnMask(), RowValues(count: 0), edited: marks, fills: false)
    // No value changed, but an object that holds the row must learn that its columns are open to answers again.
    note(model, pk, .updated, found.row.edited.subtracting(edited), .effect)
  }

  /// Names a list as edited in its row. An object without uid was taken out of it: of that one nothing is left in the list
  /// that would tell.
  private func markEdited(_ model: EntityModel, _ pk: Int64, _ list: Int) throws {
    guard let found = try find(model, pk: pk) else { return }
    found.release()
    let edited = found.row.edited.union(ColumnMask(list))
    guard edited != found.row.edited else { return }
    let marks = EditMarks(known: edited, others: found.row.marks.others)
    try write(model, pk, ColumnMask(), RowValues(count: 0), edited: marks, fills: false)
    note(model, pk, .updated, ColumnMask(list), .effect)
  }

  // MARK: Keeping count

  func note(
    _ model: EntityModel, _ pk: Int64, _ kind: CommitSummary.RowChange.Kind, _ mask: ColumnMask, _ source: Source
  ) {
    rowsWritten += 1
    written?.insert(RowKey(entity: model.number, pk: pk))
    tell(model, pk, kind, mask, isDirect: source.isDirect)
  }

  func tell(
    _ model: EntityModel, _ pk: Int64, _ kind: CommitSummary.RowChange.Kind, _ mask: ColumnMask, isDirect: Bool
  ) {
    changes?.note(model.number, pk, kind, mask, isDirect: isDirect)
    context?.rowChanged(model, pk, kind, mask, isDirect: isDirect)
  }

  func noteForward(_ model: EntityModel, from: Int64, to: Int64) {
    changes?.forwards.append(.init(entity: model.number, from: from, to: to))
    context?.rowForwarded(model, from: from, to: to)
  }

  /// The to-many relationships that a link leaves and enters change with it.
  func noteLink(
    _ model: EntityModel, _ property: Int, pk: Int64, from old: Int64, to new: Int64, _ source: Source
  ) throws {
    guard case .toOne(let target, let inverse?, _) = model.properties[property].kind else { return }
    if case .edit(let fromResponse, _) = source, model.uid == nil, !model.isLinks, old != 0, old != new,
      !fromResponse.contains(property)
    {
      try markEdited(schema.entities[target], old, inverse)
    }
    for parent in [old, new] where parent != 0 && old != new {
      // The context that set the link has told of it.
      tell(schema.entities[target], parent, .updated, ColumnMask(inverse), isDirect: source.isDirect)
    }
  }

  // MARK: Parts

  /// - Parameter edited: The marks that the row gets; `nil` leaves those that it has.
  func write(
    _ model: EntityModel, _ pk: Int64, _ mask: ColumnMask, _ row: RowValues, edited: EditMarks?, fills: Bool
  ) throws {
    let statement = try statements.statement(
      .init(entity: model.number, mask: mask, kind: 1 | (edited == nil ? 0 : 2) | (fills ? 4 : 0)), on: connection
    ) {
      var parts = mask.indices.map { "\(model.properties[$0].name.quoted) = ?" }
      if edited != nil { parts.append("_edited = ?") }
      if fills { parts.append("_placeholder = 0") }
      return "UPDATE \(model.table) SET \(parts.joined(separator: ", ")) WHERE _pk = ?"
    }
    defer { statement.reset() }
    var position = 1
    for index in mask.indices {
      try statement.bind(row[index], at: position)
      position += 1
    }
    if let edited {
      try statement.bind(model.names(edited), at: position)
      position += 1
    }
    try statement.bind(pk, at: position)
    try run(statement, model, pk, row, mask)
  }

  private func withDefaults(_ model: EntityModel, _ given: RowValues) -> RowValues {
    var row = given
    for index in model.defaulted.subtracting(given.mask).indices { row[index] = model.properties[index].defaultValue }
    return row
  }

  func editedMask(_ model: EntityModel, _ source: Source, changed: ColumnMask) -> ColumnMask {
    // Of a membership, the column of the side whose list it was edited through is no response's.
    guard case .edit(let fromResponse, let lists) = source else { return ColumnMask() }
    return changed.union(lists).subtracting(fromResponse)
  }

  /// - Throws: ``StoreError`` of kind `invalidValue` when a row lacks one of the relationships in `mask`.
  private func checkRequired(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask) throws {
    if postponesRequired {
      return incomplete[RowKey(entity: model.number, pk: pk), default: ColumnMask()].formUnion(mask)
    }
    guard let found = try find(model, pk: pk) else { return }
    defer { found.release() }
    guard let index = mask.indices.first(where: { found.link($0) == 0 }) else { return }
    throw StoreError(
      .invalidValue,
      "'\(model.name).\(model.properties[index].name)' is required, and an object (row \(pk)) has none: it was never set, "
        + "or was taken out of the list on the other side. Set it, or delete the object.", objects: [model.id(pk)])
  }

  /// Checks the rows that were allowed to lack a relationship for a while.
  func checkPostponed() throws {
    for (key, mask) in incomplete.sorted(by: { $0.key.pk < $1.key.pk }) {
      try checkRequired(schema.entities[key.entity], key.pk, mask)
    }
    incomplete = [:]
  }

  private func checkNulls(_ model: EntityModel, _ pk: Int64, _ row: RowValues, _ mask: ColumnMask? = nil) throws {
    for index in (mask ?? row.mask).indices where row[index].isNull && index != model.uid {
      guard case .attribute(_, isOptional: false) = model.properties[index].kind else { continue }
      throw StoreError(
        .invalidValue, "'\(model.name).\(model.properties[index].name)' is not optional and has no value.",
        objects: [model.id(pk)])
    }
  }
}

extension RowWriter.Source {
  /// Whether the object that the row is of has the values already.
  fileprivate var isDirect: Bool {
    if case .edit = self { true } else { false }
  }

  fileprivate var lists: ColumnMask {
    if case .edit(_, let lists) = self { lists } else { ColumnMask() }
  }
}
