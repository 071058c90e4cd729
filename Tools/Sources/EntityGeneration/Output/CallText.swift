/// The functions that requests become.
struct CallText {
  let entity: SchemaModel.Entity
  let requests: SchemaModel.Requests

  static func keyPath(_ name: String) -> String { "\\.\(SwiftNames.quoted(name))" }

  /// A list of a response with several.
  static func part(_ part: SchemaModel.Part) -> String {
    ".list(\(part.type).self, at: \(SwiftText.literal(part.keyPath)))"
  }

  func write(_ call: SchemaModel.Call, _ text: inout SwiftText) {
    let summary = call.summary.map { "`\(call.operation)`: \($0)" } ?? "`\(call.operation)`"
    text.documentation(summary, indent: 2)
    if call.isDeprecated { text.line("@available(*, deprecated)", indent: 2) }
    let name = SwiftNames.quoted(call.name)
    switch call.kind {
    case .pages, .list, .item: writeRead(call, name, &text)
    case .itemByUID:
      text.function(
        "static func \(name)", ["uid: \(entity.uidType)"], " async throws -> EntityResponse<\(entity.name)> {",
        indent: 2)
      text.line("try await get(uid: uid)", indent: 4)
      text.line("}", indent: 2)
    case .create:
      text.line("nonisolated(nonsending) func \(name)() async throws {", indent: 2)
      // A server that chooses the uid does not want it.
      let uid =
        requests.identifying.isEmpty ? "" : "[\(requests.identifying.map(Self.keyPath).joined(separator: ", "))]"
      let writable = requests.writable.isEmpty ? "" : "Self.writable"
      let properties = [writable, uid].filter { !$0.isEmpty }.joined(separator: " + ")
      text.line("try await sending(.post, \(properties)).send()", indent: 4)
      text.line("}", indent: 2)
    case .update:
      text.function(
        "nonisolated(nonsending) func \(name)", ["_ properties: PartialKeyPath<\(entity.name)>..."], " async throws {",
        indent: 2)
      text.line(
        "try await sending(.\(call.method), properties.isEmpty ? Self.writable : properties).send()", indent: 4)
      text.line("}", indent: 2)
    case .action:
      writeAction(call, name, &text)
    }
  }

  private func writeAction(_ call: SchemaModel.Call, _ name: String, _ text: inout SwiftText) {
    text.function("nonisolated(nonsending) func \(name)", parameters(call), " async throws {", indent: 2)
    if !call.parameters.isEmpty { text.list("let values: [String: Any?] = ", values(call.parameters), indent: 4) }
    let segments = call.segments.map(SwiftText.literal).joined(separator: ", ")
    let label = call.method == "delete" ? "" : "to: "
    let head = "try await \(call.method)(\(label)Self.resource(uid: uid, \(segments)))"
    if call.parameters.isEmpty {
      text.line(head, indent: 4)
    } else {
      text.line("\(head) {", indent: 4)
      // `nil` would be a null.
      let given = call.parameters.contains(where: \.isOptional) ? "values.filter { $0.value != nil }" : "values"
      text.line("try $0.setJSON(\(given))", indent: 6)
      text.line("}", indent: 4)
    }
    text.line("}", indent: 2)
  }

  /// The elements of a dictionary with a value for each parameter.
  private func values(_ parameters: [SchemaModel.Parameter]) -> [String] {
    parameters.map { parameter in
      let value =
        SwiftNames.quoted(parameter.name)
        + (parameter.isEnum ? (parameter.isOptional ? "?.rawValue" : ".rawValue") : "")
      return "\(SwiftText.literal(parameter.key)): \(value)"
    }
  }

  private func writeRead(_ call: SchemaModel.Call, _ name: String, _ text: inout SwiftText) {
    let isPages = call.kind == .pages
    let needsTry = call.parameters.contains { $0.isInPath && $0.type == "String" }
    let effects = isPages ? (needsTry ? " throws" : "") : " async throws"
    let result = isPages ? "EntityPages<\(entity.name)>" : "EntityResponse<\(entity.name)>"
    text.function("static func \(name)", parameters(call), "\(effects) -> \(result) {", indent: 2)
    let query = values(call.parameters.filter { !$0.isInPath })
    if !query.isEmpty { text.list("let query: QueryParameters = ", query, indent: 4) }
    var arguments: [String] = []
    if let resource = call.resource { arguments.append(self.resource(resource, call)) }
    if !query.isEmpty { arguments.append("query: query") }
    if let pagination = call.pagination { arguments.append("by: \(pagination)") }
    if let options = options(call) { arguments.append("options: \(options)") }
    let parts = call.parts.map(Self.part)
    if !parts.isEmpty { text.list("let parts: [ResponsePart] = ", parts, indent: 4) }
    let isOnly = query.isEmpty && parts.isEmpty
    text.call(
      (isOnly ? "" : "return ") + (isPages ? (needsTry ? "try pages" : "pages") : "try await get"), arguments, indent: 4
    )
    text.line("}", indent: 2)
  }

  private func parameters(_ call: SchemaModel.Call) -> [String] {
    var parameters = call.parameters.map { parameter in
      let name = SwiftNames.quoted(parameter.name)
      return parameter.isOptional ? "\(name): \(parameter.type)? = nil" : "\(name): \(parameter.type)"
    }
    if let size = call.size { parameters.append("\(SwiftNames.quoted(size.name)): Int = \(size.key)") }
    return parameters
  }

  /// A literal with a value for each parameter, percent-encoded.
  private func resource(_ resource: String, _ call: SchemaModel.Call) -> String {
    var literal = SwiftText.literal(resource)
    for parameter in call.parameters where parameter.isInPath {
      let name = SwiftNames.quoted(parameter.name)
      let value = parameter.type == "String" ? "\\(String(pathSegment: \(name)))" : "\\(\(name))"
      literal = literal.replacing("{\(parameter.key)}", with: value)
    }
    return literal
  }

  private func options(_ call: SchemaModel.Call) -> String? {
    var options: [String] = []
    if let envelope = call.envelope {
      options.append(".envelope(\(envelope.isEmpty ? ".wholeBody" : SwiftText.literal(envelope)))")
    }
    if !call.parts.isEmpty { options.append(".parts(parts)") }
    if call.isOutside { options.append(".allowing(.aboveBasePath)") }
    return options.isEmpty ? nil : options.count == 1 ? options[0] : "[\(options.joined(separator: ", "))]"
  }
}
