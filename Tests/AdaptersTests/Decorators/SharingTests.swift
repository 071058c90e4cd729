import Adapters
import EntityRequests
import EntityTesting
import Testing

@testable import AdapterDecorators
import HTTPFoundation

@Suite(.untilItHangs)
struct CoalescingTests {
  private let stub = StubAdapter()
  private let gate = StubGate()
  private let url = URL(string: "https://api.example.com/notes")!

  @Test func `equal GETs that are under way together are one request`() async throws {
    stub.on(.get, "/notes", .text("ok").waiting(for: gate))
    let adapter = CoalescingAdapter(base: stub)
    let counts = Log<TransferProgress>()
    let first = Task { try await adapter.send(request("GET", url, ["Accept": "a", "X": "b"])) }
    await gate.arrival()
    let others = (0..<9).map { number in
      Task {
        try await adapter.send(request("GET", url, ["X": "b", "Accept": "a"]), body: .none) {
          if number == 0 { counts.add($0) }
        }
      }
    }
    // Whoever comes too late would ask anew, and the stub would answer it.
    while adapter.inFlight.waiting < 10 { await Task.yield() }
    gate.open()
    #expect(try await first.value.body == Data("ok".utf8))
    for other in others { #expect(try await other.value.body == Data("ok".utf8)) }
    #expect(stub.requests.count == 1)
    #expect(try await adapter.send(request("GET", url, ["X": "b", "Accept": "a"])).status == 200)
  }

  @Test(
    arguments: [
      ("GET", "https://api.example.com/notes?page=2", [:]), ("HEAD", "https://api.example.com/notes", [:]),
      ("GET", "https://api.example.com/notes", ["Authorization": "Bearer other"]),
    ])
  func `requests that differ are sent apart`(_ method: String, _ other: String, _ headers: [String: String])
    async throws
  {
    stub.on(.get, "/notes", .text("ok").waiting(for: gate)).on(.head, "/notes", .text("ok").waiting(for: gate))
    let adapter = stub.coalescing()
    let first = Task { try await adapter.send(request("GET", url)) }
    let second = Task { try await adapter.send(request(method, try #require(URL(string: other)), headers)) }
    await gate.arrival(2)
    gate.open()
    _ = try await (first.value, second.value)
    #expect(stub.requests.count == 2)
  }

  @Test func `requests that treat cookies in another way are sent apart`() async throws {
    stub.on(.get, "/notes", .text("ok").waiting(for: gate))
    let adapter = stub.coalescing()
    var without = request("GET", url)
    without.httpShouldHandleCookies = false
    let first = Task { try await adapter.send(request("GET", url)) }
    let second = Task { [without] in try await adapter.send(without) }
    await gate.arrival(2)
    gate.open()
    _ = try await (first.value, second.value)
    #expect(stub.requests.count == 2)
  }

  @Test func `requests that may take other networks are sent apart`() async throws {
    stub.on(.get, "/notes", .text("ok").waiting(for: gate))
    let adapter = stub.coalescing()
    var homely = request("GET", url)
    homely.allowsCellularAccess = false
    let first = Task { try await adapter.send(request("GET", url)) }
    let second = Task { [homely] in try await adapter.send(homely) }
    await gate.arrival(2)
    gate.open()
    _ = try await (first.value, second.value)
    #expect(stub.requests.count == 2)
  }

  @Test func `a field with a line break is not two fields`() async throws {
    stub.on(.get, "/notes", .text("ok").waiting(for: gate))
    let adapter = stub.coalescing()
    let first = Task { try await adapter.send(request("GET", url, ["a": "1\nb:2"])) }
    let second = Task { try await adapter.send(request("GET", url, ["a": "1", "b": "2"])) }
    await gate.arrival(2)
    gate.open()
    _ = try await (first.value, second.value)
    #expect(stub.requests.count == 2)
  }

  @Test func `writes and bodies are never shared`() async throws {
    stub.on(.post, "/notes", .text("ok").waiting(for: gate)).on(.get, "/notes", .text("ok").waiting(for: gate))
    let adapter = stub.coalescing()
    let tasks = ["POST", "POST", "GET", "GET"].map { method in
      Task { try await adapter.send(request(method, url), body: .data(Data([1]))) }
    }
    await gate.arrival(4)
    gate.open()
    for task in tasks { _ = try await task.value }
    #expect(stub.requests.count == 4)
  }

  @Test(arguments: [false, true])
  func `a GET after a write does not share a GET from before the write`(_ writeFails: Bool) async throws {
    let late = StubGate()
    stub.on(.get, "/notes", .text("before").waiting(for: late), .text("after"))
    stub.on(.put, "/notes", writeFails ? .failure(.timeout, mayHaveBeenProcessed: true) : .status(204))
    let adapter = stub.coalescing()
    let first = Task { try await adapter.send(request("GET", url)) }
    await late.arrival()
    _ = try? await adapter.send(request("PUT", url), body: .data(Data([1])))
    #expect(try await adapter.send(request("GET", url)).body == Data("after".utf8))
    late.open()
    #expect(try await first.value.body == Data("before".utf8))
  }

  @Test func `a cancelled caller spares the others, and the last one that is cancelled cancels the request`()
    async throws
  {
    stub.on(.get, "/notes", .text("ok").waiting(for: gate))
    let adapter = CoalescingAdapter(base: stub)
    let first = Task { try await adapter.send(request("GET", url)) }
    await gate.arrival()
    let joined = Event()
    let second = Task {
      try await adapter.send(request("GET", url), body: .none) { _ in joined.set() }
    }
    while adapter.inFlight.waiting < 2 { await Task.yield() }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    gate.open()
    #expect(try await second.value.status == 200)
    await joined.wait()

    let never = StubGate()
    let ended = Event()
    stub.on(
      .get, "/alone",
      .respond { _ in
        defer { ended.set() }
        try await never.wait()
        return HTTPResponse(status: 200)
      })
    let alone = Task { try await adapter.send(request("GET", URL(string: "https://api.example.com/alone")!)) }
    await never.arrival()
    alone.cancel()
    await #expect(throws: CancellationError.self) { try await alone.value }
    await ended.wait()
  }
}

@Suite(.untilItHangs)
struct LimitTests {
  private func url(_ host: String) -> URL { URL(string: "https://\(host).example.com/notes")! }

  @Test func `only so many requests to a server are under way, and others wait in their order`() async throws {
    let first = StubGate()
    let second = StubGate()
    let stub = StubAdapter().on(
      .get, "/notes", .text("1").waiting(for: first), .text("2").waiting(for: first), .text("3").waiting(for: second),
      .text("4").waiting(for: second))
    let adapter = stub.limited(perHost: 2)
    let tasks = (0..<4).map { _ in Task { try await adapter.send(request("GET", url("api"))) } }
    await first.arrival(2)
    for _ in 0..<1000 { await Task.yield() }
    #expect(stub.requests.count == 2)
    // Another server has places of its own.
    stub.on(.get, "/notes", query: ["other": "1"], .text("other"))
    let other = URL(string: "https://other.example.com/notes?other=1")!
    #expect(try await adapter.send(request("GET", other)).body == Data("other".utf8))
    first.open()
    await second.arrival(2)
    second.open()
    for task in tasks { #expect(try await task.value.status == 200) }
    #expect(stub.requests.count == 5)
  }

  @Test func `an error and a cancellation give the place back`() async throws {
    let gate = StubGate()
    let stub = StubAdapter().on(
      .get, "/notes", .failure(.connection), .text("waits").waiting(for: gate), .text("ok"))
    let adapter = stub.limited(perHost: 1)
    #expect(try await adapter.failure(request("GET", url("api"))) != nil)
    let inside = Task { try await adapter.send(request("GET", url("api"))) }
    await gate.arrival()
    let inLine = Task { try await adapter.send(request("GET", url("api"))) }
    for _ in 0..<100 { await Task.yield() }
    inLine.cancel()
    await #expect(throws: CancellationError.self) { try await inLine.value }
    inside.cancel()
    await #expect(throws: CancellationError.self) { try await inside.value }
    #expect(try await adapter.send(request("GET", url("api"))).body == Data("ok".utf8))
  }

  @Test func `a streamed response keeps its place until it was read or dropped`() async throws {
    let stub = StubAdapter().on(.get, "/notes", .text("ok"))
    let adapter = stub.limited(perHost: 1)
    let read = try await adapter.stream(request("GET", url("api")), body: .none, progress: nil)
    let next = Task { try await adapter.stream(request("GET", url("api")), body: .none, progress: nil).status }
    for _ in 0..<1000 { await Task.yield() }
    #expect(stub.requests.count == 1)
    while try await read.next() != nil {}
    #expect(try await next.value == 200)
    // The second was dropped.
    #expect(try await adapter.send(request("GET", url("api"))).status == 200)
  }
}

/// The wait for a place that is held by a response of which nobody reads.
@Suite(.untilItHangs)
struct LimitedWaitTests {
  private let url = URL(string: "https://api.example.com/notes")!
  private let clock = VirtualClock()

  private func stream(by adapter: some RequestAdapter) async throws -> StreamedHTTPResponse {
    try await adapter.stream(request("GET", url), body: .none, progress: nil)
  }

  @Test func `a request behind streams that nobody reads fails`() async throws {
    let stub = StubAdapter().on(.get, "/notes", .text("ok"))
    let adapter = stub.limited(perHost: 2, clock: clock)
    var unread = [try await stream(by: adapter), try await stream(by: adapter)]
    let third = Task { try await adapter.failure(request("GET", url)) }
    await clock.sleep(number: 1)
    clock.advance(by: .seconds(60))
    let error = try #require(try await third.value)
    #expect(error.kind == .timeout)
    #expect(!error.mayHaveBeenProcessed)
    #expect(error.message.contains("api.example.com: streamed responses hold all 2, and nothing of them was read"))

    var short = request("GET", url)
    short.timeoutInterval = 5
    let fourth = Task { [short] in try await adapter.failure(short) }
    await clock.sleep(number: 2)
    #expect(clock.sleeps == [.seconds(60), .seconds(5)])
    let fifth = Task { try await adapter.failure(request("GET", url)) }
    clock.advance(by: .seconds(5))
    #expect(try await fourth.value?.kind == .timeout)
    fifth.cancel()
    await #expect(throws: CancellationError.self) { _ = try await fifth.value }
    #expect(stub.requests.count == 2)

    #expect(unread.count == 2)
    unread = []
    #expect(try await adapter.send(request("GET", url)).body == Data("ok".utf8))
  }

  @Test func `the limit begins when the last place is held by a stream`() async throws {
    let gate = StubGate()
    let stub = StubAdapter().on(.get, "/notes", .text("ok").waiting(for: gate))
    let places = Places(limit: 1, watch: LimitWatch(WaitingClock(clock)))
    let adapter = LimitAdapter(base: stub, places: places)
    let first = Task { try await stream(by: adapter) }
    await gate.arrival()
    let second = Task { try await adapter.failure(request("GET", url)) }
    while places.waiting == 0 { await Task.yield() }
    clock.advance(by: .seconds(600))
    gate.open()
    let unread = try await first.value
    await clock.sleep(number: 1)
    #expect(clock.sleeps == [.seconds(60)])
    clock.advance(by: .seconds(60))
    #expect(try await second.value?.kind == .timeout)
    withExtendedLifetime(unread) {}
  }

  @Test func `a reader that goes on moves the time limit`() async throws {
    let stub = StubAdapter().on(.get, "/notes", .text("abcd").chunked(2), .text("ok"))
    let adapter = stub.limited(perHost: 1, clock: clock)
    let read = try await stream(by: adapter)
    let second = Task { try await adapter.send(request("GET", url)) }
    await clock.sleep(number: 1)
    clock.advance(by: .seconds(40))
    #expect(try await read.next() == Data("ab".utf8))
    clock.advance(by: .seconds(20))
    await clock.sleep(number: 2)
    #expect(clock.sleeps == [.seconds(60), .seconds(40)])
    while try await read.next() != nil {}
    #expect(try await second.value.body == Data("ok".utf8))
  }

  @Test func `a reader that waits for a piece holds nobody up`() async throws {
    let gate = StubGate()
    let places = Places(limit: 1, watch: LimitWatch(WaitingClock(clock)))
    let place = try await places.enter(["https", "api.example.com"])
    let events = StreamedHTTPResponse(status: 200, headers: [:], url: url) {
      try await gate.wait()
      return nil
    }.keeping(place)
    let reader = Task { try await events.next() }
    await gate.arrival()
    let second = Task { try await places.enter(["https", "api.example.com"], silence: .seconds(60)) }
    while places.waiting == 0 { await Task.yield() }
    clock.advance(by: .seconds(600))
    #expect(clock.sleeps == [])
    gate.open()
    #expect(try await reader.value == nil)
    try await second.value.leave()
  }

  @Test func `a line has no limit while another request is under way`() async throws {
    let gate = StubGate()
    let stub = StubAdapter().on(.get, "/notes", .text("unread"), .text("slow").waiting(for: gate), .text("ok"))
    let places = Places(limit: 2, watch: LimitWatch(WaitingClock(clock)))
    let adapter = LimitAdapter(base: stub, places: places)
    let unread = try await stream(by: adapter)
    let slow = Task { try await adapter.send(request("GET", url)) }
    await gate.arrival()
    let third = Task { try await adapter.send(request("GET", url)) }
    while places.waiting == 0 { await Task.yield() }
    clock.advance(by: .seconds(600))
    gate.open()
    #expect(try await slow.value.body == Data("slow".utf8))
    #expect(try await third.value.body == Data("ok".utf8))
    #expect(clock.sleeps == [])
    withExtendedLifetime(unread) {}
  }
}

@Suite(.untilItHangs)
struct OfflineTests {
  @Test func `nothing is sent while the switch is offline`() async throws {
    let stub = StubAdapter().on(.get, "/notes", .text("ok"))
    let network = OfflineSwitch(isOffline: true)
    let adapter = stub.retrying().switched(by: network)
    let request = request("GET", URL(string: "https://api.example.com/notes")!)
    let error = try #require(try await adapter.failure(request))
    #expect(error.kind == .offline)
    #expect(!error.mayHaveBeenProcessed)
    await #expect(throws: TransportError.self) { try await adapter.stream(request, body: .none, progress: nil) }
    #expect(stub.requests.isEmpty)
    network.isOffline = false
    #expect(try await adapter.send(request).status == 200)
  }
}
