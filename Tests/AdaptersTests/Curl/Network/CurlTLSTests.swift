import Adapters
import EntityRequests
import Foundation
import Testing

@Suite(.untilItHangs, .enabled(if: TLSServer.isAvailable, "needs the openssl and python3 commands"))
struct CurlTLSTests {
  @Test func `only a known authority is trusted`() async throws {
    let server = try TLSServer(name: "IP:127.0.0.1")
    let error = try #require(
      try await CurlAdapter().failure(request("POST", server.url), body: .data(Data("secret".utf8))))
    #expect(error.kind == .tls)
    #expect(!error.mayHaveBeenProcessed)
    #expect(error.message.hasPrefix("TLS handshake with 127.0.0.1:"))

    let byFile = CurlAdapter { $0.trust = .file(server.certificate) }
    #expect(try await byFile.send(request("GET", server.url)).body == Data("ok".utf8))
    let pem = try Data(contentsOf: server.certificate)
    let byBytes = CurlAdapter { $0.trust = .pem(pem) }
    #expect(try await byBytes.send(request("GET", server.url)).body == Data("ok".utf8))
    // The connections of those who trust are not lent to one who does not.
    #expect(try await CurlAdapter().failure(request("GET", server.url))?.kind == .tls)
  }

  @Test func `a certificate for another host is refused`() async throws {
    let server = try TLSServer(name: "DNS:example.com")
    let adapter = CurlAdapter { $0.trust = .file(server.certificate) }
    let error = try #require(try await adapter.failure(request("GET", server.url)))
    #expect(error.kind == .tls)
    #expect(!error.mayHaveBeenProcessed)
  }

  @Test func `an authority that cannot be read is an error`() async throws {
    let server = try TLSServer(name: "IP:127.0.0.1")
    let missing = CurlAdapter { $0.trust = .file(URL(filePath: "/no/such/file.pem")) }
    let error = try #require(try await missing.failure(request("GET", server.url)))
    #expect(error.kind == .tls)
    #expect(error.message.contains("/no/such/file.pem"))
    let empty = CurlAdapter { $0.trust = .pem(Data("no certificate".utf8)) }
    #expect(try await empty.failure(request("GET", server.url))?.kind == .tls)
  }

  @Test func `plain text on a TLS port is refused`() async throws {
    let server = try TestServer { connection in
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClose()
    }
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    let error = try #require(try await CurlAdapter().failure(request("GET", url)))
    #expect(error.kind == .tls)
    #expect(!error.mayHaveBeenProcessed)
  }
}
