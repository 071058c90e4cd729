public import EntityStore
import HTTPFoundation

extension QueryRow where E: RemoteEntity {
  /// Whether the object is a member of a stored collection.
  ///
  /// `Post.where { $0.isRead == false && $0.isMember(of: Post.feed) }`
  /// // … WHERE (… AND t0._pk IN (SELECT m.pk FROM main._entity_members AS m WHERE m.collection = …)) …
  ///
  /// The list is that of the client, and of the account, in the task that makes the query. A live query hears of each
  /// change of the list.
  public func isMember(of collection: StoredCollection<E>) -> EntityPredicate {
    do { return isMember(ofCollection: try collection.key(Client.current).text) } catch {
      return .invalid(StoreError.notListed(error))
    }
  }
}

extension RemoteEntity {
  /// The members of a stored collection, in the order of the list.
  ///
  /// ```swift
  /// let first = try context.fetch(Post.members(of: Post.feed).limited(to: 50))
  /// for await change in store.changes(of: Post.members(of: Post.feed)) { … }      // differences by id
  /// ```
  ///
  /// With a limit, SQLite goes through no more members than it has to. A commit that does not change the list runs no live
  /// query for it. The list is that of the client, and of the account, in the task that makes the query; without a client
  /// the query throws when it runs.
  public static func members(of collection: StoredCollection<Self>) -> EntityQuery<Self> {
    do { return EntityQuery(membersOf: try collection.key(Client.current).text) } catch {
      return EntityQuery(invalid: StoreError.notListed(error))
    }
  }
}

extension StoredCollection {
  /// The name of the list.
  ///
  /// - Throws: ``RequestError``; the errors of the closure that changes the requests.
  func key(_ client: Client) throws -> AnswerKey {
    let builder = RequestBuilder(client: client)
    let plain = try builder.request(E.self, .get, builder.url(E.self, resource, query: query))
    var request = plain
    try builder.modify(E.self, &request, of: resource, options.allowed, modify)
    let routes = RequestRoutes(client, .get, request.url)
    let envelope = EnvelopeChoice(E.self, request: options.envelope, routes, client).declared
    return try AnswerKey(listOf: E.self, request, changedFrom: plain, envelope, client.accountName)
  }
}

extension StoreError {
  fileprivate static func notListed(_ error: any Error) -> StoreError {
    StoreError(.invalidQuery, "Which stored collection is meant, could not be told: \(RequestError.shown(error))")
  }
}
