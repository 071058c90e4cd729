// Values that are unique together. As with unique columns, two rows may be alike in the middle of a unit. But a column
// of such values may be one that can't be set aside. So the index in the file is not unique, and the end of the unit
// checks the rows that were written.

/// The rows that may have the same values as another row, in the order in which they were written.
struct RowSuspects {
  private(set) var rows: [RowKey] = []
  /// The number of rows that were checked, and are unique.
  private(set) var settled = 0
  /// Where the rows of the last update by query begin.
  private var begun = 0

  struct Mark {
    fileprivate var count = 0
    fileprivate var settled = 0
  }

  var mark: Mark { Mark(count: rows.count, settled: settled) }

  mutating func goBack(to mark: Mark) {
    rows.removeLast(max(0, rows.count - mark.count))
    settled = min(settled, mark.settled)
  }

  mutating func add(_ key: RowKey) {
    if rows.last != key || rows.count <= max(settled, begun) { rows.append(key) }
  }

  /// An update by query begins to write.
  mutating func beginQuery() { begun = rows.count }

  /// The rows that nobody checked, each once.
  var open: [RowKey] { once(from: settled) }

  /// The rows that the update by query has written, each once.
  var ofQuery: [RowKey] { once(from: begun) }

  private func once(from start: Int) -> [RowKey] {
    var known: Set<RowKey> = []
    return rows[min(start, rows.count)...].filter { known.insert($0).inserted }
  }

  mutating func settle() { settled = rows.count }

  /// The rows of the update by query were checked. Where earlier rows are open, all from the first open one on stay
  /// open.
  mutating func settleQuery() { if settled == begun { settle() } }

  /// Both rows, first the one that was written last.
  func inOrder(_ one: RowKey, _ other: RowKey) -> [RowKey] {
    rows.last { $0 == one || $0 == other } == other ? [other, one] : [one, other]
  }
}

extension RowUniqueness {
  func noteSuspect(_ model: EntityModel, _ pk: Int64, _ kind: CommitSummary.RowChange.Kind, _ mask: ColumnMask) {
    switch kind {
    case .deleted: return
    case .updated where mask.intersection(model.togetherMask).isEmpty: return
    case .inserted, .updated: suspects.add(RowKey(entity: model.number, pk: pk))
    }
    valueTaken?(model.id(pk))
  }

  /// Looks for rows with the same values as a row that was written.
  ///
  /// - Parameter notes: Takes note of a violation. Returns `true` where the unit will be undone for it: the check goes
  ///   on.
  /// - Throws: ``StoreError`` of kind `uniqueViolation` that names both objects.
  func checkSuspects(_ notes: (StoreError) -> Bool) throws {
    try check(suspects.open, notes)
    suspects.settle()
  }

  /// Checks the rows that an update by query has written. Rows that were written before may be about to swap their
  /// values: the end of the unit checks them.
  ///
  /// - Throws: ``StoreError`` of kind `uniqueViolation` that names both objects.
  func checkSuspectsOfQuery() throws {
    try check(suspects.ofQuery) { _ in false }
    suspects.settleQuery()
  }

  private func check(_ keys: [RowKey], _ notes: (StoreError) -> Bool) throws {
    var pairs: Set<[RowKey]> = []
    for key in keys {
      let model = schema.entities[key.entity]
      for index in model.together {
        guard let other = try row(like: key.pk, index, model) else { continue }
        let pair = suspects.inOrder(key, RowKey(entity: key.entity, pk: other))
        guard pairs.insert(pair).inserted else { continue }
        let error = alike(model, index, pair.map(\.pk))
        guard notes(error) else { throw error }
      }
    }
  }

  private func row(like pk: Int64, _ index: IndexModel, _ model: EntityModel) throws -> Int64? {
    let filter = IndexModel.filter(index.condition)
    return try connection.rows(
      "SELECT _pk FROM \(model.table) WHERE (\(index.list)) = (SELECT \(index.list) FROM \(model.table) "
        + "WHERE _pk = ?1 AND \(filter)) AND _pk <> ?1 AND \(filter) LIMIT 1", [.integer(pk)]
    ) { $0.int64(0) }.first
  }

  private func alike(_ model: EntityModel, _ index: IndexModel, _ pks: [Int64]) -> StoreError {
    StoreError(
      .uniqueViolation,
      "\(IndexModel.label(model.name, index.names)) are unique together, and another object has the same values"
        + "\(index.condition == nil ? "" : " (among the objects of the index)"). The object that was to have them too is "
        + "that of row \(pks[0]), the other one that of row \(pks[1]). Give one of them another value, or delete it.",
      objects: pks.map(model.id))
  }

  /// Checks all rows, as of an archive.
  ///
  /// - Throws: ``StoreError`` of kind `uniqueViolation`.
  func checkTogether() throws {
    for model in schema.entities {
      for index in model.together {
        let clash = try connection.rows(
          "SELECT max(_pk), min(_pk) \(IndexModel.clashes(model.table, index.names, index.condition)) LIMIT 1"
        ) { [$0.int64(0), $0.int64(1)] }.first
        if let clash { throw alike(model, index, clash) }
      }
    }
  }
}
