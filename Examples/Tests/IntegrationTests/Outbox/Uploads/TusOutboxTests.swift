import EntityClient
import EntityTesting
import Foundation
import Testing

/// The outbox with a server of tus 1.0, over sockets.
@Suite(.enabled(if: TusService.url != nil, "scripts/integration starts the service"))
struct TusOutboxTests {
  @Test(arguments: [1, 250_000])
  func `a file arrives whole, in pieces`(_ size: Int) async throws {
    try await withReel(size) { device, id, file, data in
      let name = Self.newName()
      try await device.outbox.attach(file, as: "film", to: id, filename: name)
      #expect(try await device.outbox.send().text == "2 sent")
      #expect(try TusService.uploaded(name) == data)
      let lines = device.log.take().texts
      #expect(lines == ["POST 201", "POST 201"] + Array(repeating: "PATCH 204", count: (size + 99_999) / 100_000))
    }
  }

  @Test func `answers that are lost cost a question, and no piece is doubled`() async throws {
    try await withReel(450_000) { device, id, file, data in
      let name = Self.newName()
      try await device.outbox.attach(file, as: "film", to: id, filename: name)
      // The making of the upload, and two of its pieces.
      for number in [2, 4, 7] { device.faults.inject(.lost(.timeout), .number(number)) }
      #expect(try await device.sendAll())
      #expect(try TusService.uploaded(name) == data)
      #expect(device.log.take().texts.filter { $0 == "PATCH 204" }.count == 5)
    }
  }

  @Test func `an app that starts again goes on from the offset of the server`() async throws {
    try await withReel(250_000) { device, id, file, data in
      let name = Self.newName()
      try await device.outbox.attach(file, as: "film", to: id, filename: name)
      device.faults.inject(.lost(.timeout), .number(3))
      try await device.outbox.send()
      await device.outbox.stop()
      let again = try device.again()
      try await again.sendLater()
      #expect(again.log.take().texts == ["HEAD 200", "PATCH 204", "PATCH 204"])
      #expect(try TusService.uploaded(name) == data)
    }
  }

  /// The server refuses a name that it has.
  private static func newName() -> String { "film-\(UUID().uuidString).bin" }

  private func withReel(
    _ size: Int, _ work: (OutboxDevice, EntityID<Reel>, URL, Data) async throws -> Void
  ) async throws {
    let scene = try UploadScene([Reel.self], at: TusService.url, size: size)
    defer { scene.remove() }
    try await work(scene.device, scene.reel(), scene.file, scene.data)
  }
}
