internal import EntityRequests
internal import Synchronization

/// The settings of one adapter, which its copies and their requests share.
final class CurlSettings: Sendable {
  let configuration: CurlAdapter.Configuration
  /// The number of the adapter: its requests count against its limit of connections.
  let id: UInt64
  let origins = KnownOrigins()
  /// The group of adapters that share connections over TLS. They have the same credentials for a proxy, and all of them
  /// may use HTTP/2, or none. `nil` for an adapter that may have any connection. Another process has other numbers,
  /// because hashes are seeded.
  let connectionOwner: UInt64?

  private static let lastID = Atomic<UInt64>(0)

  init(_ configuration: CurlAdapter.Configuration) {
    self.configuration = configuration
    id = Self.lastID.add(1, ordering: .relaxed).newValue
    let keepsToHTTP1 = CurlOptions.isSafeWithHTTP2 && !configuration.allowsHTTP2
    switch configuration.proxy {
    case .none: connectionOwner = keepsToHTTP1 ? 1 : nil
    case .server: connectionOwner = keepsToHTTP1 ? 2 : 3
    case .authenticated(_, let user, let password):
      connectionOwner = max(4, UInt64(bitPattern: Int64([user, password, "\(keepsToHTTP1)"].hashValue)))
    }
  }
}

/// The origins of URLs that passed the checks of a request, by the beginning of the URL, up to its path.
///
/// The beginning alone decides on the origin, both for Foundation and for libcurl (RFC 3986 §3.2), so the checks need not
/// be made again for each path.
final class KnownOrigins: Sendable {
  private struct Known {
    /// Scheme and authority, without what follows these.
    let start: [UInt8]
    let origin: Origin
  }

  private let known = Mutex<[Known]>([])

  /// A program talks to a few servers; the list is searched from its beginning.
  private static let limit = 8

  /// The origin of a URL; `nil` when the URL has to be checked.
  func origin(of address: String) -> Origin? {
    var address = address
    return address.withUTF8 { bytes in
      bytes.server.flatMap { server in
        known.withLock { known in known.first { $0.start.elementsEqual(server) }?.origin }
      }
    }
  }

  /// Notes that a URL passed the checks.
  func add(_ origin: Origin, of address: String) {
    var address = address
    guard let start = address.withUTF8({ bytes in bytes.server.map { Array($0) } }) else { return }
    known.withLock { known in
      // Requests to a new origin at the same time have all checked it.
      guard !known.contains(where: { $0.start == start }) else { return }
      if known.count == Self.limit { known.removeFirst() }
      known.append(Known(start: start, origin: origin))
    }
  }
}
