import EntityStore

/// The keys under which requests have the properties of an entity: ``RemoteEntity/requestKeys``, and those of responses.
struct RequestKeys {
  private var own: [Int: String] = [:]

  /// An entity without requests of its own, which is embedded in others, has the keys of responses.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a key path that is none of a property of the entity.
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

  /// The key that was declared; `nil` where requests have the one of responses.
  func declared(_ property: PropertyModel) -> String? { own[property.index] }
}
