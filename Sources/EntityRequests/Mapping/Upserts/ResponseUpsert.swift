package import EntityJSON
package import EntityStore

/// One response on its way to the rows: everything that the transaction needs.
package struct ResponseUpsert<E: RemoteEntity>: Sendable {
  /// The object, or the array of objects, under the envelope of the response. `nil` when there is no body.
  package var value: JSONValue?
  /// The object that the request was made on. A single object in the response is its row, unless the response names
  /// another object.
  package var target: EntityID<E>?
  /// Whether the target had no row when the request was made. Then the answer makes one; a row that was deleted is not
  /// made again.
  package var targetIsUnsaved = false
  /// The object whose relationship was asked for.
  package var owner: RelationshipOwner?
  /// Whether the target had no uid when the request was made, so that the answer should tell it.
  var awaitsUID = false
  /// The uid of the target in the answer's header `Location`. A uid in the body wins.
  package var locatedUID: StoredValue?
  /// The edits that the request carried.
  package var sent: SentEdits?
  /// The relationships in which the request sent objects that the server did not know.
  var children: [SentChildren] = []
  /// A doubt whether the server has the sent edits, although it has answered.
  var doubt: ReplayDoubt?
  /// The request's entry in the outbox, which the response ends.
  var entry: OutboxEntryEnd?
  /// Whether the server says that it has taken the request and done nothing yet (202, RFC 9110 §15.3.3).
  var isOnlyAccepted = false
  package var sequence: RequestNumber
  /// Whether the request was a write.
  package var isOfWrite = false
  package var missing: MissingObjects<E> = .keep
  package var localEdits: LocalEdits = .keep
  var options = UpsertOptions()
  /// The walk of a response that is one page of many: only rows that all its pages lack are missing.
  package var walk: PageWalk?
  /// The objects of the pages before, where older versions of them may follow.
  var versions: SeenVersions?
  package var parts: [OpenPart] = []
  /// The response that the objects came with; `nil` for objects that no response delivered.
  package var context: ResponseContext?
  /// The note that the answer leaves; `nil` for a request without a cache policy.
  package var note: AnswerDraft?
  /// Finds the uid of an object of an entity by its URL in the response; `nil` for a response without a client.
  var uidAtURL: (@Sendable (EntityModel, String) -> StoredValue?)?
  /// Called at the end of the transaction: the response is a page of a list that the store keeps.
  var listing: ListingEnd?
  /// Whether the response is whole, and the last page of its walk. Then parts may delete missing rows, if that was
  /// asked for.
  package var deletesMissingFromParts = false
  /// The objects when they are streamed; the list in `value` is then empty.
  var list: StreamedList?
  /// The place of the objects in the whole response, when they are only a piece of it.
  var piece: Piece?
  /// Whether objects may go to the file in batches; false after a batch has failed.
  var isBatching = true
  /// Called within the transaction with the fraction that is done, ascending from 0 to 1.
  package var progress: (@Sendable (Double) -> Void)?

  package init(_ value: JSONValue?, sequence: RequestNumber) {
    self.value = value
    self.sequence = sequence
  }

  /// The place in a stream of messages, which is kept with the rows; `nil` for a response.
  var position: StreamPosition?

  /// Whether the whole response has parts.
  var hasParts: Bool { piece?.hasParts ?? !parts.isEmpty }

  /// The whole body, or the values of it that are taken in.
  var roots: [JSONValue] {
    if piece == nil, let root = context?.root { return [root] }
    return [value].compactMap(\.self) + parts.compactMap(\.value)
  }

  var objectCount: Int {
    let own = value.map { $0.array?.count ?? 1 } ?? 0
    return parts.reduce(own) { $0 + ($1.value.map { $0.array?.count ?? 1 } ?? 0) }
  }
}

