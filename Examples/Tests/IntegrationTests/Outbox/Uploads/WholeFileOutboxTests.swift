import EntityClient
import EntityTesting
import Foundation
import Testing

/// Files in one request, as bytes and as a form, to a real server over sockets.
@Suite(.enabled(if: TusService.url != nil, "scripts/integration starts the service"))
struct WholeFileOutboxTests {
  @Test(arguments: [0, 1, 300_000]) func `a PUT brings the bytes, and its answer the object`(size: Int) async throws {
    let scene = try UploadScene([Reel.self], at: TusService.url, size: size)
    defer { scene.remove() }
    let id = try await scene.reel()
    try await scene.device.outbox.attach(
      scene.file, as: "poster", to: id, filename: "p.png", contentType: "image/png")
    #expect(try await scene.device.outbox.send().text == "2 sent")
    #expect(scene.device.log.take().texts == ["POST 201", "PUT 200"])
    let name = try #require(try await scene.device.edit { try $0.known(id).poster })
    #expect(name.hasSuffix(".png"))
    #expect(try TusService.uploaded(name) == scene.data)
  }

  @Test func `a form has the file and its fields`() async throws {
    let scene = try UploadScene([Reel.self], at: TusService.url, size: 100_000)
    defer { scene.remove() }
    let id = try await scene.reel("Café \"Süd\"")
    try await scene.device.outbox.attach(
      scene.file, as: "still", to: id, filename: "Müll 1.jpg", contentType: "image/jpeg")
    #expect(try await scene.device.outbox.send().text == "2 sent")
    let name = try #require(try await scene.device.edit { try $0.known(id).still })
    #expect(try TusService.uploaded(name) == scene.data)
    // The server's parser has read the names and the field as they were written.
    let note = try JSONValue(parsing: TusService.uploaded(name + ".json"))
    #expect(note["filename"]?.string == "Müll 1.jpg")
    #expect(note["type"]?.string == "image/jpeg")
    #expect(note["caption"]?.string == "Café \"Süd\"")
  }

  @Test func `a PUT whose answer is lost is sent again, and a form waits for a person`() async throws {
    let scene = try UploadScene([Reel.self], at: TusService.url, size: 10_000)
    defer { scene.remove() }
    let device = scene.device
    let id = try await scene.reel()
    try await device.outbox.send()
    _ = device.log.take()
    try await device.outbox.attach(scene.file, as: "poster", to: id)
    try await device.outbox.attach(scene.file, as: "still", to: id)
    device.faults.inject(.lost(.timeout), into: .put, "/reels/#/poster", .number(1))
    device.faults.inject(.lost(.timeout), into: .post, "/reels/#/stills", .number(1))
    try await device.outbox.send()
    try await device.sendLater()
    try await device.sendLater()
    #expect(device.log.take().texts.sorted() == ["POST 200", "PUT 200", "PUT 200"])
    let item = try #require(try await device.outbox.items().first)
    #expect(item.state == .unknown)
    try await device.outbox.confirm(item, .happened)
    #expect(try await device.outbox.items().isEmpty)
  }

  @Test func `a file that the server refuses waits with the server's words, and the object stays as it is`()
    async throws
  {
    let scene = try UploadScene([Reel.self], at: TusService.url, size: 10)
    defer { scene.remove() }
    let id = try await scene.reel("no stills")
    try await scene.device.outbox.attach(scene.file, as: "still", to: id)
    #expect(try await scene.device.outbox.send().text == "1 sent, 1 refused, 1 left")
    // A 422 is tried once more.
    #expect(try await scene.device.sendLater().text == "1 refused, 1 left")
    let item = try #require(try await scene.device.outbox.items().first)
    #expect(item.state == .refused)
    #expect(item.status == 422)
    #expect(try item.model(as: [String: String].self) == ["error": "this reel takes no stills"])
    #expect(try await scene.device.edit { try $0.known(id).title } == "no stills")
    #expect(try await scene.device.edit { try $0.known(id).still } == nil)
  }
}
