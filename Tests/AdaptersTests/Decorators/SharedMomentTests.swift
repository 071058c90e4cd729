import EntityClient
import EntityTesting
import Foundation
import Testing

@testable import AdapterDecorators

@Entity private final class Gauge: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "gauges" }
}

/// A GET that shares the transfer of an older one, beside newer answers and messages.
@Suite(.untilItHangs)
struct SharedMomentTests {
  private let stub = StubAdapter()
  private let gate = StubGate()
  private let adapter: CoalescingAdapter<StubAdapter>
  private let client: Client

  init() throws {
    adapter = CoalescingAdapter(base: stub)
    client = try Client(
      adapter: adapter, store: EntityStore(.inMemory, entities: [Gauge.self]), baseURL: "https://api.example.com/")
  }

  private func names() async throws -> [String] {
    try await client.store.read { try $0.fetch(Gauge.all.sorted { $0.uid }).map { "\($0.uid) \($0.name ?? "-")" } }
  }

  /// Starts a GET of all gauges, and returns once it shares the transfer of the others.
  private func list(_ waiting: Int, _ options: ResponseOptions<Gauge> = .init()) async -> Task<
    EntityResponse<Gauge>, any Error
  > {
    let task = Task { try await Client.withClient(client) { try await Gauge.get(options: options) } }
    while adapter.inFlight.waiting < waiting { await Task.yield() }
    return task
  }

  @Test(arguments: [false, true])
  func `a shared response leaves a newer answer alone`(_ isAnsweredBefore: Bool) async throws {
    let other = StubGate()
    stub.on(.get, "/gauges", .json([["id": 1, "name": "old"], ["id": 2, "name": "second"]]).waiting(for: gate))
      .on(.get, "/gauges/1", .json(["id": 1, "name": "new"]).waiting(for: other))
    let first = await list(1)
    await gate.arrival()
    let one = Task { try await Client.withClient(client) { try await Gauge.get("1") } }
    await other.arrival()
    if isAnsweredBefore {
      other.open()
      _ = try await one.value
    }
    let second = await list(isAnsweredBefore ? 2 : 3)
    if !isAnsweredBefore {
      other.open()
      _ = try await one.value
    }
    // The first caller leaves, and with it the oldest number.
    first.cancel()
    _ = try? await first.value
    gate.open()
    let response = try await second.value
    #expect(stub.requests.count == 2)
    #expect(try await names() == ["1 new", "2 second"])
    #expect(response.skipped.count == 1)
  }

