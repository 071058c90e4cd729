internal import AdapterDecorators
internal import EntityRequests
internal import EntityStore
internal import Foundation
internal import Synchronization

/// The bounded buffer between a streamed request body and the engine's thread.
///
/// One task pulls pieces and puts them in; libcurl's read callback takes bytes out. Nothing is pulled before libcurl
/// asks for the first byte, so a request that reaches no server leaves its body untouched.
final class RequestPipe: Sendable {
  enum Taken {
    case bytes(Int)
    /// Nothing is there now; the signal given to ``start(wake:fail:)`` follows.
    case empty
    case end
  }

  private struct State {
    var pieces: ArraySlice<Data> = []
    /// How much of the first piece was taken.
    var offset = 0
    var buffered = 0
    var isWanted = false
    var isEnded = false
    var isClosed = false
    /// Whether the engine found nothing and waits for the signal.
    var isStarved = false
    var room: CheckedContinuation<Bool, Never>?
    var pump: Task<Void, Never>?
    /// Counts the times that the body was begun; the work of an earlier pump is ignored.
    var run = 0
    var signals: Signals?
  }

  private struct Signals {
    let wake: @Sendable () -> Void
    let fail: @Sendable (TransportError) -> Void
  }

  /// The pump pauses at this many bytes; a single piece may be larger.
  private static let capacity = 128 << 10

  let length: Int64?
  private let stream: RequestBodyStream
  private let state = Mutex(State())

  init(_ stream: RequestBodyStream) {
    self.stream = stream
    length = stream.length
  }

  /// Starts the task that pulls.
  ///
  /// - Parameters:
  ///   - wake: Called when there are bytes again, or the end, after ``read(into:)`` found nothing.
  ///   - fail: Called at most once, when the stream threw, or had another length than it said.
  func start(wake: @escaping @Sendable () -> Void, fail: @escaping @Sendable (TransportError) -> Void) {
    state.withLock { $0.signals = Signals(wake: wake, fail: fail) }
    pump(run: 0)
  }

  /// For the engine's thread: begins the body anew, for a request that is sent once more.
  ///
  /// - Returns: Whether the stream can be opened again.
  func rewind() -> Bool {
    guard stream.isReplayable else { return false }
    let (run, room, pump) = state.withLock { state in
      state.run += 1
      state.pieces = []
      state.offset = 0
      state.buffered = 0
      state.isWanted = true
      state.isEnded = false
      state.isStarved = false
      defer {
        state.room = nil
        state.pump = nil
      }
      return (state.run, state.room, state.pump)
    }
    room?.resume(returning: false)
    pump?.cancel()
    self.pump(run: run)
    return true
  }

  private func pump(run: Int) {
    guard let signals = state.withLock(\.signals) else { return }
    let pump = Task {
      do throws(TransportError) {
        try await self.pull(run, signals.wake)
      } catch {
        if self.state.withLock({ $0.run == run }) { signals.fail(error) }
      }
    }
    let isOver = state.withLock { state in
      guard state.run == run else { return true }
      state.pump = pump
      return state.isClosed
    }
    if isOver { pump.cancel() }
  }

  /// For the engine's thread: copies the bytes that are there.
  func read(into target: UnsafeMutableRawBufferPointer) -> Taken {
    let (taken, room) = state.withLock { state -> (Taken, CheckedContinuation<Bool, Never>?) in
      state.isWanted = true
      var count = 0
      while let piece = state.pieces.first, count < target.count {
        let part = piece.dropFirst(state.offset).prefix(target.count - count)
        part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: target[count...]).copyMemory(from: $0) }
        count += part.count
        state.offset += part.count
        if state.offset == piece.count {
          state.pieces.removeFirst()
          state.offset = 0
        }
      }
      state.buffered -= count
      var room: CheckedContinuation<Bool, Never>?
      if state.buffered < Self.capacity {
        room = state.room
        state.room = nil
      }
      if count > 0 { return (.bytes(count), room) }
      if state.isEnded { return (.end, room) }
      state.isStarved = true
      return (.empty, room)
    }
    room?.resume(returning: true)
    return taken
  }

  /// Ends the pump, once the transfer is over.
  func close() {
    let (room, pump) = state.withLock { state in
      state.isClosed = true
      state.pieces = []
      defer { state.room = nil }
      return (state.room, state.pump)
    }
    room?.resume(returning: false)
    pump?.cancel()
  }

  private func pull(_ run: Int, _ wake: @Sendable () -> Void) async throws(TransportError) {
    guard await hasRoom(run) else { return }
    var total: Int64 = 0
    // The piece that completes the announced length is kept back until the reader says that nothing follows: the server
    // must never act on a body that turns out to be wrong.
    var last: Data?
    do {
      let next = try stream.open()
      while let piece = try await next() {
        if Task.isCancelled { return }
        guard !piece.isEmpty else { continue }
        total += Int64(piece.count)
        if let length, total > length {
          throw TransportError.bodyTooLong(length)
        }
        if total == length {
          last = piece
          continue
        }
        put(piece, run, wake)
        guard await hasRoom(run) else { return }
      }
    } catch let error as TransportError {
      throw error
    } catch {
      throw .bodyUnreadable(error)
    }
    if let length, total < length {
      throw .bodyTooShort(total, of: length)
    }
    if let last { put(last, run, wake) }
    end(run, wake)
  }

  private func put(_ piece: Data, _ run: Int, _ wake: @Sendable () -> Void) {
    let mustWake = state.withLock { state in
      guard !state.isClosed, state.run == run else { return false }
      state.pieces.append(piece)
      state.buffered += piece.count
      defer { state.isStarved = false }
      return state.isStarved
    }
    if mustWake { wake() }
  }

  private func end(_ run: Int, _ wake: @Sendable () -> Void) {
    let mustWake = state.withLock { state in
      guard state.run == run else { return false }
      state.isEnded = true
      defer { state.isStarved = false }
      return state.isStarved && !state.isClosed
    }
    if mustWake { wake() }
  }

  /// Waits until bytes are wanted; `false` when the transfer is over.
  private func hasRoom(_ run: Int) async -> Bool {
    atCaller(
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if state.isClosed || state.run != run { return false }
          if state.isWanted && state.buffered < Self.capacity { return true }
          state.room = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      })
  }
}
