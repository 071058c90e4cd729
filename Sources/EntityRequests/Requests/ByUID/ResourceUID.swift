public import EntityStore
public import HTTPFoundation

/// A uid by which a request names an object: an integer, a text, a UUID, or a `CompositeUID`.
///
/// A project's own type of uids may conform to it.
public protocol ResourceUID: Sendable {
  /// The segments that stand for the uid in a path, in their order and not percent-encoded; a uid of one value has one.
  ///
  /// - Parameter entity: The entity of the object.
  func uidSegments(of entity: any RemoteEntity.Type) throws -> [String]
}

extension ResourceUID where Self: BinaryInteger {
  public func uidSegments(of entity: any RemoteEntity.Type) -> [String] { ["\(self)"] }
}

extension CompositeUID: ResourceUID {
  /// A segment for each part, in the order of their declaration.
  ///
  /// - Throws: ``RequestError``: `missingUID` for an empty part, `noStore`, `notInstalled`; `StoreError` for parts that
  ///   the uid of the entity does not have.
  public func uidSegments(of entity: any RemoteEntity.Type) throws -> [String] {
    try UIDPath(self, of: entity).parts.map(\.text)
  }
}

extension Int: ResourceUID {}
extension Int8: ResourceUID {}
extension Int16: ResourceUID {}
extension Int32: ResourceUID {}
extension Int64: ResourceUID {}
extension UInt: ResourceUID {}
extension UInt8: ResourceUID {}
extension UInt16: ResourceUID {}
extension UInt32: ResourceUID {}
extension UInt64: ResourceUID {}

extension String: ResourceUID {
  public func uidSegments(of entity: any RemoteEntity.Type) -> [String] { [self] }
}

extension UUID: ResourceUID {
  /// In lower case (RFC 9562 §4).
  public func uidSegments(of entity: any RemoteEntity.Type) -> [String] { [uuidString.lowercased()] }
}

extension RemoteEntity {
  /// The resource of the object with a uid, or of something below it, for any verb of this entity, of another entity or
  /// of the client.
  ///
  /// ```swift
  /// try User.resource(uid: 7)                       // https://api.example.com/users/7
  /// try User.resource(uid: 7, "avatars", name)      // …/users/7/avatars/a%2Fb
  /// ```
  ///
  /// - Parameters:
  ///   - uid: The uid.
  ///   - segments: The segments behind the uid, not percent-encoded. The URL ends as the URL of an object does; see
  ///     ``TrailingSlash``.
  /// - Returns: An absolute URL, in which each text is percent-encoded.
  /// - Throws: ``RequestError``: `missingUID` for a uid that is empty; `invalidRequest` for a text that no segment of a path
  ///   can hold, such as `..`; `notInstalled` when the base path is relative and there is no client.
  public static func resource(uid: some ResourceUID, _ segments: String...) throws -> String {
    let builder = RequestBuilder(client: try? Client.current)
    return try builder.url(Self.self, uid: uid, segments).absoluteString
  }

  /// A request about the object with a uid, to be changed and sent with any HTTP client.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - uid: The uid. No character of it has a meaning in the URL.
  ///   - query: Added to the query of the base path.
  /// - Throws: ``RequestError`` as `resource(uid:)`.
  public static func request(
    _ method: HTTPMethod, uid: some ResourceUID, query: QueryParameters = [:]
  ) throws -> URLRequest {
    try request(method, resource(uid: uid), query: query)
  }
}

extension RequestBuilder {
  /// The URL of the object with a uid, or of something below it.
  func url<E: RemoteEntity>(_ type: E.Type, uid: some ResourceUID, _ segments: [String]) throws -> URL {
    try url(type, path: UIDPath(uid, of: type), segments)
  }

  /// - Throws: ``RequestError`` of kind `invalidRequest` for a text that no segment can hold.
  func url<E: RemoteEntity>(_ type: E.Type, path: UIDPath, _ segments: [String]) throws -> URL {
    for segment in segments { _ = try String(pathSegment: segment) }
    return try url(type, nil, uid: path, segments: segments)
  }
}
