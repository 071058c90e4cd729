public import EntityRequests
public import HTTPFoundation

/// A request that carries several changes, for a service that has an endpoint for it.
///
/// ```swift
/// struct ShopBatch: OutboxBatch {
///   func request(for parts: [URLRequest]) throws -> URLRequest {
///     var request = try Client.current.request(.post, "batch")
///     try request.setJSON(JSONValue(parts.map { JSONValue(…) }))
///     return request
///   }
///   func responses(to parts: [URLRequest], in response: HTTPResponse) throws -> [HTTPResponse?] { … }
/// }
///
/// extension Order: OutboxEntity {
///   static var outbox: OutboxRules<Order> { [.rest, .batch(ShopBatch())] }
/// }
/// ```
///
/// Changes that wait for nothing go together. Each part has a response and an end of its own, as if it had been sent
/// alone. A change that failed before is sent alone. Where the service refuses a whole batch with a status such as 404 or
/// 413, the outbox sends the parts one by one.
///
/// Entities with equal batches share them.
public protocol OutboxBatch: Hashable, Sendable {
  /// The most changes of a request; at least 1. The default is 25.
  var limit: Int { get }

  /// The request that carries the parts. The client is `Client.current`.
  ///
  /// - Parameter parts: The requests of the changes, with their bodies, in the order in which the server is to work them
  ///   off.
  func request(for parts: [URLRequest]) throws -> URLRequest

  /// The responses to the parts.
  ///
  /// - Parameters:
  ///   - parts: The requests of the changes.
  ///   - response: The response to the batch, with a status of success.
  /// - Returns: A response for each part, in the order of the parts; `nil` for a part that the service says nothing of.
  ///   Its end is unknown then, as that of a request whose answer was lost.
  func responses(to parts: [URLRequest], in response: HTTPResponse) throws -> [HTTPResponse?]
}

extension OutboxBatch {
  public var limit: Int { 25 }
}
