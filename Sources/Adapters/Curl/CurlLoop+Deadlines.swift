internal import EntityRequests
internal import Foundation

extension CurlLoop {
  /// Ends the transfers whose time is over, and finds out when to look again.
  func checkDeadlines(_ now: Moment) {
    nextCheck = nil
    for transfer in transfers.values { transfer.lookAtUpload() }
    let places = Places(of: transfers.values)
    var late: [(CurlTransfer, TransportError)] = []
    for transfer in transfers.values {
      if let error = overdue(transfer, places, now) { late.append((transfer, error)) }
    }
    for (transfer, error) in late { finish(transfer, .failure(error)) }
    if !dueProgress.isEmpty { checkNoLater(than: now + Self.progressInterval) }
  }

  private func overdue(_ transfer: CurlTransfer, _ places: Places, _ now: Moment) -> TransportError? {
    let limits = transfer.exchange.limits
    if let total = limits.total {
      let deadline = transfer.exchange.begin + total
      guard deadline > now else { return transfer.timeout("the exchange took longer than \(total)") }
      checkNoLater(than: deadline)
    }
    if let idle = limits.idle {
      if transfer.state == .waiting {
        let taken = places.awaited(by: transfer)
        let deadline = max(transfer.exchange.begin, taken.lastActivity ?? transfer.exchange.begin) + idle
        guard deadline > now else { return transfer.timeout("no byte moved for \(idle) on \(taken)") }
        checkNoLater(than: deadline)
      } else {
        // A clock that stands still starts at `now` at the earliest.
        let deadline = (transfer.isIdleClockRunning ? transfer.lastActivity : now) + idle
        guard deadline > now || !transfer.isIdleClockRunning else {
          return transfer.timeout("no byte moved for \(idle)")
        }
        checkNoLater(than: min(deadline, now + transfer.step(idle)))
      }
    }
    return limits.throughput.flatMap { tooSlow(transfer, $0, now) }
  }

  private func tooSlow(
    _ transfer: CurlTransfer, _ throughput: CurlAdapter.Throughput, _ now: Moment
  ) -> TransportError? {
    guard transfer.isBodyUnderWay, let window = transfer.window else {
      // The next byte begins a new window.
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

extension CurlTransfer {
  /// Notes how much of an upload was sent. Without a progress handler libcurl only tells that it takes the next 64 KiB
  /// of a body. This may be long after it sent the last ones.
  fileprivate func lookAtUpload() {
    if sendsBody, state == .running { noteSent(uploaded) }
  }

  /// The time after which the transfer is looked at again. Only a look notices the bytes that an upload sent. They count as
  /// sent at the time of the look. So a silence is found a fourth of its limit too late at the most.
  func step(_ idle: Duration) -> Duration { sendsBody ? idle / 4 : idle }

  private var sendsBody: Bool { exchange.payload.length != 0 }
}

/// The places that requests wait for.
private struct Places {
  /// A group of taken places, and what happens on them.
  struct Taken: CustomStringConvertible {
    private var count = 0
    private var unread = 0
    /// The last time at which a byte moved; `nil` when no transfer has a place.
    private(set) var lastActivity: Moment?

    mutating func add(_ transfer: CurlTransfer) {
      count += 1
      unread += transfer.isDownloadPaused ? 1 : 0
      lastActivity = max(lastActivity ?? transfer.lastActivity, transfer.lastActivity)
    }

    var description: String {
      let readers = unread == 0 ? "" : "; \(unread) of them wait for the readers of streamed responses"
      return "the \(count) that are there\(readers)"
    }
  }

  private var pool = Taken()
  private var origins: [ConnectionPlaces.Key: Taken] = [:]
  /// Origins at which a request has a place and waits for the pool.
  private var crowded: Set<ConnectionPlaces.Key> = []

  init(of transfers: some Collection<CurlTransfer>) {
    guard transfers.contains(where: { $0.state == .waiting }) else { return }
    for transfer in transfers {
      if transfer.state == .running {
        pool.add(transfer)
        origins[transfer.placeKey, default: Taken()].add(transfer)
      } else if transfer.hasPlace {
        crowded.insert(transfer.placeKey)
      }
    }
  }

  func awaited(by transfer: CurlTransfer) -> Taken {
    transfer.hasPlace || crowded.contains(transfer.placeKey) ? pool : origins[transfer.placeKey] ?? Taken()
  }
}
