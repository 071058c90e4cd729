/// The file of a class. It is written once, and then a person's.
struct EntityFile {
  let entity: SchemaModel.Entity
  let model: SchemaModel

  var text: String {
    var text = SwiftText()
    text.line("import EntityClient")
    let types = entity.properties.map(\.elementType)
    if types.contains(where: { ["Date", "URL", "UUID", "Data", "Decimal"].contains($0) }) {
      text.line("import Foundation")
    }
    text.line()
    text.documentation(entity.documentation)
    let removed = entity.removed.map(SwiftText.literal).joined(separator: ", ")
    let attributes = [
      "@Entity\(removed.isEmpty ? "" : "(removed: \(removed))")",
      entity.formerNames.isEmpty
        ? nil : "@Renamed(from: \(entity.formerNames.map(SwiftText.literal).joined(separator: ", ")))",
    ]
    text.line("\(attributes.compactMap(\.self).joined(separator: " ")) final class \(entity.name) {\(renamed)")
    for property in entity.properties { Self.write(property, keyStyle: model.keyStyle, into: &text) }
    if !entity.leftOut.isEmpty {
      text.comment(
        "An entity has at most 128 properties. No column is left for: \(entity.leftOut.joined(separator: ", ")).",
        indent: 2)
    }
    text.line("}")
    return text.text
  }

  private var renamed: String {
    let plain = Words.upperCamel(entity.documentName)
    return TypeNames.reserved.contains(plain) && plain != entity.name
      ? "  // `\(plain)` in the document; that name is taken" : ""
  }

  static func write(_ property: SchemaModel.Property, keyStyle: String, into text: inout SwiftText) {
    text.documentation(property.documentation, indent: 2)
    if property.isDeprecated { text.comment("Deprecated in the document.", indent: 2) }
    if let choose = property.choose { text.comment("choose: \(choose)", indent: 2) }
    let (attributes, declaration) = parts(property, keyStyle: keyStyle)
    let whole = (attributes + [declaration]).joined(separator: " ")
    if whole.count + 2 <= SwiftText.width { return text.line(whole, indent: 2) }
    text.line(attributes.joined(separator: " "), indent: 2)
    text.line(declaration, indent: 2)
  }

  /// The declaration on one line, for `--diff`.
  static func line(_ property: SchemaModel.Property, keyStyle: String) -> String {
    let (attributes, declaration) = parts(property, keyStyle: keyStyle)
    return (attributes + [declaration]).joined(separator: " ")
  }

  private static func parts(
    _ property: SchemaModel.Property, keyStyle: String
  ) -> (attributes: [String], declaration: String) {
    var attributes: [String] = []
    if property.role == .uid { attributes.append("@UID") }
    if property.role == .toMany {
      let inverse = property.inverse.map { inverse -> String in
        let parts = inverse.split(separator: ".").map(String.init)
        return "\\\(parts[0]).\(SwiftNames.quoted(parts.count > 1 ? parts[1] : ""))"
      }
      attributes.append("@Relationship(inverse: \(inverse ?? "nil"))")
    }
    if let transformer = property.transformer { attributes.append("@Transformed(by: \(transformer).self)") }
    let key = keyStyle == "snakeCase" ? SwiftNames.snakeCase(property.name) : property.name
    if key != property.keyPath || property.role == .uid {
      attributes.append("@Key(\(SwiftText.literal(property.keyPath)))")
    }
    return (attributes, "var \(SwiftNames.quoted(property.name)): \(property.fullType)")
  }
}
