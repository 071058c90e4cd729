import EntityJSON

/// Rows of one entity that go to the file together: those of a save, of objects that a response made or changed, of an update by
/// query. Each has its row id, and all of their values have one source.
///
/// A row that other rules speak of, such as one whose list was edited, goes by itself, and ends the batch before it.
struct EditBatch {
  let rows: RowBatch
  let source: RowSource
  /// The rows that are looked for by their row ids: those that are there, unless others have deleted them, and those that are
  /// not, unless another save has made them.
  private(set) var known: [UInt32] = []
  private var isNew: [Bool] = []
  /// For each row, the values that its edits are based on; `nil` where none is based on any.
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
  /// Whether it has bytes enough.
  var isFull: Bool { rows.table.byteCount >= Self.mostBytes }

  /// - Parameters:
  ///   - values: Some that the model takes; see ``EntityModel/takes(_:)``.
  ///   - bases: The values that its edits are based on.
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
    /// One whose uid no other row has.
    ///
    /// - Parameter mayBeThere: Whether another save may have made it.
    case new(mayBeThere: Bool)
  }

  /// Whether a row is not as the batch takes it to be: gone, or made by another save.
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
  /// Whether a row may have values, of which no rule speaks: no NULL where none can be.
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
