import EntityClient
import EntityTesting
import Foundation
import Testing

/// Files in pieces with `Content-Range`, to a server that speaks as Google's cloud storage does.
///
/// The server has two differences from Google's: it says of an upload without bytes that it has one, and it forgets a
/// session that has ended. No test asks for these.
@Suite(.enabled(if: StorageService.url != nil, "scripts/integration starts the service"))
struct StorageOutboxTests {
  private func scene(_ size: Int) throws -> UploadScene {
    try UploadScene([Negative.self], at: StorageService.url, size: size)
  }

  private let uid = Int.random(in: 1...1_000_000_000)

  @Test(arguments: [1, 1 << 18, 5 << 17]) func `a file arrives whole, in pieces`(size: Int) async throws {
    let scene = try scene(size)
    defer { scene.remove() }
    let id = try await scene.negative(uid)
    try await scene.device.outbox.attach(scene.file, as: "scan", to: id, contentType: "image/tiff")
    #expect(try await scene.device.outbox.send().text == "1 sent")
    #expect(try await StorageService.uploaded("scan-\(uid)", by: scene.device.direct) == scene.data)
    let pieces = (size + (1 << 18) - 1) >> 18
    #expect(
      scene.device.log.take().texts
        == ["POST 200"] + Array(repeating: "PUT 308", count: pieces - 1) + ["PUT 200"])
  }

  @Test func `a piece whose answer is lost is not sent again`() async throws {
    let scene = try scene(5 << 17)
    defer { scene.remove() }
    let device = scene.device
    let id = try await scene.negative(uid)
    try await device.outbox.attach(scene.file, as: "scan", to: id)
    device.faults.inject(.lost(.timeout), .number(2))
    try await device.outbox.send()
    #expect(device.log.take().texts == ["POST 200", "PUT 308"])
    #expect(try await device.sendLater().left == 0)
    let lines = device.log.take()
    #expect(lines.texts == ["PUT 308", "PUT 308", "PUT 200"])
    // The question, and the two pieces that the server did not have.
    #expect(
      lines.map { $0.headers["Content-Range"] } == [
        "bytes */655360", "bytes 262144-524287/655360", "bytes 524288-655359/655360",
      ])
    #expect(try await StorageService.uploaded("scan-\(uid)", by: device.direct) == scene.data)
  }

  @Test func `a bucket that is not there is answered with 404`() async throws {
    let scene = try scene(10)
    defer { scene.remove() }
    let request = try scene.device.direct.request(
      .post, "upload/storage/v1/b/none/o", query: ["uploadType": "resumable", "name": "x"])
    #expect(try await #require(throws: RequestError.self) { try await scene.device.direct.send(request) }.status == 404)
  }
}
