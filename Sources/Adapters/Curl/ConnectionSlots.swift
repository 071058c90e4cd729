/// Counts the running exchanges per adapter and origin, and lines up those that wait for a place.
///
/// libcurl's own limit (CURLMOPT_MAX_HOST_CONNECTIONS) is one for all adapters, and its timeouts run while a transfer
/// waits for a connection.
struct ConnectionSlots {
  struct Key: Hashable {
    var adapter: UInt64
    var origin: Origin
  }

  private struct Slot {
    var running = 0
    var waiting: ArraySlice<CurlTransfer> = []
  }

  private var slots: [Key: Slot] = [:]

  /// Takes a place, or joins the line; returns whether the transfer may start.
  mutating func enter(_ transfer: CurlTransfer) -> Bool {
    let limit = max(1, transfer.exchange.configuration.connectionsPerHost)
    if slots[transfer.slot, default: Slot()].running < limit {
      slots[transfer.slot, default: Slot()].running += 1
      transfer.state = .running
      return true
    }
    transfer.state = .waiting
    slots[transfer.slot, default: Slot()].waiting.append(transfer)
    return false
  }

  /// Gives a place back; returns who has it now.
  mutating func leave(_ transfer: CurlTransfer) -> CurlTransfer? {
    let key = transfer.slot
    // Those who were aborted in the line are still in it.
    while let next = slots[key]?.waiting.popFirst() {
      guard next.state == .waiting else { continue }
      next.state = .running
      return next
    }
    slots[key]?.running -= 1
    if slots[key]?.running == 0 { slots[key] = nil }
    return nil
  }
}
