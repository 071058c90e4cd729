import Adapters
import EntityClient
import EntityTesting
import Foundation
import Testing

/// The outbox with a service of Ruby on Rails, whose articles have `lock_version`.
@Suite(.enabled(if: OutboxPress.url != nil, "scripts/integration starts the service"))
struct PressOutboxTests {
  @Test func `of two edits the later one is refused with 409, merged by column and sent again`() async throws {
    try await withTwoDevices { ada, bob, id, uid in
      try await bob.edit { context in
        let piece = try context.piece(uid)
        (piece.summary, piece.likes, piece.price) = ("Bob's", 3, 3)
      }
      try await ada.edit { context in
        let piece = try context.known(id)
        (piece.title, piece.summary, piece.likes) = ("Ada's", "Ada's", 6)
      }
      #expect(try await bob.outbox.send().text == "1 sent")
      #expect(bob.log.take().texts == ["PATCH 200"])

      #expect(try await ada.outbox.send().text == "1 sent")
      let lines = ada.log.take()
      #expect(lines.texts == ["PATCH 409", "GET 200", "PATCH 200"])
      #expect(lines.first?.body == ["article": ["title": "Ada's", "summary": "Ada's", "likes": 6, "lock_version": 0]])
      #expect(lines.last?.body == ["article": ["title": "Ada's", "likes": 8, "lock_version": 1]])
      #expect(try await ada.pending.isEmpty)
      try await bob { _ = try await Piece.get("\(uid)") }
      for device in [ada, bob] {
        let values = try await device.edit { try $0.piece(uid).values }
        #expect(values == "Ada's, Bob's, 3, 8, 2")
      }
    }
  }

  @Test(arguments: ["mine", "theirs", "both"])
  func `a conflict waits for a person, who settles it`(resolution: String) async throws {
    try await withTwoDevices { ada, bob, id, uid in
      try await bob.edit { try $0.piece(uid).title = "Bob's" }
      #expect(try await bob.outbox.send().sent == 1)
      try await ada.edit { context in
        let piece = try context.known(id)
        (piece.title, piece.price) = ("Ada's", 7)
      }
      #expect(try await ada.outbox.send().sent == 0)
      #expect(ada.log.take().texts == ["PATCH 409", "GET 200"])
      let item = try #require(try await ada.outbox.items().first)
      #expect(item.state == .conflict)
      let conflict = try #require(try await ada.outbox.conflicts(of: item).first)
      #expect(conflict.property == "title")
      #expect(conflict.base.as(String.self) == "New")
      #expect(conflict.mine.as(String.self) == "Ada's")
      #expect(conflict.theirs.as(String.self) == "Bob's")
      // Nothing goes before the person has decided, whatever time passes.
      #expect(try await ada.sendLater().sent == 0)
      #expect(ada.log.take().isEmpty)

      switch resolution {
      case "mine": try await ada.outbox.settle(conflict, .mine)
      case "theirs": try await ada.outbox.settle(conflict, .theirs)
      default: try await ada.outbox.settle(conflict, .value("Ada's and Bob's"))
      }
      #expect(try await ada.outbox.send().text == "1 sent")
      #expect(ada.log.take().texts == ["PATCH 200"])
      #expect(try await ada.outbox.items().isEmpty)
      #expect(try await ada.pending.isEmpty)
      let titles = ["mine": "Ada's", "theirs": "Bob's"]
      let article = try await OutboxPress.bystander.get("articles/\(uid)")["article"]
      #expect(article?["title"]?.string == titles[resolution] ?? "Ada's and Bob's")
      #expect(article?["price"]?.string == "7.0")
    }
  }

  @Test func `a 409 by an own update whose answer was lost is settled by reading`() async throws {
    try await withTwoDevices { ada, _, id, uid in
      ada.faults.inject(.lost(.timeout), into: .patch, "/articles/#", .number(1))
      try await ada.edit { try $0.known(id).title = "Ada's" }
      try await ada.outbox.send()
      #expect(try await ada.sendLater().left == 0)
      #expect(ada.log.take().texts == ["PATCH 200", "PATCH 409", "GET 200"])
      #expect(try await ada.pending.isEmpty)
      #expect(try await ada.outbox.items().isEmpty)
      #expect(try await OutboxPress.bystander.get("articles/\(uid)")["article"]?["title"]?.string == "Ada's")
    }
  }

  @Test func `an edit of an article that another device deleted is kept, and restored or dropped`() async throws {
    try await withTwoDevices { ada, bob, id, uid in
      let other = try await ada.edit { try $0.make(Piece.self) { $0.title = "Other" }.entityID }
      try await ada.outbox.send()
      let second = try await ada.edit { try $0.known(other).uid }
      try await bob { _ = try await Piece.get("\(second)") }
      try await bob.edit { context in for uid in [uid, second] { try context.delete(context.piece(uid)) } }
      #expect(try await bob.outbox.send().text == "2 sent")

      try await ada.edit { context in for id in [id, other] { try context.known(id).title += "!" } }
      _ = ada.log.take()
      #expect(try await ada.outbox.send().left == 2)
      #expect(ada.log.take().texts == ["PATCH 404", "PATCH 404"])
      let items = try await ada.outbox.items()
      #expect(items.map(\.state) == [.gone, .gone])
      #expect(try await ada.edit { try $0.known(id).title } == "New!")
      for item in items {
        if item.object == id.untyped { try await ada.outbox.restore(item) } else { try await ada.outbox.drop(item) }
      }
      #expect(try await ada.outbox.send().text == "1 sent")
      #expect(ada.log.take().texts == ["POST 201"])
      #expect(try await ada.pending.isEmpty)
      #expect(try await ada.edit { try $0.fetch(Piece.all).map(\.title) } == ["New!"])
      let again = try await ada.edit { try $0.known(id).uid }
      #expect(again != uid)
      #expect(try await OutboxPress.bystander.get("articles/\(again)")["article"]?["title"]?.string == "New!")
      // Both have it deleted now.
      try await bob.edit { _ = try $0.make(Piece.self) { $0.title = "Bob's" } }
      #expect(try await bob.outbox.send().left == 0)
    }
  }

