internal import EntityStore

/// Counts the running exchanges, of each adapter with an origin and of all, and lines up those that wait for a place.
///
/// libcurl's own limits (CURLMOPT_MAX_HOST_CONNECTIONS, CURLMOPT_MAX_TOTAL_CONNECTIONS) are those of all adapters. Some of its
/// timeouts run while a transfer waits for a connection, and no callback tells that one waits.
struct ConnectionSlots {
  struct Key: Hashable {
    var adapter: UInt64
    var origin: Origin
  }

  /// The places at one origin. A transfer holds on to them, so that they are looked up once for each request.
  final class Slot {
    fileprivate let key: Key
    /// Those that have a place here: they run, or wait for one of the pool.
    fileprivate var taken = 0
    fileprivate var line = WaitingLine<ObjectIdentifier, CurlTransfer>()

    fileprivate init(_ key: Key) { self.key = key }
  }

  private var slots: [Key: Slot] = [:]
  private let limit: Int
  private var running = 0
  /// Those that have a place at their origin and wait for one of the pool. It has some only while the pool is full.
  private var line = WaitingLine<ObjectIdentifier, CurlTransfer>()

  /// - Parameter limit: How many exchanges run at once: as many as the pool has connections, so that none waits in libcurl.
  init(limit: Int) { self.limit = limit }

  /// Takes a place at the origin and one of the pool, or joins a line; returns whether the transfer may start.
  mutating func enter(_ transfer: CurlTransfer) -> Bool {
    let slot = slot(transfer.slot)
    transfer.places = slot
    transfer.state = .waiting
    guard slot.taken < max(1, transfer.exchange.settings.configuration.connectionsPerHost) else {
      slot.line.append(ObjectIdentifier(transfer), transfer)
      return false
    }
    slot.taken += 1
    return admit(transfer)
  }

  /// Takes back what a transfer that ended had; returns who may start in its stead.
  ///
  /// - Parameter wasRunning: Whether the transfer had a place of the pool.
  mutating func leave(_ transfer: CurlTransfer, wasRunning: Bool) -> CurlTransfer? {
    guard let slot = transfer.places else { return nil }
    transfer.places = nil
    guard transfer.hasPlace else {
      slot.line.remove(ObjectIdentifier(transfer))
      return nil
    }
    transfer.hasPlace = false
    if wasRunning { running -= 1 } else { line.remove(ObjectIdentifier(transfer)) }
    // Those who have waited for the pool come before the one that has a place at the origin from now on.
    let first = wasRunning ? line.popFirst()?.element : nil
    if let first { run(first) }
    guard let next = slot.line.popFirst()?.element else {
      slot.taken -= 1
      if slot.taken == 0 { slots[slot.key] = nil }
      return first
    }
    return admit(next) ? next : first
  }

  /// Takes a place of the pool for a transfer that has one at its origin, or joins the line; returns whether it may start.
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

  private mutating func slot(_ key: Key) -> Slot {
    if let slot = slots[key] { return slot }
    let slot = Slot(key)
    slots[key] = slot
    return slot
  }
}
