internal import EntityStore

/// Counts the running exchanges: in all, and for each adapter with an origin. Exchanges that wait for a place stand in
/// lines.
///
/// libcurl's own limits (CURLMOPT_MAX_HOST_CONNECTIONS, CURLMOPT_MAX_TOTAL_CONNECTIONS) hold for all adapters together.
/// Some of libcurl's timeouts run while a transfer waits for a connection, and no callback tells that it waits.
struct ConnectionPlaces {
  struct Key: Hashable {
    var adapter: UInt64
    var origin: Origin
  }

  /// The places at one origin. A transfer keeps this object, so that each request looks it up once.
  final class OriginPlaces {
    fileprivate let key: Key
    /// How many transfers have a place here: they run, or wait for a place of the pool.
    fileprivate var taken = 0
    fileprivate var line = WaitingLine<ObjectIdentifier, CurlTransfer>()

    fileprivate init(_ key: Key) { self.key = key }
  }

  private var origins: [Key: OriginPlaces] = [:]
  private let limit: Int
  private var running = 0
  /// The transfers that have a place at their origin and wait for a place of the pool. It is empty unless the pool is
  /// full.
  private var line = WaitingLine<ObjectIdentifier, CurlTransfer>()

  /// - Parameter limit: How many exchanges run at once: as many as the pool has connections, so that none
  ///   waits in libcurl.
  init(limit: Int) { self.limit = limit }

  /// Takes a place at the origin and one of the pool, or joins a line; returns whether the transfer may start.
  mutating func enter(_ transfer: CurlTransfer) -> Bool {
    let places = places(transfer.placeKey)
    transfer.places = places
    transfer.state = .waiting
    guard places.taken < max(1, transfer.exchange.settings.configuration.connectionsPerHost) else {
      places.line.append(ObjectIdentifier(transfer), transfer)
      return false
    }
    places.taken += 1
    return admit(transfer)
  }

  /// Takes back the places of a transfer that ended. Returns the transfer that may start instead.
  ///
  /// - Parameter wasRunning: Whether the transfer had a place of the pool.
  mutating func leave(_ transfer: CurlTransfer, wasRunning: Bool) -> CurlTransfer? {
    guard let places = transfer.places else { return nil }
    transfer.places = nil
    guard transfer.hasPlace else {
      places.line.remove(ObjectIdentifier(transfer))
      return nil
    }
    transfer.hasPlace = false
    if wasRunning { running -= 1 } else { line.remove(ObjectIdentifier(transfer)) }
    // Transfers that already wait for the pool come before the transfer that gets the place at the origin.
    let first = wasRunning ? line.popFirst()?.element : nil
    if let first { run(first) }
    guard let next = places.line.popFirst()?.element else {
      places.taken -= 1
      if places.taken == 0 { origins[places.key] = nil }
      return first
    }
    return admit(next) ? next : first
  }

  /// Takes a place of the pool for a transfer that has a place at its origin, or joins the line. Returns whether the
  /// transfer may start.
  private mutating func admit(_ transfer: CurlTransfer) -> Bool {
    transfer.hasPlace = true
    guard running < limit else {
      line.append(ObjectIdentifier(transfer), transfer)
      return false
    }
    run(transfer)
    return true
  }

  private mutating func run(_ transfer: CurlTransfer) {
    running += 1
    transfer.state = .running
  }

  private mutating func places(_ key: Key) -> OriginPlaces {
    if let places = origins[key] { return places }
    let places = OriginPlaces(key)
    origins[key] = places
    return places
  }
}
