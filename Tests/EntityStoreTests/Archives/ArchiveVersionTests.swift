import EntityMacros
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Versions of an app whose names changed hands, and whose properties got other kinds.
private enum Card1 {
  @Entity final class Card {
    @UID var id: Int
    var title: String?
    var first: String?
    var second: String?
    var body: String?
    var price: Int
    var total: Int
    var gone: String?
    @Relationship(inverse: nil) var tags: [Mark]
    @Relationship(inverse: \Card1.Mark.card, ordered: true) var marks: [Mark]
  }

  @Entity final class Mark {
    @UID var id: Int
    var label: String?
    var card: Card?
  }

  static var all: [any ManagedEntity.Type] { [Card.self, Mark.self] }
}

private enum Card2 {
  /// `title` has become `heading`, and another property has its name; `first` and `second` have changed places.
  @Entity(removed: "gone") final class Card {
    @UID var id: Int
    @Renamed(from: "title") var heading: String?
    var title: String?
    @Renamed(from: "second") var first: String?
    @Renamed(from: "first") var second: String?
    var body: String = "none"
    var price: Int
    @Derived var total: Int { price * 2 }
    var stars: Int = 3
    @Derived var isGood: Bool { stars >= 3 }
    @Renamed(from: "tags") @Relationship(inverse: nil) var labels: [Sign]
    @Relationship(inverse: nil) var tags: [Mark]
    @Relationship(inverse: \Card2.Sign.owner, ordered: true) var marks: [Sign]
  }

  @Entity @Renamed(from: "Mark") final class Sign {
    @UID var id: Int
    var label: String = "unnamed"
    @Renamed(from: "card") var owner: Card?
  }

  /// Another entity than the one that had the name.
  @Entity final class Mark {
    @UID var id: Int
  }

  static var all: [any ManagedEntity.Type] { [Card.self, Sign.self, Mark.self] }
}

/// An archive of an earlier version of the app is taken in as its file would be.
struct ArchiveVersionTests {
  private func old(_ place: Place) async throws -> TestStore {
    let test = try TestStore(place, Card1.all)
    try await test.store.background(as: .server) { context in
      let (card, mark) = (try context.insert(Card1.Card.self), try context.insert(Card1.Mark.self))
      let other = try context.insert(Card1.Mark.self)
      (other.id, other.label) = (6, "o")
      card.marks = [mark, other]
      (card.id, card.title, card.first, card.second) = (1, "t", "1st", "2nd")
      card.price = 5
      (mark.id, mark.label) = (7, "m")
      card.tags = [mark]
    }
    try await test.store.background { context in
      let card = try #require(try context.fetch(Card1.Card.self, uid: 1))
      (card.total, card.gone, card.title) = (99, "edited", "edited")
    }
    try await test.store.core.unit { rows in _ = try rows.row(rows.schema.model(Card1.Mark.self), uid: .integer(8)) }
    return test
  }

  private func content(_ store: EntityStore) async throws -> [String] {
    try await store.read { context in
      let cards = try context.fetch(Card2.Card.all).map { card in
        "\(card.id) \(card.heading ?? "-") \(card.title ?? "-") \(card.first ?? "-") \(card.second ?? "-") \(card.body) "
          + "\(card.price) \(card.total) \(card.stars) \(card.labels.map(\.label)) \(card.marks.map(\.id)) \(card.tags.count) "
          + "\(card.pendingColumns.names)"
      }
      let good = try context.count(Card2.Card.where { $0.isGood && $0.stars == 3 })
      let signs = try context.fetch(Card2.Sign.all.including(.placeholders).sorted(by: \.id)).map {
        "\($0.id) \($0.label) \($0.isPlaceholder)"
      }
      return try cards + ["\(good) good"] + signs + ["\(context.count(Card2.Mark.all)) marks"]
    }
  }

  @Test func `an archive is taken in as its file`() async throws {
    let test = try await old(.file)
    let archive = try await test.store.archive()
    try await test.store.close()
    let opened = try EntityStore(.file(test.folder.file), entities: Card2.all)
    let expected = [
      "1 edited - 2nd 1st none 5 10 3 [\"m\"] [7, 6] 0 [\"heading\"]", "1 good", "6 o false",
      "7 m false", "8 unnamed true", "0 marks",
    ]
    #expect(try await content(opened) == expected)
    let restored = try TestStore(.memory, Card2.all)
    try await restored.store.restore(from: archive)
    #expect(try await content(restored.store) == expected)
    // Its pending change can be read, and nothing else is one.
    let edits = try await restored.store.pending.changes(of: Card2.Card.self).flatMap(\.edits).map(\.property)
    #expect(edits == ["heading"])
    #expect(try await restored.store.check(.full).isEmpty)
    // In an archive of this version the names have changed hands already.
    let again = try TestStore(.memory, Card2.all)
    try await again.store.restore(from: try await opened.archive())
    #expect(try await content(again.store) == expected)
  }

  @Test func `an archive has the former names of all tables`() async throws {
    let text = String(decoding: try await old(.memory).store.archive(), as: UTF8.self)
    #expect(text.contains("\"names\":{\"Card\":null,\"Card,tags\":null,\"Mark\":null}"))
    #expect(throws: StoreError.self) {
      try ArchiveHeader(Data("{\"archive\":\"EntityClient\",\"format\":1,\"lastRow\":5,\"names\":{\"A\":1}}".utf8))
    }
  }

  @Test func `the store's own file is no place for an archive`() async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1, "Ada")
    #expect(await asyncErrorKind { try await test.store.archive(to: test.folder.file) } == .invalidLocation)
    #expect(await asyncErrorKind { try await test.store.restore(from: test.folder.file) } == .notAnArchive)
    let other = try TestStore(.memory)
    #expect(await asyncErrorKind { try await other.store.archive(to: test.folder.file) } == .inUse)
    try await test.store.addPerson(2, "Eve")
    #expect(try await test.store.read { try $0.count(Person.all) } == 2)
  }
}
