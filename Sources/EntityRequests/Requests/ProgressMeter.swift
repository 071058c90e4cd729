import EntityStore
import Synchronization

/// Makes one monotonic progress from the reports of the adapter and the store.
final class ProgressMeter: Sendable {
  private struct State {
    var fraction = -1.0
    var phase = RequestProgress.Phase.transfer
    var transfer = TransferProgress()
    var isFinished = false
    var queue: [RequestProgress] = []
    var isDelivering = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  static let transferWeight = 0.75
  /// If the response's length is not known, half of the part counts as done after this many bytes.
  static let halfOfUnknown = 1_048_576.0

  private let state = Mutex(State())
  private let handler: RequestProgressHandler

  init(_ handler: @escaping RequestProgressHandler) { self.handler = handler }

  var transferHandler: TransferProgressHandler { { self.transfer($0) } }
  var upsertHandler: @Sendable (Double) -> Void { { self.upsert($0) } }

  func transfer(_ progress: TransferProgress) {
    report { state in
      state.transfer.bytesSent = max(state.transfer.bytesSent, progress.bytesSent)
      state.transfer.bytesReceived = max(state.transfer.bytesReceived, progress.bytesReceived)
      // A late report of the adapter must not turn back the phase.
      return state.phase == .transfer ? Self.transferWeight * Self.part(progress) : nil
    }
  }

  /// Called within the transaction: the handler runs apart from it, however long it takes.
  func upsert(_ part: Double) {
    report(apart: true) { state in
      state.phase = .upsert
      // The commit is still to come: the last step belongs to `finish`.
      return min(Self.transferWeight + (1 - Self.transferWeight) * part, 0.999)
    }
  }

  /// Reports 1, and returns when that report was delivered.
  func finish() async {
    report { state in
      state.phase = .upsert
      defer { state.isFinished = true }
      return 1
    }
    // Another thread may be delivering: each report must be heard before the request returns.
    atCaller(
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          if state.isDelivering { state.waiters.append(continuation) }
          return state.isDelivering
        }
        if !isWaiting { continuation.resume() }
      })
  }

  /// From 0 to 1.
  static func part(_ progress: TransferProgress) -> Double {
    let received = part(progress.bytesReceived, of: progress.bytesToReceive)
    let sends = progress.bytesSent > 0 || (progress.bytesToSend ?? 0) > 0
    guard sends else { return received }
    // A server that answers has read as much as it wanted to.
    let sent = progress.bytesReceived > 0 ? 1 : part(progress.bytesSent, of: progress.bytesToSend)
    return (sent + received) / 2
  }

  private static func part(_ bytes: Int64, of total: Int64?) -> Double {
    guard bytes > 0 else { return 0 }
    guard let total, total > 0 else { return Double(bytes) / (Double(bytes) + halfOfUnknown) }
    // A decoded body may be longer than its announced length.
    return min(1, Double(bytes) / Double(total))
  }

  /// Calls the handler outside of the lock and yet in order: if no other thread delivers reports, this one delivers all
  /// of them.
  private func report(apart: Bool = false, _ change: (inout State) -> Double?) {
    let isMine = state.withLock { state in
      guard !state.isFinished, let fraction = change(&state), fraction > state.fraction else { return false }
      state.fraction = fraction
      state.queue.append(
        RequestProgress(
          phase: state.phase, fraction: fraction, bytesSent: state.transfer.bytesSent,
          bytesReceived: state.transfer.bytesReceived))
      guard !state.isDelivering else { return false }
      state.isDelivering = true
      return true
    }
    guard isMine else { return }
    if apart { Task.detached { self.deliver() } } else { deliver() }
  }

  private func deliver() {
    while let next = next() { handler(next) }
  }

  private func next() -> RequestProgress? {
    let (next, waiters) = state.withLock { state -> (RequestProgress?, [CheckedContinuation<Void, Never>]) in
      if !state.queue.isEmpty { return (state.queue.removeFirst(), []) }
      state.isDelivering = false
      defer { state.waiters = [] }
      return (nil, state.waiters)
    }
    for waiter in waiters { waiter.resume() }
    return next
  }
}
