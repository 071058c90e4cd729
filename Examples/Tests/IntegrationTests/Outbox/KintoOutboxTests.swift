import EntityClient
import EntityTesting
import Foundation
import Testing

/// The outbox with Kinto: two devices that edit the records of one bucket.
@Suite("Kinto: outbox", .kinto) struct KintoOutboxTests {
  private let uid = UUID().uuidString

  // MARK: Creates

  @Test func `a record with a uid of the device is put where the server has none`() async throws {
    try await withBoard { ada, bob in
      let id = try await ada.card("a", uid: uid)
      let remark = try await ada.edit { context in
        try context.make(Remark.self) { ($0.uid, $0.text, $0.card) = ("r1", "hm", try context.known(id)) }.entityID
      }
      #expect(try await ada.outbox.send().text == "2 sent")
      let lines = ada.log.take()
      #expect(lines.texts == ["PUT 201", "PUT 201"])
      #expect(lines.map { $0.headers["If-None-Match"] } == ["*", "*"])
      #expect(lines.first?.body == ["data": ["id": JSONValue(uid), "text": "a"]])
      #expect(try await ada.edit { try $0.known(id).lastModified } > 0)
      #expect(try await ada.edit { try $0.known(remark).lastModified } > 0)
      try await bob.pull()
      #expect(try await bob.records == ada.serverRecords)
      #expect(try await ada.records == ada.serverRecords)
    }
  }

  @Test func `a lost answer to a create is known by its values`() async throws {
    try await withBoard { ada, _ in
      ada.faults.inject(.lost(.timeout), into: .put, "/**", .number(1))
      _ = try await ada.card("a", uid: uid)
      #expect(try await ada.outbox.send().sent == 0)
      #expect(try await ada.sendLater().left == 0)
      #expect(ada.log.take().texts == ["PUT 201", "PUT 412", "GET 200"])
      #expect(try await ada.pending.isEmpty)
      #expect(try await ada.records == ada.serverRecords)
    }
  }

  @Test func `an edit by another device between a lost create and its second try stays`() async throws {
    try await withBoard { ada, bob in
      ada.faults.inject(.lost(.timeout), into: .put, "/**", .number(1))
      _ = try await ada.card("a", uid: uid)
      try await ada.outbox.send()
      try await bob.pull()
      try await bob.edit { [uid] in try $0.card(uid).text = "b" }
      #expect(try await bob.outbox.send().text == "1 sent")
      #expect(try await ada.sendLater().left == 0)
      #expect(try await ada.pending.isEmpty)
      #expect(try await ada.text(uid) == "b")
      #expect(try await ada.records == ada.serverRecords)
    }
  }

  @Test func `a record that another device put under the same uid is merged`() async throws {
    try await withBoard { ada, bob in
      _ = try await bob.card("b", uid: uid)
      try await bob.edit { [uid] in try $0.card(uid).note = "Bob's" }
      try await bob.outbox.send()
      _ = try await ada.card("a", uid: uid)
      #expect(try await ada.outbox.send().left == 0)
      #expect(ada.log.take().texts == ["PUT 412", "GET 200", "PATCH 200"])
      #expect(try await ada.pending.isEmpty)
      #expect(try await ada.note(uid) == "Bob's")
      #expect(try await ada.text(uid) == "a")
      #expect(try await ada.records == ada.serverRecords)
    }
  }

  // MARK: Updates and deletions

  @Test func `an update of another version is read, merged and sent`() async throws {
    try await withBoard { ada, bob in
      let id = try await shared(ada, bob)
      try await bob.edit { [uid] context in
        let card = try context.card(uid)
        (card.note, card.likes) = ("Bob's", 2)
      }
      #expect(try await bob.outbox.send().text == "1 sent")
      try await ada.edit { context in
        let card = try context.known(id)
        (card.text, card.note, card.likes) = ("Ada's", "Ada's", 3)
      }
      let version = try await ada.edit { try $0.known(id).lastModified }
      #expect(try await ada.outbox.send().text == "1 sent")
      let lines = ada.log.take()
      #expect(lines.texts == ["PATCH 412", "GET 200", "PATCH 200"])
      #expect(lines.first?.headers["If-Match"] == "\"\(version)\"")
      #expect(lines.last?.body == ["data": ["text": "Ada's", "likes": 5]])
      #expect(try await ada.pending.isEmpty)
      try await bob.pull()
      #expect(try await bob.records == ada.records)
      #expect(try await ada.records == ada.serverRecords)
    }
  }

  @Test func `a 412 by an own update whose answer was lost ends the update`() async throws {
    try await withBoard { ada, bob in
      let id = try await shared(ada, bob)
      ada.faults.inject(.lost(.timeout), into: .patch, "/**", .number(1))
      try await ada.edit { try $0.known(id).text = "Ada's" }
      try await ada.outbox.send()
      #expect(try await ada.sendLater().left == 0)
      #expect(ada.log.take().texts == ["PATCH 200", "PATCH 412", "GET 200"])
      #expect(try await ada.pending.isEmpty)
      #expect(try await ada.records == ada.serverRecords)
    }
  }

