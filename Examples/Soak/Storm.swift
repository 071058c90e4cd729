import EntityClient
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Many requests at once through one adapter, for some time.
struct Storm: Sendable {
  let name: String
  let adapter: any RequestAdapter
  /// Whether the adapter has its decorators.
  let isChained: Bool
  let base: URL
  let concurrent: Int
  let time: Duration
  let seed: UInt64

  /// The largest footprints: of all, of the time before the memory must have settled, and of the time after it.
  struct Peaks: Sendable {
    var all = Footprint()
    var early = Footprint()
    var late: Footprint?
  }

  /// Runs until the time is over and all requests have ended, or until one of them is late by more than `grace`.
  func run(_ tally: Tally, settledAfter settling: Int, grace: Duration) async -> Peaks {
    let begin = ContinuousClock.now
    let senders = Task {
      await withTaskGroup { group in
        for sender in 0..<concurrent {
          group.addTask { await send(as: sender, since: begin, tally) }
        }
      }
    }
    var peaks = Peaks()
    while true {
      let elapsed = ContinuousClock.now - begin
      let footprint = Footprint.now
      peaks.all = peaks.all.joined(with: footprint)
      if elapsed > time / 2, await tally.sent > settling {
        peaks.late = (peaks.late ?? footprint).joined(with: footprint)
      } else {
        peaks.early = peaks.early.joined(with: footprint)
      }
      if elapsed > time {
        guard await tally.underWay > 0, elapsed < time + grace else { break }
      }
      // Nothing tells of a footprint that grows.
      try? await Task.sleep(for: .milliseconds(50))
    }
    senders.cancel()
    return peaks
  }

  /// One request after the other.
  private func send(as sender: Int, since begin: ContinuousClock.Instant, _ tally: Tally) async {
    var generator = SeededGenerator(seed: seed &+ UInt64(sender) &* 7_919)
    var count = 0
    while !Task.isCancelled, ContinuousClock.now - begin < time {
      count += 1
      let shared = Int((ContinuousClock.now - begin) / .milliseconds(20))
      let demand = Demand(number: (sender + 1) * 1_000_000 + count, shared: shared, using: &generator)
      await tally.begin(demand.kind)
      await tally.end(outcome(of: demand))
    }
  }

  private func outcome(of demand: Demand) async -> Outcome {
    let task = Task { try await exchange(demand) }
    let canceller = demand.patience.map { patience in
      Task {
        // A user who gives up does so at some time, whatever the exchange is doing.
        try await Task.sleep(for: patience)
        task.cancel()
      }
    }
    let result = await task.result
    canceller?.cancel()
    let expectation = demand.expectation(isChained: isChained)
    switch result {
    case .success(nil): return .dropped
    case .success(let response?):
      if expectation == .status(response.status) { return .refused(response.status) }
      guard expectation == .answer || expectation == .answerOrLostConnection else {
        return .wrong("\(demand.path): \(response.status) with \(response.body.count) bytes, and no error")
      }
      guard response.status == 200, response.body == demand.body else {
        return .wrong("\(demand.path): \(response.status), a body of \(response.body.count) bytes that is another one")
      }
      return .answered(demand.kind)
    case .failure(is CancellationError):
      return demand.patience == nil ? .wrong("\(demand.path): cancelled by nobody") : .cancelled
    case .failure(let error as TransportError) where expectation == .failure: return .failed("\(error.kind)")
    case .failure(let error as TransportError)
    where expectation == .answerOrLostConnection && error.isLostConnection:
      return .lostConnection
    case .failure(let error): return .wrong("\(demand.path): \(error)")
    }
  }

  /// The response; `nil` for one that was dropped.
  private func exchange(_ demand: Demand) async throws -> HTTPResponse? {
    var request = URLRequest(url: base.appending(path: demand.path))
    // An answer that never comes is an error soon.
    if demand.kind == .silent { request.timeoutInterval = 2 }
    var body = RequestBody.none
    if demand.kind == .put || demand.kind == .post {
      request.httpMethod = demand.kind.rawValue.uppercased()
      body = .data(demand.body)
    }
    guard demand.reading != .whole else { return try await adapter.send(request, body: body, progress: nil) }
    let stream = try await adapter.stream(request, body: body, progress: nil)
    var response = HTTPResponse(status: stream.status, headers: stream.headers, url: stream.url)
    while let piece = try await stream.next() {
      response.body.append(piece)
      if demand.reading == .dropped { return nil }
    }
    return response
  }
}

extension TransportError {
  /// Whether the adapter refused to send a request twice. Any other broken connection is a fault.
  fileprivate var isLostConnection: Bool {
    kind == .connection && mayHaveBeenProcessed && message.contains("is not sent twice")
  }
}
