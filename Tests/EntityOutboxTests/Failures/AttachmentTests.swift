import EntityClient
import EntityTesting
import Foundation
import HTTPFoundation
import Testing

@testable import EntityOutbox

/// Is sent as a form with its file.
@Entity final class Photo: OutboxEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var path: String

  static var basePath: String { "photos" }
  static var outbox: OutboxRules<Photo> {
    [
      .idempotencyKey(),
      .request(to: .create) { photo, _ in
        var request = try Photo.request(.post)
        try request.setFile(URL(filePath: photo.path), contentType: "application/json")
        return request
      },
    ]
  }
}

/// Its updates are sent as a file.
@Entity final class Placard: OutboxEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var path: String

  static var basePath: String { "placards" }
  static var outbox: OutboxRules<Placard> {
    [
      .rest, .command(Hang.self),
      .request(to: .update) { placard, _ in
        var request = try Placard.request(.patch, "\(placard.uid)")
        try request.setFile(URL(filePath: placard.path), contentType: "application/json")
        return request
      },
    ]
  }
}

struct Hang: OutboxCommand {
  static let name = "hang"

  func request(for placard: Placard) throws -> URLRequest { try Placard.request(.post, "\(placard.uid)/hang") }
}

/// The file of a request that is gone, or that the entry does not have.
@Suite struct AttachmentTests {
  private func scene() throws -> OutboxScene {
    try OutboxScene(store: EntityStore(.inMemory, entities: [Photo.self] + shopEntities))
  }

  private func make(_ folder: TestFolder, _ scene: OutboxScene) async throws -> URL {
    let file = folder.file("a.json")
    try Data(#"{"title":"Oslo"}"#.utf8).write(to: file)
    try await scene.edit { context in
      _ = try context.make(Photo.self) { ($0.title, $0.path) = ("Oslo", file.path) }
      _ = try context.make(Customer.self) { $0.name = "Ada" }
    }
    return file
  }

  @Test func `a file that is gone refuses its change alone, and a person says what to do`() async throws {
    let (folder, scene) = (try TestFolder(), try scene())
    let file = try await make(folder, scene)
    try FileManager.default.removeItem(at: file)
    #expect(try await scene.outbox.send() == OutboxPass(sent: 1, refused: 1, left: 1))
    #expect(scene.server.log == ["POST customers"])
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .refused)
    #expect(item.reason?.contains("a.json") == true)
    try Data(#"{"title":"Bergen"}"#.utf8).write(to: file)
    try await scene.outbox.retry(item)
    #expect(try await scene.outbox.send().sent == 1)
    #expect(scene.server.object("photos", 2)?["title"]?.string == "Bergen")
  }

  @Test func `a request with a file that is sent again has the file, and its key`() async throws {
    let (folder, scene) = (try TestFolder(), try scene())
    scene.server.answer("POST photos", 500)
    _ = try await make(folder, scene)
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    let posts = zip(scene.server.log, zip(scene.server.bodies, scene.server.sentKeys)).filter { $0.0 == "POST photos" }
    #expect(posts.map(\.1.0) == [#"{"title":"Oslo"}"#, #"{"title":"Oslo"}"#])
    #expect(Set(posts.map(\.1.1)).count == 1)
    #expect(scene.server.count("photos") == 1)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a request whose file is gone after a lost answer waits for a person`() async throws {
    let (folder, scene) = (try TestFolder(), try scene())
    scene.server.answer("POST photos", 500)
    let file = try await make(folder, scene)
    try await scene.outbox.send()
    try FileManager.default.removeItem(at: file)
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .unknown)
    #expect(item.reason?.contains("a.json") == true)
    try await scene.outbox.confirm(item, .didNotHappen)
    try await scene.outbox.send()
    #expect(try await scene.outbox.items().map(\.state) == [.refused])
    #expect(scene.server.count("photos") == 0)
  }

  /// The adapter may have sent the request before, with its key.
  @Test func `a kept request whose file is gone waits for a person, and has no other key before`() async throws {
    let (folder, scene) = (try TestFolder(), try scene())
    for request in ["POST photos", "POST customers"] { scene.server.answer(request, 429) }
    let file = try await make(folder, scene)
    try await scene.outbox.send()
    try FileManager.default.removeItem(at: file)
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .unknown)
    #expect(item.reason?.contains("a.json") == true)
    try await scene.outbox.retry(item)
    #expect(try await scene.outbox.items().map(\.state) == [.unknown])
    try await scene.outbox.confirm(item, .didNotHappen)
    try await scene.outbox.send()
    try Data(#"{"title":"Bergen"}"#.utf8).write(to: file)
    try await scene.outbox.retry(#require(try await scene.outbox.items().first))
    try await scene.outbox.send()
    #expect(scene.server.count("photos") == 1)
    #expect(try await scene.pending().isEmpty)
  }

  /// A second update does no harm, so that a person may have it made anew.
  @Test func `an update before a command whose file is gone after a lost answer is refused`() async throws {
    let folder = try TestFolder()
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Placard.self]))
    let file = folder.file("a.json")
    try Data(#"{"title":"Oslo"}"#.utf8).write(to: file)
    scene.server.set("placards", 1, ["title": "Rome", "path": JSONValue(file.path)])
    let id = try await Client.withClient(scene.client) { try #require(try await Placard.get().ids.first) }
    try await scene.edit { try $0.known(id).title = "Oslo" }
    try await scene.outbox.enqueue(Hang(), on: id)
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    try FileManager.default.removeItem(at: file)
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .refused)
    try Data(#"{"title":"Oslo"}"#.utf8).write(to: file)
    try await scene.outbox.retry(item)
    try await scene.outbox.send()
    #expect(scene.server.log.suffix(2) == ["PATCH placards/1", "POST placards/1/hang"])
    #expect(try await scene.pending().isEmpty)
  }
}
