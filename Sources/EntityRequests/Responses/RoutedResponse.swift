public import EntityJSON
public import EntityStore
public import Foundation

/// The result of a request that names no type: the model that a ``Route`` of the client leads to, and the response itself.
///
/// ```swift
/// // routes: [.entity(User.self, at: "users"), .value(Session.self, at: "sessions", .post)]
/// let users = try await client.get("users").objects(of: User.self)
/// let session = try await client.post("sessions") { … }.value(as: Session.self)
/// ```
///
/// A client without routes to models reads each body as JSON. The response is Sendable; its objects are read on the
/// main actor.
public struct RoutedResponse: Sendable {
  enum Content: Sendable {
    /// There was no body, or the body of a DELETE that no route reads.
    case none
    case json(JSONValue)
    case value(any Sendable)
    case entities(any RoutedObjects)
  }

  let content: Content
  public let status: Int
  public let headers: HTTPHeaders
  /// The URL that answered.
  public let url: URL?
  /// The whole body as parsed, envelope included; `nil` when there was none, or for DELETE when it is not JSON. It keeps
  /// the body in memory.
  public let json: JSONValue?
  /// The transport's figures of the request; `nil` when it measures nothing.
  public let metrics: TransferMetrics?
  let decoder: JSONValueDecoder
}

/// The response of an entity, for code that does not know the entity.
protocol RoutedObjects: Sendable {
  var entityName: String { get }
  var skipped: SkippedChanges { get }
  var unrecognized: [UnrecognizedValue] { get }
  var store: EntityStore? { get }
  func allIDs<T: ManagedEntity>(of type: T.Type) -> [EntityID<T>]
  func allCounts<T: ManagedEntity>(of type: T.Type) -> EntityCounts
}

// MARK: Objects

extension RoutedResponse {
  /// The store that has the objects; `nil` for a response without any.
  var store: EntityStore? { objects?.store }

  private var objects: (any RoutedObjects)? { if case .entities(let objects) = content { objects } else { nil } }

  /// The objects of an entity that the response has, in its order, each once: the objects of the route, and of its
  /// parts.
  ///
  /// - Parameter type: The entity. The result is empty for an entity that the route does not name.
  public func ids<T: ManagedEntity>(of type: T.Type) -> [EntityID<T>] { objects?.allIDs(of: type) ?? [] }

  /// The counts of these objects.
  ///
  /// - Parameter type: The entity.
  public func counts<T: ManagedEntity>(of type: T.Type) -> EntityCounts {
    objects?.allCounts(of: type) ?? EntityCounts()
  }

  /// These objects as the main context has them. Objects that were deleted since are left out. Isolation: the main
  /// actor.
  ///
  /// - Parameter type: The entity.
  /// - Throws: `StoreError`; ``RequestError`` of kind `storeGone`.
  @MainActor public func objects<T: ManagedEntity>(of type: T.Type) throws -> [T] {
    guard let objects else { return [] }
    guard let store = objects.store else { throw RequestError(.storeGone, "The store of this response is gone.") }
    return try store.main.objects(ids(of: type))
  }

  /// The result that the verb of an entity would have returned.
  ///
  /// - Parameter type: The entity of the route; ``EntityDocument`` when the route names parts alone.
  /// - Throws: ``RequestError`` of kind `mapping` when the route leads to something else, or there was no body.
  public func entities<E: RemoteEntity>(_ type: E.Type = E.self) throws -> EntityResponse<E> {
    if case .entities(let objects) = content, let response = objects as? EntityResponse<E> { return response }
    throw mismatch("objects of '\(E.entityName)'")
  }

  /// The changes of the response that the store did not take, with the reasons.
  public var skipped: SkippedChanges { objects?.skipped ?? SkippedChanges() }

  /// Raw values that no case of their property's enum has; see ``EntityResponse/unrecognized``.
  public var unrecognized: [UnrecognizedValue] { objects?.unrecognized ?? [] }
}

// MARK: Values

extension RoutedResponse {
  /// The value that the route leads to; a JSONValue without a route, and for a route to JSON.
  ///
  /// - Parameter type: The type of the route. An Optional of it is `nil` when there was no body.
  /// - Throws: ``RequestError`` of kind `mapping` when the route leads to another type, or there was no body.
  public func value<Value>(as type: Value.Type = Value.self) throws -> Value {
    switch content {
    case .value(let value): if let value = value as? Value { return value }
    case .json(let value): if let value = value as? Value { return value }
    case .none: if let type = type as? any OptionalValue.Type, let none = type.none as? Value { return none }
    case .entities: break
    }
    throw mismatch("a '\("\(Value.self)".prefix(200))'")
  }

  /// A part of the whole body: metadata that stands beside the objects or the value.
  ///
  /// - Parameters:
  ///   - type: Any Decodable type. An Optional is `nil` when the body or the key path is absent.
  ///   - keyPath: Where the metadata stands in the whole body; `nil` means the whole body.
  /// - Throws: ``RequestError`` of kind `envelope` when the key path is absent, and of kind `mapping` when the value is not
  ///   of the type, or there is no body.
  public func meta<Meta: Decodable>(_ type: Meta.Type = Meta.self, at keyPath: String? = nil) throws -> Meta {
    do {
      return try BodyReading(decoder: decoder).metadata(type, in: json, at: keyPath)
    } catch let error as RequestError {
      throw error.about(nil, url)
    }
  }

  private func mismatch(_ wanted: String) -> RequestError {
    let found =
      switch content {
      case .none: "has no body"
      case .json: "is JSON, since no route names a type; name one with the verb, `as:`, or in the client's routes"
      case .value(let value): "is a '\("\(type(of: value))".prefix(200))' by its route"
      case .entities(let objects): "has objects of '\(objects.entityName)' by its route"
      }
    return RequestError(.mapping, "The response \(found): \(wanted) was asked for.").about(nil, url)
  }
}

extension RoutedResponse: CustomStringConvertible, CustomReflectable {
  /// The model's type, status and URL, with no values of the query and nothing of the body.
  public var description: String {
    let name =
      switch content {
      case .none: "no body"
      case .json: "JSON"
      case .value(let value): "\(type(of: value))"
      case .entities(let objects): objects.entityName
      }
    return "\(name): status \(status)\(url.map { " from \($0.shown)" } ?? "")"
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension EntityResponse: RoutedObjects {
  var entityName: String { Entity.entityName }

  /// The response's own objects, and the objects of its parts.
  func allIDs<T: ManagedEntity>(of type: T.Type) -> [EntityID<T>] {
    let others = ids(of: type)
    guard let own = ids as? [EntityID<T>] else { return others }
    guard !others.isEmpty else { return own }
    let known = Set(own)
    return own + others.filter { !known.contains($0) }
  }

  func allCounts<T: ManagedEntity>(of type: T.Type) -> EntityCounts {
    var all = counts(of: type)
    if type == Entity.self { all.add(counts) }
    return all
  }
}
