import EntityRequests
import Foundation
import SessionAdapter
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The faults that need TLS, or a process of their own, over Foundation's client.
@Suite(.untilItHangs, .underURLSession) struct SessionFaultTests {
  /// The authorities are the system's, so each of these certificates is one that nobody vouches for too.
  @Test(
    .enabled(if: TLSServer.isAvailable, "needs the openssl and python3 commands"),
    arguments: [TLSServer.Mode.plain, .expired, .old])
  func aServerThatProvesNothingIsAnError(mode: TLSServer.Mode) async throws {
    let server = try TLSServer(name: "IP:127.0.0.1", mode: mode)
    let error = try #require(
      try await URLSessionAdapter().failure(request("POST", server.url), body: .data(Data("secret".utf8))))
    #expect(error.kind == .tls)
    #expect(!error.message.contains("secret"))
  }

  @Test func plainTextOnATLSPortIsRefused() async throws {
    let server = try TestServer { connection in
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClose()
    }
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    #expect(try await URLSessionAdapter().failure(request("GET", url))?.kind == .tls)
  }

  #if canImport(FoundationNetworking)
    /// On Linux the environment names the proxy. A tunnel that the proxy refuses sends nothing to the server.
    @Test func aProxyOfTheEnvironmentThatRefusesIsAnError() async {
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

  @Test func theProcessEndsWithTransfersUnderWay() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let arrived = Event()
      let server = try TestServer { connection in
        _ = try connection.readRequest()
        arrived.set()
        connection.waitForClose()
      }
      let task = Task { try await URLSessionAdapter().send(request("GET", server.url())) }
      await arrived.wait()
      withExtendedLifetime(task) { exit(7) }
    }
  }

  /// In a process of its own, whose limit it is.
  @Test func aRequestWithoutADescriptorFailsAndTheNextOneIsSent() async {
    await #expect(processExitsWith: .success) {
      let reply = "HTTP/1.1 204 No Content\r\n\r\n"
      let (warm, server) = (try TestServer.answering(reply), try TestServer.answering(reply))
      let adapter = URLSessionAdapter()
      // Its queues have their descriptors from now on.
      _ = try await adapter.send(request("GET", warm.url()))
      let url = server.url()
      var limit = rlimit(rlim_cur: 256, rlim_max: 256)
      #expect(setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit) == 0)
      var taken: [Int32] = []
      while true {
        let descriptor = dup(0)
        guard descriptor >= 0 else { break }
        taken.append(descriptor)
      }
      #expect(try await adapter.failure(request("GET", url)) != nil)
      for descriptor in taken { close(descriptor) }
      #expect(try await adapter.send(request("GET", url)).status == 204)
      #expect(server.requests.count == 1)
    }
  }
}
