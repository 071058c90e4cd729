import EntityClient
import Foundation
import EntityStore
import Testing

/// An answer reports the changes that it leaves to a newer one.
@Suite struct SkippedOrderTests {
  private func tickets() throws -> EntityStore {
    try EntityStore(.inMemory, entities: [Ticket.self, HandTicket.self], busyTimeout: .seconds(60))
  }

  /// The objects, properties and reasons; see `SkippedValueTests` for the values.
  private func texts(_ skipped: SkippedChanges) -> [String] {
    skipped.map { $0.description.components(separatedBy: ": ").prefix(2).joined(separator: ": ") }.sorted()
  }

  /// Takes `newer` in while the request of `older` is under way, and then `older`.
  private func overtake<E: RemoteEntity, F: RemoteEntity>(
    _ store: EntityStore, _ older: (type: E.Type, value: JSONValue), by newer: (type: F.Type, value: JSONValue),
    _ change: (inout ResponseUpsert<E>) -> Void = { _ in },
    _ changeNewer: (inout ResponseUpsert<F>) -> Void = { _ in }
  ) async throws -> ResponseOutcome<E> {
    let numbers = (store.core.requests.begin(), store.core.requests.begin())
    defer { store.core.requests.end(numbers.0) }
    var upsert = ResponseUpsert<F>(newer.value, sequence: numbers.1)
    changeNewer(&upsert)
    let first = try await store.upsert(upsert)
    #expect(first.skipped.isEmpty)
    store.core.requests.end(numbers.1)
    var late = ResponseUpsert<E>(older.value, sequence: numbers.0)
    change(&late)
    return try await store.upsert(late)
  }

  @Test func `a newer answer's value is reported where it differs`() async throws {
    try await newer(Ticket.self, "Ticket")
    try await newer(HandTicket.self, "HandTicket")
  }

  private func newer<E: AnyTicket>(_ type: E.Type, _ name: String) async throws {
    let store = try tickets()
    let outcome = try await overtake(
      store, (E.self, ["id": 7, "title": "old", "version": 3, "note": "same"]),
      by: (E.self, ["id": 7, "title": "new", "note": "same", "version": 4]))
    #expect(texts(outcome.skipped) == ["\(name) 7: title, version have the value of a newer answer"])
    #expect(outcome.skipped.first?.reason == .newerAnswer)
  }

  @Test func `a newer answer's list is reported where it differs`() async throws {
    let store = try films()
    for cast in [[1, 3], [1, 2]] as [JSONValue] {
      let expected = cast == [1, 2] ? [] : ["cast has the value of a newer answer"]
      let newer: JSONValue = ["id": 1, "studio": 1, "cast": [1, 2]]
      let older: JSONValue = ["id": 1, "studio": 1, "cast": cast]
      let stated = try await overtake(store, (Film.self, older), by: (Film.self, newer))
      #expect(texts(stated.skipped) == expected.map { "Film 1: \($0)" })
      let handed = try await overtake(store, (HandFilm.self, older), by: (HandFilm.self, newer))
      #expect(texts(handed.skipped) == expected.map { "HandFilm 1: \($0)" })
    }
    let studios: (JSONValue, JSONValue) = (
      ["id": 1, "films": [["id": 1]]], ["id": 1, "films": [["id": 1], ["id": 2]]]
    )
    let stated = try await overtake(store, (Studio.self, studios.0), by: (Studio.self, studios.1))
    #expect(stated.skipped.contains { $0.entity == "Studio" && $0.properties == ["films"] })
    let handed = try await overtake(store, (HandStudio.self, studios.0), by: (HandStudio.self, studios.1))
    #expect(handed.skipped.contains { $0.entity == "HandStudio" && $0.properties == ["films"] })
  }