  @Test func `a GET by itself leaves no stamps`() async throws {
    let tasks = Log<Task<Void, any Error>>()
    stub.on(
      .get, "/gauges",
      .respond { _ in
        // As a decorator's timer, or an app's.
        tasks.add(Task { [gate] in try await gate.wait() })
        return HTTPResponse(status: 200, body: Data(#"[{"id": 1, "name": "a"}]"#.utf8))
      })
    _ = try await list(0).value
    let requests = try client.store.core.requests
    let number = requests.begin()
    #expect(!requests.hasOlder(than: number))
    requests.end(number)
    gate.open()
    for task in tasks.all { try await task.value }
  }

  @Test func `a GET takes its list in by batches, as without sharing`() async throws {
    let list = (1...500).map { ["id": JSONValue($0), "name": "a"] as JSONValue }
    stub.on(.get, "/gauges", .json(JSONValue(list)))
    let statements = Log<Int>()
    var options = StoreOptions()
    options.log = StoreLog(slowerThan: nil, statements: true) { if case .statement = $0 { statements.add(1) } }
    let client = try Client(
      adapter: adapter, store: EntityStore(.inMemory, entities: [Gauge.self], options: options),
      baseURL: "https://api.example.com/")
    try await Client.withClient(client) { _ = try await Gauge.get() }
    #expect(statements.all.count < 200)
  }

  @Test func `a value after a hint shares no transfer from before it`() async throws {
    stub.on(.get, "/balance", .json(1).waiting(for: gate), .json(2))
    let first = Task { try await client.get("balance", as: Int.self).value }
    await gate.arrival()
    let values = Log<Int>()
    let rules: PushRules = [
      .on("changed", do: .refresh { _ in values.add(try await Client.current.get("balance", as: Int.self).value) })
    ]
    _ = try await Client.withClient(client) {
      try await client.receive(PushedMessage(kind: "changed", data: Data()), by: rules)
    }
    #expect(values.all == [2])
    gate.open()
    #expect(try await first.value == 1)
  }

  @Test func `a message with its values lets a GET share the transfer from before it, and stays`() async throws {
    stub.on(.get, "/gauges", .json([["id": 1, "name": "old"]]).waiting(for: gate))
    let first = await list(1, .deleteMissing(in: Gauge.all))
    await gate.arrival()
    let rules: PushRules = [.on("made", do: .upsert(Gauge.self))]
    _ = try await Client.withClient(client) {
      for data in [#"{"id": 1, "name": "new"}"#, #"{"id": 2, "name": "made"}"#] {
        _ = try await client.receive(PushedMessage(kind: "made", data: Data(data.utf8)), by: rules)
      }
    }
    let second = await list(2, .deleteMissing(in: Gauge.all))
    gate.open()
    _ = try await (first.value, second.value)
    #expect(stub.requests.count == 1)
    #expect(try await names() == ["1 new", "2 made"])
  }

  @Test func `a shared response that deletes what is missing leaves a newer object`() async throws {
    stub.on(.get, "/gauges", .json([["id": 1, "name": "old"]]).waiting(for: gate))
      .on(.get, "/gauges/3", .json(["id": 3, "name": "third"]))
    let first = await list(1, .deleteMissing(in: Gauge.all))
    await gate.arrival()
    _ = try await Client.withClient(client) { try await Gauge.get("3") }
    let second = await list(2, .deleteMissing(in: Gauge.all))
    gate.open()
    _ = try await (first.value, second.value)
    #expect(try await names() == ["1 old", "3 third"])
  }

  @Test func `a GET after a hint shares no transfer from before it`() async throws {
    stub.on(
      .get, "/gauges", .json([["id": 1, "name": "old"]]).waiting(for: gate), .json([["id": 1, "name": "changed"]]))
    let first = await list(1)
    await gate.arrival()
    let rules: PushRules = [.on("changed", do: .refresh { _ in try await Gauge.get() })]
    _ = try await Client.withClient(client) {
      try await client.receive(PushedMessage(kind: "changed", data: Data()), by: rules)
    }
    #expect(try await names() == ["1 changed"])
    gate.open()
    _ = try await first.value
    #expect(try await names() == ["1 changed"])
  }

  @Test func `a GET with a cache policy after a hint shares no answer from before it`() async throws {
    stub.on(
      .get, "/gauges", .json([["id": 1, "name": "old"]]).waiting(for: gate), .json([["id": 1, "name": "changed"]]))
    let options = ResponseOptions<Gauge>.cache(.cacheFirst(maxAge: .seconds(60)))
    let first = await list(1, options)
    await gate.arrival()
    let rules: PushRules = [.on("changed", do: .refresh { _ in try await Gauge.get(options: options) })]
    _ = try await Client.withClient(client) {
      try await client.receive(PushedMessage(kind: "changed", data: Data()), by: rules)
    }
    #expect(try await names() == ["1 changed"])
    gate.open()
    _ = try await first.value
  }

  @Test func `requests on different stores share no transfer`() async throws {
    stub.on(.get, "/gauges", .json([["id": 1, "name": "a"]]).waiting(for: gate))
    let other = try Client(
      adapter: adapter, store: EntityStore(.inMemory, entities: [Gauge.self]), baseURL: "https://api.example.com/")
    let first = await list(1)
    let second = Task { try await Client.withClient(other) { try await Gauge.get() } }
    await gate.arrival(2)
    gate.open()
    _ = try await (first.value, second.value)
    #expect(stub.requests.count == 2)
  }

  @Test func `values that are asked for together share a transfer`() async throws {
    stub.on(.get, "/gauges", .json([["id": 1, "name": "a"]]).waiting(for: gate))
    let tasks = (0..<3).map { _ in Task { try await client.get("gauges", as: [JSONValue].self).value.count } }
    while adapter.inFlight.waiting < 3 { await Task.yield() }
    gate.open()
    for task in tasks { #expect(try await task.value == 1) }
    #expect(stub.requests.count == 1)
  }
}
