import CRivals
import Foundation

/// The floor: simdjson and prepared statements, in C++ and on one thread.
final class FloorRows: IngestedRows {
  private let scratch: Scratch
  private let tables: Tables
  private let rows: OpaquePointer

  init(_ place: Place, _ tables: Tables = .standard) throws {
    scratch = try Scratch()
    self.tables = tables
    let path = place == .file ? scratch.file.path : ":memory:"
    guard let rows = floor_rows_open(path, tables.root) else {
      throw ContestError(description: "c-floor can't open \(path) for \(tables.root)")
    }
    self.rows = rows
    for pragma in Tables.pragmas { try execute("PRAGMA \(pragma)") }
    for sql in try tables.statements() { try execute(sql) }
  }

  deinit { floor_rows_close(rows) }

  private func execute(_ sql: String) throws { try check(floor_rows_execute(rows, sql)) }

  func ingest(_ body: Body) throws {
    let isDone = body.data.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: UInt8.self) { text in
        text.baseAddress.map { floor_rows_ingest(rows, $0, text.count) } ?? false
      }
    }
    try check(isDone)
  }

  func digest() throws -> UInt64 {
    var digest: UInt64 = 0
    try check(floor_rows_digest(floor_rows_handle(rows), tables.digest, &digest))
    return digest
  }

  /// Reads every column of every user.
  func fetch() throws -> Int {
    var sum: Int64 = 0
    try check(floor_rows_fetch(rows, &sum))
    return Int(sum)
  }

  /// Reads every column of the users with these uids, each found by itself.
  func find(_ uids: [Int64]) throws -> Int {
    var sum: Int64 = 0
    try check(floor_rows_find(rows, uids, uids.count, &sum))
    return Int(sum)
  }

  /// Sets the scores of rows, in one transaction.
  func save(_ keys: [Int64], _ scores: [Double]) throws {
    try check(floor_rows_save(rows, keys, scores, keys.count))
  }

  /// Binds each target and its owner to `sql`, in one transaction.
  func link(_ sql: String, _ owners: [Int64], to targets: [Int64]) throws {
    try check(floor_rows_link(rows, sql, owners, targets, owners.count))
  }

  func key(ofUID uid: Int64) throws -> Int64 {
    var key: Int64 = 0
    try check(floor_rows_key(rows, uid, &key))
    return key
  }

  private func check(_ isDone: Bool) throws {
    guard isDone else { throw ContestError(description: "c-floor: \(String(cString: floor_rows_error(rows)))") }
  }
}
