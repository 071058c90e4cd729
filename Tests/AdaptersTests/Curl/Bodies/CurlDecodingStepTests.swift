import Adapters
import EntityRequests
import Foundation
import Testing

/// Coded bodies whose input and output end at different steps of the decoder.
@Suite(.untilItHangs)
struct CurlDecodingStepTests {
  private static func server(_ coding: String, _ body: [UInt8]) throws -> TestServer {
    try TestServer.answering { _ in
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    }
  }

  /// The body by both ways.
  private func bodies(_ server: TestServer) async throws -> [Data] {
    let response = try await CurlAdapter().stream(request("GET", server.url()), body: .none, progress: nil)
    var streamed = Data()
    while let piece = try await response.next() {
      #expect(!piece.isEmpty)
      streamed.append(piece)
    }
    return [try await CurlAdapter().send(request("GET", server.url())).body, streamed]
  }

  /// zlib may take the last byte of a body and still hold output: with eight alignments of the end, one body does so at
  /// each size of a part.
  @Test(arguments: [16, 508], 9...16)
  func `a body is whole when its last byte is taken before its output`(runs: Int, literals: Int) async throws {
    let server = try Self.server("deflate", bareDeflate(literals: literals, runs: runs))
    let expected = Data(repeating: 200, count: literals + 258 * runs)
    #expect(try await bodies(server) == [expected, expected])
  }

  @Test(arguments: [16, 508], 9...16)
  func `a coded body that is cut off is an error`(runs: Int, literals: Int) async throws {
    let server = try Self.server("deflate", bareDeflate(literals: literals, runs: runs).dropLast())
    let error = try #require(try await CurlAdapter().failure(request("GET", server.url())))
    #expect(error.message.contains("cut off"))
  }

  @Test func `many empty members before the body`() async throws {
    let body = (0..<5000).flatMap { _ in emptyMember } + hello
    let expected = Data("hello hello hello".utf8)
    #expect(try await bodies(try Self.server("gzip", body)) == [expected, expected])
  }

  @Test func `a cancellation is seen between empty members`() async throws {
    let body = (0..<1000).flatMap { _ in emptyMember }
    let server = try Self.server("gzip", body)
    let (isKnown, tasks) = (Event(), Log<Task<HTTPResponse, any Error>>())
    let task = Task {
      await isKnown.wait()
      return try await CurlAdapter().send(request("GET", server.url()), body: .none) { progress in
        // The adapter decodes after the last report.
        if progress.bytesReceived == Int64(body.count) { tasks.all.first?.cancel() }
      }
    }
    tasks.add(task)
    isKnown.set()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }
}

private let emptyMember: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
private let hello = Array(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==") ?? Data())

/// A stream of one block with the fixed codes (RFC 1951 §3.2.6): bytes of the value 200, and runs of 258 more each.
private func bareDeflate(literals: Int, runs: Int) -> [UInt8] {
  // The last block, with fixed codes.
  var bits = [1, 1, 0]
  func code(_ value: Int, _ length: Int) {
    for place in (0..<length).reversed() { bits.append(value >> place & 1) }
  }
  for _ in 0..<literals { code(0b1_1001_0000 + 200 - 144, 9) }
  for _ in 0..<runs {
    code(0b1100_0101, 8)
    // A distance of 1.
    code(0, 5)
  }
  // The end of the block.
  code(0, 7)
  var bytes = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
  for (index, bit) in bits.enumerated() { bytes[index / 8] |= UInt8(bit << (index % 8)) }
  return bytes
}
