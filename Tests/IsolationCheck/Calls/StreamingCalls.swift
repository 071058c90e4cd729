import EntityRequests
import EntityStore

/// Lists that go into the store while they arrive.
extension Scene {
  func checkStreaming(on actor: isolated any Actor) async throws {
    try Client.install(client, replacing: true)
    await hold(on: actor)
    defer { letGo() }
    let file = "RemoteEntity+Streaming.swift "
    var name = file + "get(_:query:streaming:in:options:modify:progress:)"
    for streaming in [Streaming.groups(of: 1), .atomically] {
      do {
        _ = try await Word.get(streaming: streaming)
        saw(name, nil, on: actor)
      } catch { saw(name, error, on: actor) }
    }
    do {
      name = file + "next()"
      var pages = Word.pages(by: .link, streaming: .groups()).makeAsyncIterator()
      _ = try await pages.next()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "next(isolation:)"
      var pages = Word.pages(by: .link, streaming: .groups()).makeAsyncIterator()
      _ = try await pages.next(isolation: actor)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }
}
