import Adapters
import EntityRequests
import Foundation
import Testing

@Suite(.untilItHangs)
struct CurlLimitTests {
  private let adapter = CurlAdapter { $0.maximumResponseBytes = 1000 }

  @Test(arguments: [1000, 1001])
  func `announced size`(size: Int) async throws {
    let closed = Event()
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
      // A refused body is refused before its first byte.
      if size <= 1000 { try connection.send([UInt8](repeating: 1, count: size)) } else { connection.waitForClose() }
      closed.set()
    }
    if size <= 1000 {
      #expect(try await adapter.send(request("GET", server.url())).body.count == size)
    } else {
      let error = try #require(try await adapter.failure(request("GET", server.url())))
      #expect(error.kind == .bodyTooLarge)
      #expect(error.message.contains("limit of 1000 bytes"))
    }
    await closed.wait()
  }

  @Test func `unannounced size`() async throws {
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      while true { try connection.sendChunk([UInt8](repeating: 1, count: 100)) }
    }
    let error = try #require(try await adapter.failure(request("GET", server.url())))
    #expect(error.kind == .bodyTooLarge)
  }

  @Test func `decoded size`() async throws {
    let server = try TestServer.answering { request in
      let body = request.target == "/bomb" ? gzipBomb(megabytes: 200) : gzippedHello
      return Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    }
    let small = try await adapter.send(request("GET", server.url("/hello")))
    #expect(small.body == Data("hello hello hello".utf8))
    let limited = CurlAdapter { $0.maximumResponseBytes = 5 << 20 }
    let error = try #require(try await limited.failure(request("GET", server.url("/bomb"))))
    #expect(error.kind == .bodyTooLarge)
  }

  @Test func `expansion has a limit for whole and streamed bodies`() async throws {
    let server = try TestServer.answering { request in
      // With the end of its stream: an empty last block and the checksum are not looked at before.
      let body = request.target == "/bomb" ? gzipBomb(megabytes: 50) : gzippedHello
      return Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    }
    let limited = CurlAdapter { $0.maximumExpansion = 100 }
    let error = try #require(try await limited.failure(request("GET", server.url("/bomb"))))
    #expect(error.kind == .bodyTooLarge && error.mayHaveBeenProcessed)
    #expect(error.message.contains("expands to more than 100 times its"))
    let response = try await limited.stream(request("GET", server.url("/bomb")), body: .none, progress: nil)
    var read = 0
    let late = await #expect(throws: TransportError.self) {
      while let piece = try await response.next() { read += piece.count }
    }
    #expect(late?.kind == .bodyTooLarge)
    let metrics = try #require(late?.metrics)
    #expect(metrics.firstByte != nil && metrics == response.metrics)
    // Every part before the limit was handed out, and little more than the free ones.
    #expect(read >= 1 << 20 && read < 8 << 20)
    // A small body may expand as it likes.
    let strict = CurlAdapter { $0.maximumExpansion = 1 }
    #expect(try await strict.send(request("GET", server.url("/hello"))).body == Data("hello hello hello".utf8))
    let strictest = CurlAdapter { $0.maximumExpansion = -1 }
    let least = try #require(try await strictest.failure(request("GET", server.url("/bomb"))))
    #expect(least.message.contains("expands to more than 1 times its"))
    // Without a limit the bomb is read to where it is cut off.
    #expect(try await CurlAdapter().failure(request("GET", server.url("/bomb")))?.kind == .badResponse)
  }

  @Test func `no content is decoded unasked`() async throws {
    let server = try TestServer.answering { _ in
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(gzippedHello.count)\r\n\r\n".utf8)
        + gzippedHello
    }
    let plain = CurlAdapter { $0.acceptsCompression = false }
    #expect(try await plain.send(request("GET", server.url())).body == Data(gzippedHello))
    #expect(server.requests.allSatisfy { $0.values("Accept-Encoding").isEmpty })
  }
}

private let gzippedHello: [UInt8] = Array(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==") ?? Data())

/// A gzip stream without an end, a thousandth of its size when decoded: a deflate block of a megabyte of zeros that refers
/// to nothing before it (zlib, level 9, full flush), repeated.
func gzipBomb(megabytes: Int) -> [UInt8] {
  let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3]
  let block: [UInt8] =
    [0xEC, 0xC1, 0x31, 1, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 8, 0x5F, 0xA0]
    + [UInt8](repeating: 0, count: 1016) + [0x3E, 3, 0, 0, 0xFF, 0xFF]
  return header + (0..<megabytes).flatMap { _ in block }
}
