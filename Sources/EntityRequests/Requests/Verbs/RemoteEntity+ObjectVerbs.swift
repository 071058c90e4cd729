import EntityStore
public import HTTPFoundation

/// The verbs on an object. They use the store of the object. Without a resource they use its own URL, base path and
/// uid, or for POST the collection. Parameters and errors are the same as for the type's verbs. The verbs also throw
/// ``RequestError`` of kind `missingUID` when the URL needs a uid and there is none, and the errors of
/// ``jsonObject(for:)``.
///
/// The answer to POST, PUT and PATCH is about this very object: a new object gets its uid from the answer. The answer
/// acknowledges the edits that were sent. Edits that were not sent, and edits that were made since, stay edits. A PUT
/// or PATCH to the object's own URL, however it was named, has sent the uid. An answer with 202 and without an object
/// acknowledges nothing: the server has done nothing yet, and the edits stay.
///
/// POST, PUT and PATCH that name properties send the JSON object that ``jsonObject(for:)`` makes of them, under the
/// entity's ``requestRootKey`` if it has one. The answer acknowledges the edits of exactly these properties, with the
/// values that were sent. If `modify` makes another body, or edits the object, the body is read for the object's
/// properties. For a list of properties that is made at run time, other methods, events and completion handlers, use
/// `sending(…)`.
///
/// POST, PUT, PATCH and DELETE of one object take turns: the second one waits for the answer to the first, even if that
/// is an error. Requests of other objects go on. A request is made when its turn comes, with the values that the object
/// has by then. So `modify` is called late, and a value that its caller read before the call is an old one:
///
/// ```swift
/// async let first = user.put(\.email)
/// user.email = "new@example.com"
/// try await user.put { try $0.setJSON(user.jsonObject(for: \.email)) }      // after the first one, with "new@example.com"
/// ```
/// A task that is cancelled while it waits leaves the line, and nothing is sent. Some requests do not wait: those with
/// ``ResponseOptions/atOnce``, a GET, the verbs of the type, and a request that an adapter makes while it sends another
/// one.
extension RemoteEntity {
  /// Gets this object anew.
  @discardableResult
  public nonisolated(nonsending) func get(
    _ resource: String? = nil, query: QueryParameters = [:], options: ResponseOptions<Self> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.get, to: resource, query: query, options: options).run(modify, progress)
  }

  /// Asks for the headers alone. The store is left as it is.
  ///
  /// - Parameters:
  ///   - resource: `nil` means the object's own URL; otherwise as in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the URL.
  ///   - allowed: Where the resource may lead; see ``ResourceAllowance``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func head(
    _ resource: String? = nil, query: QueryParameters = [:], allowing allowed: ResourceAllowance = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.head, to: resource, query: query, options: .allowing(allowed)).run(modify, progress)
  }

  /// Posts properties of this object to its collection, or the body that `modify` puts into the request. The answer
  /// gives the object its uid.
  ///
  /// If another POST has made the object while a POST to the collection waited for it, the second one throws
  /// ``RequestError`` of kind `invalidRequest`: it would make a second object.
  ///
  /// ```swift
  /// try await user.post(\.email, \.firstName)     // {"email":"ada@example.com","first":"Ada"}
  /// try await user.post { try $0.setMultipart(user.jsonObject(for: \.email), [.file("photo", photo)]) }
  /// try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) }     // with its new tenders
  /// ```
  /// New objects that the body nests get their uids, too, also with PUT and PATCH. An object of the answer with the
  /// same values as a sent object is that object. The other objects are matched by their order in the list. If the
  /// answer does not have a relationship, its new objects stay as they were.
  ///
  /// - Throws: ``RequestError`` of kind `upsert` also when the object has no uid yet and the answer has several
  ///   objects, and when a list has another number of new objects than were sent. Nothing is written then.
  @discardableResult
  public nonisolated(nonsending) func post(
    _ properties: PartialKeyPath<Self>..., to resource: String? = nil, query: QueryParameters = [:],
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.post, body(properties), to: resource, query: query, options: options).run(modify, progress)
  }

  /// Puts properties of this object to its URL, or the body that `modify` sets in the request.
  ///
  /// ```swift
  /// try await user.put(\.email)     // {"email":"ada@example.com"}
  /// ```
  @discardableResult
  public nonisolated(nonsending) func put(
    _ properties: PartialKeyPath<Self>..., to resource: String? = nil, query: QueryParameters = [:],
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.put, body(properties), to: resource, query: query, options: options).run(modify, progress)
  }

  /// Patches this object at its URL with some of its properties, or with the body that `modify` puts into the request.
  ///
  /// ```swift
  /// try await user.patch(\.email)     // {"email":"ada@example.com"}
  /// ```
  @discardableResult
  public nonisolated(nonsending) func patch(
    _ properties: PartialKeyPath<Self>..., to resource: String? = nil, query: QueryParameters = [:],
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.patch, body(properties), to: resource, query: query, options: options).run(modify, progress)
  }

  /// Deletes this object on the server and then its row here: on success, and on 410, which says that the object is
  /// gone already. With a resource that is not the object's URL the row stays.
  ///
  /// A row that a delete rule holds, or that another object requires, stays too. The verb throws no error then, because
  /// the server has deleted the object: `counts.denied` is 1, and `skipped` names the object.
  ///
  /// Where the query of the URL names the object, further fields are filters, such as `version=eq.3`. A response without a
  /// body, as with status 204, then leaves the row: nothing says whether the filters matched.
  ///
  /// - Parameters:
  ///   - resource: `nil` means the object's own URL; otherwise as in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the URL.
  ///   - deletesOn404: Whether a 404 means that the object is gone; otherwise it is thrown as any failure.
  ///   - allowed: Where the resource may lead; see ``ResourceAllowance``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func delete(
    _ resource: String? = nil, query: QueryParameters = [:], deletesOn404: Bool = false,
    allowing allowed: ResourceAllowance = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.delete, to: resource, query: query, options: .deleting(allowed, on404: deletesOn404))
      .run(modify, progress)
  }
}
