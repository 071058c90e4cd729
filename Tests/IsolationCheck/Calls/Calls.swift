extension Scene {
  func checkAll(on actor: isolated any Actor) async throws {
    try await checkStore(on: actor)
    try await checkCommits(on: actor)
    try await checkRequests(on: actor)
    try await checkSnapshots(on: actor)
    await checkPending(on: actor)
    try await checkFiles(on: actor)
    try await checkHistory(on: actor)
    try await checkOutbox(on: actor)
    guard mode != .busy else { return }
    try await checkTransport(on: actor)
    try await checkTesting(on: actor)
    await checkDecorators(on: actor)
    await checkClock(on: actor)
  }
}
