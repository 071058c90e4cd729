/// Makes the requests of the entities from the operations of a document.
final class RequestBuilder {
  let builder: SchemaBuilder
  let answers: Answers
  /// The operations of each family.
  private(set) var operations: [Int: [AnsweredOperation]] = [:]
  /// The operations whose response has several lists, by the family of the first that has requests of its own; `nil` for those
  /// where no list is of such an entity.
  private(set) var documents: [Int?: [(list: AnsweredOperation, parts: [SchemaModel.Part])]] = [:]
  /// The paths of the collections, by family.
  private(set) var bases: [Int: String] = [:]
  /// The routes of each family, and the paths that they replace.
  var routes: [Int: [SchemaModel.KeyedName]] = [:]
  var routed: Set<String> = []

  init(_ builder: SchemaBuilder, _ answers: Answers) {
    (self.builder, self.answers) = (builder, answers)
    for operation in answers.answered {
      guard let number = builder.families.number(at: operation.object, operation.context),
        builder.kinds[number] == .entity
      else { continue }
      operations[number, default: []].append(operation)
    }
    addDocuments()
    for number in operations.keys.sorted() { bases[number] = collection(of: number) }
    // A path at which one entity is listed is none of another that only a POST to it responds with.
    let known = Set(bases.values)
    for number in operations.keys.sorted() where bases[number] == nil {
      bases[number] =
        (operations[number] ?? []).first {
          $0.raw.method == "post" && $0.raw.pathParameters.isEmpty && $0.kind == .item && !known.contains($0.raw.path)
        }?.raw.path
    }
  }

  private func addDocuments() {
    for document in answers.documents {
      let main = document.lists.firstIndex { list in
        list.kinds == nil && number(of: list).map { operations[$0] != nil } ?? false
      }
      let parts = document.lists.enumerated().filter { $0.offset != main }.compactMap { part($0.element) }
      guard main != nil || !parts.isEmpty else { continue }
      documents[main.flatMap { number(of: document.lists[$0]) }, default: []].append(
        (document.lists[main ?? 0], parts))
    }
  }

  /// The entity of a list beside others.
  private func number(of list: AnsweredOperation) -> Int? {
    let number = builder.families.number(at: list.object, list.partContext)
    return number.flatMap { builder.kinds[$0] == .entity ? $0 : nil }
  }

  /// `nil` for a list of other values.
  private func part(_ list: AnsweredOperation) -> SchemaModel.Part? {
    guard let kinds = list.kinds else {
      return number(of: list).map {
        SchemaModel.Part(keyPath: list.keyPath, types: [.init(name: builder.name($0), key: "")])
      }
    }
    let types = kinds.types.compactMap { value, id in
      builder.families.number(of: id).map { SchemaModel.KeyedName(name: builder.name($0), key: value) }
    }
    return SchemaModel.Part(keyPath: list.keyPath, key: kinds.key, types: types)
  }

  /// The lists of related objects beside that of an operation.
  func parts(beside operation: AnsweredOperation) -> [SchemaModel.Part] { operation.beside.compactMap(part) }

  /// The path of the collection without parameters: that which has items below it, else the shortest one.
  private func collection(of number: Int) -> String? {
    let own = operations[number] ?? []
    if let chosen = builder.decisions.choice("\(builder.name(number)).basePath") {
      return chosen.hasPrefix("/") ? chosen : "/" + chosen
    }
    let lists = own.filter { $0.kind == .list && $0.raw.method == "get" && $0.raw.pathParameters.isEmpty }
    let items = Set(own.filter { $0.ownParameter != nil }.map { Self.folder(of: $0.raw.path) })
    if let list = lists.first(where: { items.contains(Self.plain($0.raw.path)) }) { return list.raw.path }
    // `/{resource}` is no collection, and neither is a root.
    let singles = own.filter { $0.ownParameter != nil && $0.raw.pathParameters.count == 1 && $0.raw.method == "get" }
      .map { Self.folder(of: $0.raw.path) }.filter { !$0.isEmpty && !$0.contains("{") }
    if let folder = singles.min(by: Self.isShorter) { return folder }
    return lists.map(\.raw.path).min(by: Self.isShorter)
  }

