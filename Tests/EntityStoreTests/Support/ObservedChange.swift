import EntityStore
import Observation
import TestSchema
import Testing

/// Waits until observers of the objects hear of a change that `body` makes.
@MainActor func change(of live: LiveQuery<Person>, _ body: () async throws -> Void) async {
  await change {
    _ = live.objects
  } when: {
    try await body()
  }
}

/// Waits until observers of the values that `read` reads hear of a change that `body` makes.
@MainActor func change(_ read: () -> Void, when body: () async throws -> Void) async {
  let (changes, told) = AsyncStream.makeStream(of: Void.self)
  withObservationTracking(read) { told.yield() }
  do { try await body() } catch { Issue.record(error) }
  for await _ in changes { break }
}
