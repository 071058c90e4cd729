extension HTTPHeaders {
  /// The headers that a service of JSON:API demands: its media type, accepted and sent (JSON:API 1.1, "Content
  /// Negotiation"). Use them as the headers of a client or an entity. A verb sends no `Content-Type` with a request
  /// without a body. `Client.send` then removes the `Content-Type` of the client, and leaves the one of an entity.
  ///
  /// ```swift
  /// let client = try Client(
  ///   adapter: CurlAdapter(), store: store, baseURL: "https://api.example.com/", headers: .jsonAPI, envelope: "data")
  /// ```
  public static let jsonAPI: HTTPHeaders = [
    "Accept": "application/vnd.api+json", "Content-Type": "application/vnd.api+json",
  ]
}
