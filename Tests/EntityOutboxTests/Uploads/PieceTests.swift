import EntityClient
import EntityTesting
import Foundation
import HTTPFoundation
import Synchronization
import TestSupport
import Testing

@testable import EntityOutbox

/// Uploads in pieces, which go on where they broke.
@Suite struct PieceTests {
  @Test func `tus sends pieces with the fields of the object, and holds one piece at a time`() async throws {
    let scene = try UploadScene()
    let (file, data) = try scene.file(2500)
    try await scene.outbox.attach(file, as: "scan", to: try await scene.album(), contentType: "image/tiff")
    #expect(try await scene.outbox.send() == OutboxPass(sent: 2, left: 0))
    #expect(
      scene.server.log == ["POST /albums", "POST /files", "PATCH /files/1", "PATCH /files/1", "PATCH /files/1"])
    #expect(scene.server.complete == [data])
    #expect(scene.server.state.withLock(\.largest) == 1000)
    let metadata = try #require(scene.server.state.withLock { $0.uploads["/files/1"]?.metadata })
    let fields = metadata.split(separator: ",").map { $0.split(separator: " ") }.map { parts in
      "\(parts[0])=\(String(decoding: Data(base64Encoded: String(parts[1])) ?? Data(), as: UTF8.self))"
    }
    #expect(fields == ["album=1", "filename=oslo.jpg", "filetype=image/tiff"])
    let headers = scene.server.state.withLock(\.headers)
    #expect(headers.allSatisfy { $0["Tus-Resumable"] == "1.0.0" && $0["Authorization"] == "Bearer secret" })
  }

  @Test(arguments: ["scan", "film"]) func `an empty file is complete`(_ name: String) async throws {
    let scene = try UploadScene()
    try await scene.outbox.attach(try scene.file(0).url, as: name, to: try await scene.album())
    #expect(try await scene.outbox.send() == OutboxPass(sent: 2, left: 0))
    #expect(scene.server.complete == [Data()])
  }

  @Test func `an edit goes between two pieces`() async throws {
    let scene = try UploadScene()
    let id = try await scene.album()
    try await scene.outbox.send()
    try await scene.outbox.attach(try scene.file(3000).url, as: "scan", to: id)
    let gate = StubGate()
    scene.server.state.withLock { $0.gate = ("PATCH", gate) }
    async let pass = scene.outbox.send()
    await gate.arrival()
    try await scene.store.background { try $0.known(id).title = "Bergen" }
    gate.open()
    _ = try await pass
    try await scene.outbox.send()
    let edit = try #require(scene.server.log.firstIndex(of: "PATCH /albums/1"))
    let last = try #require(scene.server.log.lastIndex(of: "PATCH /files/1"))
    #expect(edit < last)
  }

  @Test func `a break costs no more than a piece`() async throws {
    let scene = try UploadScene()
    let (file, data) = try scene.file(2500)
    try await scene.outbox.attach(file, as: "scan", to: try await scene.album())
    scene.server.fail("PATCH", .takes(400), .losesAnswer, .status(500))
    try await scene.send(passes: 5)
    #expect(scene.server.complete == [data])
    // 400 bytes came, then 1000, of which nothing said so; a 500 took none.
    #expect(
      scene.server.log.dropFirst(2) == [
        "PATCH /files/1", "HEAD /files/1", "PATCH /files/1", "HEAD /files/1", "PATCH /files/1", "HEAD /files/1",
        "PATCH /files/1", "PATCH /files/1",
      ])
    #expect(scene.copies.isEmpty)
  }

  @Test(arguments: ["scan", "film"])
  func `a lost answer to the last piece is asked for`(_ name: String) async throws {
    let scene = try UploadScene()
    let id = try await scene.album()
    scene.server.state.withLock { $0.answer = #"{"id":1,"title":"Oslo","cover":"/c/1"}"# }
    try await scene.outbox.attach(try scene.file(800).url, as: name, to: id)
    scene.server.fail(name == "scan" ? "PATCH" : "PUT", .losesAnswer)
    try await scene.send(passes: 3)
    #expect(try await scene.outbox.plan().lines.isEmpty)
    #expect(scene.server.complete.count == 1)
    if name == "film" { #expect(try await scene.store.read { try $0.object(id)?.cover } == "/c/1") }
  }

  @Test func `Content-Range goes on from the range of a 308`() async throws {
    let scene = try UploadScene()
    let (file, data) = try scene.file(2500)
    try await scene.outbox.attach(file, as: "film", to: try await scene.album(), contentType: "video/mp4")
    scene.server.fail("PUT", .takes(300))
    try await scene.send(passes: 4)
    #expect(scene.server.complete == [data])
    let (headers, bodies) = scene.server.state.withLock { ($0.headers, $0.bodies) }
    #expect(headers[0]["X-Upload-Content-Type"] == "video/mp4")
    #expect(String(decoding: bodies[0], as: UTF8.self) == #"{"name":"Oslo"}"#)
    #expect(
      headers.compactMap { $0["Content-Range"] } == [
        "bytes 0-999/2500", "bytes */2500", "bytes 300-1299/2500", "bytes 1300-2299/2500", "bytes 2300-2499/2500",
      ])
  }

  @Test func `a process that is killed goes on from the offset of the server`() async throws {
    let folder = try TestFolder()
    let server = UploadServer()
    var data = Data()
    do {
      let scene = try UploadScene(folder, server)
      let made = try scene.file(3500)
      data = made.data
      try await scene.outbox.attach(made.url, as: "scan", to: try await scene.album())
      let gate = StubGate()
      // The first piece came, and its answer never does.
      let pass = Task { try await scene.outbox.send() }
      server.state.withLock { $0.gate = ("PATCH", gate) }
      await gate.arrival()
      pass.cancel()
      _ = await pass.result
      await scene.outbox.stop()
      gate.open()
    }
    let before = server.log.count
    let scene = try UploadScene(folder, server)
    try await scene.send(passes: 2)
    #expect(server.log.dropFirst(before).first == "HEAD /files/1")
    #expect(server.log.filter { $0 == "POST /files" }.count == 1)
    #expect(server.complete == [data])
    #expect(scene.copies.isEmpty)
  }

  @Test func `an upload that the server forgot begins anew, and not for ever`() async throws {
    let scene = try UploadScene()
    let (file, data) = try scene.file(2500)
    let id = try await scene.album()
    try await scene.outbox.attach(file, as: "scan", to: id)
    scene.server.fail("PATCH", .status(409), .forgets)
    try await scene.outbox.send()
    #expect(scene.server.complete == [data])
    #expect(scene.server.log.filter { $0 == "POST /files" }.count == 2)
    try await scene.outbox.attach(file, as: "scan", to: id)
    for _ in 0..<10 { scene.server.fail("PATCH", .status(410)) }
    #expect(try await scene.outbox.send().refused == 1)
    #expect(try await scene.outbox.items().first?.status == 410)
  }

  @Test func `an offset beyond the piece that was sent is asked for, and never believed`() throws {
    var file = AttachedFile(copy: "", filename: "a", contentType: "", size: 2500, digest: "")
    file.offset = 0
    func answer(_ offset: String) -> UploadAnswer {
      TusUpload().answer(HTTPResponse(status: 204, headers: ["Upload-Offset": offset]), to: .piece(0..<1000), file)
    }
    #expect(answer("2500") == .elsewhere && answer("1001") == .elsewhere && answer("0") == .elsewhere)
    #expect(answer("1000") == .at(1000) && answer("400") == .at(400))
    #expect(answer("\(Int64.min)") == .elsewhere && answer("\(Int64.max)") == .elsewhere)
    func answer(last: Int) -> UploadAnswer {
      let response = HTTPResponse(status: 308, headers: ["Range": "bytes=0-\(last)"])
      return ContentRangeUpload().answer(response, to: .piece(0..<1000), file)
    }
    #expect(answer(last: 999) == .at(1000) && answer(last: 399) == .at(400))
    #expect(answer(last: 1000) == .elsewhere && answer(last: 1999) == .elsewhere)
  }

  @Test func `a locked upload is asked later`() async throws {
    let scene = try UploadScene()
    let (file, data) = try scene.file(900)
    try await scene.outbox.attach(file, as: "scan", to: try await scene.album())
    scene.server.fail("PATCH", .status(423))
    try await scene.outbox.send()
    #expect(scene.server.complete.isEmpty)
    scene.clock.advance(by: .seconds(11))
    try await scene.outbox.send()
    #expect(scene.server.complete == [data])
  }

  @Test func `the URL of an upload stays within the origin, unless the rule allows another`() async throws {
    let scene = try UploadScene()
    scene.server.state.withLock { $0.place = "https://cdn.example.org/files/" }
    let (file, data) = try scene.file(900)
    let id = try await scene.album()
    try await scene.outbox.attach(file, as: "scan", to: id)
    #expect(try await scene.outbox.send().refused == 1)
    #expect(try await scene.outbox.items().first?.reason?.contains("another origin") == true)
    scene.server.state.withLock { $0.uploads = [:] }
    try await scene.outbox.attach(file, as: "far", to: id)
    try await scene.outbox.send()
    #expect(scene.server.complete == [data])
    // The headers of the client stay at its origin.
    #expect(scene.server.state.withLock(\.headers).last?["Authorization"] == nil)
  }

  @Test func `a server without tus is refused with words`() async throws {
    let scene = try UploadScene()
    try await scene.outbox.attach(try scene.file(900).url, as: "scan", to: try await scene.album())
    try await scene.outbox.send()
    let id = try await scene.album()
    try await scene.outbox.send()
    for (status, words) in [(412, "does not speak tus"), (200, "'Location' is missing")] {
      try await scene.outbox.attach(try scene.file(900).url, as: "scan", to: id)
      scene.server.fail("POST", .status(status))
      #expect(try await scene.outbox.send().refused == 1)
      #expect(try await scene.outbox.items().last?.reason?.contains(words) == true)
    }
  }

  @Test @MainActor func `screens see how much of a file is sent`() async throws {
    let scene = try UploadScene()
    try await scene.outbox.attach(try scene.file(2500).url, as: "scan", to: try await scene.album())
    let gate = StubGate()
    scene.server.fail("PATCH", .takes(400))
    try await scene.outbox.send()
    #expect(scene.outbox.status.latest.uploads.map(\.bytesSent) == [0])
    scene.clock.advance(by: .seconds(31))
    scene.server.state.withLock { $0.gate = ("PATCH", gate) }
    async let pass = scene.outbox.send()
    await gate.arrival()
    // The transport has taken the whole piece behind the first 400 bytes.
    try await scene.outbox.settled { $0.uploads.map(\.bytesSent) == [1400] }
    gate.open()
    _ = try await pass
    try await scene.outbox.settled { $0.count == 0 }
    #expect(LiveOutbox(scene.outbox).uploads.isEmpty)
  }

  @Test(arguments: 0..<20) func `any order of breaks ends with the whole file`(_ seed: UInt64) async throws {
    var random = SeededRandom(seed)
    let scene = try UploadScene()
    let name = seed % 2 == 0 ? "scan" : "film"
    let (file, data) = try scene.file(random.below(4000))
    let id = try await scene.album()
    try await scene.outbox.attach(file, as: name, to: id)
    for _ in 0..<8 {
      let method = ["POST", "PATCH", "PUT", "HEAD"][random.below(4)]
      let faults: [UploadServer.Fault] = [
        .takes(random.below(1000)), .losesAnswer, .status(500), .status(409), .forgets,
      ]
      scene.server.fail(method, method == "POST" ? .losesAnswer : faults[random.below(faults.count)])
    }
    for _ in 0..<40 {
      try await scene.outbox.send()
      for item in try await scene.outbox.items() { try await scene.outbox.retry(item) }
      scene.clock.advance(by: .seconds(400))
    }
    #expect(try await scene.outbox.plan().lines.isEmpty)
    #expect(scene.server.complete.filter { $0 == data }.count >= 1)
    #expect(scene.server.complete.allSatisfy { $0 == data })
    #expect(scene.copies.isEmpty)
  }
}
