import CSQLite
import Foundation

@testable import EntityStore

/// A batch of rows as `CSQLite` reads it, in memory that is exactly as long as the batch says.
final class CellBatch {
  enum Cell: Equatable {
    case absent, open, null
    case integer(Int64)
    case real(Double)
    /// A text of the response itself.
    case source(String)
    case text(String)
    case blob([UInt8])
  }

  /// `placeholder` and `edited` are as the table has them.
  struct State: OptionSet, Hashable {
    let rawValue: Int32
    static let found = State(rawValue: ENTITY_ROW_FOUND)
    static let edited = State(rawValue: ENTITY_ROW_EDITED)
    static let placeholder = State(rawValue: ENTITY_ROW_PLACEHOLDER)
  }

  let batch: UnsafeMutablePointer<entity_row_batch>
  let cells: UnsafeMutableBufferPointer<entity_cell>
  let pks: UnsafeMutableBufferPointer<Int64>
  private let source: UnsafeMutableBufferPointer<UInt8>
  private let arena: UnsafeMutableBufferPointer<UInt8>
  private let states: UnsafeMutableBufferPointer<UInt8>
  private let masks: UnsafeMutableBufferPointer<UInt64>
  private let links: UnsafeMutableBufferPointer<Int64>
  private let order: UnsafeMutableBufferPointer<UInt32>
  private let columns: Int

  /// All rows are read, in their order, until ``read(_:)`` names others.
  ///
  /// - Parameters:
  ///   - rows: The cells of each row, as many for each.
  ///   - compared: The columns that are compared; all when not given.
  ///   - linking: The columns whose values in the table are noted.
  init(_ rows: [[Cell]], compared: [Int]? = nil, linking: [Int] = []) {
    columns = rows.first?.count ?? 0
    var source: [UInt8] = []
    var arena: [UInt8] = []
    let cells = rows.joined().map { Self.cell($0, &source, &arena) }
    self.cells = Self.copy(cells)
    self.source = Self.copy(source)
    self.arena = Self.copy(arena)
    pks = Self.copy(Array(repeating: 0, count: rows.count))
    states = Self.copy(Array(repeating: 0, count: rows.count))
    // Every row must set its own.
    masks = Self.copy(Array(repeating: .max, count: rows.count * 2))
    links = Self.copy(Array(repeating: -1, count: cells.count))
    order = Self.copy(Array(0..<UInt32(rows.count)))
    batch = .allocate(capacity: 1)
    batch.initialize(
      to: entity_row_batch(
        cells: UnsafePointer(self.cells.baseAddress), rows: rows.count, columns: columns,
        source: source.isEmpty ? nil : UnsafePointer(self.source.baseAddress), source_count: source.count,
        arena: arena.isEmpty ? nil : UnsafePointer(self.arena.baseAddress), arena_count: arena.count,
        compared: Self.words(compared ?? Array(0..<columns)), linking: Self.words(linking), pks: pks.baseAddress,
        states: states.baseAddress, differing: masks.baseAddress, links: links.baseAddress,
        order: UnsafePointer(order.baseAddress), count: rows.count))
  }

  deinit {
    batch.deallocate()
    cells.deallocate()
    pks.deallocate()
    source.deallocate()
    arena.deallocate()
    states.deallocate()
    masks.deallocate()
    links.deallocate()
    order.deallocate()
  }

  /// Chooses the rows that the next statement reads: at most as many as there are.
  func read(_ rows: some Sequence<Int>) {
    var count = 0
    for row in rows.prefix(order.count) {
      order[count] = UInt32(row)
      count += 1
    }
    batch.pointee.count = count
  }

  func state(_ row: Int) -> State { State(rawValue: Int32(states[row])) }

  func setPlaceholder(_ row: Int) { states[row] = UInt8(ENTITY_ROW_PLACEHOLDER) }