  /// As the page *Working offline* says.
  @Test func `nobody can tell what a lost update has added to a counter that another device changed since`()
    async throws
  {
    try await withBoard { ada, bob in
      let id = try await shared(ada, bob)
      ada.faults.inject(.lost(.timeout), into: .patch, "/**", .number(1))
      try await ada.edit { try $0.known(id).likes = 2 }
      try await ada.outbox.send()
      try await bob.pull()
      try await bob.edit { [uid] in try $0.card(uid).likes += 1 }
      #expect(try await bob.outbox.send().text == "1 sent")
      #expect(try await ada.sendLater().left == 0)
      #expect(try await ada.edit { try $0.known(id).likes } == 5)
      #expect(try await ada.records == ada.serverRecords)
    }
  }

  @Test func `a deletion holds for a version, deletes the newer one, and reaches the other device`() async throws {
    try await withBoard { ada, bob in
      let id = try await shared(ada, bob)
      let version = try await ada.edit { try $0.known(id).lastModified }
      try await bob.edit { [uid] in try $0.card(uid).text = "Bob's" }
      try await bob.outbox.send()
      try await ada.edit { try $0.delete($0.known(id)) }
      #expect(try await ada.outbox.send().text == "1 sent")
      let lines = ada.log.take()
      #expect(lines.texts == ["DELETE 412", "GET 200", "DELETE 200"])
      #expect(lines.first?.headers["If-Match"] == "\"\(version)\"")
      #expect(lines.last?.headers["If-Match"] != lines.first?.headers["If-Match"])
      #expect(lines.last?.headers["If-Match"] != nil)
      #expect(try await ada.pending.isEmpty)
      try await bob.pull()
      #expect(try await bob.records == [])
      #expect(try await ada.serverRecords == [])
      // The rest of the deleted record changes nothing here.
      try await ada.pull()
      #expect(try await ada.records == [])
    }
  }

