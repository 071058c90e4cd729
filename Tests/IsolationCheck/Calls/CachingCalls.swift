import EntityRequests
import EntityStore

/// What is known, and then the server's answer. Where the store is held up, the first of them fails.
extension Scene {
  func checkCaching(on actor: isolated any Actor) async {
    await hold(on: actor)
    defer { letGo() }
    let file = "CachedResponses.swift "
    var name = file + "next()"
    do {
      var responses = try Word.cachedThenNetwork().makeAsyncIterator()
      while try await responses.next() != nil { saw(name, nil, on: actor) }
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "next(isolation:)"
      var responses = try Word.cachedThenNetwork().makeAsyncIterator()
      while try await responses.next(isolation: actor) != nil { saw(name, nil, on: actor) }
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    // The same with a policy, whose request others may share.
    name = "RemoteEntity+Verbs.swift get(_:query:in:options:modify:progress:)"
    for policy in [CachePolicy.networkOnly, .cacheOnFailure] {
      do {
        _ = try await Word.get(options: .cache(policy))
        saw(name, nil, on: actor)
      } catch { saw(name, error, on: actor) }
    }
  }
}
