public import EntityRequests
public import HTTPFoundation

/// A request that carries several changes, for a service that has an endpoint for it.
///
/// ```swift
/// struct ShopBatch: OutboxBatch {
///   func request(for requests: [URLRequest]) throws -> URLRequest {
///     var request = try Client.current.request(.post, "batch")
///     try request.setJSON(JSONValue(requests.map { JSONValue(…) }))
///     return request
///   }
///   func responses(to requests: [URLRequest], in response: HTTPResponse) throws -> [HTTPResponse?] { … }
/// }
///
/// extension Order: OutboxEntity {
///   static var outbox: OutboxRules<Order> { [.rest, .batch(ShopBatch())] }
/// }
/// ```
///
/// Changes that wait for nothing go together. Each change has a response and an end of its own, as if it had been sent
/// alone. A change that failed before is sent alone. Where the service refuses a whole batch with a status such as 404 or
/// 413, the outbox sends the changes one by one.
///
/// Entities with equal batches share them.
public protocol OutboxBatch: Hashable, Sendable {
  /// The most changes of a request; at least 1. The default is 25.
  var limit: Int { get }

  /// The request that carries those of some changes. The client is `Client.current`.
  ///
  /// - Parameter requests: The requests of the changes, with their bodies, in the order in which the server is to work them
  ///   off.
  func request(for requests: [URLRequest]) throws -> URLRequest

  /// The responses to the requests.
  ///
  /// - Parameters:
  ///   - requests: The requests of the changes.
  ///   - response: The response to the batch, with a status of success.
  /// - Returns: A response for each request, in their order; `nil` for a request that the service says nothing of.
  ///   Its end is unknown then, as that of a request whose answer was lost.
  func responses(to requests: [URLRequest], in response: HTTPResponse) throws -> [HTTPResponse?]
}

extension OutboxBatch {
  public var limit: Int { 25 }
}
