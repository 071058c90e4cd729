import EntityRequests
import Testing

@testable import SessionAdapter
import HTTPFoundation

/// Bodies of requests: collected before they are sent.
@Suite(.untilItHangs, .underURLSession) struct SessionUploadTests {
  private static let answer = "HTTP/1.1 204 No Content\r\n\r\n"

  private static func small(_ change: (inout URLSessionAdapter.Configuration) -> Void = { _ in })
    -> URLSessionAdapter.Configuration
  {
    var configuration = URLSessionAdapter.Configuration()
    configuration.maximumCollectedBytes = 10
    change(&configuration)
    return configuration
  }

  @Test(arguments: [0, 1, 10, 11, 200_000]) func `a stream arrives whole through a file`(_ count: Int) async throws {
    let server = try TestServer.answering(Self.answer)
    let data = pattern(count)
    let pieces = stride(from: 0, to: count, by: 7001).map { data[$0..<min($0 + 7001, count)] }
    for length in [nil, Int64(count)] {
      let adapter = URLSessionAdapter(Self.small())
      _ = try await adapter.send(request("PUT", server.url()), body: stream(pieces, length: length))
    }
    // The difference of large bodies takes minutes.
    let areWhole = server.requests.map { Data($0.body) == data }
    #expect(areWhole == [true, true])
    #expect(server.requests.map { $0.values("Content-Length") } == [["\(count)"], ["\(count)"]])
  }

  @Test func `the file is for its owner alone`() async throws {
    let payload = try await SessionPayload(stream([pattern(100)], length: nil), Self.small())
    guard case .temporary(let file, let length) = payload else {
      Issue.record("no file was made")
      return
    }
    let path = file.url.path
    #expect(length == 100)
    let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(permissions == 0o600)
    #expect(try Data(contentsOf: file.url) == pattern(100))
  }

  @Test func `the file is deleted with the last use`() async throws {
    func path() async throws -> String? {
      let payload = try await SessionPayload(stream([pattern(100)], length: nil), Self.small())
      guard case .temporary(let file, _) = payload else { return nil }
      return file.url.path
    }
    let gone = try #require(try await path())
    #expect(!FileManager.default.fileExists(atPath: gone))
  }

  @Test(arguments: [Int64(2), 4, -1]) func `a stream of another length is not sent`(_ length: Int64) async throws {
    let server = try TestServer.answering(Self.answer)
    let error = try #require(
      try await URLSessionAdapter().failure(
        request("POST", server.url()), body: stream([Data("abc".utf8)], length: length)))
    #expect(error.kind == (length < 0 ? .invalidRequest : .sending))
    #expect(!error.mayHaveBeenProcessed)
    #expect(server.connections == 0)
  }

  @Test func `a stream that ends with its task is cancelled`() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:9/"))
    let (begun, ended) = (Event(), Event())
    let body = RequestBodyStream(length: nil) {
      {
        begun.set()
        await ended.wait()
        throw TransportError(.sending, "The task was cancelled", mayHaveBeenProcessed: false)
      }
    }
    let task = Task {
      try await URLSessionAdapter().send(request("PUT", url), body: .stream(body))
    }
    await begun.wait()
    task.cancel()
    ended.set()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// A network may go in the middle of an exchange.
  @Test(arguments: [URLError.Code.notConnectedToInternet, .dataNotAllowed, .networkConnectionLost])
  func `a network that goes proves nothing`(_ code: URLError.Code) throws {
    let sent = request("POST", try #require(URL(string: "https://example.com/")))
    let call = try SessionCall(sent, .none, URLSessionAdapter.Configuration(), at: .zero)
    let error = TransportError(URLError(code), call, hasHead: false)
    #expect(error.kind == .connection && error.mayHaveBeenProcessed)
  }

  @Test func `progress goes up to the whole`() async throws {
    let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
    let log = Log<TransferProgress>()
    let adapter = URLSessionAdapter()
    _ = try await adapter.send(request("PUT", server.url()), body: .data(pattern(300_000))) { log.add($0) }
    let last = try #require(log.all.last)
    #expect(last == TransferProgress(bytesSent: 300_000, bytesToSend: 300_000, bytesReceived: 3, bytesToReceive: 3))
    #expect(log.all.map(\.bytesSent) == log.all.map(\.bytesSent).sorted())
    #expect(log.all.map(\.bytesReceived) == log.all.map(\.bytesReceived).sorted())
  }

  #if canImport(FoundationNetworking)
    /// A kept connection may be one that the server has left, and URLSession would send a POST twice, or no body.
    @Test func `a request that changes something has a connection of its own`() async throws {
      let server = try TestServer { connection in
        while let request = try connection.readRequest() {
          let isLast = request.values("Connection") == ["close"]
          try connection.send("HTTP/1.1 204 No Content\r\n\(isLast ? "Connection: close\r\n" : "")\r\n")
          if isLast { return }
        }
      }
      let adapter = URLSessionAdapter()
      for method in ["POST", "PATCH", "PUT"] {
        _ = try await adapter.send(request(method, server.url()), body: .data(Data("a".utf8)))
      }
      _ = try await adapter.send(request("POST", server.url()))
      #expect(server.connections == 4)
      _ = try await adapter.send(request("GET", server.url()))
      #expect(server.requests.map { $0.values("Connection") == ["close"] } == [true, true, true, true, false])
    }
  #endif
}
