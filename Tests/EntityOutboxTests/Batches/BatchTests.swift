import EntityClient
import EntityTesting
import Synchronization
import Testing

@testable import EntityOutbox

/// Changes go together where the rules say so, and each has an end of its own.
@Suite struct BatchTests {
  let server = BatchServer()
  let store: EntityStore
  let clock = VirtualClock()
  let outbox: Outbox

  init() throws {
    store = try EntityStore(.inMemory, entities: [Pallet.self, Ticket.self, Payment.self])
    let client = try Client(adapter: server, store: store, baseURL: "https://api.example.com/")
    outbox = try Outbox(client, time: OutboxTime(clock), width: 1)
  }

  private func makePallets(_ names: String...) async throws {
    try await store.background { context in
      for name in names { _ = try context.make(Pallet.self) { $0.name = name } }
    }
  }

  private func names() async throws -> [String: Bool] {
    try await store.read { context in
      Dictionary(try context.fetch(Pallet.all).map { ($0.name, $0.isMadeHere) }) { $1 }
    }
  }

  @Test func `changes that wait for nothing go together, up to the limit`() async throws {
    try await makePallets("a", "b", "c", "d")
    #expect(try await outbox.send() == OutboxPass(sent: 4))
    #expect(
      server.requests == [["POST /pallets", "POST /pallets", "POST /pallets"], ["POST /pallets"]])
    #expect(server.shop.count("pallets") == 4)
    #expect(try await store.pending.changes().isEmpty)
    #expect(try await names().values.allSatisfy { !$0 })
  }

  @Test func `a change that names a new object goes after the batch of the object`() async throws {
    try await store.background { context in
      let pallet = try context.make(Pallet.self) { $0.name = "a" }
      _ = try context.make(Ticket.self) {
        $0.text = "first"
        $0.pallet = pallet
      }
      _ = try context.make(Ticket.self) { $0.text = "free" }
    }
    #expect(try await outbox.send().sent == 3)
    #expect(server.requests == [["POST /pallets", "POST /tickets"], ["POST /tickets"]])
    #expect(server.shop.state.withLock { $0.tables["tickets"]?.values.compactMap { $0["pallet"]?.int }.count } == 1)
  }

  @Test func `a refused part is shown, and the others are sent`() async throws {
    server.shop.set("pallets", 7, ["name": "old"])
    try await Pallet.upsert(from: ["id": 7, "name": "old"] as JSONValue, in: store)
    try await store.background { context in
      try #require(try context.fetch(Pallet.where { $0.uid == 7 }).first).name = "new"
      _ = try context.make(Pallet.self) { $0.name = "a" }
    }
    server.shop.answer("PATCH pallets/7", 400, ["error": "no"])
    let pass = try await outbox.send()
    #expect((pass.sent, pass.refused, pass.left) == (1, 1, 1))
    let item = try #require(try await outbox.items().first)
    #expect(item.status == 400)
    #expect(server.requests.count == 1)
  }

  @Test func `a part without an answer is unknown, and the others are done`() async throws {
    try await makePallets("a", "b", "c")
    server.state.withLock { $0.silent = [1] }
    #expect(try await outbox.send().sent == 2)
    let items = try await outbox.items()
    #expect(items.map(\.state) == [.unknown])
    #expect(server.shop.count("pallets") == 3)
  }

  @Test func `a response to a batch that can't be read leaves each part unknown`() async throws {
    try await makePallets("a", "b")
    server.state.withLock { $0.isNonsense = true }
    #expect(try await outbox.send().sent == 0)
    #expect(try await outbox.items().map(\.state) == [.unknown, .unknown])
  }

  @Test(arguments: [404, 405, 413]) func `a service that takes no batch gets the parts one by one`(_ status: Int)
    async throws
  {
    try await makePallets("a", "b")
    server.state.withLock { $0.statuses = [status] }
    #expect(try await outbox.send().sent == 2)
    #expect(server.requests == [["POST /pallets", "POST /pallets"], ["POST /pallets"], ["POST /pallets"]])
    #expect(server.shop.count("pallets") == 2)
  }

  @Test func `a busy service pauses the outbox, and the parts go alone later`() async throws {
    try await makePallets("a", "b")
    server.state.withLock { $0.statuses = [503] }
    let pass = try await outbox.send()
    #expect(pass.sent == 0)
    guard case .busy = pass.pause else {
      Issue.record("The pause is \(String(describing: pass.pause)).")
      return
    }
    #expect(try await outbox.send().sent == 2)
    #expect(server.requests == [["POST /pallets", "POST /pallets"], ["POST /pallets"], ["POST /pallets"]])
  }

  @Test func `a batch that does not reach the server is sent again as one`() async throws {
    try await makePallets("a", "b")
    server.shop.setOffline(true)
    // The shop refuses each part, so that the batch fails as a whole.
    #expect(try await outbox.send().sent == 0)
    server.shop.setOffline(false)
    #expect(try await outbox.send().sent == 2)
    #expect(server.requests == [["POST /pallets", "POST /pallets"], ["POST /pallets", "POST /pallets"]])
    #expect(server.shop.count("pallets") == 2)
  }

  @Test func `the plan counts a batch as one request`() async throws {
    try await makePallets("a", "b", "c", "d")
    let plan = try await outbox.plan()
    #expect(plan.lines.map(\.state) == [.ready, .ready, .ready, .queued])
  }
}
