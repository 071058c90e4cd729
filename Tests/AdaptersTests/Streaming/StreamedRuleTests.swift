import Adapters
import EntityClient
import Testing
import HTTPFoundation

/// The rules of responses, where a response is taken in group by group.
@Suite(.untilItHangs)
struct StreamedRuleTests {
  @Test func `missing objects are deleted with the last group`() async throws {
    let (seen, goOn) = (Event(), Event())
    let server = try TestServer { connection in
      try connection.begin()
      try connection.sendPart("[" + Stops.json(0..<20))
      goOn.block()
      try connection.sendPart("," + Stops.json(20..<25) + "]")
      try connection.end()
    }
    defer { goOn.set() }
    let place = try StopPlace(server)
    defer { place.end() }
    try await add(place.store, [3, 100, 101], edited: [101])
    let task = Task {
      try await place.get(.groups(of: 10) { if $0.groups == 2 { seen.set() } }, .deleteMissing(in: Stop.all))
    }
    await seen.wait()
    #expect(try await place.count() == 22)
    // A row that comes to be known meanwhile by a newer request is not missing.
    _ = try await Client.withClient(place.client) {
      try await Stop.upsert(from: #"[{"id": 200, "name": "newer"}]"#.data(using: .utf8) ?? Data())
    }
    goOn.set()
    let response = try await task.value
    #expect(response.counts.deleted == 1)
    #expect(Set(try await place.names().keys) == Set(0..<25).union([101, 200]))
  }

  private func add(_ store: EntityStore, _ ids: [Int], edited: Set<Int>) async throws {
    let rows: JSONValue = JSONValue(ids.map { ["id": JSONValue($0), "name": "old"] })
    _ = try await Stop.upsert(from: Data(rows.description.utf8), in: store)
    try await store.background { context in
      for stop in try context.fetch(Stop.all) where edited.contains(stop.uid) { stop.name = "edited" }
    }
  }

  @Test func `an edit between groups is kept`() async throws {
    let (first, goOn) = (Event(), Event())
    let server = try TestServer { connection in
      try connection.begin()
      try connection.sendPart("[" + Stops.json(0..<10))
      goOn.block()
      try connection.sendPart("," + Stops.json(5..<15, "later") + "]")
      try connection.end()
    }
    defer { goOn.set() }
    let place = try StopPlace(server)
    defer { place.end() }
    let task = Task { try await place.get(.groups(of: 10) { _ in first.set() }) }
    await first.wait()
    try await place.store.background { context in
      try context.fetch(Stop.where { $0.uid == 7 }).first?.name = "mine"
    }
    goOn.set()
    let response = try await task.value
    let names = try await place.names()
    #expect(names[7] == "mine")
    #expect(names[6] == "later6")
    #expect(response.skipped.total(.locallyEdited) == 1)
    #expect(response.counts.inserted == 15)
  }

  /// The one that was sent later is newer, also for the groups that the older one takes in after it.
  @Test func `the newer of two streams wins`() async throws {
    let (first, goOn) = (Event(), Event())
    let server = try TestServer { connection in
      guard let request = try connection.readRequest() else { return }
      try connection.send(TestConnection.chunked)
      if request.target.contains("old") {
        try connection.sendPart("[" + Stops.json(0..<10, "old"))
        goOn.block()
        try connection.sendPart("," + Stops.json(10..<30, "old") + "]")
      } else {
        try connection.sendPart("[" + Stops.json(0..<20, "new") + "]")
      }
      try connection.end()
    }
    defer { goOn.set() }
    let place = try StopPlace(server)
    defer { place.end() }
    try await Client.withClient(place.client) {
      let old = Task { try await Stop.get("old", streaming: .groups(of: 10) { _ in first.set() }) }
      await first.wait()
      let new = try await Stop.get("new", streaming: .groups(of: 7))
      #expect(new.counts.updated == 10)
      goOn.set()
      _ = try await old.value
    }
    let names = try await place.names()
    #expect((0..<20).allSatisfy { names[$0] == "new\($0)" })
    #expect((20..<30).allSatisfy { names[$0] == "old\($0)" })
  }

  @Test func `the main context has the committed groups also after a break`() async throws {
    let server = try TestServer { connection in
      try connection.begin()
      try connection.sendPart("[" + Stops.json(0..<7, "new"))
    }
    let place = try StopPlace(server)
    defer { place.end() }
    try await add(place.store, [0, 6], edited: [])
    try await onMain(place)
  }

  @MainActor private func onMain(_ place: StopPlace) async throws {
    let stops = try place.store.main.fetch(Stop.all.sorted { $0.uid })
    #expect(stops.map(\.name) == ["old", "old"])
    await #expect(throws: RequestError.self) {
      try await Client.withClient(place.client) { try await Stop.get(streaming: .groups(of: 5)) }
    }
    #expect(stops.map(\.name) == ["new0", "old"])
  }

