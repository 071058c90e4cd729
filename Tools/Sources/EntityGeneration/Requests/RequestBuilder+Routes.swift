extension RequestBuilder {
  /// A list below an object of another entity, as `/projects/{id}/tasks`.
  private func parent(of path: String) -> (number: Int, segments: [String])? {
    let parts = path.split(separator: "/").map(String.init)
    guard let parameter = parts.firstIndex(where: { $0.hasPrefix("{") && $0.hasSuffix("}") }),
      parts.filter({ $0.contains("{") }).count == 1, parameter + 1 < parts.count
    else { return nil }
    let collection = "/" + parts[..<parameter].joined(separator: "/")
    guard let number = bases.keys.sorted().first(where: { bases[$0].map(Self.plain) == collection }) else { return nil }
    return (number, Array(parts[(parameter + 1)...]))
  }

  func isRoute(_ path: String) -> Bool { routed.contains(path) }

  /// Gives lists their routes, and makes the lists that a path and a link prove together.
  func addRoutes(to entities: inout [Int: SchemaModel.Entity]) {
    for number in operations.keys.sorted() {
      for operation in operations[number] ?? [] where operation.kind == .list && operation.raw.method == "get" {
        guard let (parent, segments) = parent(of: operation.raw.path), segments.count == 1,
          // The list is read as the entity's own lists are.
          operation.envelope == Self.list(operations[number] ?? [], bases[number])?.envelope,
          operation.raw.parameters(in: "query").allSatisfy({ $0.node["required"]?.bool != true }),
          var owner = entities[parent], let member = entities[number],
          let name = list(segments[0], of: member, in: &owner, entities: &entities, number)
        else { continue }
        entities[parent] = owner
        routes[parent, default: []].append(.init(name: name, key: "{uid}/\(segments[0])"))
        routed.insert(operation.raw.path)
      }
    }
  }

  /// The list of the owner: one that its responses have, else one whose members link to the owner.
  private func list(
    _ segment: String, of member: SchemaModel.Entity, in owner: inout SchemaModel.Entity,
    entities: inout [Int: SchemaModel.Entity], _ number: Int
  ) -> String? {
    let name = SwiftNames.property(segment) ?? segment
    if let own = owner.properties.first(where: {
      $0.role == .toMany && $0.name == name && $0.elementType == member.name
    }) {
      return own.name
    }
    let links = member.properties.filter { $0.role == .toOne && $0.type == owner.name }
    guard links.count == 1, let link = links.first, member.name != owner.name,
      !owner.properties.contains(where: { $0.name.lowercased() == name.lowercased() }),
      owner.properties.count < SchemaBuilder.mostProperties,
      !owner.properties.contains(where: { $0.inverse == "\(member.name).\(link.name)" })
    else { return nil }
    owner.properties.append(
      SchemaModel.Property(
        name: name, keyPath: segment, type: "[\(member.name)]", role: .toMany, isOptional: false, transformer: nil,
        inverse: "\(member.name).\(link.name)", choose: nil,
        documentation: "The other side of `\(member.name).\(link.name)`."))
    return name
  }
}
