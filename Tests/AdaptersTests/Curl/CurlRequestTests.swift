import Adapters
import EntityRequests
import Testing
import HTTPFoundation

/// The fields of a request that are neither its method nor its URL.
@Suite(.untilItHangs)
struct CurlRequestTests {
  private func request(_ url: URL, timeout: TimeInterval) -> URLRequest {
    var request = URLRequest(url: url)
    request.timeoutInterval = timeout
    return request
  }

  @Test func `the timeout of a request ends a silence`() async throws {
    let server = try TestServer { $0.waitForClose() }
    let adapter = CurlAdapter { $0.idleTimeout = nil }
    let error = try #require(try await adapter.failure(request(server.url(), timeout: 0.25)))
    #expect(error.kind == .timeout)
    #expect(error.message.contains("no byte moved for 0.25 seconds"))
  }

  @Test func `the timeout of a request is longer than the adapter's`() async throws {
    let server = try TestServer { connection in
      let request = try connection.readRequest()
      guard request?.target == "/longer" else { return connection.waitForClose() }
      connection.pause(.milliseconds(300))
      try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
    }
    let adapter = CurlAdapter { $0.idleTimeout = .milliseconds(50) }
    #expect(try await adapter.failure(request(server.url(), timeout: 60))?.kind == .timeout)
    #expect(try await adapter.send(request(server.url("/longer"), timeout: 3600)).status == 204)
  }

  @Test func `the timeout of a request covers the handshake`() async throws {
    let server = try TestServer { $0.waitForClose() }
    let adapter = CurlAdapter {
      $0.idleTimeout = nil
      $0.connectTimeout = nil
    }
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    let error = try #require(try await adapter.failure(request(url, timeout: 0.25)))
    #expect(error.kind == .timeout)
    #expect(!error.mayHaveBeenProcessed)
  }

  /// Zero and less are no time; they mean the adapter's.
  @Test(arguments: [0, -1, .infinity, .nan, 1e300])
  func `a timeout of zero or less means the adapter's timeout`(timeout: TimeInterval) async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    #expect(try await CurlAdapter().send(request(server.url(), timeout: timeout)).status == 204)
  }

  @Test(arguments: [
    (URLRequest.CachePolicy.useProtocolCachePolicy, nil as String?),
    (.reloadIgnoringLocalCacheData, "no-cache"),
    (.reloadIgnoringLocalAndRemoteCacheData, "no-cache"),
    (.reloadRevalidatingCacheData, "max-age=0"),
    (.returnCacheDataElseLoad, nil),
  ])
  func `cache policies become headers`(policy: URLRequest.CachePolicy, field: String?) async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    var request = URLRequest(url: server.url())
    request.cachePolicy = policy
    _ = try await CurlAdapter().send(request)
    request.setValue("max-stale=7", forHTTPHeaderField: "cache-control")
    _ = try await CurlAdapter().send(request)
    #expect(server.requests.map { $0.values("Cache-Control") } == [field.map { [$0] } ?? [], ["max-stale=7"]])
  }

  @Test func `a request for a cached response only is an error`() async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    var request = URLRequest(url: server.url())
    request.cachePolicy = .returnCacheDataDontLoad
    let error = try #require(try await CurlAdapter().failure(request))
    #expect(error.kind == .unsupported)
    #expect(error.message.contains("returnCacheDataDontLoad"))
    #expect(!error.mayHaveBeenProcessed)
    #expect(server.connections == 0)
  }

  @Test(arguments: ["other.example", "other.example:8080", "[::1]:80", "10.0.0.1"])
  func `the host that a request names`(host: String) async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    _ = try await CurlAdapter().send(
      AdaptersTests.request("POST", server.url("/a"), ["host": host]), body: .data(Data([1])))
    #expect(server.requests.map { $0.values("Host") } == [[host]])
    #expect(server.requests.map(\.target) == ["/a"])
  }

  @Test(arguments: ["", " ", "a/b", "a b", "a?b", "u@a", "a:x", "a#b", "a\\b"])
  func `an invalid host is refused`(host: String) async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let error = try #require(
      try await CurlAdapter().failure(AdaptersTests.request("GET", server.url(), ["Host": host])))
    #expect(error.kind == .invalidRequest)
    #expect(server.connections == 0)
  }
}
