import EntityJSON
import EntityStore

/// The purpose of a request: the meaning of its response to the store.
enum ExchangePurpose<E: RemoteEntity>: Sendable {
  /// A request on the entity type, or on a resource of no particular object: the uids in the response name its objects.
  /// The answer to HEAD has none.
  case collection
  /// A read of a relationship of an object: the objects of the response get a link to that object.
  case relationship(RelationshipOwner)
  /// A read of an object at its own URL, or a write of it: the answer is about this object.
  case object(RequestedObject<E>)
  /// A page of a collection.
  case page(PageStep)
  /// A DELETE, with the row to delete; `nil` when the URL is not the URL of an object.
  case deletion(RowRemoval<E>?)

  /// Called when the answer was taken in: removes the acknowledged edits from the object that sent them, and from the
  /// new objects in its body.
  func settle(_ object: E) {
    guard case .object(let requested) = self, let sent = requested.sent else { return }
    object.tellingObservers { sent.settle(object) }
    for edits in requested.children.flatMap(\.allEdits) { edits.settleChild(of: object) }
  }

  /// Called when no answer will come: the edits stay.
  func end(_ object: E) {
    guard case .object(let requested) = self else { return }
    requested.sent?.end(object)
    for edits in requested.children.flatMap(\.allEdits) { edits.endChild(of: object) }
  }

  /// The edits that a POST carries, for an object that was made here.
  var created: SentEdits? { if case .object(let object) = self, object.isCreation { object.sent } else { nil } }

  /// The statuses besides 2xx that mean success of this request.
  func alsoSuccess(_ response: HTTPResponse, _ core: StoreCore) async throws -> Set<Int> {
    if case .page(let page) = self, page.mayEndOutOfRange(response) { return [PageStep.outOfRange] }
    guard case .deletion(let removal?) = self else { return [] }
    // The object was deleted here, so 404 means that both sides agree.
    if response.status == 404, try await core.isDeletedHere(removal.row) { return removal.alsoSuccess.union([404]) }
    return removal.alsoSuccess
  }
}

extension EnvelopeChoice {
  /// The envelope of the response to a request with a purpose. The server has done a DELETE already, so an envelope that can't
  /// be chosen is none.
  ///
  /// - Throws: The errors of a route's closure, unless the request is a DELETE.
  func envelope<E: RemoteEntity>(
    of response: HTTPResponse, _ body: JSONValue?, to purpose: ExchangePurpose<E>
  ) throws -> Envelope {
    guard case .deletion(let removal) = purpose else { return try envelope(of: response, body) }
    guard removal?.isByQuery == true, body != nil else { return .wholeBody }
    return (try? envelope(of: response, body)) ?? .wholeBody
  }
}

/// The object that a request was made on.
struct RequestedObject<E: RemoteEntity>: Sendable {
  /// The id of the object. A single object in the response is this object, unless it names another uid.
  let id: EntityID<E>
  /// True when the object had no row yet when the request was made.
  let isUnsaved: Bool
  /// The URLs of the entity's objects, for a POST of an object without uid: the answer's header `Location` may be one
  /// of them.
  var posted: ObjectURLs<E>?
  /// The edits that the request carries; `nil` for a read, and when it carries none.
  let sent: SentEdits?
  /// The relationships whose values in the body contain objects that the server does not know.
  var children: [SentChildren] = []
  /// True for a POST of an object that was made here.
  var isCreation = false
  /// Whether the object is searched for in its collection, so that the response is a list.
  var isSearched = false
  /// The edits that the server may not have, although it has answered.
  var doubt: ReplayDoubt?
}
