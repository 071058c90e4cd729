import EntityStore

extension StoreFileSchema.Entity {
  /// The property by which a person knows an object: a text with a usual name, else the uid.
  var labelProperty: StoreFileSchema.Property? {
    let names = ["name", "title", "label", "subject", "fullName", "displayName", "login", "username", "email", "slug"]
    for name in names {
      if let found = self[name], found.type == "String" { return found }
    }
    return uid.count == 1 ? self[uid[0]] : nil
  }

  /// An SQL expression for the label of a row, at most 60 characters. Where the property has no value it is the uid.
  ///
  /// - Parameter alias: The name of the table in the statement.
  func label(_ alias: String) -> String {
    let columns = [labelProperty?.column, uid.count == 1 ? self[uid[0]]?.column : nil].compactMap(\.self)
    return columns.isEmpty
      ? "NULL" : "substr(coalesce(\(columns.map { "nullif(\(alias).\($0), '')" }.joined(separator: ", ")), ''), 1, 60)"
  }
}

extension StoreFileSchema.Property {
  /// The most characters of a text in a table.
  static let tableCharacters = 200

  /// An SQL expression for the value, at most `characters` of a text and one more. Of bytes it is their number.
  func value(_ alias: String, characters: Int) -> String {
    switch type {
    case "Data": "length(\(alias).\(column))"
    case "String", "JSON", "URL": "substr(\(alias).\(column), 1, \(characters + 1))"
    default: "\(alias).\(column)"
    }
  }

  /// The cell for a value of ``value(_:characters:)``.
  func cell(_ value: StoredValue, key: String, characters: Int) -> Cell {
    if type == "Data", case .integer(let count) = value {
      return Cell(key: key, text: "\(count) bytes", kind: .bytes)
    }
    let shown = ValueText(value, type: type)
    var cell = Cell(key: key, text: shown.text, kind: shown.kind)
    if cell.text.unicodeScalars.count > characters {
      cell.text = String(String.UnicodeScalarView(cell.text.unicodeScalars.prefix(characters)))
      cell.isCut = true
    }
    return cell
  }

  /// Whether rows can be sorted by it.
  var isSortable: Bool { type != "Data" && type != "JSON" }
}
