import Adapters
import EntityRequests
import Foundation
import Testing

@Suite(.untilItHangs)
struct CurlDecodingTests {
  private static let hello = Data("hello hello hello".utf8)
  private static let gzip = bytes("H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==")
  private static let zlib = bytes("eJzLSM3JyVfIQJAAOi4GfQ==")
  private static let bare = bytes("y0jNyclXyECQAA==")

  private static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }

  private static func server(_ coding: String, _ body: [UInt8], piece: Int? = nil) throws -> TestServer {
    try TestServer { connection in
      while try connection.readRequest() != nil {
        guard let piece else {
          let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
          try connection.send(Array(head.utf8) + body)
          continue
        }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nTransfer-Encoding: chunked\r\n\r\n")
        for start in stride(from: 0, to: body.count, by: piece) {
          try connection.sendChunk(Array(body[start..<min(body.count, start + piece)]))
        }
        try connection.sendChunk([])
      }
    }
  }

  /// The body by both ways.
  private func bodies(_ server: TestServer, _ adapter: CurlAdapter = CurlAdapter()) async throws -> [Data] {
    let response = try await adapter.stream(request("GET", server.url()), body: .none, progress: nil)
    var streamed = Data()
    while let piece = try await response.next() { streamed.append(piece) }
    #expect(try await response.next() == nil)
    return [try await adapter.send(request("GET", server.url())).body, streamed]
  }

  @Test(arguments: [nil, 1, 7])
  func `every coding that is asked for`(piece: Int?) async throws {
    let cases = [
      ("gzip", Self.gzip, Self.hello), ("X-GZIP", Self.gzip, Self.hello), ("identity, gzip", Self.gzip, Self.hello),
      ("gzip", Self.gzip + Self.gzip, Self.hello + Self.hello), ("gzip", Self.gzip + [0, 0, 0], Self.hello),
      ("deflate", Self.zlib, Self.hello), ("deflate", Self.bare, Self.hello), ("gzip", [], Data()),
      ("identity", Self.gzip, Data(Self.gzip)),
    ]
    for (coding, body, expected) in cases {
      let server = try Self.server(coding, body, piece: piece)
      #expect(try await bodies(server) == [expected, expected], "\(coding)")
      #expect(server.requests.allSatisfy { $0.values("Accept-Encoding") == ["gzip, deflate"] })
    }
  }

  /// libcurl takes each of these for a whole body, some of them for an empty one.
  @Test(arguments: [1, 5, 10, 15, 20, 27, 30])
  func `a body that is cut off is an error`(count: Int) async throws {
    for (coding, body) in [("gzip", Self.gzip), ("deflate", Self.zlib), ("deflate", Self.bare)] where count < body.count
    {
      let server = try Self.server(coding, Array(body.prefix(count)))
      let error = try #require(try await CurlAdapter().failure(request("GET", server.url())))
      #expect(error.kind == .badResponse)
      #expect(error.message.contains("cut off"))
      #expect(error.mayHaveBeenProcessed)
      let response = try await CurlAdapter().stream(request("GET", server.url()), body: .none, progress: nil)
      for _ in 0..<2 {
        let thrown = await #expect(throws: TransportError.self) { while try await response.next() != nil {} }
        #expect(thrown?.message.contains("cut off") == true)
      }
    }
  }

  @Test func `a content coding that nobody asked for is refused`() async throws {
    for coding in ["br", "gzip, gzip", "zstd"] {
      let server = try Self.server(coding, [1, 2, 3])
      let error = try #require(try await CurlAdapter().failure(request("GET", server.url())))
      #expect(error.kind == .badResponse)
      #expect(error.message.contains("content coding that was not asked for"))
      // No body, no coding to undo.
      let empty = try Self.server(coding, [])
      #expect(try await CurlAdapter().send(request("GET", empty.url())).body.isEmpty)
      // A caller that asks for it by itself can undo it.
      let asked = request("GET", server.url(), ["Accept-Encoding": "br"])
      #expect(try await CurlAdapter().send(asked).body == Data([1, 2, 3]))
      #expect(server.requests.last?.values("Accept-Encoding") == ["br"])
    }
  }

  @Test func `a decompression bomb is streamed in little memory`() async {
    await #expect(processExitsWith: .success) {
      let megabytes = 300
      // A block of a megabyte of zeros that refers to nothing before it, and the end of a stream without a checksum.
      let block: [UInt8] =
        [0xEC, 0xC1, 0x31, 1, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 8, 0x5F, 0xA0]
        + [UInt8](repeating: 0, count: 1016) + [0x3E, 3, 0, 0, 0xFF, 0xFF]
      let body: [UInt8] = (0..<megabytes).flatMap { _ in block } + [3, 0]
      let server = try TestServer.answering { _ in
        Array("HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
      }
      let response = try await CurlAdapter().stream(request("GET", server.url()), body: .none, progress: nil)
      var (count, largest) = (0, 0)
      let before = Footprint.peakMemory
      while let piece = try await response.next() {
        count += piece.count
        largest = max(largest, piece.count)
      }
      #expect(count == megabytes << 20)
      #expect(largest <= 128 << 10)
      if Footprint.measuresMemory { #expect(Footprint.peakMemory - before < 16 << 20) }
    }
  }

  @Test func `two readers get every byte once`() async throws {
    let body = (0..<200).flatMap { _ in Self.gzip }
    let server = try Self.server("gzip", body, piece: 333)
    let response = try await CurlAdapter().stream(request("GET", server.url()), body: .none, progress: nil)
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var count = 0
          while let piece = try await response.next() { count += piece.count }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(counts == 200 * Self.hello.count)
  }

  @Test func `progress is counted as the bytes travel`() async throws {
    let server = try Self.server("gzip", Self.gzip)
    let counts = Log<TransferProgress>()
    _ = try await CurlAdapter().send(request("GET", server.url()), body: .none) { counts.add($0) }
    #expect(counts.all.last?.bytesReceived == Int64(Self.gzip.count))
    #expect(counts.all.last?.bytesToReceive == Int64(Self.gzip.count))
  }

  /// In a process of its own, for the bodies take memory.
  @Test func `a body that is being decoded holds up no other transfer`() async {
    await #expect(processExitsWith: .success) {
      for megabytes in [8, 32, 128] where try await isOvertaken(megabytes) { return }
      Issue.record("no request ends while a body is decoded, however long that takes")
    }
  }
}

/// Whether a request that was sent after a coded body had come ended before the body was decoded.
private func isOvertaken(_ megabytes: Int) async throws -> Bool {
  let body = gzipBomb(megabytes: megabytes)
  let bombs = try TestServer.answering { _ in
    Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
  }
  let others = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
  let (isThere, ends) = (Event(), Log<String>())
  let bomb = Task {
    // Its stream has no end, so it is an error once it is decoded.
    _ = try? await CurlAdapter().send(request("GET", bombs.url()), body: .none) { progress in
      if progress.bytesReceived == Int64(body.count) { isThere.set() }
    }
    ends.add("bomb")
  }
  await isThere.wait()
  #expect(try await CurlAdapter().send(request("GET", others.url())).status == 204)
  ends.add("other")
  await bomb.value
  return ends.all.first == "other"
}