  @Test func `pages are streamed one by one`() async throws {
    let server = try TestServer.answering { request in
      let page = Int(request.target.split(separator: "=").last ?? "") ?? 1
      let ids = page < 3 ? (page - 1) * 10..<page * 10 : 0..<0
      let body = #"{"items": [\#(Stops.json(ids))], "page": \#(page)}"#
      return Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }
    let place = try StopPlace(server)
    defer { place.end() }
    try await add(place.store, [500], edited: [])
    try await Client.withClient(place.client) {
      var counts: [EntityCounts] = []
      var pages: [Int] = []
      for try await page in Stop.pages(
        by: .numbers(), streaming: .groups(of: 4), options: [.envelope("items"), .deleteMissing(in: Stop.all)])
      {
        counts.append(page.counts)
        pages.append(try page.meta(at: "page"))
      }
      #expect(counts.map(\.inserted) == [10, 10, 0])
      #expect(counts.map(\.deleted) == [0, 0, 1])
      #expect(pages == [1, 2, 3])
      // The cursor is in the last object.
      var iterator = Stop.pages(
        by: .cursor(ofLast: "id", parameter: "after"), streaming: .atomically, options: .envelope("items")
      ).makeAsyncIterator()
      #expect(try await iterator.next()?.next?.url.absoluteString.hasSuffix("after=9") == true)
      let error = await #expect(throws: RequestError.self) {
        var own = Stop.pages(by: Own(), streaming: .groups(), options: .envelope("items")).makeAsyncIterator()
        _ = try await own.next()
      }
      #expect(error?.kind == .invalidRequest)
    }
    #expect(try await place.count() == 20)
  }

  /// It may look at any object.
  private struct Own: Pagination {
    func next(after page: ReceivedPage) throws -> NextPage? { page.objects.count < 10 ? nil : .query(["page": 2]) }
  }

  /// A server that sends the same page for each number.
  @Test func `a page that comes again is recognized`() async throws {
    let place = try StopPlace(try TestServer.giving("[" + Stops.json(0..<10) + "]"))
    defer { place.end() }
    let error = await #expect(throws: RequestError.self) {
      try await Client.withClient(place.client) {
        for try await _ in Stop.pages(by: .numbers(), streaming: .groups(of: 3)) {}
      }
    }
    #expect(error?.kind == .pagination)
  }

  @Test func `options that need the whole response are refused`() async throws {
    let server = try TestServer.giving("[]")
    let place = try StopPlace(server)
    defer { place.end() }
    let options: [ResponseOptions<Stop>] = [
      .cache(.networkOnly), .reportingUnreadKeys, .dryRun, .upserting(.insertOnly),
    ]
    for options in options {
      #expect(try await place.failure(.groups(), options)?.kind == .invalidRequest)
    }
    await #expect(throws: RequestError.self) {
      try await Client.withClient(place.client) {
        try await Stop.get(streaming: .groups(), modify: { $0.httpMethod = "POST" })
      }
    }
    #expect(server.requestCount == 0)
  }

  @Test func `a dry run of an atomic response writes nothing`() async throws {
    let place = try StopPlace(try TestServer.giving("[" + Stops.json(0..<10) + "]"))
    defer { place.end() }
    try await add(place.store, [3, 70], edited: [])
    let trial = try await place.get(.atomically, [.dryRun, .deleteMissing(in: Stop.all)])
    #expect(trial.isDryRun)
    #expect(trial.counts.inserted == 9)
    #expect(trial.wouldDelete.total == 1)
    #expect(try await place.count() == 2)
  }

  @Test func `limits hold for each element and for all where they are given`() async throws {
    let text = "[" + Stops.json(0..<100) + "]"
    let place = try StopPlace(try TestServer.giving(text))
    defer { place.end() }
    let error = try #require(await place.failure(.groups(of: 10), .limits(JSONLimits(bytes: 1_000))))
    #expect(error.kind == .parsing)
    #expect((error.committed?.elements ?? 0) > 0)
    #expect((error.committed?.elements ?? 0) < 100)
    #expect(try await place.failure(.groups(), .limits(JSONLimits(depth: 1)))?.kind == .parsing)
    #expect(try await place.get(.groups(), .limits(JSONLimits(bytes: text.utf8.count))).committed.elements == 100)
  }
}
