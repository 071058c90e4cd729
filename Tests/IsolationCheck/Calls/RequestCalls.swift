import EntityJSON
import EntityRequests
import EntityStore
import Foundation

extension Scene {
  func checkRequests(on actor: isolated any Actor) async throws {
    try Client.install(client, replacing: true)
    await hold(on: actor)
    defer { letGo() }
    await checkVerbs(on: actor)
    await checkLists(on: actor)
    try await checkUpserts(on: actor)
    try await checkClient(on: actor)
    try await checkLiveResources(on: actor)
    await checkPushes(on: actor)
    try await checkCollections(on: actor)
  }

  private func checkPushes(on actor: isolated any Actor) async {
    var failure: (any Error)?
    let fails = mode == .throwing
    let rules: PushRules = [.on("word", do: fails ? .refresh { _ in throw Stop() } : .upsert(Word.self))]
    let message = PushedMessage(kind: "word", data: Data(#"{"id": 1, "text": "pushed"}"#.utf8))
    do { try await client.receive(message, by: rules) } catch { failure = error }
    saw("Client+Push.swift receive(_:by:in:)", &failure, on: actor)

    let file = "ServerSentEvents.swift "
    var events = client.serverSentEvents("events", by: rules).makeAsyncIterator()
    do { _ = try await events.next() } catch { failure = error }
    saw(file + "next()", &failure, on: actor)
    events = client.serverSentEvents("events", by: rules).makeAsyncIterator()
    do { _ = try await events.next(isolation: actor) } catch { failure = error }
    saw(file + "next(isolation:)", &failure, on: actor)
    do { for try await _ in client.serverSentEvents("events", by: rules) { break } } catch { failure = error }
    saw(file + "next(isolation:)", &failure, on: actor)
  }

  private func checkVerbs(on actor: isolated any Actor) async {
    var failure: (any Error)?
    var file = "RemoteEntity+Verbs.swift "
    let tail = "(_:query:in:options:modify:progress:)"
    do {
      try await Client.withClient(client) {
        do { try await Word.get() } catch { failure = error }
        saw(file + "get" + tail, &failure, on: actor)
        if fails { throw Stop() }
      }
    } catch { failure = error is Stop && mode == .cancelled ? CancellationError() : error }
    saw("Client+Current.swift withClient(_:operation:)", &failure, fails: fails, on: actor)
    do { try await Word.get() } catch { failure = error }
    saw(file + "get" + tail, &failure, on: actor)
    // With a policy others may share the request.
    for policy in [CachePolicy.networkOnly, .cacheOnFailure] {
      do { try await Word.get(options: .cache(policy)) } catch { failure = error }
      saw(file + "get" + tail, &failure, on: actor)
    }
    do { try await Word.head() } catch { failure = error }
    saw(file + "head(_:query:in:allowing:modify:progress:)", &failure, fails: fails, on: actor)
    do { try await Word.post() } catch { failure = error }
    saw(file + "post" + tail, &failure, on: actor)
    do { try await Word.put("1") } catch { failure = error }
    saw(file + "put" + tail, &failure, on: actor)
    do { try await Word.patch("1") } catch { failure = error }
    saw(file + "patch" + tail, &failure, on: actor)
    do { try await Word.delete("1") } catch { failure = error }
    saw(file + "delete(_:query:in:deletesOn404:allowing:modify:progress:)", &failure, on: actor)

    file = "RemoteEntity+UIDVerbs.swift "
    do { try await Word.get(uid: 1) } catch { failure = error }
    saw(file + "get(uid:query:in:options:modify:progress:)", &failure, on: actor)
    do { try await Word.patch(uid: 1) } catch { failure = error }
    saw(file + "patch(uid:query:in:options:modify:progress:)", &failure, on: actor)
    do { try await Word.delete(uid: 1) } catch { failure = error }
    saw(file + "delete(uid:query:in:deletesOn404:modify:progress:)", &failure, on: actor)

    do { try await Word.sending(.put, uid: 1).send() } catch { failure = error }
    saw("Request.swift send(progress:)", &failure, on: actor)
  }

  private func checkLists(on actor: isolated any Actor) async {
    var failure: (any Error)?
    var file = "EntityPages.swift "
    var pages = Word.pages(by: .link).makeAsyncIterator()
    do { _ = try await pages.next() } catch { failure = error }
    saw(file + "next()", &failure, on: actor)
    pages = Word.pages(by: .link).makeAsyncIterator()
    do { _ = try await pages.next(isolation: actor) } catch { failure = error }
    saw(file + "next(isolation:)", &failure, on: actor)
    do { for try await _ in Word.pages(by: .link) {} } catch { failure = error }
    saw(file + "next(isolation:)", &failure, on: actor)
    do { try await Word.pages(by: .link).all() } catch { failure = error }
    saw(file + "all()", &failure, on: actor)

    file = "RemoteEntity+Streaming.swift "
    for streaming in [Streaming.groups(of: 1), .atomically] {
      do { try await Word.get(streaming: streaming) } catch { failure = error }
      saw(file + "get(_:query:streaming:in:options:modify:progress:)", &failure, on: actor)
    }
    var streamed = Word.pages(by: .link, streaming: .groups()).makeAsyncIterator()
    do { _ = try await streamed.next() } catch { failure = error }
    saw(file + "next()", &failure, on: actor)
    streamed = Word.pages(by: .link, streaming: .groups()).makeAsyncIterator()
    do { _ = try await streamed.next(isolation: actor) } catch { failure = error }
    saw(file + "next(isolation:)", &failure, on: actor)

    file = "RequestEvents.swift "
    var events = Word.sending(.get).events.makeAsyncIterator()
    do { while try await events.next() != nil {} } catch { failure = error }
    saw(file + "next()", &failure, on: actor)
    events = Word.sending(.get).events.makeAsyncIterator()
    do { while try await events.next(isolation: actor) != nil {} } catch { failure = error }
    saw(file + "next(isolation:)", &failure, on: actor)
    do { for try await _ in Word.sending(.get).events {} } catch { failure = error }
    saw(file + "next(isolation:)", &failure, on: actor)
  }

  /// The responses that are known, then the server's; and those that others delivered.
  private func checkUpserts(on actor: isolated any Actor) async throws {
    var failure: (any Error)?
    var file = "CachedResponses.swift "
    var responses = try Word.cachedThenNetwork().makeAsyncIterator()
    do { while try await responses.next() != nil { saw(file + "next()", &failure, fails: false, on: actor) } } catch {
      failure = error
    }
    saw(file + "next()", &failure, on: actor)
    responses = try Word.cachedThenNetwork().makeAsyncIterator()
    do { while try await responses.next(isolation: actor) != nil {} } catch { failure = error }
    saw(file + "next(isolation:)", &failure, on: actor)

    file = "RemoteEntity+Upsert.swift "
    let data = Data((mode == .throwing ? "[{]" : #"[{"id": 2, "text": "two"}]"#).utf8)
    do { try await Word.upsert(from: data, in: store) } catch { failure = error }
    saw(file + "upsert(from:response:in:options:)", &failure, on: actor)
    do { try await Word.upsert(from: HTTPResponse(status: 200, body: data), in: store) } catch { failure = error }
    saw(file + "upsert(from:in:options:)", &failure, on: actor)
    let value: JSONValue = mode == .throwing ? ["id": "no number"] : ["id": 3]
    do { try await Word.upsert(from: value, in: store) } catch { failure = error }
    saw(file + "upsert(from:in:options:)", &failure, on: actor)
  }

  /// The client's own verbs need no store, so a store that is held up fails none.
  private func checkClient(on actor: isolated any Actor) async throws {
    var failure: (any Error)?
    let request = try client.request(.get, "words")
    do { try await client.send(request) } catch { failure = error }
    saw("Client+Requests.swift send(_:progress:)", &failure, fails: fails, on: actor)
    do { try await client.read(HTTPResponse(status: fails ? 500 : 200)) } catch { failure = error }
    saw("Client+Delivered.swift read(_:to:in:options:)", &failure, fails: fails, on: actor)

    var file = "Client+ValueVerbs.swift "
    do { try await client.get("words", as: JSONValue.self) } catch { failure = error }
    saw(file + "get(_:query:as:options:modify:progress:)", &failure, fails: fails, on: actor)
    do { try await client.post("words", as: JSONValue.self) } catch { failure = error }
    saw(file + "post(_:query:as:options:modify:progress:)", &failure, fails: fails, on: actor)
    do { try await client.sending(request, as: JSONValue.self).send() } catch { failure = error }
    saw("Request.swift send(progress:)", &failure, fails: fails, on: actor)

    file = "Client+RoutedVerbs.swift "
    do { try await client.get("words") } catch { failure = error }
    saw(file + "get(_:query:in:options:modify:progress:)", &failure, fails: fails, on: actor)
    do { try await client.post("words") } catch { failure = error }
    saw(file + "post(_:query:in:options:modify:progress:)", &failure, fails: fails, on: actor)
    do { try await client.delete("words") } catch { failure = error }
    saw(file + "delete(_:query:in:options:modify:progress:)", &failure, fails: fails, on: actor)
  }

  /// The resource is the main actor's, and its caller need not be on it. The second one shares the load of the first.
  private func checkLiveResources(on actor: isolated any Actor) async throws {
    var failure: (any Error)?
    for words in [try await LiveResource<Word>(), try await LiveResource<Word>()] {
      do { try await words.load() } catch { failure = error }
      saw("LiveResource.swift load()", &failure, on: actor)
    }
  }

  private func checkCollections(on actor: isolated any Actor) async throws {
    var failure: (any Error)?
    let list = StoredCollection<Word>(pages: .link)
    let file = "StoredCollection+Loading.swift "
    do { try await list.load() } catch { failure = error }
    saw(file + "load(in:progress:)", &failure, on: actor)
    do { try await list.loadMore() } catch { failure = error }
    saw(file + "loadMore(in:progress:)", &failure, on: actor)
    do { try await list.loadEarlier() } catch { failure = error }
    saw(file + "loadEarlier(in:progress:)", &failure, on: actor)
    do { _ = try await list.status() } catch { failure = error }
    saw(file + "status(in:)", &failure, fails: mode == .busy || mode == .cancelled, on: actor)
    do { try await list.remove() } catch { failure = error }
    saw(file + "remove(in:)", &failure, fails: mode == .busy || mode == .cancelled, on: actor)
    let words = try await LiveResource(list)
    do { try await words.loadMore() } catch { failure = error }
    saw("LiveResource.swift loadMore()", &failure, on: actor)
    do { try await words.loadEarlier() } catch { failure = error }
    saw("LiveResource.swift loadEarlier()", &failure, on: actor)
  }
}
