import Adapters
import EntityClient
import Foundation
import SessionAdapter
import Testing

/// The events of sse-starlette, over each adapter that streams.
@Suite(.enabled(if: BoardService.url != nil, "scripts/integration starts the server"))
struct EventBoardTests {
  private static let rules: PushRules = [
    .on("created", "updated", do: .upsert(BoardNote.self)), .on("deleted", do: .delete(BoardNote.self, at: "id")),
  ]

  /// A client of a board of its own, with a store in a file or in memory.
  private func client(
    _ board: String, _ place: StoreLocation = .inMemory, _ adapter: any RequestAdapter = CurlAdapter()
  ) throws -> Client {
    try Client(
      adapter: adapter, store: EntityStore(place, entities: [BoardNote.self]),
      baseURL: (BoardService.url ?? "") + board + "/")
  }

  private func texts(_ client: Client) async throws -> [String] {
    try await client.store.read { context in
      try context.fetch(BoardNote.all.sorted { $0.uid }).map { "\($0.uid) \($0.text)\($0.isDone ? " done" : "")" }
    }
  }

  @Test(arguments: [true, false]) func `changes of others arrive, through cuts and comments`(overCurl: Bool)
    async throws
  {
    let client = try client(UUID().uuidString, .inMemory, overCurl ? CurlAdapter() : URLSessionAdapter())
    var events = client.serverSentEvents("events", by: Self.rules).makeAsyncIterator()
    try await Client.withClient(client) {
      for number in 1...3 {
        try await client.post("notes", as: BoardReply.self) {
          try $0.setJSON(["text": JSONValue("é \(number)")] as JSONValue)
        }
      }
      for _ in 0..<3 { _ = try await events.next() }
      #expect(try await texts(client) == ["1 é 1", "2 é 2", "3 é 3"])
      try await client.post("cut")
      try await client.sending(.patch, "notes/2", as: BoardReply.self).modifying {
        try $0.setJSON(["is_done": true] as JSONValue)
      }
      .send()
      try await client.delete("notes/1")
      let update = try await events.next()
      #expect(update?.message.kind == "updated")
      #expect(update?.message.id == "4")
      _ = try await events.next()
      #expect(try await texts(client) == ["2 é 2 done", "3 é 3"])
      // The events brought the objects that the server has: nothing is written.
      #expect(try await BoardNote.get().counts.rowsWritten == 0)
      try await client.post("over")
      #expect(try await events.next() == nil)
    }
  }

  @Test func `after a restart the server sends what came meanwhile, and nothing twice`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("board-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let board = UUID().uuidString
    let file = StoreLocation.file(folder.appendingPathComponent("board.sqlite"))
    do {
      let client = try client(board, file)
      for text in ["a", "b"] {
        try await client.post("notes", as: BoardReply.self) { try $0.setJSON(["text": JSONValue(text)] as JSONValue) }
      }
      for try await event in client.serverSentEvents("events", by: Self.rules) where event.message.id == "2" { break }
    }
    let client = try client(board, file)
    #expect(try await texts(client) == ["1 a", "2 b"])
    try await client.delete("notes/1")
    try await client.post("notes", as: BoardReply.self) { try $0.setJSON(["text": "c"] as JSONValue) }
    var ids: [String?] = []
    for try await event in client.serverSentEvents("events", by: Self.rules) {
      ids.append(event.message.id)
      if ids.count == 2 { break }
    }
    #expect(ids == ["3", "4"])
    #expect(try await texts(client) == ["2 b", "3 c"])
  }
}

private enum BoardService {
  static let url = WebService.variable("ENTITYCLIENT_EVENTS")
}

@Entity final class BoardNote: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var isDone: Bool

  static var basePath: String { "notes" }
}

private struct BoardReply: Decodable, Sendable { let id: Int }
