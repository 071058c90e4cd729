/// Makes the functions of one entity from its operations.
struct CallBuilder {
  private let parent: RequestBuilder
  /// `nil` for the requests at no entity.
  private let number: Int?
  private let entity: SchemaModel.Entity
  private(set) var requests: SchemaModel.Requests
  /// The path of the collection.
  private let base: String
  private var taken: Set<String>

  /// The functions of requests at no entity.
  init(_ parent: RequestBuilder) {
    (self.parent, number, entity) = (parent, nil, SchemaModel.Entity(name: "", documentName: ""))
    (requests, base) = (SchemaModel.Requests(basePath: ""), "")
    taken = ["entities", "keyStyle", "baseURL"]
  }

  init(
    _ parent: RequestBuilder, _ number: Int, _ entity: SchemaModel.Entity, _ requests: SchemaModel.Requests,
    _ base: String
  ) {
    (self.parent, self.number, self.entity, self.requests, self.base) = (parent, number, entity, requests, base)
    // A property and a function without arguments can't have one name.
    taken = Set(entity.properties.map(\.name)).union(["pages", "get", "post", "put", "patch", "delete", "head", "save"])
  }

  mutating func add(_ own: [AnsweredOperation]) {
    for operation in own {
      let raw = operation.raw
      switch (raw.method, operation.kind) {
      case ("get", .list): addList(operation, parent.parts(beside: operation))
      case ("get", .item): addItem(operation)
      case ("post", .item) where raw.path == base && raw.body != nil: addWrite(operation, .create)
      case ("put", .item) where isObject(raw.path) && raw.body != nil:
        // A PUT of some properties would clear the others on many servers.
        let patch = own.first {
          $0.raw.method == "patch" && $0.raw.path == raw.path && $0.raw.body != nil && $0.envelope == operation.envelope
        }
        if let patch { addOther(raw, "`\(patch.raw.name)` does it") } else { addWrite(operation, .update) }
      case ("patch", .item) where isObject(raw.path) && raw.body != nil: addWrite(operation, .update)
      default: addAction(raw)
      }
    }
    for (list, parts) in parent.documents[number] ?? [] { addList(list, parts) }
    for raw in parent.unclaimed where parent.owner(of: raw.path) == number {
      addAction(raw)
    }
  }

  /// Whether the verbs of an object use the path.
  private func isObject(_ path: String) -> Bool {
    guard let own = requests.objectPath else {
      if isComposite { return false }
      return RequestBuilder.folder(of: path) == RequestBuilder.plain(base)
        && path.split(separator: "/").last?.hasPrefix("{") == true
    }
    return (isComposite || own.contains("{uid}")) && Self.unnamed("/" + own) == Self.unnamed(path)
  }

  private var isComposite: Bool { entity.properties.count { $0.role == .uid } > 1 }