  /// The operations whose response has no object of an entity.
  private(set) lazy var unclaimed: [RawOperation] = {
    let claimed = Set(
      operations.values.flatMap { $0.map(\.raw.name) } + documents.values.flatMap { $0.map(\.list.raw.name) })
    return answers.all.filter { !claimed.contains($0.name) }
  }()

  /// The family whose collection a path is at or below: that with the longest path.
  func owner(of path: String) -> Int? {
    let parts = Self.plain(path).split(separator: "/")
    let folders = bases.mapValues { Self.plain($0).split(separator: "/") }.filter { !$0.value.isEmpty }
    return folders.filter { parts.starts(with: $0.value) }.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?
      .key
  }

  private static func isShorter(_ left: String, _ right: String) -> Bool {
    (left.split(separator: "/").count, left) < (right.split(separator: "/").count, right)
  }

  /// A path without its last segment, and without a slash at its end.
  static func folder(of path: String) -> String {
    plain(path).split(separator: "/").dropLast().map { "/\($0)" }.joined()
  }

  /// A path without the slash at its end and without an extension.
  static func plain(_ path: String) -> String {
    let path = path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/"), !path[dot...].contains("}") else {
      return path
    }
    return String(path[..<dot])
  }
}

extension RequestBuilder {
  /// - Parameter entity: The entity, whose lists get the inverses that paths prove.
  func requests(_ number: Int, of entity: SchemaModel.Entity) -> SchemaModel.Requests? {
    guard let own = operations[number], !own.isEmpty else { return nil }
    let base = bases[number]
    let guess = own.first { $0.kind == .list }?.raw.path ?? own[0].raw.path
    let path = base ?? "/" + (guess.split(separator: "/").last { !$0.contains("{") }.map(String.init) ?? "")
    var made = SchemaModel.Requests(basePath: String(path.dropFirst()))
    if base == nil { made.choose = "no path of the document is a collection without parameters." }
    envelopes(own, path, into: &made)
    objectPath(own, path, entity, into: &made)
    bodies(own, path, entity, into: &made)
    var calls = CallBuilder(self, number, entity, made, path)
    calls.add(own)
    made = calls.requests
    made.routes = routes[number] ?? []
    return made
  }

  /// The functions of requests at no entity.
  var calls: [SchemaModel.Call] {
    var calls = CallBuilder(self)
    calls.add([])
    return calls.requests.calls
  }

  private func envelopes(_ own: [AnsweredOperation], _ path: String, into made: inout SchemaModel.Requests) {
    let list = Self.list(own, path)
    let items = own.filter { $0.kind == .item }
    let item = items.first { $0.ownParameter != nil && $0.raw.path.hasPrefix(path) } ?? items.first
    made.listEnvelope = list?.envelope
    made.itemEnvelope = item?.envelope
    // Without a list, its envelope is that of an item: one text says both.
    if list == nil { made.listEnvelope = made.itemEnvelope }
    if item == nil { made.itemEnvelope = made.listEnvelope }
  }

  /// The list whose envelope the entity has.
  static func list(_ own: [AnsweredOperation], _ path: String?) -> AnsweredOperation? {
    let lists = own.filter { $0.kind == .list && $0.raw.method == "get" }
    return lists.first { $0.raw.path == path } ?? lists.first
  }

