import EntityJSON

/// Rows of one entity that go to the file together: rows of a save, of objects that a response made or changed, or of
/// an update by query. Each has its row id, and all of their values have one source.
///
/// A row under other rules, such as a row whose list was edited, is written by itself, and ends the batch before it.
struct EditBatch {
  let rows: RowBatch
  let source: RowSource
  /// The rows to look for by their row ids: rows that are there, unless others have deleted them, and new rows that
  /// another save may have made.
  private(set) var known: [UInt32] = []
  private var isNew: [Bool] = []
  /// The bases of each row's edits; `nil` where no edit has a base.
  private(set) var bases: RowBatch?
  /// The columns in ``bases``.
  private(set) var based = ColumnMask()
  private var pks: [Int64] = []

  /// Fewer rows are not worth the statements of a batch.
  private static let fewest = 8
  private static let mostBytes = 1 << 20

  /// - Parameter most: The most rows of a batch.
  static func areEnough(_ count: Int, of most: Int) -> Bool { most > 0 && count >= min(fewest, most) }

  init(_ model: EntityModel, _ source: RowSource) {
    rows = RowBatch(model)
    self.source = source
  }

  var model: EntityModel { rows.model }
  var count: Int { pks.count }
  /// Whether the batch has as many bytes as one may have.
  var isFull: Bool { rows.table.byteCount >= Self.mostBytes }

  /// - Parameters:
  ///   - values: Values that the model takes; see ``EntityModel/takes(_:)``.
  ///   - bases: The values that the row's edits are based on.
  mutating func add(_ values: RowValues, pk: Int64, _ presence: Presence, bases: EditBases = EditBases()) {
    let row = rows.add(values)
    pks.append(pk)
    switch presence {
    case .old:
      isNew.append(false)
      known.append(row)
    case .new(let mayBeThere):
      isNew.append(true)
      if mayBeThere { known.append(row) }
    }
    if !bases.isEmpty { add(bases, of: row) }
  }

  /// Whether the file has a row.
  enum Presence {
    case old
    /// A row whose uid no other row has.
    ///
    /// - Parameter mayBeThere: Whether another save may have made it.
    case new(mayBeThere: Bool)
  }

  /// Whether a row is not as the batch expects: it is gone, or another save made it.
  func isOther(_ row: Int) -> Bool { rows.isFound(row) == isNew[row] }

  private mutating func add(_ bases: EditBases, of row: UInt32) {
    let known = self.bases ?? RowBatch(model)
    self.bases = known
    while known.rows.count <= Int(row) { _ = known.addRow() }
    for index in bases.mask.indices {
      guard let base = bases.base(of: index) else { continue }
      known.table[Int(row), index] = known.table.cell(base)
      based.insert(index)
    }
  }

  /// Makes room for the results.
  func prepare() {
    rows.prepare()
    rows.pks = pks
    guard let bases else { return }
    while bases.rows.count < count { _ = bases.addRow() }
    bases.prepare()
  }
}

extension EntityModel {
  /// Whether a batch may write the values: they have no NULL where a column refuses it.
  func takes(_ values: RowValues) -> Bool {
    let nulls = values.nulls
    guard !nulls.isEmpty else { return true }
    return nulls.indices.allSatisfy { index in
      switch properties[index].kind {
      case .attribute(_, let isOptional): isOptional
      default: !required.contains(index)
      }
    }
  }
}
