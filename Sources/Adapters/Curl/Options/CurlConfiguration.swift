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
    /// A silence while a request's body is sent may last a fourth longer before it is found.
    ///
    /// The clock stands still while the adapter waits for the caller: for the next piece of a streamed body, or for the
    /// reader of a streamed response. A request that waits for a free connection fails when no byte has moved for this
    /// time on any connection that it waits for. For example, streamed responses that nobody reads may hold all
    /// connections. `nil` waits without end.
    ///
    /// A request's own `timeoutInterval` replaces this time, and ``connectTimeout`` if it is shorter. A
    /// `timeoutInterval` of 60 seconds replaces neither: it is Foundation's default, and can't be told from a value
    /// that was set.
    public var idleTimeout: Duration? = .seconds(60)

    /// The longest time from the call to the end of the response's body, the wait for a free connection included.
    ///
    /// `nil`, the default, sets no limit.
    public var totalTimeout: Duration?

    /// The least that an exchange must move while a body is under way, head and trailer fields included; 600 bytes in
    /// each minute by default.
    ///
    /// A server that sends, or takes, a byte now and then is never idle, and would hold a request without end. Time in
    /// which the server thinks, between the request's last byte and the response's first byte, does not count. Time in
    /// which the adapter waits for the caller does not count, either. `nil` sets no limit, and a request that
    /// accepts `text/event-stream` alone has none.
    public var minimumThroughput: Throughput? = Throughput(bytes: 600, in: .seconds(60))

    /// How many bytes the body of a buffered response may have after decoding; 256 MiB by default.
    ///
    /// A larger body ends in `TransportError` of kind `bodyTooLarge`. If the server announced the length, the error
    /// comes before the body is received. Streamed responses have no such limit: the adapter never holds more than
    /// about 512 KiB, however much a body expands to.
    public var maximumResponseBytes: Int64 = 256 << 20

    /// How many times its own size a coded body may expand to, from 1 MiB of decoded bytes on; at least 1, and no limit by
    /// default.
    ///
    /// A body that expands further is an error of kind `bodyTooLarge`; the parts of a streamed body before the limit
    /// are handed out. The size is that of the coded bytes that came so far. Honest bodies expand, too: lists of
    /// records 2 to 25 times, a list of equal objects 290 times, a grid of zeros 1,010 times, which is nearly all that
    /// DEFLATE can express (https://zlib.net/zlib_tech.html). So no limit suits all servers. Memory has a bound even
    /// without this limit: ``maximumResponseBytes`` for a buffered body, and small parts for a streamed body. Set a
    /// limit for a server that you don't trust.
    public var maximumExpansion: Int?

    /// How requests leave; directly by default. The environment's proxy variables are never read.
    public var proxy: Proxy = .none

    /// The authorities that may vouch for a server; the system's certificate authorities by default.
    public var trust: Trust = .system

    /// The certificate by which the client proves who it is, to servers that ask; none by default.
    public var clientIdentity: ClientIdentity?

    /// The public keys, one of which the server's certificate must have; none by default, which means any.
    ///
    /// A key is the SHA-256 of its SubjectPublicKeyInfo in base64, as in RFC 7469 §2.4. Pins come on top of ``trust``,
    /// and hold for every host, so a pinned adapter is for a single server. It sends no request to an `http` URL. Name
    /// a second key that you hold in reserve: if the server changes to a key that is not here, the adapter no longer
    /// reaches it.
    public var pinnedKeys: [String] = []

    /// The `User-Agent` of requests that carry none of their own; `nil` sends none.
    public var userAgent: String? = "EntityClient"

    /// How many exchanges with one origin (scheme, host and port) run at once; 6 by default, at least 1.
    ///
    /// Further exchanges wait in the order they came. On HTTP/1.1 each exchange has a connection of its own. A streamed
    /// response keeps its place until its body was read or dropped. The limit belongs to the adapter: copies share it.
    /// In all, 256 exchanges of a process run at once, and others wait.
    public var connectionsPerHost = 6

    /// Whether HTTP/2 is used with servers that offer it over TLS, if libcurl is 8.2 or newer; `true` by default.
    ///
    /// With HTTP/2 a server ends a body by ending its stream (RFC 9113 §8.1). A server, or a proxy on the way, may also
    /// break a body off with `RST_STREAM` and the code `NO_ERROR`. This ends the stream, too, and libcurl does not tell
    /// the difference. So such a body without a `Content-Length` is taken for a whole one. With `false` the adapter
    /// keeps to HTTP/1.1, whose chunks have an end of their own.
    public var allowsHTTP2 = true

    /// Decides whether requests may go to an IP address, as a guard against URLs that come from others and lead into an
    /// internal network; `nil`, the default, allows each.
    ///
    /// The adapter asks once the connection is there, new or kept, and before anything of the request is sent. So a
    /// name that changes its address after an earlier check does not get around the filter. The closure gets the
    /// address alone, as in `192.0.2.1`, `2001:db8::1` or, for an IPv4 address that is written as one of IPv6,
    /// `::ffff:192.0.2.1`. A refused address ends the request in a `TransportError` of kind `forbiddenAddress`. A
    /// connection of HTTP/1.1 is closed. A connection of HTTP/2 stays for other adapters, and each request on it is
    /// judged again. The handshakes of TCP and TLS are over when the adapter asks. With a ``proxy`` the address is the
    /// proxy's, which looks up the names of servers itself.
    ///
    /// The engine's thread calls the closure, and all transfers of the process wait for it: it must return quickly, and wait
    /// for nothing.
    public var addressFilter: (@Sendable (_ address: String) -> Bool)?

    /// Whether `Accept-Encoding: gzip, deflate` is sent and such bodies are decoded; `true` by default.
    ///
    /// A body of another coding, or of several codings, is then an error of kind `badResponse`; so is a coded body that
    /// is cut off. A request with an `Accept-Encoding` of its own gets a body of another coding as it came. A request
    /// with a `Range` of bytes asks for a body without a coding. The part of a body that it gets (206) is handed over
    /// as it came. With `false` no body is decoded.
    public var acceptsCompression = true

    /// Whether the secrets of TLS connections are written to the file that the environment variable `SSLKEYLOGFILE` names,
    /// for a debugger of the network; `false` by default.
    ///
    /// libcurl heeds the variable unasked, so whoever sets it could read all traffic. With `false` the adapter prevents
    /// this. It can't do so with a TLS library other than OpenSSL 3 or newer, or in a process that finds another
    /// OpenSSL before that of libcurl: then libcurl decides. Adapters share connections, so an adapter with `true` also
    /// writes the secrets of connections that other adapters use.
    public var logsTLSKeys = false

    /// Settings with the default of each.
    public init() {}
  }

  /// A number of bytes in a time.
  public struct Throughput: Sendable, Equatable {
    /// The number of bytes, as they travel in both directions.
    public var bytes: Int64
    /// The time in which they move.
    public var duration: Duration

    /// - Parameters:
    ///   - bytes: The number of bytes, as they travel in both directions.
    ///   - duration: The time in which they move.
    public init(bytes: Int64, in duration: Duration) {
      self.bytes = bytes
      self.duration = duration
    }
  }

  /// The way to the server.
  public enum Proxy: Sendable, Equatable {
    /// No proxy: requests go to the server directly.
    case none
    /// A proxy without credentials: `http://`, `https://`, `socks5://` or `socks5h://`, with host and port.
    case server(URL)
    /// A proxy that asks for a name and a password. They go to the proxy only. An `http` or `https` proxy gets them as
    /// "basic" (RFC 7617), and only `https` hides them on the way. A tunnel to an `https` server that was opened with
    /// these credentials is used only for requests with the same credentials.
    case authenticated(URL, user: String, password: String)
  }

  /// The certificate authorities that vouch for the certificate of a server, and for that of an `https` proxy. The
  /// check cannot be turned off.
  public enum Trust: Sendable, Equatable {
    /// The authorities that the system trusts.
    case system
    /// Only the authorities in a PEM file, in place of the system's.
    ///
    /// libcurl reads the file at a first connection. With OpenSSL it keeps the authorities for a day, so a file that
    /// was replaced may count only after a day. libcurl reads on the thread that all transfers share, so the file has
    /// to be on a disk of the machine; ``pem(_:)`` takes the bytes of other files. A file that can't be read is an
    /// error of the request, which names the path.
    case file(URL)
    /// Only the authorities in these PEM bytes, in place of the system's.
    ///
    /// For a few authorities: libcurl parses the bytes anew for each connection, and a file once a day.
    case pem(Data)
  }
}
