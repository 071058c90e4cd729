import EntityRequests
import EntityStore
import Synchronization

/// A line for each server: a limited number of requests is inside at once, and the others wait in the order they came.
package final class Places: Sendable {
  package typealias Key = [String]

  private struct Wait {
    let waiter: Waiter<Void>
    let limit: Duration?
    let begin: Duration
  }

  private struct Line {
    var inside = 0
    /// How many places are held by a response whose reader waits for no piece.
    var held = 0
    /// The last time at which such a response was handed over or read, or a place was given back.
    var lastMove = Duration.zero
    var waiting = WaitingLine<ObjectIdentifier, Wait>()

    /// Whether requests wait, and no place comes free until somebody reads or drops a response. A request that still
    /// waits for its response ends by a limit of its own.
    var waitsForReaders: Bool { held >= inside && !waiting.isEmpty }
  }

  private struct State {
    var lines: [Key: Line] = [:]
  }

  private let limit: Int
  private let watch: LimitWatch
  private let state = Mutex(State())

  /// - Parameters:
  ///   - limit: How many are inside at once in one line.
  ///   - watch: Ends waits that take too long, by its clock.
  package init(limit: Int, watch: LimitWatch) { (self.limit, self.watch) = (limit, watch) }

  /// How many requests wait in all lines.
  package var waiting: Int { state.withLock { $0.lines.values.reduce(0) { $0 + $1.waiting.count } } }

  /// - Parameters:
  ///   - key: Names the line.
  ///   - silence: The longest wait while responses hold all places and nobody reads them; `nil` for no limit.
  /// - Throws: `CancellationError`; `TransportError` of kind `timeout`.
  @concurrent package func enter(_ key: Key, silence: Duration? = nil) async throws -> Place {
    let wait = Wait(waiter: Waiter(), limit: silence, begin: watch.clock.elapsed())
    let (enters, waitsForReaders) = state.withLock { state in
      var line = state.lines.removeValue(forKey: key) ?? Line()
      defer { state.lines[key] = line }
      if line.inside < limit {
        line.inside += 1
        return (true, false)
      }
      line.waiting.append(wait.waiter.id, wait)
      return (false, line.waitsForReaders)
    }
    if waitsForReaders, let silence { watch.add(self, silence) }
    if !enters {
      try await wait.waiter.value { [waiter = wait.waiter] in
        self.state.withLock { $0.lines[key]?.waiting.remove(waiter.id) != nil }
      }
    }
    let place = Place(self, key)
    // A caller that was let in and is cancelled lets the next caller in.
    if Task.isCancelled {
      place.leave()
      throw CancellationError()
    }
    return place
  }

  fileprivate func hold(_ key: Key) {
    let now = watch.clock.elapsed()
    let waitsForReaders = state.withLock { state in
      state.lines[key]?.held += 1
      state.lines[key]?.lastMove = now
      return state.lines[key]?.waitsForReaders ?? false
    }
    if waitsForReaders, let wait = timeLeft() { watch.add(self, wait) }
  }

  fileprivate func release(_ key: Key) { state.withLock { $0.lines[key]?.held -= 1 } }

  fileprivate func leave(_ key: Key, wasHeld: Bool) {
    let now = watch.clock.elapsed()
    let next = state.withLock { state -> Waiter<Void>? in
      guard var line = state.lines.removeValue(forKey: key) else { return nil }
      line.lastMove = now
      if wasHeld { line.held -= 1 }
      if let next = line.waiting.popFirst() {
        state.lines[key] = line
        return next.element.waiter
      }
      line.inside -= 1
      // An empty line is forgotten: there may be any number of servers.
      if line.inside > 0 { state.lines[key] = line }
      return nil
    }
    next?.end()
  }
}

extension Places: Limited {
  /// Ends the waits in lines where nobody has read a response for too long.
  package func timeLeft() -> Duration? {
    let now = watch.clock.elapsed()
    let (ended, wait) = state.withLock { state in
      var ended: [(wait: Wait, key: Key)] = []
      var wait: Duration?
      for (key, line) in state.lines where line.waitsForReaders {
        for (id, waiting) in line.waiting.elements {
          guard let limit = waiting.limit else { continue }
          let left = max(waiting.begin, line.lastMove) + limit - now
          if left > .zero {
            wait = min(wait ?? left, left)
          } else {
            state.lines[key]?.waiting.remove(id)
            ended.append((waiting, key))
          }
        }
      }
      return (ended, wait)
    }
    for (waiting, key) in ended { waiting.waiter.end(.failure(timeout(key, waiting.limit))) }
    return wait
  }

  private func timeout(_ key: Key, _ silence: Duration?) -> TransportError {
    let server = key.count > 1 ? key[1] : "the server"
    return TransportError(
      .timeout,
      "Waiting for a place at \(server): streamed responses hold \(limit == 1 ? "the only one" : "all \(limit)"), and "
        + "nothing of them was read for \(silence ?? .zero). Read them to their end, or drop them.",
      mayHaveBeenProcessed: false)
  }
}

/// A place inside. It is given back once, at the latest when the value is dropped.
package final class Place: Sendable {
  private enum Stage { case inside, held, over }

  private let places: Places
  private let key: Places.Key
  private let stage = Mutex(Stage.inside)

  init(_ places: Places, _ key: Places.Key) { (self.places, self.key) = (places, key) }

  deinit { leave() }

  package func leave() {
    let before = stage.withLock { stage in
      defer { stage = .over }
      return stage
    }
    if before != .over { places.leave(key, wasHeld: before == .held) }
  }

  /// From now on a response that waits for its reader has the place.
  func hold() { if change(.inside, to: .held) { places.hold(key) } }

  /// From now on the reader waits for the response.
  func release() { if change(.held, to: .inside) { places.release(key) } }

  private func change(_ before: Stage, to after: Stage) -> Bool {
    stage.withLock { stage in
      guard stage == before else { return false }
      stage = after
      return true
    }
  }
}
