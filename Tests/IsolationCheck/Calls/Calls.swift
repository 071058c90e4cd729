import Adapters
import EntityJSON
import EntityRequests
import EntityStore
import EntityTesting
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Scene {
  func checkAll(on actor: isolated any Actor) async throws {
    try await checkStore(on: actor)
    await checkFollowing(on: actor)
    try await checkCommits(on: actor)
    try await checkTypeVerbs(on: actor)
    try await checkUIDVerbs(on: actor)
    try await checkUpserts(on: actor)
    try await checkPages(on: actor)
    try await checkStreaming(on: actor)
    try await checkEvents(on: actor)
    await checkSnapshots(on: actor)
    await checkPending(on: actor)
    await checkArchives(on: actor)
    try await checkStoreCare(on: actor)
    await checkMaintenance(on: actor)
    try await checkHistory(on: actor)
    try await checkClient(on: actor)
    await checkValues(on: actor)
    await checkCaching(on: actor)
    try await checkLiveResources(on: actor)
    if mode != .busy {
      try await checkTransport(on: actor)
      await checkSession(on: actor)
      try await checkBodies(on: actor)
      await checkTesting(on: actor)
      await checkDecorators(on: actor)
      try await checkTestingAdapters(on: actor)
      await checkConformance(on: actor)
      await checkConformanceDifferences(on: actor)
    }
  }

  func checkStore(on actor: isolated any Actor) async throws {
    let mode = mode
    await hold(on: actor)
    defer { letGo() }
    var name = "EntityStore.swift background(as:_:)"
    do {
      try await store.background { _ in if mode == .throwing { throw Stop() } }
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      let uid = try await store.background { context in
        let word = try context.insert(Word.self)
        word.uid = 7
        if mode == .throwing { throw Stop() }
        return word.uid
      }
      saw(name, uid == 7 ? nil : Stop(), on: actor)
    } catch { saw(name, error, on: actor) }
    name = "EntityStore.swift read(_:)"
    do {
      try await store.read { _ in if mode == .throwing { throw Stop() } }
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      _ = try await store.read { context in
        if mode == .throwing { throw Stop() }
        return try context.count(Word.all)
      }
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }

  func checkFollowing(on actor: isolated any Actor) async {
    let mode = mode
    await hold(on: actor)
    defer { letGo() }
    let values = store.observe { _ in if mode == .throwing { throw Stop() } }
    let file = "StoreObservation.swift "
    // Their failures are elements, so these end with no error.
    var iterator = values.makeAsyncIterator()
    _ = await iterator.next()
    saw(file + "next()", nil, fails: false, on: actor)
    iterator = values.makeAsyncIterator()
    _ = await iterator.next(isolation: actor)
    saw(file + "next(isolation:)", nil, fails: false, on: actor)
    for await _ in values { break }
    saw(file + "next(isolation:)", nil, fails: false, on: actor)

    var changes = store.changes(of: Word.all).makeAsyncIterator()
    _ = await changes.next()
    saw("QueryChanges.swift next()", nil, fails: false, on: actor)
    changes = store.changes(of: Word.all).makeAsyncIterator()
    _ = await changes.next(isolation: actor)
    saw("QueryChanges.swift next(isolation:)", nil, fails: false, on: actor)
  }

  func checkCommits(on actor: isolated any Actor) async throws {
    var commits = store.commits.makeAsyncIterator()
    try await commit()
    _ = await commits.next()
    saw("StoreCommits.swift next()", nil, fails: false, on: actor)
    try await commit()
    _ = await commits.next(isolation: actor)
    saw("StoreCommits.swift next(isolation:)", nil, fails: false, on: actor)
  }

  /// Where the task is cancelled, the commit is another one's.
  private func commit() async throws {
    let store = store
    try await Task.detached {
      let uid = Int.random(in: 1_000...1_000_000_000)
      while true {
        do { return try await store.background { try $0.insert(Word.self).uid = uid } } catch let error as StoreError
          where error.kind == .writerBusy
        {}
      }
    }.value
  }

  func checkTypeVerbs(on actor: isolated any Actor) async throws {
    await hold(on: actor)
    defer { letGo() }
    let file = "RemoteEntity+Verbs.swift "
    let tail = "in:options:modify:progress:)"
    var name = "Client+Current.swift withClient(_:operation:)"
    do {
      try await Client.withClient(client) {
        let name = file + "get(_:query:in:options:modify:progress:)"
        do {
          try await Word.get()
          saw(name, nil, on: actor)
        } catch { saw(name, error, on: actor) }
        if fails { throw Stop() }
      }
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error is Stop && mode == .cancelled ? CancellationError() : error, fails: fails, on: actor) }
    try Client.install(client, replacing: true)
    do {
      name = file + "get(_:query:in:options:modify:progress:)"
      try await Word.get()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "head(_:query:in:allowing:modify:progress:)"
      try await Word.head()
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = file + "post(_:query:\(tail)"
      try await Word.post()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "put(_:query:\(tail)"
      try await Word.put("1")
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "patch(_:query:\(tail)"
      try await Word.patch("1")
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "delete(_:query:in:deletesOn404:allowing:modify:progress:)"
      try await Word.delete("1")
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }

  func checkUpserts(on actor: isolated any Actor) async throws {
    await hold(on: actor)
    defer { letGo() }
    let file = "RemoteEntity+Upsert.swift "
    let text = mode == .throwing ? "[{]" : #"[{"id": 2, "text": "two"}]"#
    let data = Data(text.utf8)
    var name = file + "upsert(from:response:in:options:)"
    do {
      try await Word.upsert(from: data, in: store)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "upsert(from:in:options:)"
      try await Word.upsert(from: HTTPResponse(status: 200, body: data), in: store)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      let value: JSONValue = mode == .throwing ? ["id": "no number"] : ["id": 3]
      try await Word.upsert(from: value, in: store)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }

  func checkPages(on actor: isolated any Actor) async throws {
    try Client.install(client, replacing: true)
    await hold(on: actor)
    defer { letGo() }
    let file = "EntityPages.swift "
    var name = file + "next()"
    do {
      var pages = Word.pages(by: .link).makeAsyncIterator()
      _ = try await pages.next()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "next(isolation:)"
      var pages = Word.pages(by: .link).makeAsyncIterator()
      _ = try await pages.next(isolation: actor)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      for try await _ in Word.pages(by: .link) { saw(name, nil, on: actor) }
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "all()"
      _ = try await Word.pages(by: .link).all()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }

  func checkClient(on actor: isolated any Actor) async throws {
    let name = "Client+Requests.swift send(_:progress:)"
    let request = try client.request(.get, "words")
    do {
      try await client.send(request)
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
  }

  func checkTransport(on actor: isolated any Actor) async throws {
    let request = URLRequest(url: server.url)
    let adapters: [(any RequestAdapter, String)] = [
      (CurlAdapter(), "CurlAdapter.swift "),
      (CurlAdapter().modifying { $0.setValue("a", forHTTPHeaderField: "b") }, ""),
      (StubAdapter().on(.get, "/", mode == .throwing ? .error(Stop()) : .text("ok")), "StubAdapter.swift "),
      (BufferingAdapter(fails: mode == .throwing), "RequestAdapter.swift "),
    ]
    for (adapter, file) in adapters {
      var name = (adapter is BufferingAdapter ? "" : file) + "send(_:body:progress:)"
      do {
        _ = try await adapter.send(request, body: .none) { _ in }
        saw(name, nil, on: actor)
      } catch { saw(name, error, on: actor) }
      name = file + "stream(_:body:progress:)"
      do {
        let response = try await adapter.stream(request, body: .none) { _ in }
        saw(name, nil, on: actor)
        name = "StreamedHTTPResponse.next"
        while try await response.next() != nil { saw(name, nil, on: actor) }
        saw(name, nil, on: actor)
      } catch { saw(name, error, on: actor) }
    }
    let name = "ModifyingAdapter.swift modifying(requestsTo:_:)"
    let adapter = StubAdapter().on(.get, "/", .text("ok")).modifying { [mode] _ in
      await Task.yield()
      if mode == .throwing { throw Stop() }
      try Task.checkCancellation()
    }
    do {
      _ = try await adapter.send(request, body: .none, progress: nil)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }

  /// The readers of bodies that the package makes.
  func checkBodies(on actor: isolated any Actor) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("isolation-\(UUID().uuidString)")
    try Data("one".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let name = "BodyContent.swift next()"
    let stream = try RequestBodyStream(contentsOf: file)
    if mode == .throwing { try FileManager.default.removeItem(at: file) }
    do {
      let next = try stream.open()
      while try await next() != nil { saw(name, nil, on: actor) }
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }

  func checkTesting(on actor: isolated any Actor) async {
    let gate = StubGate()
    var name = "StubGate.swift wait()"
    if !fails { gate.open() }
    if mode != .throwing {
      do {
        try await gate.wait()
        saw(name, nil, on: actor)
      } catch { saw(name, error, on: actor) }
    }
    let late = StubGate()
    let visit = Task { try await late.wait() }
    name = "StubGate.swift arrival(_:)"
    await late.arrival()
    saw(name, nil, fails: false, on: actor)
    late.open()
    _ = await visit.result
  }
}
