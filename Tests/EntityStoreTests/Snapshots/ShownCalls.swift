import CSQLite
import Foundation
import Synchronization

@testable import EntityStore

/// A call that a documentation comment shows, and the SQL beneath it.
struct ShownCall: Hashable {
  /// The line of the call: "`$0.age == 21`, `$0.email == nil`".
  let call: String
  let sql: String
  let file: String

  /// All calls of the documentation of queries.
  static func all() throws -> [ShownCall] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Sources/EntityStore")
    func files(_ name: String, _ prefix: String) throws -> [URL] {
      try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: name).path)
        .sorted().map { folder.appending(path: "\(name)/\($0)") }
        .filter { $0.pathExtension == "swift" && $0.lastPathComponent.hasPrefix(prefix) }
        // The SQL of these is a user's own.
        .filter {
          !["SQL.swift", "QueryPlan.swift", "EntityContext+SQL.swift"].contains($0.lastPathComponent)
        }
    }
    let files = try files("Queries", "") + files("Objects", "EntityContext+") + files("Objects", "Context")
    return try files.flatMap { file in
      all(in: try String(contentsOf: file, encoding: .utf8), file.lastPathComponent)
    }
  }

  private static func all(in text: String, _ file: String) -> [ShownCall] {
    var calls: [ShownCall] = []
    var sql: [String] = []
    var call = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let line = line.trimmingPrefix(while: { $0 == " " })
      if line.hasPrefix("/// // ") {
        sql.append(line.dropFirst(7).trimmingCharacters(in: .whitespaces))
        continue
      }
      if !sql.isEmpty {
        calls.append(ShownCall(call: call, sql: sql.joined(separator: " "), file: file))
      }
      sql = []
      call = String(line.dropFirst(4))
    }
    return calls
  }

  /// Whether statements that were run are those that are shown, where "…" stands for anything.
  func isShown(_ statements: [String], of count: Int) -> Bool {
    guard count > 1 else { return Self.isShown(statements[0], sql) }
    // One condition after the other.
    let parts = sql.components(separatedBy: ", ")
    return parts.count == count && zip(statements, parts).allSatisfy { Self.isShown($0, $1) }
  }

  /// Whether all of a statement is shown, but for the parts that "…" stands for. Of a condition, and of a value, the statement
  /// around it is not shown: it is the whole condition, or the whole list of values.
  static func isShown(_ run: String, _ shown: String) -> Bool {
    let table = #"FROM "[A-Za-z]+" AS t0 WHERE "#
    let around = [
      // One condition is in parentheses with that of placeholders.
      (#"SELECT count\(\*\) FROM \(SELECT 1 \#(table)\("#, #" AND t0\._placeholder = 0\)\)"#),
      (#"SELECT _pk, .* \#(table)\("#, #" AND t0\._placeholder = 0\) ORDER BY t0\._pk"#),
      ("SELECT ", " \(table)t0\\._placeholder = 0( ORDER BY t0\\._pk)?"),
    ]
    let pattern = shown.components(separatedBy: "…").map { piece in
      NSRegularExpression.escapedPattern(for: piece.trimmingCharacters(in: .whitespaces))
    }.joined(separator: ".*")
    let isWhole = shown.hasPrefix("SELECT") || shown.hasPrefix("…")
    let patterns =
      isWhole ? [pattern] : around.map { $0.0 + pattern + $0.1 }
    return patterns.contains { pattern in
      run.range(of: "^(\(pattern))$", options: .regularExpression) != nil
    }
  }
}

/// Notes the statements that a connection runs.
final class StatementTrace: Sendable {
  private let statements = Mutex<[String]>([])

  /// The statements of `body` that read or write objects, one after the other, with a space between them.
  func sql(on connection: Connection, _ body: () throws -> Void) rethrows -> String {
    try statements(on: connection, body).joined(separator: " ").replacingOccurrences(of: "main.\"", with: "\"")
  }

  /// The statements of `body` that read or write objects.
  func statements(on connection: Connection, _ body: () throws -> Void) rethrows -> [String] {
    statements.withLock { $0 = [] }
    sqlite3_trace_v2(
      connection.handle, UInt32(SQLITE_TRACE_STMT),
      { _, trace, _, sql in
        // The SQL of the statement, with its parameters unbound (https://sqlite.org/c3ref/c_trace.html).
        guard let trace, let sql else { return 0 }
        let text = String(cString: sql.assumingMemoryBound(to: CChar.self))
        // One within another: a trigger's, or FTS5's own.
        guard !text.hasPrefix("--") else { return 0 }
        Unmanaged<StatementTrace>.fromOpaque(trace).takeUnretainedValue().statements.withLock {
          $0.append(text)
        }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    defer { sqlite3_trace_v2(connection.handle, 0, nil, nil) }
    try body()
    // SQLite tells the statements of triggers and of virtual tables as comments, but for those of FTS5 about its settings.
    let others = ["BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK", "--", "PRAGMA"]
    return statements.withLock { $0 }.filter { text in
      !others.contains { text.hasPrefix($0) } && !text.contains("_entity_store") && !text.contains("_config'")
    }
  }
}
