import EntityJSON
import EntityRequests
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The client's own verbs, with a type and without one. They need no store, so a store that is held up fails none.
extension Scene {
  func checkValues(on actor: isolated any Actor) async {
    await checkTypedValues(on: actor)
    await checkRouted(on: actor)
  }

  private func checkTypedValues(on actor: isolated any Actor) async {
    let file = "Client+ValueVerbs.swift "
    let tail = "(_:query:as:options:modify:progress:)"
    do {
      try await client.get("words", as: JSONValue.self)
      saw(file + "get" + tail, nil, fails: fails, on: actor)
    } catch { saw(file + "get" + tail, error, fails: fails, on: actor) }
    do {
      try await client.post("words", as: JSONValue.self)
      saw(file + "post" + tail, nil, fails: fails, on: actor)
    } catch { saw(file + "post" + tail, error, fails: fails, on: actor) }
    do {
      try await client.put("words", as: JSONValue.self)
      saw(file + "put" + tail, nil, fails: fails, on: actor)
    } catch { saw(file + "put" + tail, error, fails: fails, on: actor) }
    do {
      try await client.patch("words", as: JSONValue.self)
      saw(file + "patch" + tail, nil, fails: fails, on: actor)
    } catch { saw(file + "patch" + tail, error, fails: fails, on: actor) }
    do {
      try await client.delete("words", as: JSONValue?.self)
      saw(file + "delete" + tail, nil, fails: fails, on: actor)
    } catch { saw(file + "delete" + tail, error, fails: fails, on: actor) }
    var name = file + "send(_:_:query:as:options:modify:progress:)"
    do {
      try await client.send(.get, "words", as: JSONValue.self)
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    name = file + "send(_:as:options:progress:)"
    do {
      try await client.send(client.request(.get, "words"), as: JSONValue.self)
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
  }

  private func checkRouted(on actor: isolated any Actor) async {
    let file = "Client+RoutedVerbs.swift "
    let tail = "(_:query:in:options:modify:progress:)"
    do {
      try await client.get("words")
      saw(file + "get" + tail, nil, fails: fails, on: actor)
    } catch { saw(file + "get" + tail, error, fails: fails, on: actor) }
    do {
      try await client.post("words")
      saw(file + "post" + tail, nil, fails: fails, on: actor)
    } catch { saw(file + "post" + tail, error, fails: fails, on: actor) }
    do {
      try await client.put("words")
      saw(file + "put" + tail, nil, fails: fails, on: actor)
    } catch { saw(file + "put" + tail, error, fails: fails, on: actor) }
    do {
      try await client.patch("words")
      saw(file + "patch" + tail, nil, fails: fails, on: actor)
    } catch { saw(file + "patch" + tail, error, fails: fails, on: actor) }
    do {
      try await client.delete("words")
      saw(file + "delete" + tail, nil, fails: fails, on: actor)
    } catch { saw(file + "delete" + tail, error, fails: fails, on: actor) }
    var name = file + "head(_:query:allowing:modify:progress:)"
    do {
      try await client.head("words")
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    name = file + "send(_:_:query:in:options:modify:progress:)"
    do {
      try await client.send(.get, "words")
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    name = "Client+Delivered.swift read(_:to:in:options:)"
    do {
      try await client.read(HTTPResponse(status: fails ? 500 : 200))
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
  }
}
