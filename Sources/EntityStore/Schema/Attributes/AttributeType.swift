import EntityJSON
import Foundation

/// The form in which an attribute is stored, and the values from which it is read.
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
  /// TEXT: the absolute string. A URL without a base is stored as it was written.
  case url
  /// TEXT: JSON with sorted keys and no whitespace.
  case json
}

extension AttributeType {
  /// The facts about a type that the store and a response's mapping use. A new type is a case of the enum, its facts,
  /// its value in Swift (`ScalarValue`) and its reading from JSON (`AttributeConversion`). A type that can be a uid
  /// also has a text (`UIDText.swift`).
  package struct Facts: Sendable {
    /// The type's name in the schema that the file keeps.
    package let name: String
    let storage: Storage
    /// Whether each value of the type has one form, which a URL can hold.
    package let canBeUID: Bool
    /// Whether the values have an order that shows which of two is newer.
    package let hasOrder: Bool
    /// Whether a text is a word, which the store writes in one form: it is shown without quotation marks.
    package let isWord: Bool
    /// The values that a property of the type is read from, for an error message.
    package let expectation: String

    fileprivate init(
      _ name: String, _ storage: Storage, canBeUID: Bool = false, hasOrder: Bool = false, isWord: Bool = false,
      from expectation: String
    ) {
      (self.name, self.storage, self.expectation) = (name, storage, expectation)
      (self.canBeUID, self.hasOrder, self.isWord) = (canBeUID, hasOrder, isWord)
    }
  }

  /// How SQLite stores the values of a type.
  struct Storage: Sendable {
    /// The declared column type; it decides SQLite's affinity.
    let sql: String
    /// The names of the forms of the values (https://sqlite.org/lang_corefunc.html#typeof).
    let forms: [String]
    /// A value that a column of the type can have, even if the property can't have it.
    let zero: StoredValue

    static let integer = Storage(sql: "INTEGER", forms: ["integer"], zero: .integer(0))
    /// The column has no affinity, because large values are text, and must stay text.
    static let large = Storage(sql: "BLOB", forms: ["integer", "text"], zero: .integer(0))
    static let real = Storage(sql: "REAL", forms: ["real"], zero: .real(0))
    static let text = Storage(sql: "TEXT", forms: ["text"], zero: .text(""))
    static let blob = Storage(sql: "BLOB", forms: ["blob"], zero: .blob(Data()))
  }

  package var facts: Facts {
    switch self {
    case .bool: Facts("Bool", .integer, from: "true or false")
    case .integer(let bits, let isSigned): Self.integerFacts(bits, isSigned)
    case .float: Facts("Float", .real, hasOrder: true, from: "a number")
    case .double: Facts("Double", .real, hasOrder: true, from: "a number")
    case .decimal: Facts("Decimal", .text, hasOrder: true, from: "a number of at most 38 digits")
    case .string: Facts("String", .text, canBeUID: true, from: "a string or a number")
    case .data: Facts("Data", .blob, from: "a string in base64")
    case .date:
      Facts("Date", .real, hasOrder: true, from: "a date as in 2024-03-01T12:00:00Z, or seconds since 1970")
    case .uuid: Facts("UUID", .text, canBeUID: true, isWord: true, from: "a UUID")
    case .url: Facts("URL", .text, from: "a URL")
    case .json: Facts("JSON", .text, from: "JSON")
    }
  }

  private static func integerFacts(_ bits: Int, _ isSigned: Bool) -> Facts {
    let expectation = "an integer of \(bits) bits\(isSigned ? "" : ", not negative")"
    return Facts(
      "\(isSigned ? "Int" : "UInt")\(bits)", bits == 64 && !isSigned ? .large : .integer, canBeUID: true,
      hasOrder: true,
      from: expectation)
  }

  /// All types.
  private static let all: [AttributeType] =
    [.bool, .float, .double, .decimal, .string, .data, .date, .uuid, .url, .json]
    + [8, 16, 32, 64].flatMap { [.integer(bits: $0, isSigned: true), .integer(bits: $0, isSigned: false)] }

  /// The type with a name in the schema that the file keeps; `nil` where no type has the name.
  init?(name: String) {
    guard let type = Self.all.first(where: { $0.facts.name == name }) else { return nil }
    self = type
  }

  /// Whether each value of this type is also a value of the other type, in the same form.
  func isPart(of other: AttributeType) -> Bool {
    switch (self, other) {
    case (.integer(let bits, true), .integer(let others, true)): bits <= others
    case (.integer(let bits, false), .integer(let others, true)): bits < others
    case (.integer(let bits, false), .integer(let others, false)): bits <= others
    case (.float, .double): true
    default: self == other
    }
  }

  /// Whether a column of this type stores values in such a form.
  func hasForm(_ value: StoredValue) -> Bool {
    switch (self, value) {
    case (.bool, .integer(let integer)): [0, 1].contains(integer)
    case (.integer(64, true), .integer): true
    case (.integer(64, false), .integer(let integer)): integer >= 0
    case (.integer(64, false), .text): UInt64(storedValue: value) != nil
    case (.integer(let bits, let isSigned), .integer(let integer)):
      isSigned ? integer >> (bits - 1) == integer >> 63 : integer >> bits == 0
    case (.decimal, .text): Decimal(storedValue: value) != nil
    case (.uuid, .text): UUID(storedValue: value) != nil
    case (.json, .text(let text)): (try? JSONValue(parsing: Data(text.utf8))) != nil
    case (.float, .real), (.double, .real), (.date, .real), (.string, .text), (.url, .text), (.data, .blob): true
    default: false
    }
  }
}
