import Adapters
import EntityRequests
import Foundation
import Testing

@Suite(.untilItHangs)
struct CurlProxyTests {
  private func proxy(_ server: TestServer, user: String = "me", password: String = "top:secret") -> CurlAdapter {
    CurlAdapter {
      $0.proxy = .authenticated(
        URL(string: "http://127.0.0.1:\(server.port)")!, user: user, password: password)
    }
  }

  @Test func `credentials go to the proxy only`() async throws {
    let plain = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nvia")
    let url = try #require(URL(string: "http://elsewhere.invalid/x"))
    #expect(try await proxy(plain).send(request("GET", url)).body == Data("via".utf8))
    let basic = "Basic \(Data("me:top:secret".utf8).base64EncodedString())"
    #expect(plain.requests.map { $0.values("Proxy-Authorization") } == [[basic]])

    // The tunnel gets the credentials and none of the request's headers; its inside is TLS, which is not answered here.
    let tunnel = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\n\r\n")
    }
    let secure = try #require(URL(string: "https://elsewhere.invalid/x"))
    let error = try #require(try await proxy(tunnel).failure(request("GET", secure, ["Authorization": "inner"])))
    #expect(error.kind == .tls)
    let head = try #require(tunnel.requests.first)
    #expect(head.method == "CONNECT")
    #expect(head.values("Proxy-Authorization") == [basic])
    #expect(head.values("Authorization").isEmpty)
  }

  @Test func `a proxy that refuses is a connection error`() async throws {
    let server = try TestServer.answering(
      "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno")
    let url = try #require(URL(string: "https://elsewhere.invalid/"))
    let error = try #require(try await proxy(server).failure(request("POST", url), body: .data(Data([1]))))
    #expect(error.kind == .connection)
    #expect(error.message.contains("407"))
    #expect(!error.mayHaveBeenProcessed)
    #expect(!error.message.contains("secret"))
    let plain = try #require(URL(string: "http://elsewhere.invalid/"))
    #expect(try await proxy(server).send(request("GET", plain)).status == 407)
  }

  /// As `print`, `dump` and a debugger show them.
  @Test func `no secret is shown`() throws {
    var configuration = CurlAdapter.Configuration()
    let urls = ["http://hidden-user:hidden-password@127.0.0.1:1", "http://127.0.0.1:1"]
    configuration.clientIdentity = .pem(
      certificate: Data("hidden-certificate".utf8), key: Data("hidden-key".utf8), password: "hidden-password")
    for url in urls {
      let url = try #require(URL(string: url))
      for proxy in [
        CurlAdapter.Proxy.server(url), .authenticated(url, user: "hidden-user", password: "hidden-password"),
      ] {
        configuration.proxy = proxy
        for value in [configuration, CurlAdapter(configuration), proxy, configuration.clientIdentity as Any] as [Any] {
          var dumped = ""
          dump(value, to: &dumped)
          for text in ["\(value)", String(reflecting: value), dumped] {
            #expect(!text.contains("hidden"), "\(text)")
          }
        }
        #expect("\(proxy)".contains("127.0.0.1:1"))
      }
    }
  }
}
