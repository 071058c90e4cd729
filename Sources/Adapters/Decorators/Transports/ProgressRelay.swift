package import EntityRequests
internal import EntityStore
internal import Synchronization

/// Carries counts from the thread of a transport to a caller's progress handler.
///
/// The handler is the caller's code and may take its time. On the transport's thread it would hold up every other
/// transfer, so it runs in a task of its own. Counts that come while it is busy are replaced by later ones.
package final class ProgressRelay: Sendable {
  private struct State {
    var latest: TransferProgress?
    var isClosed = false
    var waiter: CheckedContinuation<TransferProgress?, Never>?
  }

  private let state = Mutex(State())
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// The relay's task lives until ``close(final:)``, which must be called on every path.
  package init(_ handler: @escaping TransferProgressHandler) {
    let task = Task { while let progress = await self.next() { handler(progress) } }
    self.task.withLock { $0 = task }
  }

  package func report(_ progress: TransferProgress) {
    let waiter = state.withLock { state -> CheckedContinuation<TransferProgress?, Never>? in
      guard !state.isClosed else { return nil }
      if let waiter = state.waiter {
        state.waiter = nil
        return waiter
      }
      state.latest = progress
      return nil
    }
    waiter?.resume(returning: progress)
  }

  /// Ends the relay; `final` is delivered before the end.
  package func close(final: TransferProgress?) {
    if let final { report(final) }
    let waiter = state.withLock { state in
      state.isClosed = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: nil)
  }

  /// Returns after the last call of the handler.
  package func drained() async {
    if let task = task.withLock({ $0 }) { atCaller(await task.value) }
  }

  private func next() async -> TransferProgress? {
    atCaller(
      await withCheckedContinuation { continuation in
        let ready = state.withLock { state -> TransferProgress?? in
          if let latest = state.latest {
            state.latest = nil
            return .some(latest)
          }
          if state.isClosed { return .some(nil) }
          state.waiter = continuation
          return nil
        }
        if let ready { continuation.resume(returning: ready) }
      })
  }
}
