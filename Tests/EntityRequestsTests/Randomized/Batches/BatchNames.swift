import EntityClient

@testable import EntityStore

/// Names for the row ids of a store, which are equal in stores that number the same rows otherwise.
///
/// A row with a uid is named for that, a pair for its ends, and any other row for its place among those of its entity. Names
/// stay when rows go.
struct BatchNames {
  private var names: [Int64: String] = [:]
  private var unnamed: [String: Int] = [:]

  /// The rows of an entity, by their row ids, with what they are known by.
  struct Rows: Sendable {
    let entity: String
    let isLinks: Bool
    /// In the order of their row ids.
    let rows: [(pk: Int64, ends: [Int64], uid: String?)]
  }

  static func read(_ models: [EntityModel], _ connection: Connection) throws -> [Rows] {
    try models.sorted { !$0.isLinks && $1.isLinks }.map { model in
      let columns =
        model.isLinks
        ? model.ends.map(\.name.quoted).joined(separator: ", ")
        : "0, 0, " + (model.uid.map { model.properties[$0].name.quoted } ?? "NULL")
      let rows = try connection.rows("SELECT _pk, \(columns) FROM \(model.table) ORDER BY 1") { row in
        let ends = model.isLinks ? [row.int64(1), row.int64(2)] : []
        return (pk: row.int64(0), ends: ends, uid: model.isLinks ? nil : Self.text(row.value(3)))
      }
      return Rows(entity: model.name, isLinks: model.isLinks, rows: rows)
    }
  }

  private static func text(_ value: StoredValue) -> String? { value.isNull ? nil : "\(value)" }

  mutating func note(_ all: [Rows]) {
    for rows in all {
      for row in rows.rows {
        if rows.isLinks {
          names[row.pk] = "<\(rows.entity) \(row.ends.map { names[$0] ?? "\($0)" })>"
        } else if let uid = row.uid {
          names[row.pk] = "<\(rows.entity) \(uid)>"
        } else if names[row.pk] == nil {
          unnamed[rows.entity, default: 0] += 1
          names[row.pk] = "<\(rows.entity) without uid \(unnamed[rows.entity] ?? 0)>"
        }
      }
    }
  }

  /// A line with names in place of row ids.
  ///
  /// - Parameter unknown: The name of a row that was never written; `nil` leaves its row id.
  func naming(_ line: String, unknown: String? = nil) -> String {
    var result = ""
    var digits = ""
    func name() -> String { digits.count < 5 ? digits : Int64(digits).flatMap { names[$0] } ?? unknown ?? digits }
    for character in line {
      if character.isASCII, character.isWholeNumber {
        digits.append(character)
      } else {
        if !digits.isEmpty { result += name() }
        digits = ""
        result.append(character)
      }
    }
    return result + (digits.isEmpty ? "" : name())
  }

  /// The report with names, its lines in an order that row ids do not decide.
  func naming(_ report: BatchReport) -> BatchReport {
    var named = BatchReport()
    (named.fails, named.rowsWritten) = (report.fails, report.rowsWritten)
    for section in report.sections {
      let unknown = section.name == "error" ? "<unwritten>" : nil
      let lines = section.lines.map { naming($0, unknown: unknown) }
      switch section.name {
      case "result", "error": named.add(section.name, lines)
      case "live objects", "live queries", "commits": named.add(section.name, lines.map(Self.sorted).sorted())
      default: named.add(section.name, lines.sorted())
      }
    }
    return named
  }

  /// A line with its elements in one order: lists without an order, and the rows of queries and commits, stand by row id.
  private static func sorted(_ line: String) -> String {
    line.split(separator: ",").map { $0.filter { $0 != "[" && $0 != "]" && $0 != " " } }.sorted()
      .joined(separator: ", ")
  }
}
