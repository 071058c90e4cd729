public import EntityJSON
public import EntityStore
public import Foundation

/// The result of a request: the objects of the response by their ids, the changes in the store, and the response
/// itself.
///
/// The response is Sendable. Its objects are read with ``objects`` on the main actor, or by their ids in another
/// context.
public struct EntityResponse<Entity: RemoteEntity>: Sendable {
  /// The objects of the response in its order, each once.
  public let ids: [EntityID<Entity>]
  public let counts: EntityCounts
  var details: ResponseDetails
  public let status: Int
  public let headers: HTTPHeaders
  /// The URL that answered.
  public let url: URL?
  /// The whole body as parsed, envelope included; `nil` when there was none, or for DELETE when it is not JSON.
  public let value: JSONValue?
  let parts: PartOutcomes
  let store: EntityStore?
  /// Reads metadata.
  let decoder: JSONValueDecoder
  /// The URL in the header `Location`, resolved against the URL of the response (RFC 9110 §10.2.2). With status 201 it
  /// is the URL of the new resource. `nil` without the header.
  public var location: URL? { details.location }
  /// True when the object that was posted still has no uid: neither the body nor the header `Location` named one, so
  /// nothing tells the object apart from others of the server. `false` for all other requests.
  public var lacksUID: Bool { details.lacksUID }
  /// The token of the next page, for a page of ``EntityPages``; `nil` for the last page, and for all other responses.
  public internal(set) var next: PageToken?

  /// Raw values that no case of their property's enum has: the server knows them and the app does not. Rows keep them.
  /// The types of objects that were passed over are listed too; see ``Discriminator`` and ``ResponsePart``.
  public var unrecognized: [UnrecognizedValue] { details.unrecognized }

  /// The changes of the response that the store did not take, or that an unsaved edit hides, with the reasons and the
  /// values: why a row was not updated, or why an object does not show the new value.
  ///
  /// The store does not know unsaved edits, so only a call on the main actor reports these.
  ///
  /// ```swift
  /// print(response.skipped)
  /// // User 7: email was edited here and not yet acknowledged: here "mine", there "old" as before
  /// response.skipped.of(user.entityID).first?.reason // .locallyEdited
  /// ```
  public var skipped: SkippedChanges { details.skipped }

  /// The keys that the entity declares and no object of the response had: keys that the server leaves out, and misspelt
  /// keys.
  ///
  /// ```swift
  /// print(response.absentKeys)  // ["subjct"]: the property was declared with @Key("subjct")
  /// ```
  ///
  /// Empty when the response had no object, and for an entity that updates by hand. Keys of nested entities are not
  /// listed.
  public var absentKeys: [String] { details.absentKeys }

  /// The transport's figures of the request; `nil` when it measures nothing, and for objects that are from the store
  /// alone.
  public var metrics: TransferMetrics? { details.metrics }

  /// Where the objects are from; see ``CachePolicy``. A response from the store has no counts and no ``value``. Its
  /// headers are the few that the store keeps of an answer, for its comparison and its freshness.
  public var origin: ResponseOrigin { details.origin }

  /// Called when the main context has the response. Adds the unsaved edits that hide values of the response to
  /// ``skipped``.
  @MainActor mutating func noteUnsavedEdits() {
    guard let written = details.written, let store else { return }
    details.skipped.add(store.unsavedEdits(over: written))
    details.written = nil
  }

  /// The objects of the response as the main context has them, in the order of ``ids``. Objects that were deleted since
  /// are left out. Isolation: the main actor.
  ///
  /// - Throws: `StoreError`; ``RequestError`` of kind `storeGone`.
  @MainActor public var objects: [Entity] {
    get throws {
      guard let store else { throw RequestError(.storeGone, "The store of this response is gone.") }
      return try store.main.objects(ids)
    }
  }

  /// The first of ``objects``. Isolation: the main actor. A function that returns the object is marked `@MainActor`; a
  /// function without that mark returns `ids.first`.
  @MainActor public var object: Entity? {
    get throws {
      guard let store else { throw RequestError(.storeGone, "The store of this response is gone.") }
      return try store.main.objects(Array(ids.prefix(1))).first
    }
  }
}
