internal import EntityStore
package import Foundation
internal import Synchronization

/// The bounded buffer between the thread of a transport and the reader of a streamed response.
package final class ResponsePipe: Sendable {
  private struct State {
    var pieces: ArraySlice<Data> = []
    var buffered = 0
    /// Whether a push was refused, so that the transfer is paused.
    var isPaused = false
    var end: Result<Void, any Error>?
    var waiters: ArraySlice<CheckedContinuation<Data?, any Error>> = []
  }

  private let capacity: Int
  private let state = Mutex(State())

  /// - Parameter capacity: How many bytes may wait for the reader before a push is refused.
  package init(capacity: Int = 256 << 10) { self.capacity = capacity }

  /// For the transport's thread: takes the bytes, or refuses all of them because the reader is behind.
  package func push(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // The copy is made outside the lock; a refused one is made again, which back-pressure makes rare.
    push(Data(bytes))
  }

  /// For the transport's thread: takes the piece, or refuses it because the reader is behind.
  package func push(_ piece: Data) -> Bool {
    let (isTaken, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Data?, any Error>?) in
      if let waiter = state.waiters.popFirst() { return (true, waiter) }
      guard state.buffered < capacity else {
        state.isPaused = true
        return (false, nil)
      }
      state.pieces.append(piece)
      state.buffered += piece.count
      return (true, nil)
    }
    waiter?.resume(returning: piece)
    return isTaken
  }

  /// For the transport's thread, once. Bytes that were received before a failure are still handed out, except after a
  /// cancellation.
  package func finish(_ result: Result<Void, any Error>) {
    let waiters = state.withLock { state in
      state.end = result
      if case .failure(let error) = result, error is CancellationError { state.pieces = [] }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(with: result.map { nil }) }
  }

  /// The next piece.
  ///
  /// - Parameter unpause: Called when the transfer was paused and there is room again.
  package func next(unpause: @Sendable () -> Void) async throws -> Data? {
    enum Step {
      case piece(Data, mustUnpause: Bool)
      case end(Result<Void, any Error>)
      case wait
    }
    do {
      let piece: Data? = try await withCheckedThrowingContinuation { continuation in
        let step = state.withLock { state -> Step in
          if let piece = state.pieces.popFirst() {
            state.buffered -= piece.count
            let mustUnpause = state.isPaused && state.buffered <= capacity / 2
            if mustUnpause { state.isPaused = false }
            return .piece(piece, mustUnpause: mustUnpause)
          }
          if let end = state.end { return .end(end) }
          state.waiters.append(continuation)
          return .wait
        }
        switch step {
        case .piece(let piece, let mustUnpause):
          if mustUnpause { unpause() }
          continuation.resume(returning: piece)
        case .end(let result): continuation.resume(with: result.map { nil })
        case .wait: break
        }
      }
      return atCaller(piece)
    } catch {
      throw atCaller(error)
    }
  }
}
