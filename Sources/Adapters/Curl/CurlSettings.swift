internal import Synchronization

/// The settings of one adapter, which its copies and their requests share.
final class CurlSettings: Sendable {
  let configuration: CurlAdapter.Configuration
  /// The adapter's own: its requests count against its limit of connections.
  let id: UInt64
  let origins = KnownOrigins()

  private static let lastID = Atomic<UInt64>(0)

  init(_ configuration: CurlAdapter.Configuration) {
    self.configuration = configuration
    id = Self.lastID.add(1, ordering: .relaxed).newValue
  }
}

/// The origins of URLs that passed the checks of a request, by the beginning of the URL, up to its path.
///
/// The beginning alone decides on the origin, both for Foundation and for libcurl (RFC 3986 §3.2), so the checks need not
/// be made again for each path.
final class KnownOrigins: Sendable {
  private struct Known {
    let start: [UInt8]
    let origin: Origin
  }

  private let known = Mutex<[Known]>([])

  /// A program talks to a few servers; the list is searched from its beginning.
  private static let limit = 8

  /// The origin of a URL; `nil` where it has to be checked.
  func origin(of address: String) -> Origin? {
    known.withLock { known in
      known.first { Self.begins(address, with: $0.start) }?.origin
    }
  }

  /// Notes that a URL passed the checks.
  func add(_ origin: Origin, of address: String) {
    guard let start = Self.start(of: address) else { return }
    known.withLock { known in
      // Requests to a new origin at the same time have all checked it.
      guard !known.contains(where: { $0.start == start }) else { return }
      if known.count == Self.limit { known.removeFirst() }
      known.append(Known(start: start, origin: origin))
    }
  }

  /// Scheme and authority, without what follows these.
  private static func start(of address: String) -> [UInt8]? {
    let bytes = Array(address.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
      return nil
    }
    let end = bytes[(colon + 3)...].firstIndex(where: endsAuthority) ?? bytes.endIndex
    return Array(bytes[..<end])
  }

  private static func begins(_ address: String, with start: [UInt8]) -> Bool {
    func begins(_ bytes: some Collection<UInt8>) -> Bool {
      guard bytes.count >= start.count, bytes.starts(with: start) else { return false }
      return bytes.dropFirst(start.count).first.map(endsAuthority) ?? true
    }
    return address.utf8.withContiguousStorageIfAvailable { begins($0) } ?? begins(address.utf8)
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }
}
