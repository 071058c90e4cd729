import EntityStore

/// The keys of the properties of an entity in requests: ``RemoteEntity/requestKeys``, else the keys of responses.
struct RequestKeys {
  private var own: [Int: String] = [:]

  /// An embedded entity, which has no requests of its own, has the keys of responses.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a key path that names no property of the entity.
  init(_ model: EntityModel) throws {
    if let type = model.type as? any RemoteEntity.Type { try add(type, model) }
  }

  private mutating func add<E: RemoteEntity>(_ type: E.Type, _ model: EntityModel) throws {
    for (keyPath, key) in type.requestKeys {
      guard let index = model.index(of: keyPath) else {
        throw RequestError(
          .invalidRequest, "A key path of 'requestKeys' is not one of the properties that '\(model.name)' stores.")
      }
      own[index] = key
    }
  }

  subscript(_ property: PropertyModel) -> String { own[property.index] ?? property.key }

  /// The declared key; `nil` when requests have the key of responses.
  func declared(_ property: PropertyModel) -> String? { own[property.index] }
}
