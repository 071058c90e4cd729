/// The functions that requests become.
struct CallText {
  /// `nil` for requests at no entity, which are functions of the schema's enum.
  let entity: SchemaModel.Entity?

  private var type: String { entity?.name ?? "EntityDocument" }
  /// In front of the functions of the library.
  private var receiver: String { entity == nil ? "EntityDocument." : "" }

  static func keyPath(_ name: String) -> String { "\\.\(SwiftNames.quoted(name))" }

  /// The lists of a response with several, as the constant `parts`.
  static func write(_ parts: [SchemaModel.Part], _ text: inout SwiftText) {
    var elements: [String] = []
    for (index, part) in parts.enumerated() {
      let place = "at: \(SwiftText.literal(part.keyPath))"
      guard let key = part.key else {
        elements += part.types.map { ".list(\($0.name).self, \(place))" }
        continue
      }
      let name = index == 0 ? "kinds" : "kinds\(index + 1)"
      text.list(
        "let \(name): [String: any ManagedEntity.Type] = ",
        part.types.map { "\(SwiftText.literal($0.key)): \($0.name).self" }, indent: 4)
      elements.append(".list(typedBy: \(SwiftText.literal(key)), \(name), \(place))")
    }
    if !elements.isEmpty { text.list("let parts: [ResponsePart] = ", elements, indent: 4) }
  }

  func write(_ call: SchemaModel.Call, _ text: inout SwiftText) {
    text.documentation(call.summary.map { "`\(call.operation)`: \($0)" } ?? "`\(call.operation)`", indent: 2)
    if call.kind == .value, !call.segments.isEmpty {
      text.documentation("The response is a value: the object stays as it is, and so do its edits.", indent: 2)
    }
    if call.isDeprecated { text.line("@available(*, deprecated)", indent: 2) }
    let name = SwiftNames.quoted(call.name)
    switch call.kind {
    case .pages, .list, .item: writeRead(call, name, &text)
    case .itemByUID:
      text.function(
        "static func \(name)", ["uid: \(entity?.uidType ?? "String")"], " async throws -> EntityResponse<\(type)> {",
        indent: 2)
      text.line("try await get(uid: uid)", indent: 4)
      text.line("}", indent: 2)
    case .create:
      text.line("nonisolated(nonsending) func \(name)() async throws {", indent: 2)
      // A server that chooses the uid does not want it.
      let identifying = (entity?.requests?.identifying ?? []).map(Self.keyPath)
      let uid = identifying.isEmpty ? "" : "[\(identifying.joined(separator: ", "))]"
      let writable = entity?.requests?.writable.isEmpty == false ? "Self.writable" : ""
      let properties = [writable, uid].filter { !$0.isEmpty }.joined(separator: " + ")
      text.line("try await sending(.post, \(properties)).send()", indent: 4)
      text.line("}", indent: 2)
    case .update:
      text.function(
        "nonisolated(nonsending) func \(name)", ["_ properties: PartialKeyPath<\(type)>..."], " async throws {",
        indent: 2)
      text.line(
        "try await sending(.\(call.method), properties.isEmpty ? Self.writable : properties).send()", indent: 4)
      text.line("}", indent: 2)
    case .action:
      writeAction(call, name, &text)
    case .value: writeValue(call, name, &text)
    }
  }

  private func writeAction(_ call: SchemaModel.Call, _ name: String, _ text: inout SwiftText) {
    text.function("nonisolated(nonsending) func \(name)", parameters(call), " async throws {", indent: 2)
    if !call.parameters.isEmpty { text.list("let values: [String: Any?] = ", values(call.parameters), indent: 4) }
    let label = call.method == "delete" ? "" : "to: "
    let head = "try await \(call.method)(\(label)\(resourceOfObject(call)))"
    if call.parameters.isEmpty {
      text.line(head, indent: 4)
    } else {
      text.line("\(head) {", indent: 4)
      text.line("try $0.setJSON(\(Self.given(call.parameters)))", indent: 6)
      text.line("}", indent: 4)
    }
    text.line("}", indent: 2)
  }

  private func resourceOfObject(_ call: SchemaModel.Call) -> String {
    "Self.resource(uid: uid, \(call.segments.map(SwiftText.literal).joined(separator: ", ")))"
  }

  /// The values of a body without those that are not given: `nil` would be a null.
  private static func given(_ parameters: [SchemaModel.Parameter]) -> String {
    parameters.contains(where: \.isOptional) ? "values.filter { $0.value != nil }" : "values"
  }

  private func writeValue(_ call: SchemaModel.Call, _ name: String, _ text: inout SwiftText) {
    let type = call.value ?? "JSONValue"
    let isOfObject = !call.segments.isEmpty
    text.function(
      "\(isOfObject ? "nonisolated(nonsending)" : "static") func \(name)", parameters(call),
      " async throws -> \(type) {", indent: 2)
    let query = values(call.parameters.filter { !$0.isInPath && !$0.isInBody })
    let body = call.parameters.filter(\.isInBody)
    if !query.isEmpty { text.list("let query: QueryParameters = ", query, indent: 4) }
    var request = [".\(call.method)", isOfObject ? resourceOfObject(call) : resource(call.resource ?? "", call)]
    if !query.isEmpty { request.append("query: query") }
    if !body.isEmpty {
      text.list("let values: [String: Any?] = ", values(body), indent: 4)
      text.call("var request = try Client.current.request", request, indent: 4)
      text.line("try request.setJSON(\(Self.given(body)))", indent: 4)
      request = ["request"]
    }
    let arguments = request + ["as: \(type).self", "options: \(options(call) ?? "[]")"]
    text.call("let sending = try Client.current.sending", arguments, indent: 4)
    text.line("return try await sending.send().value", indent: 4)
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
    let result = isPages ? "EntityPages<\(type)>" : "EntityResponse<\(type)>"
    text.function("static func \(name)", parameters(call), "\(effects) -> \(result) {", indent: 2)
    let query = values(call.parameters.filter { !$0.isInPath })
    if !query.isEmpty { text.list("let query: QueryParameters = ", query, indent: 4) }
    var arguments: [String] = []
    if let resource = call.resource { arguments.append(self.resource(resource, call)) }
    if !query.isEmpty { arguments.append("query: query") }
    if let pagination = call.pagination { arguments.append("by: \(pagination)") }
    if let options = options(call) { arguments.append("options: \(options)") }
    Self.write(call.parts, &text)
    let isOnly = query.isEmpty && call.parts.isEmpty
    let effect = isPages ? (needsTry ? "try " : "") : "try await "
    text.call(
      "\(isOnly ? "" : "return ")\(effect)\(receiver)\(isPages ? "pages" : "get")", arguments, indent: 4)
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
