import EntityClient
import EntityTesting
import Foundation
import HTTPFoundation
import Synchronization
import Testing

@testable import EntityOutbox

/// Files that belong to objects: their place among the changes, their copies, and refusals.
@Suite struct UploadTests {
  @Test func `a file is uploaded after the create of its object, and its copy goes`() async throws {
    let scene = try UploadScene()
    scene.server.state.withLock { $0.isOffline = true }
    let id = try await scene.album()
    let (file, data) = try scene.file(5000)
    try await scene.outbox.attach(file, as: "cover", to: id, contentType: "image/jpeg")
    try FileManager.default.removeItem(at: file)
    try await scene.outbox.send()
    #expect(scene.copies.count == 1)
    #expect(try await scene.outbox.plan().lines.map(\.properties) == [["title"], ["cover"]])
    scene.server.state.withLock { ($0.isOffline, $0.answer) = (false, #"{"id":1,"title":"Oslo","cover":"/c/1"}"#) }
    #expect(try await scene.outbox.send() == OutboxPass(sent: 2, left: 0))
    #expect(scene.server.log == ["POST /albums", "PUT /albums/1/cover"])
    #expect(scene.server.files == ["/albums/1/cover": [data]])
    #expect(scene.server.state.withLock(\.headers).last?["Content-Type"] == "image/jpeg")
    #expect(scene.copies.isEmpty)
    // The answer is taken in as that of a command.
    #expect(try await scene.store.read { try $0.object(id)?.cover } == "/c/1")
  }

  @Test func `observers of the client hear of uploads, with their commits`() async throws {
    let scene = try UploadScene()
    let id = try await scene.album()
    try await scene.outbox.send()
    let reports = Mutex<[ExchangeReport]>([])
    let observation = scene.client.observe { report in reports.withLock { $0.append(report) } }
    // The first answer is the object, and the second one is nothing that is read.
    scene.server.state.withLock { $0.answer = #"{"id":1,"title":"Oslo","cover":"/c/1"}"# }
    try await scene.outbox.attach(try scene.file(10).url, as: "cover", to: id)
    try await scene.outbox.send()
    try await scene.outbox.attach(try scene.file(10).url, as: "print", to: id)
    try await scene.outbox.send()
    scene.server.fail("PUT", .status(413))
    try await scene.outbox.attach(try scene.file(10).url, as: "cover", to: id)
    try await scene.outbox.send()
    observation.end()
    let heard = reports.withLock(\.self)
    #expect(heard.map(\.method) == ["PUT", "POST", "PUT"])
    #expect(heard.map { $0.generations.isEmpty } == [false, false, true])
    #expect(heard[0].entity == "Album" && heard[0].objects == 1 && heard[0].counts?.updated == 1)
    #expect(heard[1].failure == nil && heard[1].entity == nil)
    #expect(heard[2].status == 413 && heard[2].failure != nil)
  }

  @Test func `a later edit goes before a file that waits, and a command after it`() async throws {
    let scene = try UploadScene()
    let id = try await scene.album()
    try await scene.outbox.send()
    try await scene.outbox.attach(try scene.file(10).url, as: "cover", to: id)
    try await scene.store.background { try $0.known(id).title = "Bergen" }
    try await scene.outbox.enqueue(Press(), on: id)
    try await scene.store.background { try $0.known(id).title = "Tromsø" }
    try await scene.outbox.send()
    #expect(
      scene.server.log == [
        "POST /albums", "PATCH /albums/1", "PUT /albums/1/cover", "POST /albums/1/press", "PATCH /albums/1",
      ])
  }

  @Test func `a refused file is shown, holds up no edit, and is retried or dropped`() async throws {
    let scene = try UploadScene()
    let id = try await scene.album()
    try await scene.outbox.attach(try scene.file(10).url, as: "cover", to: id, filename: "cover.png")
    scene.server.fail("PUT", .status(413), .status(413))
    #expect(try await scene.outbox.send() == OutboxPass(sent: 1, refused: 1, left: 1))
    try await scene.store.background { try $0.known(id).title = "Bergen" }
    #expect(try await scene.outbox.send().sent == 1)
    #expect(scene.server.log.last == "PATCH /albums/1")
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .refused && item.status == 413 && item.command == "cover")
    #expect(item.upload?.filename == "cover.png" && item.upload?.size == 10)
    try await scene.outbox.retry(item)
    #expect(try await scene.outbox.send().refused == 1)
    #expect(scene.copies.count == 1)
    try await scene.outbox.drop(try #require(try await scene.outbox.items().first))
    try await scene.outbox.send()
    #expect(scene.copies.isEmpty)
    #expect(try await scene.outbox.plan().lines.isEmpty)
  }

  @Test(arguments: ["gone", "changed", "grown"])
  func `a copy that is not as it was is refused with words`(_ fate: String) async throws {
    let scene = try UploadScene()
    let id = try await scene.album()
    try await scene.outbox.attach(try scene.file(3000).url, as: "scan", to: id)
    switch fate {
    case "gone": try FileManager.default.removeItem(at: try scene.copy())
    case "changed": try Data(count: 3000).write(to: try scene.copy())
    default: try Data(count: 3001).write(to: try scene.copy())
    }
    #expect(try await scene.outbox.send() == OutboxPass(sent: 1, refused: 1, left: 1))
    #expect(scene.server.log == ["POST /albums"])
    let problem = try #require(try await scene.outbox.items().first?.reason)
    #expect(problem.contains("oslo.jpg") && problem.contains(fate == "gone" ? "is gone" : "has changed"))
  }

  @Test func `copies that no entry has are removed at the next start, and others stay`() async throws {
    let folder = try TestFolder()
    var names: [String] = []
    do {
      let scene = try UploadScene(folder)
      scene.server.state.withLock { $0.isOffline = true }
      try await scene.outbox.attach(try scene.file(10).url, as: "cover", to: try await scene.album())
      names = scene.copies
      await scene.outbox.stop()
    }
    let left = folder.file("a.sqlite-attachments").appending(path: String(repeating: "ab", count: 16))
    let other = folder.file("a.sqlite-attachments").appending(path: "notes.txt")
    for file in [left, other] { try Data("x".utf8).write(to: file) }
    let scene = try UploadScene(folder)
    scene.server.state.withLock { $0.isOffline = true }
    try await scene.outbox.send()
    #expect(Set(scene.copies) == Set(names + ["notes.txt"]))
  }

  @Test func `the deletion of an object, and the reset of its store, take its files along`() async throws {
    let scene = try UploadScene()
    let id = try await scene.album()
    // Two creates at once have their uids by chance.
    try await scene.outbox.send()
    let other = try await scene.album()
    try await scene.outbox.send()
    for id in [id, other] { try await scene.outbox.attach(try scene.file(10).url, as: "cover", to: id) }
    try await scene.store.background { try $0.delete($0.known(id)) }
    scene.server.fail("PUT", .status(400))
    try await scene.outbox.send()
    #expect(scene.server.log.filter { $0.hasPrefix("PUT") }.count == 1)
    #expect(scene.server.log.contains("DELETE /albums/1"))
    #expect(scene.copies.count == 1)
    await #expect(throws: StoreError.self) { try await scene.store.reset() }
    try await scene.store.reset(discardsPending: true)
    try await scene.outbox.send()
    #expect(scene.copies.isEmpty)
  }

  @Test @MainActor func `a deletion that is undone keeps the files of its object`() async throws {
    let scene = try UploadScene()
    let id = try await scene.album()
    try await scene.outbox.send()
    let main = scene.store.main
    main.undoManager.limit = .saves(10)
    try await scene.outbox.attach(try scene.file(10).url, as: "cover", to: id)
    try main.delete(try #require(try main.object(id)))
    try await main.save()
    #expect(try await scene.outbox.plan().lines.map(\.method) == ["DELETE"])
    #expect(scene.copies.count == 1)
    try await main.undoManager.undo()
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST /albums", "PUT /albums/1/cover"])
    #expect(scene.copies.isEmpty)
  }

  @Test func `an answer that the verdict refuses keeps the file, also where the answer is ignored`() async throws {
    let scene = try UploadScene(verdict: .flag("ok"))
    let id = try await scene.album()
    scene.server.state.withLock { $0.answer = #"{"ok":false,"error":"quota exceeded"}"# }
    try await scene.outbox.attach(try scene.file(10).url, as: "print", to: id)
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .refused && item.reason == "quota exceeded")
    #expect(scene.copies.count == 1)
  }

  @Test(arguments: [#"{"id":2,"title":"photo"}"#, #"{"id":"b/1","title":"photo"}"#, #"{"title":"photo"}"#, "thanks"])
  func `an answer about something else than the object is ignored`(_ answer: String) async throws {
    let scene = try UploadScene()
    let id = try await scene.album()
    // Two creates at once have their uids by chance.
    try await scene.outbox.send()
    _ = try await scene.album()
    scene.server.state.withLock { $0.answer = answer }
    for name in ["cover", "film"] {
      try await scene.outbox.attach(try scene.file(10, "\(name).jpg").url, as: name, to: id)
    }
    try await scene.send(passes: 4)
    #expect(try await scene.outbox.items().isEmpty && scene.copies.isEmpty)
    let titles = try await scene.store.read { try $0.fetch(Album.all).map { "\($0.uid) \($0.title)" } }
    #expect(titles.sorted() == ["1 Oslo", "2 Oslo"])
  }

  @Test func `an upload that waits is dropped`() async throws {
    let scene = try UploadScene(inMemory: true)
    let id = try await scene.album()
    try await scene.outbox.attach(try scene.file(10).url, as: "cover", to: id)
    scene.server.state.withLock { $0.isOffline = true }
    try await scene.outbox.send()
    let upload = try #require(await LiveOutbox(scene.outbox).uploads.first)
    #expect(upload.name == "cover" && upload.bytesSent == 0 && upload.size == 10 && !upload.isSending)
    try await scene.outbox.drop(upload)
    scene.server.state.withLock { $0.isOffline = false }
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST /albums"])
  }

  @Test func `bad files and names are refused at once, and leave nothing`() async throws {
    let scene = try UploadScene()
    let id = try await scene.album()
    let file = try scene.file(10).url
    let cases: [(URL, String, EntityID<Album>, String, String)] = [
      (file, "photo", id, "a/b", "no attachment 'photo'"),
      (scene.folder.file("none.jpg"), "cover", id, "a/b", "none.jpg"),
      (scene.folder.url, "cover", id, "a/b", "no regular file"),
      (try #require(URL(string: "https://example.com/a.jpg")), "cover", id, "a/b", "no URL of a file"),
      (file, "cover", id, "a\nb", ""),
      (file, "cover", EntityID(pk: 999_999), "a/b", "not in the store"),
    ]
    for (file, name, id, contentType, words) in cases {
      let error = await #expect(throws: RequestError.self, "\(words)") {
        try await scene.outbox.attach(file, as: name, to: id, contentType: contentType)
      }
      #expect(error?.kind == .invalidRequest)
      #expect(words.isEmpty || error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
    #expect(scene.copies.isEmpty)
    #expect(try await scene.outbox.plan().lines.count == 1)
  }

  @Test func `an entry that names another file is refused, and that file stays`() async throws {
    let scene = try UploadScene()
    let id = try await scene.album()
    try await scene.outbox.attach(try scene.file(10).url, as: "cover", to: id)
    let secret = scene.folder.file("secret")
    try Data(count: 10).write(to: secret)
    try await scene.store.core.unit { rows in
      var entry = try #require(try rows.outbox.all().first)
      let file = try #require(AttachedFile(entry))
      entry.kept = entry.kept?.replacingOccurrences(of: file.copy, with: "../secret")
      try rows.outbox.update(entry)
    }
    #expect(try await scene.outbox.send() == OutboxPass(sent: 1, refused: 1, left: 1))
    #expect(FileManager.default.fileExists(atPath: secret.path))
  }

  @Test func `a POST without a key waits for a person after a lost answer`() async throws {
    let scene = try UploadScene()
    let id = try await scene.album()
    let (file, data) = try scene.file(10)
    try await scene.outbox.attach(file, as: "print", to: id)
    try await scene.outbox.send()
    try await scene.outbox.attach(file, as: "print", to: id)
    scene.server.fail("POST", .losesAnswer)
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .unknown)
    try await scene.outbox.confirm(item, .happened)
    try await scene.outbox.send()
    #expect(scene.server.files["/albums/1/prints"] == [data, data])
    #expect(scene.copies.isEmpty)
  }

  @Test func `a form with a key is the same form after a lost answer`() async throws {
    let scene = try UploadScene()
    let id = try await scene.store.background { try $0.make(Poster.self) { $0.title = "Fjord" }.entityID }
    let (file, data) = try scene.file(700)
    try await scene.outbox.attach(file, as: "sheet", to: id, contentType: "image/png")
    scene.server.fail("POST", .losesAnswer)
    try await scene.send(passes: 3)
    #expect(scene.server.log == ["POST /posters", "POST /posters/1/sheets", "POST /posters/1/sheets"])
    let bodies = scene.server.state.withLock(\.bodies)
    #expect(bodies[0] == bodies[1])
    #expect(bodies[0].range(of: data) != nil)
    let text = String(decoding: bodies[0], as: UTF8.self)
    #expect(text.contains("name=\"title\"\r\n\r\nFjord") && text.contains("filename=\"oslo.jpg\""))
    #expect(Set(scene.server.state.withLock(\.headers).map { $0["Idempotency-Key"] }).count == 1)
    #expect(try await scene.outbox.plan().lines.isEmpty)
  }

  @Test func `an entity has no command and attachment of one name`() throws {
    let store = try EntityStore(.inMemory, entities: [Clash.self])
    let client = try Client(adapter: UploadServer(), store: store, baseURL: "https://api.example.com/")
    let error = #expect(throws: RequestError.self) { try Outbox(client) }
    #expect(error?.message.contains("'clash'") == true)
  }
}

@Entity final class Clash: OutboxEntity {
  @UID @Key("id") var uid: Int

  static var basePath: String { "clashes" }
  static var outbox: OutboxRules<Clash> { [.command(ClashCommand.self), .attachment("clash", .put("a"))] }
}

struct ClashCommand: OutboxCommand {
  static let name = "clash"

  func request(for clash: Clash) throws -> URLRequest { try Clash.request(.post, "clash") }
}
