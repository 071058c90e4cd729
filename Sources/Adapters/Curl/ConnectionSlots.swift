/// Counts the running exchanges per adapter and origin, and lines up those that wait for a place.
///
/// libcurl's own limit (CURLMOPT_MAX_HOST_CONNECTIONS) is one for all adapters, and its timeouts run while a transfer
/// waits for a connection.
struct ConnectionSlots {
  struct Key: Hashable {
    var adapter: UInt64
    var origin: Origin
  }

  /// The places at one origin. A transfer holds on to them, so that they are looked up once for each request.
  final class Slot {
    fileprivate let key: Key
    fileprivate var running = 0
    fileprivate var waiting: ArraySlice<CurlTransfer> = []

    fileprivate init(_ key: Key) { self.key = key }
  }

  private var slots: [Key: Slot] = [:]

  /// Takes a place, or joins the line; returns whether the transfer may start.
  mutating func enter(_ transfer: CurlTransfer) -> Bool {
    let slot = slot(transfer.slot)
    transfer.places = slot
    if slot.running < max(1, transfer.exchange.settings.configuration.connectionsPerHost) {
      slot.running += 1
      transfer.state = .running
      return true
    }
    transfer.state = .waiting
    slot.waiting.append(transfer)
    return false
  }

  /// Gives a place back; returns who has it now.
  mutating func leave(_ transfer: CurlTransfer) -> CurlTransfer? {
    guard let slot = transfer.places else { return nil }
    transfer.places = nil
    // Those who were aborted in the line are still in it.
    while let next = slot.waiting.popFirst() {
      guard next.state == .waiting else { continue }
      next.state = .running
      return next
    }
    slot.running -= 1
    if slot.running == 0 { slots[slot.key] = nil }
    return nil
  }

  private mutating func slot(_ key: Key) -> Slot {
    if let slot = slots[key] { return slot }
    let slot = Slot(key)
    slots[key] = slot
    return slot
  }
}
