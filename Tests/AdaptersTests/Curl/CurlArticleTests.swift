import Adapters
import EntityRequests
import Testing
import HTTPFoundation

/// The code of the article SendingWithLibcurl.
@Suite(.untilItHangs)
struct CurlArticleTests {
  @Test func `the limits of the article work`() async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let url = server.url()
    var configuration = CurlAdapter.Configuration()
    configuration.idleTimeout = .seconds(20)
    configuration.totalTimeout = .seconds(300)
    let adapter = CurlAdapter(configuration)

    var request = URLRequest(url: url)
    request.timeoutInterval = 90
    request.cachePolicy = .reloadIgnoringLocalCacheData
    let response = try await adapter.send(request, body: .none, progress: nil)
    #expect(response.status == 204)
    #expect(server.requests.map { $0.values("Cache-Control") } == [["no-cache"]])
  }

  @Test func `the addresses of the article work`() async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    var configuration = CurlAdapter.Configuration()
    configuration.addressFilter = { address in
      // IPv6 is refused as a whole: it can write each address of IPv4, too.
      !address.contains(":") && !["0.", "10.", "127."].contains { address.hasPrefix($0) }
    }
    let error = try #require(try await CurlAdapter(configuration).failure(URLRequest(url: server.url())))
    #expect(error.kind == .forbiddenAddress)
    #expect(server.requests.isEmpty)
  }

  @Test func `the proofs of the article work`() async throws {
    let server = try TestServer.answering("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
    let proxy = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
    let (authorities, archive, password) = (Data("none".utf8), Data("none".utf8), "hidden")
    let key = Data(repeating: 1, count: 32).base64EncodedString()
    let keyInReserve = Data(repeating: 2, count: 32).base64EncodedString()
    var configuration = CurlAdapter.Configuration()
    configuration.trust = .pem(authorities)
    configuration.pinnedKeys = [key, keyInReserve]
    configuration.clientIdentity = .pkcs12(archive, password: password)
    configuration.proxy = .authenticated(proxy, user: "me", password: password)

    let url = try #require(URL(string: "https://example.invalid/"))
    let error = try #require(try await CurlAdapter(configuration).failure(URLRequest(url: url)))
    #expect(error.message.contains("407"))
    #expect(!"\(error) \(configuration)".contains("hidden"))
    #expect(server.requests.map(\.method) == ["CONNECT"])
  }
}
