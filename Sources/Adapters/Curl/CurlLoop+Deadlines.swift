internal import EntityRequests
internal import Foundation

extension CurlLoop {
  /// Ends the transfers whose time is over, and finds out when to look again.
  func checkDeadlines(_ now: Moment) {
    nextCheck = nil
    if !dueProgress.isEmpty { checkNoLater(than: now + Self.progressInterval) }
    let places = places()
    var late: [(CurlTransfer, TransportError)] = []
    for transfer in transfers.values {
      if let error = overdue(transfer, places[transfer.slot], now) { late.append((transfer, error)) }
    }
    for (transfer, error) in late { finish(transfer, .failure(error)) }
  }

  /// The places that requests wait for, and the last time at which a byte moved on one of these.
  private struct Places {
    var count = 0
    var unread = 0
    var lastActivity: Moment
  }

  private func places() -> [ConnectionSlots.Key: Places] {
    guard transfers.values.contains(where: { $0.state == .waiting }) else { return [:] }
    var places: [ConnectionSlots.Key: Places] = [:]
    for transfer in transfers.values where transfer.state == .running {
      var place = places[transfer.slot] ?? Places(lastActivity: transfer.lastActivity)
      place.count += 1
      place.unread += transfer.isDownloadPaused ? 1 : 0
      place.lastActivity = max(place.lastActivity, transfer.lastActivity)
      places[transfer.slot] = place
    }
    return places
  }

  private func overdue(
    _ transfer: CurlTransfer, _ places: Places?, _ now: Moment
  ) -> TransportError? {
    let limits = transfer.exchange.limits
    if let total = limits.total {
      let deadline = transfer.exchange.begin + total
      guard deadline > now else { return transfer.timeout("the exchange took longer than \(total)") }
      checkNoLater(than: deadline)
    }
    if let idle = limits.idle {
      if transfer.state == .waiting {
        let deadline = max(transfer.exchange.begin, places?.lastActivity ?? transfer.exchange.begin) + idle
        guard deadline > now else { return transfer.timeout(waiting(idle, places)) }
        checkNoLater(than: deadline)
      } else {
        // A clock that stands still starts at `now` at the earliest.
        let deadline = (transfer.isIdleClockRunning ? transfer.lastActivity : now) + idle
        guard deadline > now || !transfer.isIdleClockRunning else {
          return transfer.timeout("no byte moved for \(idle)")
        }
        checkNoLater(than: deadline)
      }
    }
    return limits.throughput.flatMap { tooSlow(transfer, $0, now) }
  }

  private func waiting(_ idle: Duration, _ places: Places?) -> String {
    let count = places?.count ?? 0
    let unread = places?.unread ?? 0
    let readers = unread == 0 ? "" : "; \(unread) of them wait for the readers of streamed responses"
    return "no byte moved for \(idle) on the \(count) that are there\(readers)"
  }

  private func tooSlow(
    _ transfer: CurlTransfer, _ throughput: CurlAdapter.Throughput, _ now: Moment
  ) -> TransportError? {
    guard transfer.isBodyUnderWay, let window = transfer.window else {
      // The next byte begins a new one.
      transfer.window = nil
      return nil
    }
    let end = window.begin + throughput.duration
    guard end <= now else {
      checkNoLater(than: end)
      return nil
    }
    let moved = transfer.moved - window.moved
    guard moved >= throughput.bytes else {
      return transfer.timeout(
        "only \(moved) bytes moved in \(throughput.duration), and \(throughput.bytes) are the least")
    }
    transfer.window = (now, transfer.moved)
    checkNoLater(than: now + throughput.duration)
    return nil
  }
}
