import EntityStore
import Foundation

/// A condition on one column, as a person types it: `ann` (contains, of a text; equals, of any other type), `=Ann`, `!=Ann`,
/// `>5`, `>=5`, `<5`, `<=5`, `null`, `!null`.
struct RowFilter {
  let sql: String
  let values: [StoredValue]

  /// A text that is no condition for its column. The message is for a person.
  struct Problem: Error {
    let message: String
  }

  /// - Parameter alias: The name of the table in the statement.
  /// - Throws: ``Problem``.
  init(_ text: String, on property: StoreFileSchema.Property, alias: String) throws {
    let column = "\(alias).\(property.column)"
    let text = text.trimmingCharacters(in: .whitespaces)
    switch text {
    case "null": (sql, values) = ("\(column) IS NULL", [])
    case "!null": (sql, values) = ("\(column) IS NOT NULL", [])
    default:
      for sign in [">=", "<=", "!=", ">", "<", "="] where text.hasPrefix(sign) {
        let rest = String(text.dropFirst(sign.count)).trimmingCharacters(in: .whitespaces)
        sql = "\(Self.compared(property, column)) \(sign == "!=" ? "IS NOT" : sign) ?"
        values = [try Self.value(rest, property)]
        return
      }
      if ["String", "JSON", "URL", "UUID"].contains(property.type) {
        sql = "\(column) LIKE ? ESCAPE '\\'"
        values = [.text("%\(Self.escaped(text))%")]
      } else {
        sql = "\(Self.compared(property, column)) = ?"
        values = [try Self.value(text, property)]
      }
    }
  }

  /// A Decimal stands behind its sort key.
  private static func compared(_ property: StoreFileSchema.Property, _ column: String) -> String {
    property.type == "Decimal" ? "CAST(substr(\(column), instr(\(column), '=') + 1) AS REAL)" : column
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
  }

  private static func value(_ text: String, _ property: StoreFileSchema.Property) throws -> StoredValue {
    func found(_ value: StoredValue?, _ expected: String) throws -> StoredValue {
      guard let value else {
        throw Problem(message: "'\(text.prefix(40))' is no value of \(property.name): give \(expected).")
      }
      return value
    }
    switch property.type {
    case "Bool": return try found(["true": .integer(1), "false": .integer(0)][text.lowercased()], "true or false")
    case "Float", "Double", "Decimal": return try found(Double(text).map { .real($0) }, "a number")
    case "Date":
      let seconds = Double(text) ?? Self.date(text)?.timeIntervalSince1970
      return try found(seconds.map { .real($0) }, "a time such as 2026-03-01T12:00:00Z, or seconds since 1970")
    case "UUID": return .text(text.uppercased())
    case "String", "URL", "JSON": return .text(text)
    case "Data": throw Problem(message: "Bytes can't be compared: \(property.name) takes null or !null.")
    // An unsigned number past the signed ones is a text of 20 digits.
    case "UInt64" where UInt64(text) != nil && Int64(text) == nil: return .text(text)
    default:
      return try found(
        Int64(text).map { .integer($0) }, property.target == nil ? "an integer" : "the row id of an object")
    }
  }

  private static func date(_ text: String) -> Date? {
    (try? Date(text, strategy: .iso8601)) ?? (try? Date("\(text)T00:00:00Z", strategy: .iso8601))
  }
}