  @Test func `an object that a newer answer deleted is reported`() async throws {
    let store = try films()
    _ = try await store.receive(Player.self, [["id": 1]])
    _ = try await store.receive(HandPlayer.self, [["id": 1]])
    let text = "1: it was deleted, and is not made again"
    let stated = try await overtake(store, (Player.self, ["id": 1, "name": "a"]), by: (Player.self, [])) { _ in
    } _: {
      $0.missing = .deleteMissing(in: Player.all)
    }
    #expect(texts(stated.skipped) == ["Player \(text)"])
    #expect(stated.skipped.first?.reason == .gone)
    #expect(stated.skipped.first?.id == nil)
    #expect(stated.ids.isEmpty)
    let handed = try await overtake(store, (HandPlayer.self, ["id": 1, "name": "a"]), by: (HandPlayer.self, [])) { _ in
    } _: {
      $0.missing = .deleteMissing(in: HandPlayer.all)
    }
    #expect(texts(handed.skipped) == ["HandPlayer \(text)"])
  }

  @Test func `a skipped link to a deleted object is reported`() async throws {
    let store = try films()
    _ = try await store.receive(Studio.self, [["id": 1]])
    _ = try await store.receive(HandStudio.self, [["id": 1]])
    let expected = [
      "9: studio can't refer to an object that was deleted", "1: it was deleted, and is not made again",
    ]
    let film: JSONValue = ["id": 9, "studio": 1]
    let stated = try await overtake(store, (Film.self, film), by: (Studio.self, [])) { _ in
    } _: {
      $0.missing = .deleteMissing(in: Studio.all)
    }
    #expect(texts(stated.skipped) == ["Film \(expected[0])", "Studio \(expected[1])"])
    let handed = try await overtake(store, (HandFilm.self, film), by: (HandStudio.self, [])) { _ in
    } _: {
      $0.missing = .deleteMissing(in: HandStudio.all)
    }
    #expect(texts(handed.skipped) == ["HandFilm \(expected[0])", "HandStudio \(expected[1])"])
  }

  @Test func `an object that is deleted during its request is reported`() async throws {
    let store = try tickets()
    let id = try #require(try await store.receive(Ticket.self, ["id": 7, "title": "t"]).ids.first)
    try await store.background { context in
      if let ticket = try context.object(id) { try context.delete(ticket) }
    }
    let outcome = try await store.receive(Ticket.self, ["id": 7, "title": "answer"]) { $0.target = id }
    #expect(outcome.ids.isEmpty)
    let change = try #require(outcome.skipped.first)
    #expect(change.reason == .gone)
    #expect(change.uid == "7")
    #expect(change.id == id.untyped)
    #expect(change.properties.isEmpty)
  }

  @Test func `a deletion that is older than the row is reported`() async throws {
    let store = try tickets()
    _ = try await store.receive(Ticket.self, ["id": 1, "title": "t"])
    let outcome = try await overtake(store, (Ticket.self, []), by: (Ticket.self, ["id": 1, "title": "new"])) {
      $0.missing = .deleteMissing(in: Ticket.all)
    }
    #expect(texts(outcome.skipped) == ["Ticket 1: it was not deleted, because a newer answer has it"])
    #expect(outcome.counts.deleted == 0)
  }

  @Test func `a skipped change names a uid as URLs do`() async throws {
    let store = try EntityStore(
      .inMemory, entities: [Meter.self, Voucher.self], busyTimeout: .seconds(60))
    let large = UInt64(Int64.max) + 1
    _ = try await store.receive(Meter.self, [["id": JSONValue(large)]])
    let meter = try await overtake(store, (Meter.self, [["id": JSONValue(large)]]), by: (Meter.self, [])) { _ in
    } _: {
      $0.missing = .deleteMissing(in: Meter.all)
    }
    #expect(meter.skipped.first?.uid == "9223372036854775808")
    let id = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
    _ = try await store.receive(Voucher.self, [["id": JSONValue(id)]])
    let voucher = try await overtake(store, (Voucher.self, [["id": JSONValue(id)]]), by: (Voucher.self, [])) { _ in
    } _: {
      $0.missing = .deleteMissing(in: Voucher.all)
    }
    #expect(voucher.skipped.first?.uid == id.lowercased())
  }
}

@Entity final class Meter: RemoteEntity {
  @UID @Key("id") var uid: UInt64
  var reading: Int

  static var basePath: String { "meters" }
}

@Entity final class Voucher: RemoteEntity {
  @UID @Key("id") var uid: UUID
  var name: String?

  static var basePath: String { "vouchers" }
}
