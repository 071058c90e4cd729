import EntityStore

/// The purpose of a request: the meaning of its response to the store.
enum ExchangePurpose<E: RemoteEntity>: Sendable {
  /// A request on the entity type, or on a resource that is about no object in particular: the objects of the response
  /// are those that their uids name. The answer to HEAD has none.
  case collection
  /// A read of a relationship of an object: the objects of the response get their way back to it.
  case relationship(RelationshipOwner)
  /// A read of an object at its own URL, or a write of it: the answer is about this object.
  case object(RequestedObject<E>)
  /// A page of a collection.
  case page(PageStep)
  /// A DELETE, with the row that goes; `nil` where the URL is not that of an object.
  case deletion(RowRemoval<E>?)

  /// The answer was taken in: the edits that it acknowledges leave the object that sent them, and the new ones in its body.
  func settle(_ object: E) {
    guard case .object(let requested) = self, let sent = requested.sent else { return }
    object.tellingObservers { sent.settle(object) }
    for edits in requested.children.flatMap(\.allEdits) { edits.settleChild(of: object) }
  }

  /// There will be no answer: the edits stay.
  func end(_ object: E) {
    guard case .object(let requested) = self else { return }
    requested.sent?.end(object)
    for edits in requested.children.flatMap(\.allEdits) { edits.endChild(of: object) }
  }

  /// The edits that a POST of an object which was made here carries.
  var created: SentEdits? { if case .object(let object) = self, object.isCreation { object.sent } else { nil } }

  /// The statuses besides 2xx that mean success of this request.
  func alsoSuccess(_ response: HTTPResponse, _ core: StoreCore) async throws -> Set<Int> {
    guard case .deletion(let removal?) = self else { return [] }
    // Both sides agree that an object is gone which was deleted here.
    if response.status == 404, try await core.isDeletedHere(removal.row) { return removal.alsoSuccess.union([404]) }
    return removal.alsoSuccess
  }
}

/// The object that a request was made on.
struct RequestedObject<E: RemoteEntity>: Sendable {
  /// The object that a single object in the response is, unless it names another uid.
  let id: EntityID<E>
  /// Whether it had no row yet when the request was made.
  let isUnsaved: Bool
  /// The URLs of the entity's objects, where the request posts an object without uid: the answer's header `Location` may be
  /// one of them.
  var posted: ObjectURLs<E>?
  /// The edits that the request carries; `nil` for a read, and where it carries none.
  let sent: SentEdits?
  /// The relationships in whose value the body has objects that the server does not know.
  var children: [SentChildren] = []
  /// Whether it is a POST of an object that was made here.
  var isCreation = false
  /// What of them the server may not have, although it has answered.
  var doubt: ReplayDoubt?
}
