internal import EntityStore
package import Foundation
internal import Synchronization

/// The bounded buffer between the thread of a transport and the reader of a streamed response.
///
/// No reader waits while the transfer is paused. The bytes that filled the buffer would have gone to a waiting reader,
/// and a reader takes a piece as long as there are any. So handing pieces over never makes room for a paused transfer.
package final class ResponsePipe: Sendable {
  private typealias Waiter = CheckedContinuation<Data?, any Error>

  private struct Next {
    let piece: Data
    /// Whether the transfer was paused and there is room again.
    let mustUnpause: Bool
  }

  private struct State {
    var pieces: ArraySlice<Data> = []
    var buffered = 0
    /// Whether a push was refused, so that the transfer is paused.
    var isPaused = false
    var end: Result<Void, any Error>?
    var waiters: ArraySlice<Waiter> = []

    /// Whether there is room. If there is none, the transfer is paused.
    mutating func admits(_ capacity: Int) -> Bool {
      isPaused = buffered >= capacity
      return !isPaused
    }

    /// Adds bytes to the last piece as long as it is not full, because each piece costs its reader a turn.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
      buffered += bytes.count
      if let last = pieces.indices.last, pieces[last].count + bytes.count <= ResponsePipe.pieceSize {
        // All of the room at once: growing by doubling copies the bytes again.
        pieces[last].reserveCapacity(ResponsePipe.pieceSize)
        pieces[last].append(contentsOf: bytes)
      } else {
        pieces.append(Data(bytes))
      }
    }

    /// Takes the next piece out.
    mutating func next(_ capacity: Int) -> Next? {
      guard let piece = pieces.popFirst() else { return nil }
      buffered -= piece.count
      let mustUnpause = isPaused && buffered <= capacity / 2
      if mustUnpause { isPaused = false }
      return Next(piece: piece, mustUnpause: mustUnpause)
    }

    /// A reader that waits, and its piece; `nil` when one of the two is missing.
    mutating func handOver() -> (waiter: Waiter, piece: Data)? {
      guard !waiters.isEmpty, let piece = pieces.popFirst(), let waiter = waiters.popFirst() else { return nil }
      buffered -= piece.count
      return (waiter, piece)
    }
  }

  /// The most bytes of a piece, unless more came at once.
  private static let pieceSize = 64 << 10

  private let capacity: Int
  private let state = Mutex(State())

  /// - Parameter capacity: How many bytes may wait for the reader before a push is refused.
  package init(capacity: Int = 256 << 10) { self.capacity = capacity }

  /// For the transport's thread: takes the bytes, or refuses all of them because the reader is behind. A reader that
  /// waits gets a full piece at once, and a smaller one with ``wake()``.
  package func queue(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let (isTaken, isFull) = state.withLock { state in
      guard state.admits(capacity) else { return (false, false) }
      state.add(bytes)
      return (true, state.buffered >= min(capacity, Self.pieceSize))
    }
    if isFull { wake() }
    return isTaken
  }

  /// For the transport's thread: hands the pieces that are queued to the readers that wait.
  package func wake() {
    while let (waiter, piece) = state.withLock({ $0.handOver() }) { waiter.resume(returning: piece) }
  }

  /// For the transport's thread: takes the piece and hands it to a reader that waits, or refuses it because the reader is
  /// behind. After the end the piece is dropped.
  package func push(_ piece: Data) -> Bool {
    let isTaken = state.withLock { state in
      guard state.end == nil else { return true }
      guard state.admits(capacity) else { return false }
      state.pieces.append(piece)
      state.buffered += piece.count
      return true
    }
    if isTaken { wake() }
    return isTaken
  }

  /// For the transport's thread, once. Bytes that were received before a failure are still handed out, except after a
  /// cancellation.
  package func finish(_ result: Result<Void, any Error>) {
    state.withLock { state in
      state.end = result
      if case .failure(let error) = result, error is CancellationError { state.pieces = [] }
    }
    // The pieces of the last turn come before the end.
    wake()
    let waiters = state.withLock { state in
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
      case piece(Next)
      case end(Result<Void, any Error>)
      case wait
    }
    do {
      let piece: Data? = try await withCheckedThrowingContinuation { continuation in
        let step = state.withLock { state -> Step in
          if let next = state.next(capacity) { return .piece(next) }
          if let end = state.end { return .end(end) }
          state.waiters.append(continuation)
          return .wait
        }
        switch step {
        case .piece(let next):
          if next.mustUnpause { unpause() }
          continuation.resume(returning: next.piece)
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
