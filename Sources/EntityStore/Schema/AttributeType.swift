/// How an attribute is stored and what it is read from.
public enum AttributeType: Sendable, Hashable {
  /// INTEGER 0 or 1.
  case bool
  /// INTEGER. Unsigned 64-bit values past `Int64.max` are TEXT of 20 digits, which SQLite sorts after every INTEGER.
  case integer(bits: Int, isSigned: Bool)
  /// REAL.
  case double
  /// TEXT, in UTF-8.
  case string
  /// BLOB.
  case data
  /// REAL: seconds since 1970-01-01T00:00:00Z. Present dates keep about a quarter of a microsecond.
  case date
  /// TEXT, in upper case with hyphens.
  case uuid

  /// The type's name in the schema that the file keeps.
  package var name: String {
    switch self {
    case .bool: "Bool"
    case .integer(let bits, let isSigned): "\(isSigned ? "Int" : "UInt")\(bits)"
    case .double: "Double"
    case .string: "String"
    case .data: "Data"
    case .date: "Date"
    case .uuid: "UUID"
    }
  }

  /// The declared column type; it decides SQLite's affinity.
  var sql: String {
    switch self {
    case .bool, .integer(bits: _, isSigned: true), .integer(bits: 8...32, isSigned: _): "INTEGER"
    // No affinity: large values are text, and must stay so.
    case .integer: "BLOB"
    case .double, .date: "REAL"
    case .string, .uuid: "TEXT"
    case .data: "BLOB"
    }
  }
}
