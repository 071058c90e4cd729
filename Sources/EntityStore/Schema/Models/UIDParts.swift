import EntityJSON
import Foundation

// A uid of several properties. Beside the properties, the store has it as one value: a column of its own, `_uid`, with
// the values of the parts as the text of a JSON array. So one index finds the row, and tombstones, stamps and links
// treat a composite uid like any other. No class has a slot for the column: an object makes the value from its parts,
// and a row gets the value with the parts.

/// The properties of a composite uid, in the order of their declaration.
package struct UIDParts: Sendable {
  /// The index of the uid's column.
  package let uid: Int
  package let parts: [PropertyModel]
  package let mask: ColumnMask
  private let types: [AttributeType]

  init(uid: Int, _ parts: [PropertyModel]) {
    self.uid = uid
    self.parts = parts
    mask = parts.reduce(into: ColumnMask()) { $0.insert($1.index) }
    types = parts.map { if case .attribute(let type, _) = $0.kind { type } else { .string } }
  }

  /// The parts with their types.
  package var typed: some Sequence<(part: PropertyModel, type: AttributeType)> {
    zip(parts, types).lazy.map { (part: $0, type: $1) }
  }

  package func type(_ place: Int) -> AttributeType { types[place] }

  /// The names of the parts, for messages.
  package var label: String { parts.map(\.name).joined(separator: ", ") }

  /// The uid of an object with the given parts: NULL while a part has no value.
  ///
  /// The form is canonical: integers as numbers, all other values as texts, without spaces. So `"a:b"` and `"c"` are
  /// another uid than `"a"` and `"b:c"`.
  package static func uid(_ values: some Sequence<StoredValue>) -> StoredValue {
    var writer = JSONWriter()
    writer.beginArray()
    for value in values {
      switch value {
      case .integer(let integer): writer.integer(integer)
      case .text(let text): writer.string(text)
      case .null, .real, .blob: return .null
      }
    }
    writer.endArray()
    return .text(String(decoding: writer.bytes, as: UTF8.self))
  }

  /// The uid of the parts in `row`.
  func uid(of row: RowValues) -> StoredValue { Self.uid(parts.lazy.map { row[$0.index] }) }

  /// The values of the parts; `nil` for a value that is no uid of these parts in canonical form.
  package func values(of uid: StoredValue) -> [StoredValue]? {
    guard let values = Self.values(of: uid), values.count == parts.count else { return nil }
    for (value, type) in zip(values, types) {
      // An integer beyond Int64 is stored as text.
      if case .integer = value { guard case .integer = type else { return nil } }
    }
    return values
  }

  /// The values in a uid of any parts; `nil` for a value that is no such uid in canonical form.
  static func values(of uid: StoredValue) -> [StoredValue]? {
    guard case .text(let text) = uid, let array = try? JSONValue(parsing: Data(text.utf8)).array else { return nil }
    var values: [StoredValue] = []
    for element in array {
      let value: StoredValue? =
        switch element.kind {
        case .number: element.lexeme.flatMap { Int64($0) }.map { .integer($0) }
        case .string: element.string.map { .text($0) }
        default: nil
        }
      guard let value else { return nil }
      values.append(value)
    }
    return Self.uid(values).isIdentical(to: uid) ? values : nil
  }

  /// Puts the values of the parts of `uid` into `row`; `false` for a value that is no uid.
  @discardableResult
  func put(_ uid: StoredValue, into row: inout RowValues) -> Bool {
    guard let values = values(of: uid) else { return false }
    for (part, value) in zip(parts, values) { row[part.index] = value }
    return true
  }
}

extension PropertyModel {
  static let compositeName = "_uid"

  /// Whether only the store sets the property, and no response: a derived property, or a column without a property of
  /// the class.
  package var isHidden: Bool { positionOf != nil || isComposite || isDerived || isCoverage || isAge }
}

extension EntityModel {
  /// The name of a property in messages: for a composite uid, the names of its parts.
  func label(_ index: Int) -> String {
    if index == uid, let uidParts { return uidParts.label }
    return properties[index].name
  }

  /// The columns that change with a part of a composite uid; with any other property, only the property itself.
  func withUID(_ index: Int) -> ColumnMask {
    guard let uidParts, uidParts.mask.contains(index) else { return ColumnMask(index) }
    return ColumnMask(index).union(ColumnMask(uidParts.uid))
  }
}
