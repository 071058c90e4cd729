import EntityClient
import EntityTesting
import Foundation
import Observation
import SampleSchema
import Testing

/// Hears of changes as a view does: it reads again in a turn of its own.
@MainActor final class Listener {
  private(set) var count = 0
  private let read: () -> Void

  init(_ read: @escaping () -> Void) {
    self.read = read
    listen()
  }

  private func listen() {
    withObservationTracking(read) { [weak self] in
      // Resources change on the main actor alone.
      MainActor.assumeIsolated { self?.hear() }
    }
  }

  private func hear() {
    count += 1
    Task { listen() }
  }

  /// The changes since this was last asked, with those of all turns that are asked for by now.
  func news() async -> Int {
    await turn()
    defer { count = 0 }
    return count
  }
}

/// Lets the main actor take the turns that it was asked for.
@MainActor func turn() async {
  for _ in 0..<3 { await Task { @MainActor in }.value }
}

/// Waits for turns of the main actor until something holds.
@MainActor func until(_ holds: () throws -> Bool) async rethrows {
  while try !holds() { await Task.yield() }
}

/// A store with user 1 in its first row, so that an answer with others first has an order of its own.
func storeWithOneUser(_ location: StoreLocation = .inMemory) async throws -> EntityStore {
  let store = try EntityStore(location, entities: sampleEntities)
  try await store.background(as: .server) { try $0.insert(User.self).uid = 1 }
  return store
}

/// An answer that waits until the request is cancelled, and tells of that.
func answerUntilCancelled(_ gate: StubGate, _ cancelled: StubGate) -> StubAnswer {
  .respond { request in
    do {
      try await gate.wait()
    } catch {
      cancelled.open()
      throw error
    }
    return HTTPResponse(status: 200, url: request.url, body: Data("[]".utf8))
  }
}
