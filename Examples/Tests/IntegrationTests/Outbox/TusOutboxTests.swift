import EntityClient
import EntityTesting
import Foundation
import Testing

/// The outbox with a server of tus 1.0, over sockets.
@Suite(.enabled(if: TusService.url != nil, "scripts/integration starts the service"))
struct TusOutboxTests {
  @Test(arguments: [1, 2_500_000])
  func `a file arrives whole, in pieces`(_ size: Int) async throws {
    try await withReel(size) { device, id, file, data in
      try await device.outbox.attach(file, as: "film", to: id, filename: "whole-\(size).bin")
      #expect(try await device.outbox.send().text == "2 sent")
      #expect(try TusService.uploaded("whole-\(size).bin") == data)
      let lines = device.log.take().texts
      #expect(lines == ["POST 201", "POST 201"] + Array(repeating: "PATCH 204", count: (size + 999_999) / 1_000_000))
    }
  }

  @Test func `answers that are lost cost a question, and no piece is doubled`() async throws {
    try await withReel(4_500_000) { device, id, file, data in
      try await device.outbox.attach(file, as: "film", to: id, filename: "lost.bin")
      // The making of the upload, and two of its pieces.
      for number in [2, 4, 7] { device.faults.inject(.lost(.timeout), .number(number)) }
      #expect(try await device.sendAll())
      #expect(try TusService.uploaded("lost.bin") == data)
      #expect(device.log.take().texts.filter { $0 == "PATCH 204" }.count == 5)
    }
  }

  @Test func `an app that starts again goes on from the offset of the server`() async throws {
    try await withReel(2_500_000) { device, id, file, data in
      try await device.outbox.attach(file, as: "film", to: id, filename: "again.bin")
      device.faults.inject(.lost(.timeout), .number(3))
      try await device.outbox.send()
      await device.outbox.stop()
      let again = try device.again()
      try await again.sendLater()
      #expect(again.log.take().texts == ["HEAD 200", "PATCH 204", "PATCH 204"])
      #expect(try TusService.uploaded("again.bin") == data)
    }
  }

  private func withReel(
    _ size: Int, _ work: (OutboxDevice, EntityID<Reel>, URL, Data) async throws -> Void
  ) async throws {
    let device = try OutboxDevice([Reel.self]) { adapter, store in
      try Client(adapter: adapter, store: store, baseURL: TusService.url ?? "")
    }
    let file = URL.temporaryDirectory.appending(path: UUID().uuidString)
    defer {
      device.remove()
      try? FileManager.default.removeItem(at: file)
      try? FileManager.default.removeItem(atPath: device.file.path + "-attachments")
    }
    let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) })
    try data.write(to: file)
    let id = try await device.edit { context in
      let reel = try context.insert(Reel.self)
      reel.title = "Oslo"
      return reel.entityID
    }
    try await work(device, id, file, data)
  }
}

@Entity final class Reel: OutboxEntity {
  @UID @Key("id") var uid: Int
  var title: String

  static var basePath: String { "reels" }
  static var outbox: OutboxRules<Reel> {
    [.rest, .attachment("film", .tus("/files", pieceSize: 1_000_000, fields: { ["reel": "\($0.uid)"] }))]
  }
}

enum TusService {
  static let url = WebService.variable("ENTITYCLIENT_TUS")

  /// A complete file, as the server has it.
  static func uploaded(_ name: String) throws -> Data {
    let folder = try #require(WebService.variable("ENTITYCLIENT_TUS_FOLDER"))
    return try Data(contentsOf: URL(filePath: folder).appending(path: name))
  }
}
