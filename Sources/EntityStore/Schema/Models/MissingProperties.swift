import Synchronization

/// The properties of an object that no response ever had, as a row names them in its `_missing` column.
package struct MissingProperties: Hashable, Sendable {
  package var known = ColumnMask()
  /// Names that the schema does not have: of properties that were set aside, or of a newer version of the app. Mostly
  /// `nil`.
  var others: String?

  package var isEmpty: Bool { known.isEmpty && others == nil }
}

extension PropertyModel {
  static let coverageName = "_missing"
  static let ageName = "_heard"
}

extension EntityModel {
  /// The properties in the form of the `_missing` column. The column has names because they outlive a change of the
  /// schema.
  func names(_ missing: MissingProperties) -> StoredValue {
    guard let others = missing.others else { return names(missing.known) }
    guard case .text(let known) = names(missing.known) else { return .text(others) }
    return .text("\(known),\(others)")
  }

  /// The properties that a value of the `_missing` column names.
  func missing(_ value: StoredValue) -> MissingProperties {
    guard case .text(let text) = value else { return MissingProperties() }
    // Rows that came from one list lack the same properties, so the last result mostly fits again.
    return lastMissing.withLock { last in
      if last.names != text { last = (text, missing(ofNames: text)) }
      return last.missing
    }
  }

  private func missing(ofNames text: String) -> MissingProperties {
    var missing = MissingProperties()
    var others: [Substring] = []
    for name in text.split(separator: ",") {
      if let index = index(of: String(name)), coverable.contains(index) {
        missing.known.insert(index)
      } else {
        others.append(name)
      }
    }
    if !others.isEmpty { missing.others = others.joined(separator: ",") }
    return missing
  }
}
