import EntityClient
import EntityTesting
import Foundation
import Testing

/// The rules for Kinto: changes go together, and each has an end of its own.
@Suite("Kinto: batches of the outbox", .kinto) struct KintoBatchTests {
  @Test func `many records go in batches`() async throws {
    try await withBoard { ada, bob in
      _ = try await ada.slips((0..<60).map { "s\($0)" })
      #expect(try await ada.outbox.send().text == "60 sent")
      let lines = ada.log.take()
      #expect(lines.texts.sorted() == ["POST 200", "POST 200", "POST 200"])
      let parts = lines.flatMap { $0.body?["requests"]?.list ?? [] }
      #expect(parts.count == 60)
      #expect(parts.allSatisfy { $0["method"]?.string == "PUT" && $0["headers"]?["If-None-Match"]?.string == "*" })
      #expect(lines.allSatisfy { $0.headers["Authorization"] != nil })
      #expect(parts.allSatisfy { $0["headers"]?["Authorization"] == nil })
      #expect(try await ada.pending.isEmpty)
      try await bob.pull()
      #expect(try await bob.records == ada.records)
      #expect(try await ada.records == ada.serverRecords)

      try await ada.edit { context in
        for slip in try context.fetch(Slip.all) {
          if slip.uid.hasSuffix("5") { try context.delete(slip) } else { slip.text += "!" }
        }
      }
      #expect(try await ada.outbox.send().text == "60 sent")
      #expect(ada.log.take().texts.allSatisfy { $0 == "POST 200" })
      try await bob.pull()
      #expect(try await bob.records == ada.records)
      #expect(try await ada.records == ada.serverRecords)
      #expect(try await ada.records.count == 54)
    }
  }

  @Test func `parts of a batch that fail have ends of their own`() async throws {
    try await withBoard { ada, bob in
      let ids = try await ada.slips(["gone", "kept", "stale", "old"])
      #expect(try await ada.outbox.send().text == "4 sent")
      try await bob.pull()
      try await bob.edit { context in
        for slip in try context.fetch(Slip.all) {
          switch slip.uid {
          case "stale": slip.text = "Bob's"
          case "gone": try context.delete(slip)
          default: break
          }
        }
      }
      #expect(try await bob.outbox.send().text == "2 sent")

      _ = ada.log.take()
      try await ada.edit { context in
        for id in ids.dropLast() { try context.known(id).text += "!" }
        try context.delete(context.known(ids[3]))
      }
      // The server takes no such id.
      let wrong = try await ada.slips(["-wrong", "new"])
      #expect(try await ada.outbox.send().text == "4 sent, 2 refused, 2 left")
      let lines = ada.log.take()
      #expect(lines.texts == ["POST 200", "GET 200", "PATCH 200"])
      #expect(lines.first?.body?["requests"]?.list.count == 6)
      let items = try await ada.outbox.items()
      #expect(Set(items.map(\.state)) == [.gone, .refused])
      let gone = try #require(items.first { $0.state == .gone })
      #expect(gone.object == ids[0].untyped)
      #expect(gone.status == 404)
      let refused = try #require(items.first { $0.state == .refused })
      #expect(refused.object == wrong[0].untyped)
      #expect(refused.status == 400)
      #expect(try refused.model(as: Refusal.self).message.contains("Invalid object id"))

      try await ada.outbox.drop(gone)
      try await ada.outbox.drop(refused)
      #expect(try await ada.outbox.send().left == 0)
      #expect(try await ada.pending.isEmpty)
      try await bob.pull()
      #expect(try await bob.records == ada.records)
      #expect(try await ada.records == ada.serverRecords)
      #expect(try await ada.records.map { $0.split(separator: " ")[1] }.sorted() == ["kept!", "new", "stale!"])
    }
  }

  @Test(arguments: [false, true])
  func `a lost answer to a batch doubles nothing and overwrites nothing`(restarts: Bool) async throws {
    try await withBoard { ada, bob in
      ada.faults.inject(.lost(.timeout), into: .post, "/v1/batch", .number(1))
      let ids = try await ada.slips(["a", "b", "c"])
      #expect(try await ada.outbox.send().text == "3 left, offline")
      #expect(ada.log.take().texts == ["POST 200"])
      try await bob.pull()
      try await bob.edit { try #require(try $0.fetch(Slip.where { $0.uid == "b" }).first).text = "Bob's" }
      #expect(try await bob.outbox.send().text == "1 sent")
      try await ada.edit { try $0.known(ids[2]).text = "Ada's" }
      var device = ada
      if restarts {
        await ada.outbox.stop()
        device = try ada.again()
      }
      #expect(try await device.sendLater().left == 0)
      #expect(try await device.pending.isEmpty)
      #expect(try await device.records == ada.serverRecords)
      #expect(try await device.records.map { $0.split(separator: " ")[1] } == ["a", "Bob's", "Ada's"])
    }
  }

  @Test func `a batch that did not reach the server goes as one later`() async throws {
    try await withBoard { ada, _ in
      ada.faults.inject(.unsent(.connection), into: .post, "/v1/batch", .first(2))
      _ = try await ada.slips(["a", "b", "c"])
      for _ in 0..<2 { #expect(try await ada.outbox.send().text == "3 left, offline") }
      #expect(ada.log.take().isEmpty)
      #expect(try await ada.outbox.send().text == "3 sent")
      #expect(ada.log.take().texts == ["POST 200"])
      #expect(try await ada.records == ada.serverRecords)
    }
  }
}

private struct Refusal: Decodable, Sendable { let message: String }

extension OutboxDevice {
  /// Makes slips whose texts are their uids.
  fileprivate func slips(_ uids: [String]) async throws -> [EntityID<Slip>] {
    try await edit { context in
      try uids.map { uid in try context.make(Slip.self) { ($0.uid, $0.text) = (uid, uid) }.entityID }
    }
  }
}
