import EntityRequests
import Foundation
import SessionAdapter
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// The faults that need TLS, or a process of their own, over Foundation's client.
@Suite(.untilItHangs, .underURLSession) struct SessionFaultTests {
  /// The authorities are the system's, so each of these certificates is one that nobody vouches for too.
  @Test(
    .enabled(if: TLSServer.isAvailable, "needs the openssl and python3 commands"),
    arguments: [TLSServer.Mode.plain, .expired, .old])
  func `a server without a valid certificate is an error`(mode: TLSServer.Mode) async throws {
    let server = try TLSServer(name: "IP:127.0.0.1", mode: mode)
    let error = try #require(
      try await URLSessionAdapter().failure(request("POST", server.url), body: .data(Data("secret".utf8))))
    #expect(error.kind == .tls)
    #expect(!error.message.contains("secret"))
  }

  @Test func `plain text on a TLS port is refused`() async throws {
    let server = try TestServer { connection in
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClose()
    }
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    #expect(try await URLSessionAdapter().failure(request("GET", url))?.kind == .tls)
  }

  #if canImport(FoundationNetworking)
    /// On Linux the environment names the proxy. A tunnel that the proxy refuses sends nothing to the server.
    @Test func `a proxy of the environment that refuses is an error`() async {
      await #expect(processExitsWith: .success) {
        let server = try TestServer.answering("HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno")
        for name in ["http_proxy", "https_proxy"] { setenv(name, "http://127.0.0.1:\(server.port)", 1) }
        let secure = try #require(URL(string: "https://elsewhere.invalid/"))
        let error = try await URLSessionAdapter().failure(request("POST", secure), body: .data(Data("secret".utf8)))
        #expect(error != nil)
        #expect(server.requests.contains { $0.method == "CONNECT" })
        #expect(server.requests.allSatisfy { $0.method == "CONNECT" && $0.body.isEmpty })
        let plain = try #require(URL(string: "http://elsewhere.invalid/"))
        #expect(try await URLSessionAdapter().send(request("GET", plain)).status == 407)
      }
    }
  #endif

  @Test func `the process ends with transfers under way`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      try await exitWithATransferUnderWay(URLSessionAdapter())
    }
  }

  /// In a process of its own, whose limit it is.
  @Test func `a request without a descriptor fails, and the next request is sent`() async {
    await #expect(processExitsWith: .success) {
      let error = try await failureWithoutADescriptor("GET", URLSessionAdapter())
      #expect(error != nil)
    }
  }
}
