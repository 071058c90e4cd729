import Adapters
import EntityRequests
import Testing
import HTTPFoundation

@Suite(.untilItHangs)
struct CurlRangeTests {
  /// Bytes out of the middle of a body of gzip.
  private static let part: [UInt8] = [0xCB, 0x48, 0xCD]
  private static let gzip = Array(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==") ?? Data())

  private static func server(_ status: String, _ fields: String, _ body: [UInt8]) throws -> TestServer {
    try TestServer.answering { _ in
      Array("HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.count)\r\n\r\n".utf8) + body
    }
  }

  private func bodies(_ request: URLRequest) async throws -> [Data] {
    let response = try await CurlAdapter().stream(request, body: .none, progress: nil)
    var streamed = Data()
    while let piece = try await response.next() { streamed.append(piece) }
    return [try await CurlAdapter().send(request).body, streamed]
  }

  @Test(
    arguments: ["gzip", "deflate", "br"],
    ["Content-Range: bytes 10-12/37", "Content-Type: multipart/byteranges; boundary=x"])
  func `a part of a coded body is handed over as it came`(coding: String, field: String) async throws {
    let fields = "Content-Encoding: \(coding)\r\n\(field)\r\n"
    let server = try Self.server("206 Partial Content", fields, Self.part)
    let ranged = request("GET", server.url(), ["range": "bytes=10-12"])
    #expect(try await bodies(ranged) == [Data(Self.part), Data(Self.part)])
  }

  @Test func `a range is asked for without a coding`() async throws {
    let server = try Self.server("206 Partial Content", "Content-Range: bytes 0-2/37\r\n", Self.part)
    _ = try await CurlAdapter().send(request("GET", server.url(), ["RANGE": "bytes=0-2"]))
    _ = try await CurlAdapter().send(request("GET", server.url(), ["Range": "bytes=0-2", "Accept-Encoding": "gzip"]))
    _ = try await CurlAdapter { $0.acceptsCompression = false }
      .send(request("GET", server.url(), ["Range": "bytes=0-2"]))
    #expect(server.requests.map { $0.values("Accept-Encoding") } == [["identity"], ["gzip"], []])
  }

  /// Pages of a list, as some servers number them.
  @Test(arguments: ["Content-Range: users 0-2/37\r\n", "Content-Range: 0-2/*\r\n", ""])
  func `a range in the server's own unit is decoded`(field: String) async throws {
    let server = try Self.server("206 Partial Content", "Content-Encoding: gzip\r\n" + field, Self.gzip)
    let expected = Data("hello hello hello".utf8)
    #expect(try await bodies(request("GET", server.url(), ["Range": "users=0-2"])) == [expected, expected])
    #expect(server.requests.allSatisfy { $0.values("Accept-Encoding") == ["gzip, deflate"] })
  }

  @Test func `a whole body in place of a range is decoded`() async throws {
    let server = try Self.server("200 OK", "Content-Encoding: gzip\r\n", Self.gzip)
    let expected = Data("hello hello hello".utf8)
    #expect(try await bodies(request("GET", server.url(), ["Range": "bytes=0-2"])) == [expected, expected])
  }

  @Test func `an empty Accept-Encoding is sent once`() async throws {
    let server = try Self.server("200 OK", "", [])
    _ = try await CurlAdapter().send(request("GET", server.url(), ["Accept-Encoding": ""]))
    #expect(server.requests.map { $0.values("Accept-Encoding") } == [[""]])
  }
}
