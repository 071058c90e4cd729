/// How an attribute is stored, and from which values it is read.
public enum AttributeType: Sendable, Hashable {
  /// INTEGER 0 or 1.
  case bool
  /// INTEGER. Unsigned 64-bit values past `Int64.max` are TEXT of 20 digits, which SQLite sorts after every INTEGER.
  case integer(bits: Int, isSigned: Bool)
  /// REAL, the same number: a Float is a Double with fewer digits.
  case float
  /// REAL.
  case double
  /// TEXT that sorts as the number does, with the number behind its `=`; see `DecimalText`.
  case decimal
  /// TEXT, in UTF-8.
  case string
  /// BLOB.
  case data
  /// REAL: seconds since 1970-01-01T00:00:00Z. Present dates keep about a quarter of a microsecond.
  case date
  /// TEXT, in upper case with hyphens.
  case uuid
  /// TEXT: the absolute string; a URL without a base is as it was written.
  case url
  /// TEXT: JSON with sorted keys and no whitespace.
  case json

  /// The type's name in the schema that the file keeps.
  package var name: String {
    switch self {
    case .bool: "Bool"
    case .integer(let bits, let isSigned): "\(isSigned ? "Int" : "UInt")\(bits)"
    case .float: "Float"
    case .double: "Double"
    case .decimal: "Decimal"
    case .string: "String"
    case .data: "Data"
    case .date: "Date"
    case .uuid: "UUID"
    case .url: "URL"
    case .json: "JSON"
    }
  }

  /// The type of a name in the schema that the file keeps; `nil` for a name that is none.
  init?(name: String) {
    let plain: [AttributeType] = [.bool, .float, .double, .decimal, .string, .data, .date, .uuid, .url, .json]
    let integers = [8, 16, 32, 64].flatMap { bits in
      [AttributeType.integer(bits: bits, isSigned: true), .integer(bits: bits, isSigned: false)]
    }
    guard let type = (plain + integers).first(where: { $0.name == name }) else { return nil }
    self = type
  }

  /// Whether each value of this type is one of the other type, too, in the same form.
  func isPart(of other: AttributeType) -> Bool {
    switch (self, other) {
    case (.integer(let bits, true), .integer(let others, true)): bits <= others
    case (.integer(let bits, false), .integer(let others, true)): bits < others
    case (.integer(let bits, false), .integer(let others, false)): bits <= others
    case (.float, .double): true
    default: self == other
    }
  }

  /// The declared column type; it decides SQLite's affinity.
  var sql: String {
    switch self {
    case .bool, .integer(bits: _, isSigned: true), .integer(bits: 8...32, isSigned: _): "INTEGER"
    // No affinity: large values are text, and must stay so.
    case .integer: "BLOB"
    case .float, .double, .date: "REAL"
    case .decimal, .string, .uuid, .url, .json: "TEXT"
    case .data: "BLOB"
    }
  }
}

extension AttributeType {
  /// Whether values of the type have one form, which a URL can hold.
  var canBeUID: Bool {
    switch self {
    case .integer, .string, .uuid: true
    case .bool, .float, .double, .decimal, .data, .date, .url, .json: false
    }
  }
}
