extension SchemaBuilder {
  /// The entity that a key such as `project_id` names, if the key is of that entity's uid.
  func link(
    by property: Family.Property, of number: Int, view: SchemaView, found: Evidence
  ) -> (name: String, type: String)? {
    guard let stem = Self.linkStem(property.key), let target = entity(called: stem), target != number else {
      return nil
    }
    guard found.fits("Link"), fits(view, found, uidType(target)) else { return nil }
    // `project` beside `project_id` is the link, and the id a copy.
    let family = families.all[number]
    let own = Words.lowerCamel(stem)
    for other in families.properties(of: family) where Words.lowerCamel(other.key) == own { return nil }
    guard let name = SwiftNames.property(stem) else { return nil }
    return (name, self.name(target))
  }

  private func fits(_ view: SchemaView, _ found: Evidence, _ uid: String) -> Bool {
    switch uid {
    case "Int": view.type == "integer" && found.fits("Int")
    case "UUID": view.format == "uuid" && found.fits("UUID")
    default: view.type == "string" && view.format != "uuid"
    }
  }

  /// A question about a key such as `parent_task_id`, whose end names an entity.
  func linkQuestion(by property: Family.Property, view: SchemaView) -> String? {
    guard let stem = Self.linkStem(property.key), entity(called: stem) == nil else { return nil }
    let words = Words.split(stem)
    let people = ["author", "owner", "creator", "assignee", "reporter", "sender", "recipient"]
    var target = words.count > 1 ? words.last.flatMap(entity(called:)) : nil
    if target == nil, let last = words.last, people.contains(last.lowercased()) {
      target = ["User", "Account", "Person", "Member"].lazy.compactMap { self.entity(called: $0) }.first
    }
    guard let target, let type = view.type, ["string", "integer"].contains(type) else { return nil }
    return "is it a link? `@Key(\"\(property.keyPath)\") var \(Words.lowerCamel(stem)): \(name(target))?` makes it one."
  }

  /// `project` of `project_id` and `projectId`; `nil` for any other key.
  static func linkStem(_ key: String) -> String? {
    let words = Words.split(key)
    guard words.count > 1, let last = words.last?.lowercased(), ["id", "uuid", "gid", "sid", "guid"].contains(last)
    else {
      return nil
    }
    return words.dropLast().joined(separator: "_")
  }

  private func entity(called name: String) -> Int? {
    entitiesByName[Words.upperCamel(name).lowercased()]
  }
}