  @Test func `a version in a header holds, too`() async throws {
    try await withBoard { ada, bob in
      let card = try await shared(ada, bob)
      let id = try await ada.edit { context in
        try context.make(Remark.self) { ($0.uid, $0.text, $0.card) = ("r1", "hm", try context.known(card)) }.entityID
      }
      try await ada.outbox.send()
      try await bob.pull()
      // Bob's device has the version of no response about the remark alone, and reads it.
      try await bob.edit { try #require(try $0.fetch(Remark.all).first).text = "hm!" }
      #expect(try await bob.outbox.send().sent == 1)
      #expect(bob.log.take().texts.suffix(2) == ["GET 200", "PATCH 200"])
      _ = ada.log.take()
      try await ada.edit { try $0.known(id).text = "oh" }
      #expect(try await ada.outbox.send().sent == 1)
      #expect(ada.log.take().texts == ["PATCH 412", "GET 200", "PATCH 200"])
      try await bob.pull()
      try await bob.edit { try $0.delete(#require(try $0.fetch(Remark.all).first)) }
      _ = bob.log.take()
      #expect(try await bob.outbox.send().sent == 1)
      #expect(bob.log.take().texts == ["DELETE 412", "GET 200", "DELETE 200"])
      #expect(try await bob.pending.isEmpty)
      try await ada.pull()
      #expect(try await ada.records == bob.records)
      #expect(try await ada.records == ada.serverRecords)
    }
  }

  // MARK: Edited here, deleted there

  @Test func `an edit of a record that another device deleted is kept, and put again by a person`() async throws {
    try await withBoard { ada, bob in
      let id = try await shared(ada, bob)
      try await bob.edit { [uid] in try $0.delete($0.card(uid)) }
      try await bob.outbox.send()
      try await ada.edit { try $0.known(id).text = "Ada's" }
      #expect(try await ada.outbox.send().left == 1)
      #expect(ada.log.take().texts == ["PATCH 404"])
      let item = try #require(try await ada.outbox.items().first)
      #expect(item.state == .gone)
      // The rest of the deleted record comes, and the edit is still there.
      try await ada.pull()
      #expect(try await ada.outbox.items().map(\.state) == [.gone])
      #expect(try await ada.edit { try $0.known(id).text } == "Ada's")
      _ = ada.log.take()
      try await ada.outbox.restore(item)
      #expect(try await ada.outbox.send().text == "1 sent")
      #expect(ada.log.take().texts == ["PUT 201"])
      #expect(try await ada.pending.isEmpty)
      try await bob.pull()
      #expect(try await bob.records == ada.records)
      #expect(try await ada.records == ada.serverRecords)
    }
  }

  @Test func `the news of a deletion takes no edit away that was not sent`() async throws {
    try await withBoard { ada, bob in
      let id = try await shared(ada, bob)
      try await bob.edit { [uid] in try $0.delete($0.card(uid)) }
      try await bob.outbox.send()
      try await ada.edit { try $0.known(id).text = "Ada's" }
      try await ada.pull()
      #expect(try await ada.edit { try $0.known(id).text } == "Ada's")
      #expect(try await ada.outbox.send().left == 1)
      let item = try #require(try await ada.outbox.items().first)
      #expect(item.state == .gone)
      try await ada.outbox.drop(item)
      #expect(try await ada.outbox.send().left == 0)
      #expect(try await ada.records == [])
      #expect(try await ada.pending.isEmpty)
    }
  }

  @Test func `both devices delete a record`() async throws {
    try await withBoard { ada, bob in
      let id = try await shared(ada, bob)
      try await bob.edit { [uid] in try $0.delete($0.card(uid)) }
      try await ada.edit { try $0.delete($0.known(id)) }
      #expect(try await bob.outbox.send().left == 0)
      try await ada.pull()
      #expect(try await ada.outbox.send().left == 0)
      #expect(try await ada.pending.isEmpty)
      #expect(try await ada.records == [])
    }
  }

  @Test func `a deleted card takes its remarks along, on the server too`() async throws {
    try await withBoard { ada, bob in
      let id = try await shared(ada, bob)
      try await ada.edit { context in
        for number in 0..<3 {
          _ = try context.make(Remark.self) { ($0.uid, $0.text, $0.card) = ("r\(number)", "hm", try context.known(id)) }
        }
      }
      #expect(try await ada.outbox.send().sent == 3)
      try await bob.pull()
      #expect(try await bob.edit { try $0.count(Remark.all) } == 3)
      try await ada.edit { try $0.delete($0.known(id)) }
      #expect(try await ada.outbox.send().sent == 4)
      #expect(try await ada.pending.isEmpty)
      #expect(try await ada.serverRecords == [])
      try await bob.pull()
      #expect(try await bob.records == [])
    }
  }

  // MARK: Two devices for days

  @Test(arguments: 1...4) func `two devices that were offline end equal to the server`(seed: Int) async throws {
    try await withBoard { ada, bob in
      var numbers = SeededNumbers(seed)
      var likes: [String: Int] = [:]
      // Nobody can tell what a lost update has added to a count, so the answers to updates come.
      ada.faults.inject(.lost(.timeout), into: .put, "/**", .every(3)).inject(.unsent(.connection), .every(5))
      bob.faults.inject(.lost(.timeout), into: .delete, "/**", .every(2)).inject(.unsent(.connection), .every(4))
      for round in 0..<6 {
        for (name, device) in [("a", ada), ("b", bob)] {
          for number in 0..<6 {
            let known = try await device.edit { try $0.fetch(Card.all).map(\.uid).sorted() }
            let act = Int.random(in: 0..<10, using: &numbers)
            guard act > 2, let uid = known.randomElement(using: &numbers) else {
              let new = "\(name)-\(round)-\(number)"
              _ = try await device.card(name, uid: new)
              likes[new] = 0
              continue
            }
            // A create that is sent again makes a record anew that was deleted in between.
            let pending = try await ada.pending + bob.pending
            let isMade = !pending.contains { $0.uid == uid && $0.kind == .insert }
            try await device.edit { context in
              let card = try context.card(uid)
              switch act {
              case 3...5: card.likes += 1
              case 6...7: card.text += name
              case 9 where isMade: try context.delete(card)
              default: card.note = name
              }
            }
            if 3...5 ~= act { likes[uid]? += 1 }
            if act == 9, isMade { likes[uid] = nil }
          }
        }
        for device in [ada, bob] {
          try await device.sendLater()
          if Bool.random(using: &numbers) { try? await device.pull() }
        }
      }
      for device in [ada, bob, ada] {
        // An edit of a card that the other one deleted is given up.
        if try await !device.sendAll() {
          for item in try await device.outbox.items() where item.state == .gone { try await device.outbox.drop(item) }
        }
        let all = try await device.sendAll()
        let plan = try await device.outbox.plan()
        #expect(all, "\(plan)")
        #expect(try await device.pulledAll())
      }
      #expect(try await ada.records == bob.records)
      #expect(try await ada.records == ada.serverRecords)
      let counts = try await ada.edit { try $0.fetch(Card.all).map { ($0.uid, $0.likes) } }
      #expect(Dictionary(counts) { $1 } == likes)
      for device in [ada, bob] { #expect(try await device.pending.isEmpty) }
    }
  }

  /// A card that both devices have, with the text "a".
  private func shared(_ ada: OutboxDevice, _ bob: OutboxDevice) async throws -> EntityID<Card> {
    let id = try await ada.card("a", uid: uid)
    #expect(try await ada.outbox.send().text == "1 sent")
    try await bob.pull()
    for device in [ada, bob] { _ = device.log.take() }
    return id
  }
}
