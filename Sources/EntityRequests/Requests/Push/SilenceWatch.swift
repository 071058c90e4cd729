import Synchronization

/// Ends a read from a connection when its server is silent for too long. Reads follow one another.
///
/// One sleeper serves all reads. A sleep of each read would outlive it: the system keeps a sleep that was cancelled until its
/// time has come, and a stream brings a hundred pieces a second.
final class SilenceWatch: Sendable {
  private struct State {
    /// The read that is under way: its end, and the time at which it began.
    var read: (since: Duration, cancel: @Sendable () -> Void)?
    var isOver = false
    var sleeper: Task<Void, Never>?
  }

  /// `nil` for a server that may be silent as long as it likes.
  private let limit: Duration?
  private let time: EventStreamTime
  private let state = Mutex(State())

  init(_ limit: Duration?, _ time: EventStreamTime) {
    self.limit = limit
    self.time = time
  }

  deinit { state.withLock(\.sleeper)?.cancel() }

  /// The value of work that waits for the server.
  ///
  /// - Throws: ``RequestError`` of kind `transport` when it takes longer than the server may be silent.
  func reading<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
    guard let limit else { return try await work() }
    try Task.checkCancellation()
    let read = Task { try await work() }
    begin { read.cancel() }
    let result = await withTaskCancellationHandler {
      await read.result
    } onCancel: {
      read.cancel()
    }
    guard end(), !Task.isCancelled else { return try result.get() }
    throw RequestError(
      .transport, "The server of the event stream was silent for \(limit).",
      underlying: TransportError(.timeout, "The server was silent for too long.", mayHaveBeenProcessed: true))
  }

  private func begin(_ cancel: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.read = (time.elapsed(), cancel)
      if state.sleeper == nil { state.sleeper = sleeper() }
    }
  }

  /// - Returns: Whether the server was silent for too long.
  private func end() -> Bool {
    state.withLock { state in
      state.read = nil
      return state.isOver
    }
  }

  private func sleeper() -> Task<Void, Never> {
    Task { [weak self, time] in
      while let wait = self?.look() {
        do { try await time.sleep(wait) } catch { return }
      }
    }
  }

  /// Ends the read if its time is over.
  ///
  /// - Returns: The time until the next look; `nil` when there is none.
  private func look() -> Duration? {
    guard let limit else { return nil }
    let (wait, cancel) = state.withLock { state -> (Duration?, (@Sendable () -> Void)?) in
      // A read that begins now can't be over earlier.
      guard let read = state.read else { return (limit, nil) }
      let left = limit - (time.elapsed() - read.since)
      guard left <= .zero else { return (left, nil) }
      state.isOver = true
      return (nil, read.cancel)
    }
    cancel?()
    return wait
  }
}
