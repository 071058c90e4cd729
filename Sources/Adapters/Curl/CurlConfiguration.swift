public import Foundation

extension CurlAdapter {
  /// The settings of a ``CurlAdapter``, for every request that it sends.
  public struct Configuration: Sendable {
    /// The longest time for name resolution, TCP and TLS together; 15 seconds by default.
    ///
    /// It is kept in whole milliseconds. `nil` leaves libcurl's own limit of 300 seconds.
    public var connectTimeout: Duration? = .seconds(15)

    /// The longest time in which a connected exchange may move no byte in either direction; 60 seconds by default.
    ///
    /// The clock stands still while the adapter waits for the caller: for the next piece of a streamed body, or for the
    /// reader of a streamed response. `nil` waits without end.
    public var idleTimeout: Duration? = .seconds(60)

    /// The longest time from the call to the end of the response's body, the wait for a free connection included.
    ///
    /// `nil`, the default, sets no limit. The request's own `timeoutInterval` is not used: its default value cannot be
    /// told from one that was set.
    public var totalTimeout: Duration?

    /// How many bytes the body of a buffered response may have after decoding; 256 MiB by default.
    ///
    /// A larger one ends in `TransportError` of kind `bodyTooLarge`, before it is received where the server
    /// announced its length. Streamed responses have no such limit: the adapter never holds more than about 256 KiB.
    public var maximumResponseBytes: Int64 = 256 << 20

    /// How requests leave; directly by default. The environment's proxy variables are never read.
    public var proxy: Proxy = .none

    /// The authorities that may vouch for a server; the system's certificate authorities by default.
    public var trust: Trust = .system

    /// The `User-Agent` of requests that carry none of their own; `nil` sends none.
    public var userAgent: String? = "EntityClient"

    /// How many exchanges with one origin (scheme, host and port) run at once; 6 by default, at least 1.
    ///
    /// On HTTP/1.1 each has a connection of its own; others wait in the order they came. A streamed response keeps its
    /// place until its body was read or dropped. The limit belongs to the adapter: copies share it.
    public var connectionsPerHost = 6

    /// Whether `Accept-Encoding: gzip, deflate, br` is sent and such bodies are decoded; `true` by default.
    ///
    /// Without it no body is decoded, also if the server has compressed it.
    public var acceptsCompression = true

    public init() {}
  }

  /// The way to the server.
  public enum Proxy: Sendable, Equatable {
    case none
    /// A proxy without credentials: `http://`, `https://`, `socks5://` or `socks5h://`, with host and port.
    case server(URL)
  }

  /// The certificate authorities that a server's certificate is checked against. The check cannot be turned off.
  public enum Trust: Sendable, Equatable {
    case system
    /// Only those in a PEM file, in place of the system's.
    case file(URL)
    /// Only those in these PEM bytes, in place of the system's.
    case pem(Data)
  }
}
