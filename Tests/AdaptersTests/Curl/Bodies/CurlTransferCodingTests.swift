import Adapters
import EntityRequests
import Testing
import HTTPFoundation

@Suite(.untilItHangs)
struct CurlTransferCodingTests {
  private static let gzip = Array(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==") ?? Data())

  /// Sends one answer and closes the connection.
  private static func server(_ fields: String, chunked: Bool, _ body: [UInt8]) throws -> TestServer {
    try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\n\(fields)\r\n")
      guard chunked else { return try connection.send(body) }
      try connection.sendChunk(body)
      try connection.sendChunk([])
    }
  }

  private func failure(_ server: TestServer) async throws -> [TransportError?] {
    let sent = try await CurlAdapter().failure(request("GET", server.url()))
    do {
      let response = try await CurlAdapter().stream(request("GET", server.url()), body: .none, progress: nil)
      while try await response.next() != nil {}
      return [sent, nil]
    } catch let error as TransportError {
      return [sent, error]
    }
  }

  @Test(arguments: [
    ("Transfer-Encoding: gzip, chunked\r\n", true), ("Transfer-Encoding: GZIP\r\nTransfer-Encoding: chunked\r\n", true),
    ("Transfer-Encoding: gzip\r\n", false),
  ])
  func `a transfer coding that nobody asked for is an error`(fields: String, chunked: Bool) async throws {
    for error in try await failure(try Self.server(fields, chunked: chunked, Self.gzip)) {
      #expect(error?.kind == .badResponse)
      #expect(error?.mayHaveBeenProcessed == true)
    }
  }

  @Test func `the coding name chunked is read in any letter case`() async throws {
    let server = try Self.server("Transfer-Encoding: Chunked\r\n", chunked: true, Array("abc".utf8))
    #expect(try await CurlAdapter().send(request("GET", server.url())).body == Data("abc".utf8))
  }

  /// The length is beyond the limit of a body, and means nothing.
  @Test(arguments: [
    "Content-Length: 5000000000\r\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 5000000000\r\n",
  ])
  func `chunks override a length`(fields: String) async throws {
    let server = try Self.server(fields, chunked: true, Array("abc".utf8))
    let reports = Log<Int64?>()
    let response = try await CurlAdapter().send(request("GET", server.url()), body: .none) {
      reports.add($0.bytesToReceive)
    }
    #expect(response.body == Data("abc".utf8))
    #expect(!reports.all.isEmpty && reports.all.allSatisfy { $0 == nil })
  }

  /// No byte came of which a checksum could be missed.
  @Test func `a compressed body may end with the connection`() async throws {
    let fields = "Content-Encoding: gzip\r\nConnection: close\r\n"
    let empty = try Self.server(fields, chunked: false, [])
    #expect(try await CurlAdapter().send(request("GET", empty.url())).body.isEmpty)
    let whole = try Self.server(fields, chunked: false, Self.gzip)
    #expect(try await CurlAdapter().send(request("GET", whole.url())).body == Data("hello hello hello".utf8))
    for count in [1, 20] {
      for error in try await failure(try Self.server(fields, chunked: false, Array(Self.gzip.prefix(count)))) {
        #expect(error?.kind == .badResponse)
        #expect(error?.message.contains("cut off") == true)
      }
    }
  }
}