  /// The columns that differed.
  func differing(_ row: Int) -> [Int] {
    (0..<128).filter { masks[row * 2 + $0 / 64] >> UInt64($0 % 64) & 1 == 1 }
  }

  /// The integer that the table has; -1 where nothing was noted.
  func link(_ row: Int, _ column: Int) -> Int64 { links[row * columns + column] }

  private static func cell(_ cell: Cell, _ source: inout [UInt8], _ arena: inout [UInt8]) -> entity_cell {
    func place(_ kind: Int32, _ bytes: some Collection<UInt8>, _ all: inout [UInt8]) -> entity_cell {
      defer { all += bytes }
      return entity_cell(kind: UInt32(kind), length: UInt32(bytes.count), bits: Int64(all.count))
    }
    switch cell {
    case .absent: return entity_cell(kind: UInt32(ENTITY_CELL_ABSENT), length: 0, bits: 0)
    case .open: return entity_cell(kind: UInt32(ENTITY_CELL_OPEN), length: 0, bits: 0)
    case .null: return entity_cell(kind: UInt32(ENTITY_CELL_NULL), length: 0, bits: 0)
    case .integer(let integer): return entity_cell(kind: UInt32(ENTITY_CELL_INTEGER), length: 0, bits: integer)
    case .real(let double):
      return entity_cell(kind: UInt32(ENTITY_CELL_REAL), length: 0, bits: Int64(bitPattern: double.bitPattern))
    case .source(let text): return place(ENTITY_CELL_SOURCE_TEXT, text.utf8, &source)
    case .text(let text): return place(ENTITY_CELL_TEXT, text.utf8, &arena)
    case .blob(let bytes): return place(ENTITY_CELL_BLOB, bytes, &arena)
    }
  }

  private static func copy<T>(_ values: [T]) -> UnsafeMutableBufferPointer<T> {
    let copy = UnsafeMutableBufferPointer<T>.allocate(capacity: values.count)
    _ = copy.initialize(from: values)
    return copy
  }

  private static func words(_ columns: [Int]) -> (UInt64, UInt64) {
    var words: (UInt64, UInt64) = (0, 0)
    for column in columns {
      if column < 64 { words.0 |= 1 << UInt64(column) } else { words.1 |= 1 << UInt64(column - 64) }
    }
    return words
  }
}

extension CellBatch.Cell {
  /// The value that SQLite stores.
  var stored: StoredValue {
    switch self {
    case .absent, .open, .null: .null
    case .integer(let integer): .integer(integer)
    case .real(let double): .real(double)
    case .source(let text), .text(let text): .text(text)
    case .blob(let bytes): .blob(.init(bytes))
    }
  }
}

extension Connection {
  /// One to a new database in memory.
  static func inMemory() throws -> Connection {
    let location = StoreLocation.inMemory
    try location.prepare()
    return try Connection(location, opening: .making, busyTimeout: .ample)
  }

  /// Runs a statement whose parameter ?1 is the batch.
  ///
  /// - Returns: All of its rows, and how many rows it changed, whether it failed or not.
  func run(_ sql: String, _ batch: CellBatch?) -> (rows: [[StoredValue]], changes: Int, error: RawSQLError?) {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    var code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    if code == SQLITE_OK, let batch { code = entity_row_batch_bind(statement, 1, batch.batch) }
    var rows: [[StoredValue]] = []
    guard code == SQLITE_OK, let statement else {
      return (rows, 0, RawSQLError(code: code, message: String(cString: sqlite3_errmsg(handle))))
    }
    let row = RowCursor(handle: statement)
    code = sqlite3_step(statement)
    while code == SQLITE_ROW {
      rows.append((0..<Int(sqlite3_column_count(statement))).map { row.value($0) })
      code = sqlite3_step(statement)
    }
    let error =
      code == SQLITE_DONE ? nil : RawSQLError(code: code, message: String(cString: sqlite3_errmsg(handle)))
    return (rows, Int(sqlite3_changes(handle)), error)
  }
}
