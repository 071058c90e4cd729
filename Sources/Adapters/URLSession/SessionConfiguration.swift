extension URLSessionAdapter {
  /// The settings of a ``URLSessionAdapter``, for every request that it sends.
  public struct Configuration: Sendable {
    /// The longest time in which an exchange may move no byte of a body in either direction; 60 seconds by default.
    ///
    /// The time for name resolution, for the connection and for the head of the response counts, too. `nil` waits
    /// without end. A request's own `timeoutInterval` replaces this time, unless it is Foundation's default of 60
    /// seconds, which can't be told from a value that was set.
    public var idleTimeout: Duration? = .seconds(60)

    /// The longest time from the free connection to the end of the response's body; `nil`, the default, sets no limit.
    public var totalTimeout: Duration?

    /// The least that the body of a response may bring in each ``throughputPeriod``, in bytes; 600 by default.
    ///
    /// A server that sends a byte now and then is never idle, and would hold a request without end. `nil` sets no
    /// limit; events that a server sends over hours need this.
    ///
    /// For the body of a request only ``idleTimeout`` and ``totalTimeout`` count. `URLSession` on Linux tells what it
    /// sent in steps of up to 64 KiB, so a slow line and a server that takes a byte now and then look the same.
    public var minimumThroughput: Int64? = 600

    /// The time in which a body brings at least ``minimumThroughput`` bytes; 60 seconds by default.
    public var throughputPeriod: Duration = .seconds(60)

    /// How many bytes the body of a buffered response may have after decoding; 256 MiB by default.
    ///
    /// A larger body ends in `TransportError` of kind `bodyTooLarge`. If the server announced the length, the error
    /// comes before the body is received. Streamed responses have no such limit.
    public var maximumResponseBytes: Int64 = 256 << 20

    /// How many bytes of a streamed response may wait for their reader; 64 MiB by default.
    ///
    /// A reader that is further behind gets an error of kind `bodyTooLarge` after those bytes.
    public var maximumUnreadBytes: Int = 64 << 20

    /// How many bytes of a streamed body of a request are collected in memory; 1 MiB by default.
    ///
    /// `URLSession` sends data and files. A longer stream goes to a temporary file first, which only its owner may
    /// read. A stream is read before its request stands in the line for a connection, so a slow stream holds up no
    /// other request. Requests in the line hold their bodies.
    public var maximumCollectedBytes: Int = 1 << 20

    /// The `User-Agent` of requests that carry none of their own.
    public var userAgent: String = "EntityClient"

    /// How many exchanges with one origin (scheme, host and port) run at once; 6 by default, at least 1.
    ///
    /// Further exchanges wait in the order they came. The limit belongs to the adapter: copies share it.
    public var connectionsPerHost = 6

    /// Whether coded bodies (`gzip`, …) are asked for, which `URLSession` decodes by itself; on Linux `false` by default.
    ///
    /// On Linux `URLSession` takes a coded body that is cut off for a whole one, and has no limit for the size that a
    /// small body expands to. With `false` the adapter asks for bodies without a coding, and a coded body is an error
    /// of kind `badResponse`. A request with an `Accept-Encoding` of its own may get a coded body.
    public var acceptsCompression = Self.decodesSafely

    /// Settings with the default of each.
    public init() {}

    #if canImport(FoundationNetworking)
      private static var decodesSafely: Bool { false }
    #else
      private static var decodesSafely: Bool { true }
    #endif
  }
}