extension ResponseUpsert {
  /// Lets a response that is no page delete the rows that it lacks. A response without a body says nothing, and deletes
  /// nothing.
  ///
  /// - Throws: ``RequestError`` of kind `upsert` for a body that does not say which objects there are.
  mutating func deleteMissing(_ missing: MissingObjects<E>, _ body: JSONValue?, _ response: HTTPResponse) throws {
    guard body != nil else { return }
    var deletesOwn = false
    if case .deleteMissing = missing { deletesOwn = value != nil }
    let doubt: String? =
      if response.status == 206, deletesOwn || parts.contains(where: { $0.part.missing != nil }) {
        "The response is a part of one (RFC 9110 §15.3.7)."
      } else if deletesOwn, value?.array == nil {
        "The response is one object, no list."
      } else {
        nil
      }
    if let doubt {
      throw RequestError(
        .upsert, "\(doubt) So the missing objects are not known, and nothing was written.", response: response)
    }
    self.missing = missing
    deletesMissingFromParts = true
  }

  /// Reads a list of one object as that object: the answer to a request on an object is about that object, in any form.
  ///
  /// - Parameter isOfNewObject: Whether the request posted an object that has no uid yet.
  /// - Throws: ``RequestError`` of kind `upsert` when the list has several objects, and nothing tells which one was
  ///   posted.
  mutating func takeOnlyElement(isOfNewObject: Bool, _ response: HTTPResponse) throws {
    guard let list = value?.array, missing.scope == nil else { return }
    if list.count == 1 { return value = list.first { _ in true } }
    guard isOfNewObject, list.count > 1, locatedUID == nil else { return }
    throw RequestError(
      .upsert,
      "The answer to a POST of one object has \(list.count) objects, and which of them was posted is not known. Nothing was "
        + "written. Name the one with an envelope, or post to the collection with the type's own verb.",
      response: response)
  }

  /// Makes the response a page of a walk that deletes the rows that no page has. The step of the walk has checked that
  /// each page says which objects there are.
  mutating func join(_ walk: PageWalk, isLast: Bool, hasBody: Bool, _ options: ResponseOptions<E>) {
    self.walk = walk
    guard isLast else { return }
    // The step let a last page with status 204 or 205 pass.
    if !hasBody { readEmptyLists(options.parts) }
    missing = options.missing
    deletesMissingFromParts = true
  }

  /// Reads a page without a body as one without objects.
  private mutating func readEmptyLists(_ parts: [ResponsePart]) {
    if E.self != EntityDocument.self { value = [] }
    self.parts = parts.map { OpenPart(part: $0, value: $0.form == .object ? nil : []) }
  }
}

/// Keeps the place of a page's objects in a list, in the transaction of the page.
typealias ListingEnd = @Sendable (RowWriter, ListedObjects) throws -> Void

/// The objects of a page, as the store has them.
struct ListedObjects {
  /// The row ids in the order of the page, each once. An object that was refused has one if an earlier response brought it, and
  /// one that is deleted here has that of its row.
  let pks: [Int64]
  /// The row ids of objects that left the list.
  let left: Set<Int64>
  /// Whether the page has an object that the server has deleted since the page was asked for.
  let hasGone: Bool
  /// Whether the store has all objects of the page.
  let areAll: Bool
  let sequence: RequestNumber
  /// Whether older requests are under way.
  let hasOlder: Bool
}

/// The changes that a response made in the store.
package struct ResponseOutcome<E: RemoteEntity>: Sendable {
  /// The objects of the response in its order, each once.
  package var ids: [EntityID<E>]
  /// Their rows, and those of the objects that were refused and that the store has from before, or that are deleted here.
  var listed: [Int64] = []
  /// The rows of objects that left the list.
  var left: Set<Int64> = []
  /// Whether an object was passed over, because a newer answer has told of its deletion.
  var hasGone = false
  package var counts: EntityCounts
  var details = ResponseDetails()
  var parts = PartOutcomes()

  package var unrecognized: [UnrecognizedValue] { details.unrecognized }
  package var skipped: SkippedChanges { details.skipped }
}