  /// The path of an object, where it is not the collection and the uid.
  private func objectPath(
    _ own: [AnsweredOperation], _ path: String, _ entity: SchemaModel.Entity, into made: inout SchemaModel.Requests
  ) {
    let parts = entity.properties.filter { $0.role == .uid }
    if parts.count > 1 { return objectPath(own, parts, into: &made) }
    let items = own.filter { $0.raw.method == "get" && $0.ownParameter != nil && $0.raw.pathParameters.count == 1 }
    guard let item = items.first(where: { Self.folder(of: $0.raw.path) == Self.plain(path) }) ?? items.first,
      let parameter = item.raw.pathParameters.first
    else { return }
    let uid = entity.properties.first { $0.role == .uid }
    var value = "uid"
    if parameter != uid?.keyPath, let attribute = entity.properties.first(where: { $0.keyPath == parameter }),
      attribute.role == .attribute, ["String", "Int"].contains(attribute.type)
    {
      value = attribute.name
    }
    let expected = (path.hasSuffix("/") ? String(path.dropLast()) : path) + "/{\(parameter)}"
    guard expected != item.raw.path || value != "uid" else { return }
    made.objectPath = String(item.raw.path.replacing("{\(parameter)}", with: "{\(value)}").dropFirst())
  }

  /// The path whose parameters are the parts of the uid.
  private func objectPath(
    _ own: [AnsweredOperation], _ parts: [SchemaModel.Property], into made: inout SchemaModel.Requests
  ) {
    for operation in own where operation.ownParameter != nil {
      let parameters = operation.raw.pathParameters
      let named = parts.filter { parameters.contains($0.keyPath) }
      guard named.count == parts.count, parameters.count == parts.count else { continue }
      made.objectPath = named.reduce(String(operation.raw.path.dropFirst())) { path, part in
        path.replacing("{\(part.keyPath)}", with: "{\(part.name)}")
      }
      return
    }
    made.choose =
      "no path has the parts of the uid as its parameters. Does `objectPath` have to say where an object is?"
  }

  /// The properties that bodies have, and the names that they have there.
  private func bodies(
    _ own: [AnsweredOperation], _ path: String, _ entity: SchemaModel.Entity, into made: inout SchemaModel.Requests
  ) {
    let writes = own.filter { ["post", "put", "patch"].contains($0.raw.method) && $0.kind == .item }
    let relevant = writes.filter { $0.raw.path == path || $0.ownParameter != nil }
    for write in relevant {
      guard let body = write.raw.body else { continue }
      var shape = Shape(of: body)
      if shape.properties.count == 1, let only = shape.properties.first, let view = SchemaView(only.place),
        view.type == "object" || view.type == nil, !Shape(of: only.place).properties.isEmpty
      {
        made.requestRootKey = made.requestRootKey ?? only.keyPath
        shape = Shape(of: only.place)
      }
      for property in shape.properties where SchemaView(property.place)?.node["readOnly"]?.bool != true {
        note(property, entity, into: &made)
        let uid = entity.properties.first { $0.role == .uid && $0.keyPath == property.keyPath }
        if let uid, write.raw.method == "post", shape.required.contains(property.key),
          !made.identifying.contains(uid.name)
        {
          made.identifying.append(uid.name)
        }
      }
    }
    let order = entity.properties.map(\.name)
    made.writable.sort { (order.firstIndex(of: $0) ?? 0) < (order.firstIndex(of: $1) ?? 0) }
  }

  private func note(
    _ property: Shape.Property, _ entity: SchemaModel.Entity, into made: inout SchemaModel.Requests
  ) {
    let same = entity.properties.first {
      $0.keyPath == property.keyPath || $0.keyPath == "attributes.\(property.keyPath)"
    }
    if let same, same.role != .uid {
      if !made.writable.contains(same.name) { made.writable.append(same.name) }
      if same.keyPath != property.keyPath { noteKey(same.name, property.keyPath, into: &made) }
      return
    }
    // `assignee` in responses, and `assignee_id` in bodies.
    guard same == nil, let stem = SchemaBuilder.linkStem(property.key) else { return }
    let link = entity.properties.first { $0.role == .toOne && $0.keyPath == stem }
    guard let link, !made.writable.contains(link.name) else { return }
    made.writable.append(link.name)
    noteKey(link.name, property.keyPath, into: &made)
  }

  private func noteKey(_ name: String, _ key: String, into made: inout SchemaModel.Requests) {
    guard !made.requestKeys.contains(where: { $0.name == name }) else { return }
    made.requestKeys.append(.init(name: name, key: key))
  }
}