  /// A path whose parameters have no names.
  private static func unnamed(_ path: String) -> String { path.replacing(/\{[^}]*\}/, with: "{}") }

  /// `/tasks/{id}/complete`
  private func isBelow(_ path: String) -> Bool {
    let parts = path.split(separator: "/"), folder = RequestBuilder.plain(base).split(separator: "/")
    return !folder.isEmpty && parts.count > folder.count && parts.starts(with: folder)
      && parts[folder.count].hasPrefix("{")
  }

  // MARK: Lists

  private mutating func addList(_ operation: AnsweredOperation, _ parts: [SchemaModel.Part]) {
    let raw = operation.raw
    let rule = PageRule(operation)
    // `/projects/{id}/tasks` of a project with a list of tasks is the way to it. It reads one page.
    if rule == nil, parts.isEmpty, parent.isRoute(raw.path) { return }
    var call = self.call(rule == nil ? .list : .pages, raw)
    guard readParameters(raw, without: rule?.parameters ?? [], into: &call) else { return }
    call.pagination = rule?.code
    call.size = rule?.size
    call.parts = parts
    if let size = call.size { call.parameters.removeAll { $0.name == size.name } }
    if number != nil, operation.envelope != requests.listEnvelope { call.envelope = operation.envelope ?? "" }
    call.name = raw.path == base ? take("list") : take(name(of: raw))
    requests.calls.append(call)
  }

  private mutating func addItem(_ operation: AnsweredOperation) {
    let raw = operation.raw
    if isObject(raw.path), raw.pathParameters.count == 1, raw.parameters(in: "query").isEmpty {
      var call = self.call(.itemByUID, raw)
      call.name = take(Words.lowerCamel(entity.documentName))
      requests.calls.append(call)
      return
    }
    var call = self.call(.item, raw)
    guard readParameters(raw, without: [], into: &call) else { return }
    if operation.envelope != requests.itemEnvelope { call.envelope = operation.envelope ?? "" }
    call.name = take(name(of: raw))
    requests.calls.append(call)
  }

  // MARK: Changes

  private mutating func addWrite(_ operation: AnsweredOperation, _ kind: SchemaModel.Call.Kind) {
    let raw = operation.raw
    guard !requests.writable.isEmpty || kind == .create && !requests.identifying.isEmpty else {
      return addOther(raw, "its body")
    }
    guard isComposite || raw.pathParameters.count <= 1 else { return addOther(raw, "its path") }
    guard operation.envelope == requests.itemEnvelope else { return addOther(raw, "its response") }
    if let other = requests.calls.first(where: { $0.kind == kind }) {
      return addOther(raw, "`\(other.operation)` does it")
    }
    var call = self.call(kind, raw)
    call.name = take(kind == .create ? "create" : "update")
    requests.calls.append(call)
  }

  /// A verb behind an object, without a body or with one of plain values, and any request whose response is a value.
  private mutating func addAction(_ raw: RawOperation) {
    // The library's own verb deletes.
    if raw.method == "delete", isObject(raw.path) { return }
    guard let fields = fields(of: raw) else { return addOther(raw, "its body") }
    let isAboutObject = raw.method != "get" && (!raw.hasAnswer || isOfEntity(raw))
    let value = isAboutObject ? nil : ValueRule(raw, parent)
    guard isAboutObject || value != nil else { return addOther(raw, "its response") }
    guard let behind = segments(of: raw, fields) else {
      guard let value else { return addOther(raw, "its path") }
      return addValue(raw, fields, value)
    }
    var call = self.call(value == nil ? .action : .value, raw)
    call.segments = behind
    call.parameters = fields
    set(value, in: &call)
    let verb = Words.lowerCamel(behind.joined(separator: "_"))
    call.name = take(raw.method == "delete" ? "delete\(Words.upperCamel(verb))" : verb)
    requests.calls.append(call)
  }

  /// What stands behind an object in a path; `nil` where the request can't be a function of the object.
  private func segments(of raw: RawOperation, _ fields: [SchemaModel.Parameter]) -> [String]? {
    let folder = RequestBuilder.plain(base).split(separator: "/").count
    let behind = raw.path.split(separator: "/").map(String.init).dropFirst(folder + 1)
    guard raw.method != "get", isBelow(raw.path), !behind.isEmpty, behind.allSatisfy({ !$0.contains("{") }),
      raw.method != "delete" || behind.count == 1 && fields.isEmpty,
      raw.parameters(in: "query").allSatisfy({ $0.node["required"]?.bool != true }),
      requests.objectPath == nil, !isComposite
    else { return nil }
    return Array(behind)
  }

  /// A function of the type, whose parameters are those of the path, of the query, and the values of the body.
  private mutating func addValue(
    _ raw: RawOperation, _ fields: [SchemaModel.Parameter], _ value: ValueRule
  ) {
    // Objects are made and changed by functions that know them.
    if raw.method != "get", raw.path == base || isObject(raw.path) { return addOther(raw, "its response") }
    var call = self.call(.value, raw)
    guard readParameters(raw, without: [], into: &call) else { return }
    let names = Set(call.parameters.map(\.name))
    guard names.isDisjoint(with: fields.map(\.name)) else { return addOther(raw, "its body") }
    call.parameters =
      call.parameters.filter { !$0.isOptional } + fields.filter { !$0.isOptional }
      + call.parameters.filter(\.isOptional) + fields.filter(\.isOptional)
    set(value, in: &call)
    call.resource = String(raw.path.dropFirst())
    call.name = take(name(of: raw))
    requests.calls.append(call)
  }

  private func set(_ value: ValueRule?, in call: inout SchemaModel.Call) {
    call.value = value?.type
    call.envelope = value?.keyPath
  }

  /// The values of a body, the required ones first; `nil` for a body that has more than values and lists of them.
  private func fields(of raw: RawOperation) -> [SchemaModel.Parameter]? {
    guard raw.hasBody else { return [] }
    guard let body = raw.body else { return nil }
    let shape = Shape(of: body)
    guard !shape.properties.isEmpty else { return nil }
    var names: Set<String> = []
    var fields: [SchemaModel.Parameter] = []
    for property in shape.properties where SchemaView(property.place)?.node["readOnly"]?.bool != true {
      guard let view = SchemaView(property.place), view.branches.isEmpty, let type = type(ofSchema: property.place),
        view.type != "array" || view.items.flatMap({ SchemaView($0)?.type }).map(Self.plainTypes.contains) == true
      else { return nil }
      var name = SwiftNames.argument(property.key, isOfObject: true)
      while !names.insert(name).inserted { name += "Value" }
      fields.append(
        .init(
          name: name, key: property.key, type: type.name, isOptional: !shape.required.contains(property.key),
          isInPath: false, isInBody: true, isEnum: type.isEnum))
    }
    return fields.filter { !$0.isOptional } + fields.filter(\.isOptional)
  }

  private static let plainTypes: Set<String> = ["string", "integer"]

  private func isOfEntity(_ raw: RawOperation) -> Bool {
    (number.flatMap { parent.operations[$0] } ?? []).contains {
      $0.raw.name == raw.name && $0.kind == .item && $0.envelope == requests.itemEnvelope
    }
  }

  private mutating func addOther(_ raw: RawOperation, _ reason: String) {
    let line = "\(raw.name) (\(reason))"
    if !requests.others.contains(line) { requests.others.append(line) }
  }

  // MARK: Parts

  private func call(_ kind: SchemaModel.Call.Kind, _ raw: RawOperation) -> SchemaModel.Call {
    var call = SchemaModel.Call(kind: kind, name: "", operation: raw.name, method: raw.method)
    call.summary = SchemaBuilder.documentation(raw.summary)
    call.isDeprecated = raw.isDeprecated
    if raw.path != base { call.resource = resource(raw.path) }
    return call
  }

  /// The path below the collection, or from its folder upward.
  private func resource(_ path: String) -> String {
    let collection = base.hasSuffix("/") ? base : base + "/"
    if path.hasPrefix(collection), path.count > collection.count, !collection.contains(".") {
      return String(path.dropFirst(collection.count))
    }
    let depth = base.split(separator: "/").count
    return String(repeating: "../", count: depth) + path.dropFirst()
  }

  /// Whether all parameters could be read.
  private mutating func readParameters(
    _ raw: RawOperation, without set: Set<String>, into call: inout SchemaModel.Call
  ) -> Bool {
    var names: Set<String> = []
    for key in raw.pathParameters {
      let schema = raw.parameters(in: "path").first { $0.node["name"]?.string == key }?["schema"]
      let type = schema.flatMap { SchemaView($0)?.type } == "integer" ? "Int" : "String"
      let name = SwiftNames.argument(key)
      guard names.insert(name).inserted else {
        addOther(raw, "its path")
        return false
      }
      call.parameters.append(.init(name: name, key: key, type: type, isOptional: false, isInPath: true))
    }
    let query = raw.parameters(in: "query")
    for parameter in query.filter({ $0.node["required"]?.bool == true })
      + query.filter({ $0.node["required"]?.bool != true })
    {
      guard let key = parameter.node["name"]?.string, !set.contains(key) else { continue }
      let isOptional = parameter.node["required"]?.bool != true
      guard let type = type(of: parameter) else {
        if isOptional { continue }
        addOther(raw, "its parameter `\(key)`")
        return false
      }
      var name = SwiftNames.argument(key)
      if names.contains(name) { name += "Value" }
      guard names.insert(name).inserted else { continue }
      call.parameters.append(
        .init(
          name: name, key: key, type: type.name, isOptional: isOptional, isInPath: false, isEnum: type.isEnum))
    }
    return true
  }

  private func type(of parameter: Place) -> (name: String, isEnum: Bool)? {
    guard let schema = parameter["schema"] else { return ("String", false) }
    return type(ofSchema: schema)
  }

  private func type(ofSchema schema: Place) -> (name: String, isEnum: Bool)? {
    guard let view = SchemaView(schema) else { return ("String", false) }
    if let values = view.enumeration, let name = SchemaIndex.name(of: view.place) {
      let known = parent.builder.enums.first { $0.name == name && $0.cases.map(\.rawValue) == values }
      if let known { return (known.name, true) }
    }
    switch view.type {
    case "integer": return ("Int", false)
    case "number": return ("Double", false)
    case "boolean": return ("Bool", false)
    case "array":
      let element = view.items.flatMap { SchemaView($0)?.type }
      return (element == "integer" ? "[Int]" : "[String]", false)
    case "object": return nil
    default: return ("String", false)
    }
  }

  /// The name of a function: the document's, else that of the path.
  private func name(of raw: RawOperation) -> String {
    if let id = raw.operationID {
      let name = Words.lowerCamel(String(id.split(separator: "/").joined(separator: "_")))
      if !name.isEmpty, name.count <= 50 { return name }
    }
    let parts = raw.path.split(separator: "/").filter { !$0.contains("{") }
    let name = Words.lowerCamel(parts.suffix(3).joined(separator: "_"))
    return name.isEmpty ? "item" : name
  }

  private mutating func take(_ name: String) -> String {
    // `init` and `self` would need more than backticks.
    let name = ["init", "self", "type", "deinit"].contains(name.lowercased()) ? "\(name)Request" : name
    var unique = name
    var count = 2
    while !taken.insert(unique).inserted {
      unique = count == 2 ? "\(name)Request" : "\(name)Request\(count)"
      count += 1
    }
    return unique
  }
}
