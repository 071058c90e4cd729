import EntityJSON
import EntityStore

/// The objects of a page, as far as a walk counts and compares them.
struct PageContent {
  /// The list that a pagination counts: the response's own list, or where it has none the longest list of its parts. So a page is
  /// empty when all its lists are, and an object that stands on each page beside them, a parent for example, does not count.
  let objects: JSONArray
  /// A list that the page lacks, and of which the walk deletes the objects that no page has.
  let lacks: String?
  private let pieces: [Piece]

  fileprivate struct Piece {
    let value: JSONValue
    /// Where the objects have their identifiers.
    let uidKey: String
    /// Where the objects name their entity.
    var typeKey: String?
  }

  init<E: RemoteEntity>(_ upsert: ResponseUpsert<E>, _ missing: MissingObjects<E>, _ schema: SchemaModel) {
    if case .deleteMissing = missing, upsert.value?.array == nil {
      lacks = "of objects"
    } else {
      let part = upsert.parts.first { $0.part.missing != nil && $0.value == nil }
      lacks = part.map { "under '\($0.part.keyPath.prefix(200).escaped)'" }
    }
    let lists = upsert.parts.filter { $0.part.form == .list }
    if let own = upsert.value?.array {
      objects = own
    } else if lists.isEmpty {
      objects = (upsert.value ?? upsert.parts.lazy.compactMap(\.value).first).map { [$0] } ?? []
    } else {
      objects = lists.compactMap { $0.value?.array }.max { $0.count < $1.count } ?? []
    }
    let own = upsert.value.map { [Piece(value: $0, uidKey: Piece.uidKey(of: E.self, schema))] } ?? []
    pieces = own + upsert.parts.compactMap { open in open.value.map { Piece($0, open.part, schema) } }
  }

  /// A hash of which objects the page has: of their identifiers in order, and of the whole object where it has none; `nil`
  /// for a page without objects. It means nothing outside of this process.
  var digest: Int? {
    guard !objects.isEmpty else { return nil }
    var hasher = Hasher()
    for piece in pieces {
      guard let list = piece.value.array else {
        piece.hash(piece.value, into: &hasher)
        continue
      }
      hasher.combine(list.count)
      for object in list { piece.hash(object, into: &hasher) }
    }
    return hasher.finalize()
  }
}

extension PageContent.Piece {
  fileprivate init(_ value: JSONValue, _ part: ResponsePart, _ schema: SchemaModel) {
    switch part.entities {
    case .one(let type):
      self.init(value: value, uidKey: Self.uidKey(of: type, schema))
    case .discriminated(let types):
      self.init(
        value: value, uidKey: types.first.map { Self.uidKey(of: $0, schema) } ?? "",
        typeKey: types.first?.discriminator?.key)
    case .typed(let key, let types):
      self.init(value: value, uidKey: types.values.first.map { Self.uidKey(of: $0, schema) } ?? "", typeKey: key)
    }
  }

  /// Empty for an entity without uid, and for one that the store does not have.
  fileprivate static func uidKey(of type: any ManagedEntity.Type, _ schema: SchemaModel) -> String {
    (try? schema.model(type)).flatMap(MappingPlan.uidKey) ?? ""
  }

  fileprivate func hash(_ object: JSONValue, into hasher: inout Hasher) {
    if let typeKey, let type = object[typeKey] { Self.hash(type, into: &hasher) }
    let uid = uidKey.isEmpty ? nil : object[uidKey].flatMap { $0.isNull ? nil : $0 }
    Self.hash(uid ?? object, into: &hasher)
  }

  private static func hash(_ value: JSONValue, into hasher: inout Hasher) {
    let source = value.source
    source.withUnsafeBytes { hasher.combine(bytes: $0) }
    hasher.combine(source.count)
  }
}
