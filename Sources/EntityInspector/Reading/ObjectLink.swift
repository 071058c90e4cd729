import EntityStore

/// An object, as the target of a link.
struct ObjectLink: Encodable, Hashable {
  let entity: String
  let pk: Int64
  /// A name that a person knows the object by; its row id where it has none.
  let label: String
  /// Whether the object has a page: the rows of removed entities and those of pairs have none.
  var hasPage = true
}

extension ObjectLink {
  /// - Parameter label: The value of a label's expression.
  init(_ entity: String, _ pk: Int64, _ label: StoredValue) {
    let text = label.isNull ? "" : ValueText(label, type: nil).text
    self.init(entity: entity, pk: pk, label: text.isEmpty ? "#\(pk)" : text)
  }
}

extension StoreFileReader {
  /// The object of a row with its label; for a row of a pair the owner of the list.
  func object(_ entity: String, _ pk: Int64) throws -> ObjectLink {
    if let list = schema.lists.first(where: { $0.key == entity }) { return try owner(of: list, pair: pk) }
    return try row(entity, pk)
  }

  private func row(_ entity: String, _ pk: Int64) throws -> ObjectLink {
    guard let model = schema[entity] else {
      return ObjectLink(entity: entity, pk: pk, label: "#\(pk)", hasPage: false)
    }
    let label = try rows(
      "SELECT \(model.label("t")) FROM \(model.table) AS t WHERE t._pk = ?", [.integer(pk)]
    ).rows.first?.first
    return ObjectLink(entity, pk, label ?? .null)
  }

  private func owner(of list: StoreFileSchema.List, pair pk: Int64) throws -> ObjectLink {
    let ends = try rows(
      "SELECT \(list.ownerColumn), \(list.memberColumn) FROM \(list.table) WHERE _pk = ?", [.integer(pk)]
    ).rows.first
    guard let owner = ends?[0].integer, let member = ends?[1].integer else {
      return ObjectLink(entity: "\(list.owner).\(list.name)", pk: pk, label: "#\(pk)", hasPage: false)
    }
    // The ends of a pair are rows: a file may say that they are pairs, and of each other.
    let (found, other) = (try row(list.owner, owner), try row(list.member, member))
    return ObjectLink(
      entity: found.entity, pk: found.pk, label: "\(found.label): \(list.name) has \(list.member) \(other.label)")
  }
}
