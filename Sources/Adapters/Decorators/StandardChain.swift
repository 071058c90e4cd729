public import EntityRequests
import HTTPFoundation

/// The settings of `standard(_:)`, part by part.
public struct StandardChain: Sendable {
  /// The credentials, and the server that they are for; none by default.
  public var authentication: Authentication?
  /// When a request is sent again.
  public var retry = RetryPolicy()
  /// Which redirects are followed.
  public var redirects = RedirectPolicy()
  /// How many requests to one server are under way at once; by default only the adapter's own limit counts. If streamed
  /// responses that nobody reads hold all places, a waiting request fails after 60 seconds; see
  /// `limited(perHost:clock:)`.
  public var requestsPerHost: Int?
  /// The key by which requests are signed; none by default.
  public var signer: RequestSigner?
  /// Takes the app off the network; none by default.
  public var network: OfflineSwitch?
  /// Gets a line for each request as it is sent, and as it ends; none by default.
  public var log: (@Sendable (LogLine) -> Void)?
  /// The clock of waits, deadlines and durations; a test gives a virtual one.
  public var clock: any Clock<Duration> = ContinuousClock()

  /// The values by default.
  public init() {}
}

extension RequestAdapter {
  /// This adapter with the decorators that an app needs, in the order in which they work together.
  ///
  /// ```swift
  /// let adapter = CurlAdapter().standard()
  /// ```
  ///
  /// A request goes through them in this order: offline switch, authentication, coalescing, retry, redirects, limit per
  /// host, signing, offline switch once more, log. Without settings it is coalescing, retry and redirects.
  ///
  /// - Parameter chain: The settings of the parts.
  public func standard(_ chain: StandardChain = .init()) -> some RequestAdapter {
    StandardAdapter(chain, around: self)
  }
}

private struct StandardAdapter: RequestAdapter {
  private let whole: any RequestAdapter

  init(_ chain: StandardChain, around base: some RequestAdapter) {
    var adapter: any RequestAdapter = base
    // The log shows the request as it is sent, with its signature.
    if let log = chain.log { adapter = adapter.logging(clock: chain.clock, to: log) }
    // No attempt, redirect or renewal begins after the app went offline; requests that were sent go on.
    if let network = chain.network { adapter = adapter.switched(by: network) }
    // Each attempt and each redirect has a signature of its own.
    if let signer = chain.signer { adapter = adapter.signed(by: signer) }
    // A request that waits for its next attempt has no place.
    if let limit = chain.requestsPerHost { adapter = adapter.limited(perHost: limit, clock: chain.clock) }
    adapter = adapter.followingRedirects(chain.redirects)
    // The next attempt begins where the first did.
    adapter = adapter.retrying(chain.retry, clock: chain.clock)
    // Callers that share a request share its attempts.
    adapter = adapter.coalescing()
    // Outside of the shared requests: the credentials are compared, so nobody gets the answer of another.
    if let authentication = chain.authentication { adapter = adapter.authenticated(by: authentication) }
    // While offline, nobody is asked for a token, and nobody waits for a place.
    if let network = chain.network { adapter = adapter.switched(by: network) }
    whole = adapter
  }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    try await whole.send(request, body: body, progress: progress)
  }

  @concurrent func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    try await whole.stream(request, body: body, progress: progress)
  }
}
