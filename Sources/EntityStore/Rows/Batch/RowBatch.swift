import CSQLite
package import EntityJSON

/// Rows of one entity that go to the file together; each uid once.
///
/// A row has a cell of the response for each property. Its links are numbers of rows in other batches of the same
/// ``RowBatches``, until these rows get their row ids. In an ``EditBatch``, links are row ids.
package final class RowBatch {
  package let model: EntityModel
  package let table: CellTable
  // The checks of exclusive access took a quarter of an ingest. They can be left out: a batch is used on one thread, and no
  // access to a variable lasts while anything is called that uses the batch. `UIDPlaces` reads the table alone.
  @exclusivity(unchecked) package private(set) var rows: [Row] = []
  @exclusivity(unchecked) private var uids = UIDPlaces()
  /// The rows and bytes before the last object of the response began.
  @exclusivity(unchecked) private var before = (rows: 0, bytes: 0, order: 0)
  /// The rows that count, in the order in which their objects ended.
  @exclusivity(unchecked) package private(set) var order: [UInt32] = []
  // Set while it is written, for each row.
  @exclusivity(unchecked) var pks: [Int64] = []
  @exclusivity(unchecked) var states: [UInt8] = []
  @exclusivity(unchecked) var differing: [UInt64] = []
  @exclusivity(unchecked) var links: [Int64] = []
  /// The marks of the rows that have some in the file, where edits are written. Mostly there are none.
  @exclusivity(unchecked) var marks: [UInt32: EditMarks] = [:]

  package struct Row {
    /// The columns that the row has a value for, with the way back from the list in which the object stands.
    package fileprivate(set) var present = ColumnMask()
    /// The properties whose keys the object has.
    package fileprivate(set) var keys = ColumnMask()
    /// Whether the response has only the uid.
    package fileprivate(set) var isReference = false
    /// Whether another object held the row first.
    package fileprivate(set) var isNested = false
    /// Whether the object stands in a list, and its own key names no other owner.
    package fileprivate(set) var isPlaced = false
    /// Whether all of it is read.
    package fileprivate(set) var isWhole = false
    package internal(set) var fate = Fate.unchanged
    /// Whether the batch skips the row, whatever the file has.
    fileprivate(set) var isPassed = false
  }

  /// A link that an object has from its place in a list.
  package struct WayBack {
    package let property: Int
    /// The object that has the list, by its row in the batch of its entity.
    package let owner: Int

    package init(property: Int, owner: Int) { (self.property, self.owner) = (property, owner) }

    package var cell: JSONCell { JSONCell(.open, bits: Int64(owner)) }
  }

  /// The result of writing a row.
  package enum Fate { case unchanged, updated, inserted }

  init(_ model: EntityModel) {
    self.model = model
    // The key that says that an object is deleted has a column of its own.
    table = CellTable(columns: model.properties.count + 1)
  }

  // MARK: Reading

  /// A row without values, for the fields of an object.
  package func addRow() -> Int {
    rows.append(Row())
    return table.addRow()
  }

  /// Takes the uid of an object in, so that objects nested in it may refer to it.
  ///
  /// - Returns: The row that has the uid already.
  package func enter(_ row: Int, uid: Int, keys: ColumnMask, isNested: Bool, source: [UInt8]) -> Int? {
    rows[row].present = keys
    rows[row].keys = keys
    rows[row].isNested = isNested
    return uids.add(row, uid, self, source)
  }

  /// Sets the link that an object has from its place in a list.
  ///
  /// - Returns: `false` where the object's own key names another owner.
  package func setWayBack(_ row: Int, _ link: WayBack) -> Bool {
    let own = table[row, link.property]
    guard own.isOf(.absent) || own.isOf(.null) || own == link.cell else { return false }
    table[row, link.property] = link.cell
    rows[row].present.insert(link.property)
    rows[row].isPlaced = !rows[row].isReference
    return true
  }

  /// Whether an object only repeats the row that has its uid.
  package func repeats(_ row: Int, _ known: Int, source: [UInt8]) -> Bool {
    let first = rows[known]
    guard first.isWhole, first.isReference == rows[row].isReference,
      rows[row].present.subtracting(first.present).isEmpty, rows[row].keys.subtracting(first.keys).isEmpty
    else { return false }
    return rows[row].present.indices.allSatisfy { table.areEqual(table[row, $0], table[known, $0], source: source) }
  }

  /// The row of an object whose uid alone is in the response.
  package enum Reference {
    case row(Int, isNew: Bool)
    /// The batch has the object in another list.
    case conflict
    /// The object with the uid is still being read: the order of writing matters.
    case unended
  }

  package func reference(_ uid: Int, _ cell: JSONCell, _ link: WayBack?, source: [UInt8]) -> Reference {
    let row = addRow()
    table[row, uid] = cell
    rows[row].present = ColumnMask(uid)
    (rows[row].isReference, rows[row].isNested) = (true, true)
    if let link { _ = setWayBack(row, link) }
    guard let known = uids.add(row, uid, self, source) else { return .row(row, isNew: true) }
    table.removeLastRow()
    rows.removeLast()
    guard rows[known].isWhole else { return .unended }
    guard let link else { return .row(known, isNew: false) }
    let isSame = rows[known].present.contains(link.property) && table[known, link.property] == link.cell
    return isSame ? .row(known, isNew: false) : .conflict
  }

  func beginObject() { before = (rows.count, table.byteCount, order.count) }

  /// Whether a row was there before the last object of the response began.
  package func isEarlier(_ row: Int) -> Bool { row < before.rows }

  func dropObject(source: [UInt8]) {
    order.removeLast(order.count - before.order)
    shrink(rows: before.rows, bytes: before.bytes, source: source)
  }

  func end(_ row: Int) {
    rows[row].isWhole = true
    order.append(UInt32(truncatingIfNeeded: row))
  }

  private func shrink(rows count: Int, bytes: Int, source: [UInt8]) {
    let hadMore = rows.count > count
    rows.removeLast(max(0, rows.count - count))
    table.shrink(rows: count, bytes: bytes)
    if hadMore, let uid = model.uid { uids.forget(from: count, uid, self, source) }
  }

  func removeAll() {
    rows.removeAll(keepingCapacity: true)
    table.removeAll()
    uids.removeAll()
    order.removeAll(keepingCapacity: true)
    before = (0, 0, 0)
  }

  func setFate(_ fate: Fate, _ row: Int) { rows[row].fate = fate }

  /// The result of writing a row, for the object that had the row first. For an object that repeats the row, nothing has
  /// changed.
  package func takeFate(_ row: Int) -> Fate {
    defer { rows[row].fate = .unchanged }
    return rows[row].isNested ? .unchanged : rows[row].fate
  }

  // MARK: Objects

  /// Adds a row with the values of an object.
  func add(_ values: RowValues) -> UInt32 {
    let row = addRow()
    for index in values.mask.indices { table[row, index] = table.cell(values[index]) }
    rows[row].present = values.mask
    end(row)
    return UInt32(truncatingIfNeeded: row)
  }

  /// The row is written by itself.
  func pass(_ row: Int) { rows[row].isPassed = true }

  // MARK: Writing

  /// Makes room for the results.
  func prepare() {
    pks = Array(repeating: 0, count: rows.count)
    states = Array(repeating: 0, count: rows.count)
    differing = Array(repeating: 0, count: rows.count * 2)
    links = model.links.isEmpty ? [] : Array(repeating: 0, count: rows.count * table.columns)
    if !marks.isEmpty { marks = [:] }
  }

  /// Lends some of the rows to a statement.
  ///
  /// The layouts of `JSONCell` and `entity_cell` are the same; a test checks that. All memory belongs to arrays that
  /// nothing else uses while `body` runs.
  func lend<T>(
    _ order: [UInt32], comparing: ColumnMask = ColumnMask(), source: [UInt8] = [],
    _ body: (inout entity_row_batch) throws -> T
  ) rethrows -> T {
    var batch = entity_row_batch()
    batch.rows = rows.count
    batch.columns = table.columns
    batch.source_count = source.count
    batch.arena_count = table.byteCount
    batch.compared = comparing.words
    batch.linking = model.links.words
    batch.count = order.count
    // The results leave their variables during the call, so that no access to the variables lasts.
    var (pks, states, differing, links) = takeResults()
    defer { putResults(pks, states, differing, links) }
    return try source.withUnsafeBufferPointer { source in
      batch.source = source.baseAddress
      return try table.lend { cells, bytes in
        batch.cells = cells.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: entity_cell.self) }
        batch.arena = bytes.baseAddress
        return try order.withUnsafeBufferPointer { order in
          batch.order = order.baseAddress
          return try pks.withUnsafeMutableBufferPointer { pks in
            batch.pks = pks.baseAddress
            return try states.withUnsafeMutableBufferPointer { states in
              batch.states = states.baseAddress
              return try differing.withUnsafeMutableBufferPointer { differing in
                batch.differing = differing.baseAddress
                return try links.withUnsafeMutableBufferPointer { links in
                  batch.links = links.baseAddress
                  return try body(&batch)
                }
              }
            }
          }
        }
      }
    }
  }

  private func takeResults() -> (pks: [Int64], states: [UInt8], differing: [UInt64], links: [Int64]) {
    defer { (pks, states, differing, links) = ([], [], [], []) }
    return (pks, states, differing, links)
  }

  private func putResults(_ pks: [Int64], _ states: [UInt8], _ differing: [UInt64], _ links: [Int64]) {
    (self.pks, self.states, self.differing, self.links) = (pks, states, differing, links)
  }

  /// The columns in which a row differs from the file.
  func difference(_ row: Int) -> ColumnMask { ColumnMask(words: (differing[row * 2], differing[row * 2 + 1])) }
}
