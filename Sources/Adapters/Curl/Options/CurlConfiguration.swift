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
    /// reader of a streamed response. A request that waits for a free connection fails after this time in which no byte
    /// moved on any connection that it waits for: where streamed responses that nobody reads hold them all, for
    /// example. `nil` waits without end.
    ///
    /// A request's own `timeoutInterval` takes its place, and that of ``connectTimeout`` where it is shorter. Foundation's
    /// default of 60 seconds does not: it can't be told from one that was set.
    public var idleTimeout: Duration? = .seconds(60)

    /// The longest time from the call to the end of the response's body, the wait for a free connection included.
    ///
    /// `nil`, the default, sets no limit.
    public var totalTimeout: Duration?

    /// The least that an exchange may move while a body is under way, head and trailer fields included; 600 bytes in
    /// each minute by default.
    ///
    /// A server that sends, or takes, a byte now and then is never idle, and would hold a request without end. Time in
    /// which the server thinks, between the request's last byte and the response's first one, does not count; nor does
    /// time in which the adapter waits for the caller. `nil` sets no limit, as events that a server sends over hours
    /// need.
    public var minimumThroughput: Throughput? = Throughput(bytes: 600, in: .seconds(60))

    /// How many bytes the body of a buffered response may have after decoding; 256 MiB by default.
    ///
    /// A larger one ends in `TransportError` of kind `bodyTooLarge`, before it is received where the server
    /// announced its length. Streamed responses have no such limit: the adapter never holds more than about 512 KiB,
    /// however much a body expands to.
    public var maximumResponseBytes: Int64 = 256 << 20

    /// How many times its own size a coded body may expand to, from 1 MiB of decoded bytes on; at least 1, and no limit by
    /// default.
    ///
    /// A body beyond it is an error of kind `bodyTooLarge`; of a streamed one the parts before the limit are handed out.
    /// The size is that of the bytes which came so far. Honest bodies expand too: lists of records 2 to 25 times, a
    /// list of equal objects 290 times, a grid of zeros 1,010 times, which is nearly all that DEFLATE can express
    /// (https://zlib.net/zlib_tech.html). So no limit suits all servers, and without one memory has its bound all the same:
    /// ``maximumResponseBytes`` for a buffered body, little at once for a streamed one. Set it for a server that you don't
    /// trust.
    public var maximumExpansion: Int?

    /// How requests leave; directly by default. The environment's proxy variables are never read.
    public var proxy: Proxy = .none

    /// The authorities that may vouch for a server; the system's certificate authorities by default.
    public var trust: Trust = .system

    /// The certificate by which the client proves to servers that ask who it is; none by default.
    public var clientIdentity: ClientIdentity?

    /// The public keys, one of which the server's certificate must have; none by default, which means any.
    ///
    /// A key is the SHA-256 of its SubjectPublicKeyInfo in base64, as in RFC 7469 §2.4. Pins come on top of ``trust``,
    /// and hold for every host, so a pinned adapter is one for a single server. It sends no request to an `http` URL.
    /// Name a second key that you hold in reserve: the adapter reaches nobody once the server changes to a key that is
    /// not here.
    public var pinnedKeys: [String] = []

    /// The `User-Agent` of requests that carry none of their own; `nil` sends none.
    public var userAgent: String? = "EntityClient"

    /// How many exchanges with one origin (scheme, host and port) run at once; 6 by default, at least 1.
    ///
    /// On HTTP/1.1 each has a connection of its own; others wait in the order they came. A streamed response keeps its
    /// place until its body was read or dropped. The limit belongs to the adapter: copies share it. In all, 256 exchanges of
    /// a process run at once, and others wait.
    public var connectionsPerHost = 6

    /// Whether HTTP/2 is used with servers that offer it over TLS, where libcurl is 8.2 or newer; `true` by default.
    ///
    /// With HTTP/2 a server ends a body by ending its stream (RFC 9113 §8.1). A server, or a proxy on the way, that breaks a
    /// body off with `RST_STREAM` and the code `NO_ERROR` ends its stream, too, and libcurl says nothing of the
    /// difference. So such a body without a `Content-Length` is taken for a whole one. With `false` the adapter keeps to
    /// HTTP/1.1, whose chunks have an end of their own.
    public var allowsHTTP2 = true

    /// Decides whether requests may go to an IP address, as a guard against URLs that come from others and lead into an
    /// internal network; `nil`, the default, allows each.
    ///
    /// The adapter asks once the connection is there, new or kept, and before anything of the request is sent. A name that
    /// has another address than it had in an earlier check is no way around. The closure gets the address alone, as in
    /// `192.0.2.1`, `2001:db8::1` or, for an IPv4 address that is written as one of IPv6, `::ffff:192.0.2.1`. An
    /// address that is refused ends the request in a `TransportError` of kind `forbiddenAddress`. A connection of HTTP/1.1
    /// is closed; one of HTTP/2 stays for other adapters, and each request on it is judged again. The handshakes of TCP and
    /// TLS are over then. With a ``proxy`` the address is the proxy's, which looks up the names of
    /// servers itself.
    ///
    /// The engine's thread calls the closure, and all transfers of the process wait for it: it must return quickly, and wait
    /// for nothing.
    public var addressFilter: (@Sendable (_ address: String) -> Bool)?

    /// Whether `Accept-Encoding: gzip, deflate` is sent and such bodies are decoded; `true` by default.
    ///
    /// A body of another coding, or of several, is then an error of kind `badResponse`; so is one that is cut off. A
    /// request with an `Accept-Encoding` of its own gets a body of another coding as it came. A request with a `Range`
    /// of bytes asks for a body without a coding, and such a part of a body (206) is handed over as it came. With
    /// `false` no body is decoded.
    public var acceptsCompression = true

    /// Whether the secrets of TLS connections are written to the file that the environment variable `SSLKEYLOGFILE` names,
    /// for a debugger of the network; `false` by default.
    ///
    /// libcurl heeds the variable unasked. Whoever sets it could then read all traffic. With a TLS library other than
    /// OpenSSL 3 or newer, or in a process that finds another OpenSSL before that of libcurl, it is left to libcurl.
    /// Adapters share connections, so one that is asked writes the secrets of connections that others use, too.
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
    /// A proxy that asks for a name and a password. They go to the proxy only; to `http` and `https` ones as "basic"
    /// (RFC 7617), which only `https` hides on the way. A tunnel to an `https` server that was opened with these is used
    /// for requests with these alone.
    case authenticated(URL, user: String, password: String)
  }

  /// The certificate authorities that a server's certificate, and that of an `https` proxy, is checked against. The check cannot be turned off.
  public enum Trust: Sendable, Equatable {
    /// The authorities that the system trusts.
    case system
    /// Only those in a PEM file, in place of the system's.
    ///
    /// libcurl reads the file at a first connection, and keeps its authorities for a day where its TLS library is OpenSSL: a
    /// file that was replaced may count from then on. It reads on the thread that all transfers share. So the file has to be on a disk of the machine; ``pem(_:)`` takes the bytes of others. A file that can't be read is an error of the
    /// request, which names the path.
    case file(URL)
    /// Only those in these PEM bytes, in place of the system's.
    ///
    /// For a few authorities: libcurl parses the bytes anew for each connection, and the authorities of a file once a day.
    case pem(Data)
  }
}
