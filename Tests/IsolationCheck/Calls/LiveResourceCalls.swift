import EntityRequests

extension Scene {
  /// The resource is the main actor's, and its caller need not be on it.
  func checkLiveResources(on actor: isolated any Actor) async throws {
    try Client.install(client, replacing: true)
    await hold(on: actor)
    defer { letGo() }
    let name = "LiveResource.swift load()"
    let words = try await LiveResource<Word>()
    do {
      _ = try await words.load()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    // One that others share.
    let same = try await LiveResource<Word>()
    do {
      _ = try await same.load()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }
}