  @Test func `a deletion of an article that is gone is done`() async throws {
    try await withTwoDevices { ada, bob, id, uid in
      try await bob.edit { try $0.delete($0.piece(uid)) }
      try await ada.edit { try $0.delete($0.known(id)) }
      #expect(try await bob.outbox.send().text == "1 sent")
      #expect(try await ada.outbox.send().left == 0)
      #expect(ada.log.take().texts == ["DELETE 404"])
      #expect(try await ada.pending.isEmpty)
    }
  }

  @Test func `a unique value changes hands`() async throws {
    let device = try OutboxPress.device()
    defer { device.remove() }
    let run = UUID().uuidString
    let (first, second) = try await device.edit { context in
      let names = ["\(run) 1", "\(run) 2"]
      let writers = try names.map { name in try context.make(Signer.self) { $0.name = name }.entityID }
      return (writers[0], writers[1])
    }
    #expect(try await device.outbox.send().text == "2 sent")
    try await device.edit { try $0.known(second).name = "\(run) 1" }
    // It is sent once more by itself, and no person is asked yet.
    #expect(try await device.outbox.send().text == "1 refused, 1 left")
    #expect(device.log.take().texts.last == "PATCH 422")
    #expect(try await device.outbox.items().isEmpty)
    try await device.edit { try $0.known(first).name = "\(run) 3" }
    // The refused change may be sent before the other one once more.
    device.clock.advance(by: .seconds(2))
    try await device.outbox.send()
    for item in try await device.outbox.items() { try await device.outbox.retry(item) }
    try await device.outbox.send()
    #expect(try await device.outbox.items().isEmpty)
    #expect(try await device.pending.isEmpty)
    for (id, name) in [(first, "\(run) 3"), (second, "\(run) 1")] {
      let uid = try await device.edit { try $0.known(id).uid }
      #expect(try await OutboxPress.bystander.get("authors/\(uid)")["author"]?["name"]?.string == name)
    }
  }

  /// Two devices that have an article. Its title is "New", and it has one like.
  private func withTwoDevices(
    _ body: (_ ada: OutboxDevice, _ bob: OutboxDevice, _ id: EntityID<Piece>, _ uid: Int) async throws -> Void
  ) async throws {
    let ada = try OutboxPress.device()
    let bob = try OutboxPress.device()
    defer {
      ada.remove()
      bob.remove()
    }
    let id = try await ada.edit { try $0.make(Piece.self) { ($0.title, $0.likes) = ("New", 1) }.entityID }
    #expect(try await ada.outbox.send().text == "1 sent")
    let uid = try await ada.edit { try $0.known(id).uid }
    try await bob { _ = try await Piece.get("\(uid)") }
    for device in [ada, bob] { _ = device.log.take() }
    try await body(ada, bob, id, uid)
  }
}

/// The service, where `scripts/integration` has started it.
private enum OutboxPress {
  static let url = ProcessInfo.processInfo.environment["ENTITYCLIENT_RAILS"]

  static var bystander: Bystander {
    get throws { Bystander(client: try Client(adapter: CurlAdapter(), baseURL: #require(url))) }
  }

  static func device() throws -> OutboxDevice {
    try OutboxDevice([Piece.self, Signer.self]) { adapter, store in
      try Client(adapter: adapter, store: store, baseURL: #require(url))
    }
  }
}

extension EntityContext {
  fileprivate func piece(_ uid: Int) throws -> Piece { try #require(try fetch(Piece.where { $0.uid == uid }).first) }
}

/// An article.
@Entity private final class Piece: OutboxEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var summary: String?
  var price: Decimal?
  var likes: Int = 0
  var lockVersion: Int = 0

  static var basePath: String { "articles" }
  static var envelope: Envelope? { Envelope(list: "articles", item: "article") }
  static var requestRootKey: String? { "article" }
  static var outbox: OutboxRules<Piece> {
    [
      .ifMatch(.body(\.lockVersion)),
      .merging(
        .byColumn(
          .merge(\Piece.Columns.likes) { base, mine, theirs in theirs + (mine - base) },
          .column(\Piece.Columns.title, .fail), .column(\Piece.Columns.summary, .theirs))),
    ]
  }

  var values: String {
    "\(title), \(summary ?? "-"), \(price.map(String.init(describing:)) ?? "-"), \(likes), \(lockVersion)"
  }
}

/// An author, whose name is unique.
@Entity private final class Signer: OutboxEntity {
  @UID @Key("id") var uid: Int
  var name: String

  static var basePath: String { "authors" }
  static var envelope: Envelope? { Envelope(list: "authors", item: "author") }
  static var requestRootKey: String? { "author" }
}
