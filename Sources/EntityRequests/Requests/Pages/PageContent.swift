import EntityJSON
import EntityStore

/// The objects of a page, for a walk that counts and compares them.
struct PageContent {
  /// The list that a pagination counts: the response's own list, else the longest list of its parts. So a page is empty
  /// when all its lists are. An object beside the lists on each page, a parent for example, does not count.
  let objects: JSONArray
  let count: Int
  /// A list that the page lacks, although the walk deletes the objects of that list that no page has.
  let lacks: String?
  private let pieces: [Piece]
  /// The list, if it was streamed.
  private let streamed: StreamedPage?

  fileprivate struct Piece {
    let value: JSONValue
    /// The key of the objects' identifiers.
    let uidKey: String
    /// The key by which the objects name their entity.
    var typeKey: String?
  }

  init<E: RemoteEntity>(
    _ upsert: ResponseUpsert<E>, _ missing: MissingObjects<E>, _ schema: SchemaModel, _ streamed: StreamedPage?
  ) {
    self.streamed = streamed
    if case .deleteMissing = missing, upsert.value?.array == nil {
      lacks = "of objects"
    } else {
      let part = upsert.parts.first { $0.part.missing != nil && $0.value == nil }
      lacks = part.map { "under '\($0.part.keyPath.prefix(200).escaped)'" }
    }
    let lists = upsert.parts.filter { $0.part.form == .list }
    if let streamed {
      objects = streamed.last.map { [$0] } ?? []
    } else if let own = upsert.value?.array {
      objects = own
    } else if lists.isEmpty {
      objects = (upsert.value ?? upsert.parts.lazy.compactMap(\.value).first).map { [$0] } ?? []
    } else {
      objects = lists.compactMap { $0.value?.array }.max { $0.count < $1.count } ?? []
    }
    count = streamed?.count ?? objects.count
    let own =
      streamed != nil
      ? []
      : upsert.value.map { [Piece(value: $0, uidKey: Self.uidKey(of: E.self, schema))] } ?? []
    pieces = own + upsert.parts.compactMap { open in open.value.map { Piece($0, open.part, schema) } }
  }

  /// A hash of the page's objects: of their identifiers in order, and of the whole object when it has none; `nil` for a
  /// page without objects. It means nothing outside of this process.
  var digest: Int? {
    guard count > 0 else { return nil }
    var hasher = Hasher()
    if let streamed { hasher.combine(streamed.digest) }
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

  /// The key of an entity's uid; empty for an entity without uid, and for an entity that the store does not have.
  static func uidKey(of type: any ManagedEntity.Type, _ schema: SchemaModel) -> String {
    (try? schema.model(type)).flatMap(MappingPlan.uidKey) ?? ""
  }
}

/// The objects of a streamed page, for a walk that counts and compares them.
struct StreamedPage: Sendable {
  private let piece: PageContent.Piece
  private(set) var count = 0
  private(set) var last: JSONValue?
  private var hasher = Hasher()

  init(uidKey: String) { piece = PageContent.Piece(value: [], uidKey: uidKey) }

  mutating func add(_ object: JSONValue) {
    count += 1
    last = object
    piece.hash(object, into: &hasher)
  }

  var digest: Int {
    var hasher = hasher
    hasher.combine(count)
    return hasher.finalize()
  }
}

extension PageContent.Piece {
  fileprivate init(_ value: JSONValue, _ part: ResponsePart, _ schema: SchemaModel) {
    switch part.entities {
    case .one(let type):
      self.init(value: value, uidKey: PageContent.uidKey(of: type, schema))
    case .discriminated(let types):
      self.init(
        value: value, uidKey: types.first.map { PageContent.uidKey(of: $0, schema) } ?? "",
        typeKey: types.first?.discriminator?.key)
    case .typed(let key, let types):
      self.init(value: value, uidKey: types.values.first.map { PageContent.uidKey(of: $0, schema) } ?? "", typeKey: key)
    }
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
