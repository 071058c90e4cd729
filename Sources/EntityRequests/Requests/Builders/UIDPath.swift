public import EntityStore
import Foundation

/// A uid as the URL of its object has it: a text for each part, with its name in patterns.
struct UIDPath: Sendable {
  let parts: [(name: String, text: String)]

  /// - Throws: ``RequestError``: `missingUID` without a uid, `invalidRequest` for a value that no URL can hold.
  init(_ uid: StoredValue?, of model: EntityModel) throws {
    guard let uid, let parts = Self.texts(uid, of: model), parts.allSatisfy({ !$0.text.isEmpty }) else {
      throw RequestError(
        .missingUID, "An object of '\(model.name)' has no uid yet, so it has no URL. POST it first, or name a resource."
      )
    }
    // Encoding them does not help: `%2E%2E` means the same (RFC 3986 §6.2.2.2), which is another resource.
    if let part = parts.first(where: { !$0.text.isSafeSegment }) {
      throw RequestError(
        .invalidRequest, "The uid of an object of '\(model.name)' is '\(part.text)', which no URL can hold.")
    }
    self.parts = parts
  }

  /// - Throws: ``RequestError``: `missingUID` for an empty uid, `invalidRequest` for a uid that a URL can't hold, or
  ///   that has another number of texts than the own route of the entity has parameters.
  init<E: RemoteEntity>(_ uid: some ResourceUID, of type: E.Type) throws {
    if let uid = uid as? CompositeUID {
      self = try UIDPath(uid, of: type)
      return
    }
    let texts = try E.segments(of: uid)
    let names = try E.ownPattern?.names ?? texts.map { _ in "uid" }
    guard names.count == texts.count else {
      throw RequestError(
        .invalidRequest, "A uid of '\(E.entityName)' has \(texts.count) texts, and its URL takes \(names.count).")
    }
    parts = zip(names, texts).map { ($0, $1) }
  }

  /// - Throws: The errors of the other initializers; `StoreError` for parts that the uid of the entity does not have.
  init(_ uid: CompositeUID, of type: any RemoteEntity.Type) throws {
    let model = try Client.current.store.core.schema.model(type)
    try self.init(uid.stored(for: model), of: model)
  }

  /// The texts of a URL, in the form that they have there.
  init?(_ text: (_ name: String, _ place: Int) -> String?, of model: EntityModel) {
    var parts: [(name: String, text: String)] = []
    for (place, name) in (model.uidParts?.parts.map(\.name) ?? ["uid"]).enumerated() {
      guard let found = text(name, place) else { return nil }
      parts.append((name, found))
    }
    self.parts = parts
  }

  private static func texts(_ uid: StoredValue, of model: EntityModel) -> [(name: String, text: String)]? {
    guard let composite = model.uidParts else {
      return model.uidType.flatMap { uid.uidText($0) }.map { [("uid", $0)] }
    }
    guard let values = composite.values(of: uid) else { return nil }
    return zip(composite.typed, values).map { ($0.part.name, $1.uidText($0.type) ?? "") }
  }
}

extension EntityModel {
  /// The uid that texts of a URL name; `nil` when they name none.
  ///
  /// - Parameter text: Gives the text of a part by its name in patterns and its place.
  func uid(_ text: (_ name: String, _ place: Int) -> String?) -> StoredValue? {
    guard let uidParts else {
      return uidType.flatMap { type in text("uid", 0).flatMap { StoredValue(uidText: $0, type) } }
    }
    var values: [StoredValue] = []
    for (place, (part, type)) in uidParts.typed.enumerated() {
      guard let value = text(part.name, place).flatMap({ StoredValue(uidText: $0, type) }) else { return nil }
      values.append(value)
    }
    return UIDParts.uid(values)
  }
}

extension RemoteEntity {
  /// The pattern of the URLs of objects; `nil` when these are the base path and the uid.
  static var ownPattern: PathPattern? {
    get throws {
      try routes.first { if case .own = $0.purpose { true } else { false } }.map { try PathPattern($0.pattern) }
    }
  }

  /// The identifier as URLs have it.
  ///
  /// - Throws: ``RequestError`` of kind `missingUID` without an identifier or with an empty one, and of kind
  ///   `invalidRequest` for an identifier that a URL can't hold.
  var uidPath: UIDPath {
    get throws { try UIDPath(serverUID, of: _$state.model) }
  }

  /// The resource of the object with a composite uid, or of something below it, for any verb.
  ///
  /// ```swift
  /// try await OrderLine.get(OrderLine.resource(uid: ["order": 5, "line": 2]))      // …/lines/5/2
  /// ```
  /// The resource is the base path with a segment for each part, or the route that ``EntityRoute/own(at:)`` declares.
  ///
  /// - Parameters:
  ///   - uid: A value for each part of the uid.
  ///   - segments: The segments behind the uid, not percent-encoded.
  /// - Returns: An absolute URL.
  /// - Throws: ``RequestError``: `invalidRequest` for values that no URL can hold, `missingUID` for an empty value,
  ///   `noStore`, `notInstalled`; `StoreError` of kind `invalidValue` for parts that the uid of the entity does not
  ///   have.
  public static func resource(uid: CompositeUID, _ segments: String...) throws -> String {
    let path = try UIDPath(uid, of: Self.self)
    return try RequestBuilder(client: try? Client.current).url(Self.self, path: path, segments).absoluteString
  }
}
