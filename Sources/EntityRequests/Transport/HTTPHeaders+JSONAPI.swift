extension HTTPHeaders {
  /// The headers that a service of JSON:API demands: its media type, accepted and sent (JSON:API 1.1, "Content
  /// Negotiation"). For a client or an entity; a request without a body goes without `Content-Type`.
  ///
  /// ```swift
  /// let client = try Client(
  ///   adapter: CurlAdapter(), store: store, baseURL: "https://api.example.com/", headers: .jsonAPI, envelope: "data")
  /// ```
  public static let jsonAPI: HTTPHeaders = [
    "Accept": "application/vnd.api+json", "Content-Type": "application/vnd.api+json",
  ]
}
