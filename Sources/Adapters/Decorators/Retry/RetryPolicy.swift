/// When a request is sent again, and how long the adapter waits before.
public struct RetryPolicy: Sendable {
  /// How often a request is sent at most, the first time included; 3 by default.
  public var maximumAttempts = 3

  /// The longest wait before the first retry; 0.5 seconds by default.
  ///
  /// This limit doubles with each retry, up to ``maximumDelay``. The wait itself is chosen at random, up to the limit,
  /// so that many clients do not come back at once.
  public var baseDelay: Duration = .milliseconds(500)

  /// The longest wait, unless the server names a wait; 20 seconds by default.
  public var maximumDelay: Duration = .seconds(20)

  /// The longest time from the first attempt to the beginning of another one; 60 seconds by default, and `nil` sets no
  /// limit.
  ///
  /// A server that asks for a longer wait gets no other attempt: its response is returned at once. An attempt that began in
  /// time has the time limits of the adapter.
  public var deadline: Duration? = .seconds(60)

  /// The statuses after which a request is sent again; 408, 429, 502, 503 and 504 by default.
  public var statuses: Set<Int> = [408, 429, 502, 503, 504]

  /// How many retries there may be for each request, on the average of all requests of the adapter; 0.2 by default, and
  /// `nil` sets no limit.
  ///
  /// Ten retries are free. A server that is down then gets little more than its usual load.
  public var retriesPerRequest: Double? = 0.2

  /// The values by default.
  public init() {}
}
