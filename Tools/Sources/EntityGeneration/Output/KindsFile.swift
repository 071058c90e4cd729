/// The file of the enums and structs. It is written once, and then a person's.
struct KindsFile {
  let model: SchemaModel

  var isEmpty: Bool { model.enums.isEmpty && model.structs.isEmpty && !usesRFC2822 }

  var text: String {
    var text = SwiftText()
    text.line("import EntityClient")
    if usesRFC2822 { text.line("import Foundation") }
    for enumeration in model.enums.sorted(by: { $0.name < $1.name }) {
      text.line()
      Self.write(enumeration, into: &text)
    }
    for structure in model.structs.sorted(by: { $0.name < $1.name }) {
      text.line()
      Self.write(structure, into: &text)
    }
    if usesRFC2822 {
      text.line()
      text.line("/// `Thu, 30 Jul 2015 20:00:00 +0000`")
      text.line("enum RFC2822Date: Transformers.DateFormat {")
      text.line("static var format: String { \"EEE, dd MMM yyyy HH:mm:ss Z\" }", indent: 2)
      text.line("}")
    }
    return text.text
  }

  private var usesRFC2822: Bool {
    model.entities.contains { $0.properties.contains { $0.transformer == "RFC2822Date" } }
  }

  private static func write(_ enumeration: SchemaModel.Enumeration, into text: inout SwiftText) {
    text.line("enum \(enumeration.name): String, AttributeValue {")
    for item in enumeration.cases {
      let head = "case \(SwiftNames.quoted(item.name))"
      if item.name == item.rawValue {
        text.line(head, indent: 2)
      } else {
        text.value(head, SwiftText.literal(item.rawValue), indent: 2)
      }
    }
    text.line("}")
  }

  private static func write(_ structure: SchemaModel.Struct, into text: inout SwiftText) {
    text.documentation(structure.documentation)
    guard !structure.properties.isEmpty else {
      return text.line("struct \(structure.name): Codable, AttributeValue {}")
    }
    text.line("struct \(structure.name): Codable, AttributeValue {")
    for field in structure.properties { text.line("var \(SwiftNames.quoted(field.name)): \(field.type)?", indent: 2) }
    if structure.properties.contains(where: { $0.name != $0.key }) {
      text.line()
      text.line("enum CodingKeys: String, CodingKey {", indent: 2)
      for field in structure.properties {
        let head = "case \(SwiftNames.quoted(field.name))"
        if field.name == field.key {
          text.line(head, indent: 4)
        } else {
          text.value(head, SwiftText.literal(field.key), indent: 4)
        }
      }
      text.line("}", indent: 2)
    }
    text.line("}")
  }
}
