public import EntityJSON
import EntityStore

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The verbs that send exactly what is pending: the properties that were edited here, saved or not, and that the server has
/// not acknowledged.
///
/// A list of objects without uid has no value to send and is left out; so are edits of embedded objects, which are changes of
/// their own. Parameters and errors are those of ``patch(_:_:to:query:options:modify:progress:)``.
extension RemoteEntity {
  /// The pending properties under the keys that responses have them under; empty where none is pending.
  ///
  /// ```swift
  /// user.email = "ada@example.com"
  /// try user.pendingJSONObject()     // {"email":"ada@example.com"}
  /// ```
  /// - Throws: As `jsonObject(for:)`.
  public func pendingJSONObject() throws -> JSONObject { try jsonObject(for: pendingProperties) }

  /// Patches this object at its URL with its pending properties. The answer acknowledges them, as they were sent.
  ///
  /// - Returns: `nil` where none is pending: no request is sent.
  @discardableResult
  public nonisolated(nonsending) func patchPending(
    to resource: String? = nil, query: QueryParameters = [:], options: ResponseOptions<Self> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self>? {
    let properties = pendingProperties
    if properties.isEmpty { return nil }
    return try await run(.patch, resource, query, options, modify, progress, sending: properties)
  }

  /// Posts this object to its collection with the properties that were set; the answer gives it its uid.
  @discardableResult
  public nonisolated(nonsending) func postPending(
    to resource: String? = nil, query: QueryParameters = [:], options: ResponseOptions<Self> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.post, resource, query, options, modify, progress, sending: pendingProperties)
  }

  private var pendingProperties: [PartialKeyPath<Self>] {
    let model = _$state.model
    return pendingColumns.mask.indices.compactMap { index in
      if case .toMany = model.properties[index].kind { return nil }
      return model.properties[index].keyPath as? PartialKeyPath<Self>
    }
  }
}
