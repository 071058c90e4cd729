public import EntityJSON
package import EntityStore
public import HTTPFoundation

/// The verbs that send exactly the pending properties: properties that were edited here, saved or not, and that the
/// server has not acknowledged. The order of a list counts as a property. A relationship to embedded objects is pending
/// if one of these objects has pending edits, at any depth: the objects are sent with their parent.
///
/// The properties are read when the object's turn has come. Parameters and errors are the same as for
/// ``patch(_:to:query:options:modify:progress:)``.
extension RemoteEntity {
  /// The pending properties under the keys of requests; empty when no property is pending. The uid is among them only
  /// for an object that the server does not have yet. Otherwise the URL has it.
  ///
  /// ```swift
  /// user.email = "ada@example.com"
  /// try user.pendingJSONObject()     // {"email":"ada@example.com"}
  /// ```
  /// - Throws: As `jsonObject(for:)`.
  public func pendingJSONObject() throws -> JSONObject { try jsonObject(for: pendingProperties(withUID: isMadeHere)) }

  /// Patches this object at its URL with its pending properties, without the uid, which the URL has. The answer
  /// acknowledges the values that were sent.
  ///
  /// - Returns: `nil` when no property is pending: no request is sent.
  @discardableResult
  public nonisolated(nonsending) func patchPending(
    to resource: String? = nil, query: QueryParameters = [:], options: ResponseOptions<Self> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self>? {
    try await request(.patch, isAtOnce: options.isAtOnce) { object, client, _, modify in
      let properties = object.pendingProperties(withUID: false)
      // An object that was made here with nothing but its uid is pending, too.
      if properties.isEmpty, object.pendingColumns.isEmpty { return MadeRequest { _ in nil } }
      return try object.made(
        ResourceRequest(.patch, resource, query, options), properties, client, mustBeNew: false, modify
      ).map { $0 }
    }.run(modify, progress)
  }

  /// Posts this object to its collection with the properties that were set. The answer gives the object its uid. An object
  /// that a request of an outbox creates, or may have created, is not posted: ``RequestError`` of kind `invalidRequest`.
  @discardableResult
  public nonisolated(nonsending) func postPending(
    to resource: String? = nil, query: QueryParameters = [:], options: ResponseOptions<Self> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await request(.post, isAtOnce: options.isAtOnce) { object, client, isNew, modify in
      let properties = object.pendingProperties(withUID: true)
      return try object.made(
        ResourceRequest(.post, resource, query, options), properties, client, mustBeNew: isNew, modify)
    }.run(modify, progress)
  }

  private func pendingProperties(withUID: Bool) -> [PartialKeyPath<Self>] {
    keyPaths(of: sendableColumns(withUID: withUID))
  }

  func keyPaths(of mask: ColumnMask) -> [PartialKeyPath<Self>] {
    mask.indices.compactMap { _$state.model.properties[$0].keyPath as? PartialKeyPath<Self> }
  }

  /// The pending properties that a body has.
  package func sendableColumns(withUID: Bool) -> ColumnMask {
    let model = _$state.model
    let pending = pendingColumns.mask
    return model.properties.reduce(into: ColumnMask()) { mask, property in
      guard !property.isHidden, withUID || !model.identity.contains(property.index),
        pending.contains(property.index) || property.leadsToEmbedded && SentEmbedded.areEdited(in: self, property)
      else { return }
      // The links of the members say the same.
      if case .toMany = property.kind, !property.isOrdered, !property.isCounterpart, !property.leadsToEmbedded {
        return
      }
      mask.insert(property.index)
    }
  }
}
