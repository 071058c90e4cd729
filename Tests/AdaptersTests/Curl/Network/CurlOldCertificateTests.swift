import Adapters
import EntityRequests
import Foundation
import Testing

/// Servers whose TLS is out of date.
@Suite(.untilItHangs, .enabled(if: TLSServer.isAvailable, "needs the openssl and python3 commands"))
struct CurlOldCertificateTests {
  @Test(arguments: [TLSServer.Mode.expired, .old])
  func `a server with outdated TLS gets nothing`(mode: TLSServer.Mode) async throws {
    let server = try TLSServer(name: "IP:127.0.0.1", mode: mode)
    let adapter = CurlAdapter { $0.trust = .file(server.certificate) }
    let error = try #require(
      try await adapter.failure(request("POST", server.url), body: .data(Data("secret".utf8))))
    #expect(error.kind == .tls)
    #expect(!error.mayHaveBeenProcessed)
  }
}
