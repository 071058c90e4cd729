public import EntityStore
public import HTTPFoundation

/// The known objects, and then the objects of the server: a sequence of one or two responses.
///
/// ```swift
/// for try await response in try User.cachedThenNetwork(query: ["page": 1]) {
///   show(try response.objects, isOld: response.origin != .network)
/// }
/// ```
///
/// Without a known answer, the response of the server is the only one. The first response may be of any age, and writes
/// nothing: both responses have the objects of the store, so an old answer never overwrites newer values. An error of
/// the request is thrown after the known response, and ends the sequence; ``RequestError/cached(as:)`` has the known
/// response again. Each iteration begins anew, and sends nothing before the second response is asked for.
public struct CachedResponses<Entity: RemoteEntity>: AsyncSequence, Sendable {
  public typealias Element = EntityResponse<Entity>
  public typealias Failure = any Error

  let exchange: CachedExchange<Entity>
  let store: EntityStore

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Reads the known answer, and then asks the server.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private enum Next { case known, server, end }

    private let responses: CachedResponses
    private var next = Next.known

    init(_ responses: CachedResponses) { self.responses = responses }

    /// The next response; `nil` after the server's.
    ///
    /// - Throws: ``RequestError``; `StoreError`; `CancellationError`.
    public mutating func next() async throws -> EntityResponse<Entity>? {
      do { return atCaller(try await next(isolation: #isolation)) } catch { throw atCaller(error) }
    }

    /// As ``next()``. On the main actor the objects of the main context are up to date when it returns.
    ///
    /// - Parameter actor: The actor of the caller.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> EntityResponse<Entity>? {
      guard next != .end else { return nil }
      let givesKnown = next == .known
      // A failure ends the sequence.
      next = .end
      let exchange = responses.exchange
      let response: EntityResponse<Entity>
      do {
        if givesKnown, let known = try await exchange.knownResponse() {
          response = known
          next = .server
        } else {
          response = try await exchange.run()
        }
      } catch {
        throw atCaller(error)
      }
      return MainMerge.merged(response, actor)
    }
  }
}

extension RemoteEntity {
  /// The objects of an earlier answer to the same request, and then the objects of the server; see ``CachedResponses``
  /// and ``CachePolicy``.
  ///
  /// The request is made now, by the client of the calling task. Nothing is sent yet.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``. A cache policy among them is ignored.
  ///   - modify: Changes the request after all defaults.
  ///   - progress: Called on any thread with the progress of the request; see ``RequestProgress``.
  /// - Throws: ``RequestError``; the errors of `modify`.
  public static func cachedThenNetwork(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) throws -> CachedResponses<Self> {
    let client = try Client.current
    let store = try store ?? client.store
    let exchange = try EntityExchange<Self>(
      ResourceRequest(.get, resource, query, [options, .cache(.networkOnly)]), client, store, modify)
    return CachedResponses(exchange: try CachedExchange(exchange.heard(by: progress), .networkOnly), store: store)
  }
}
