import Adapters
import EntityRequests
import Foundation
import Testing

/// The identities of the server and of the client.
@Suite(.untilItHangs, .enabled(if: TLSServer.isAvailable, "needs the openssl and python3 commands"))
struct CurlIdentityTests {
  private func adapter(
    _ server: TLSServer, _ change: (inout CurlAdapter.Configuration) -> Void = { _ in }
  ) -> CurlAdapter {
    CurlAdapter {
      $0.trust = .file(server.certificate)
      change(&$0)
    }
  }

  @Test func `a body without a length ends with the end that TLS itself gives`() async throws {
    let ending = try TLSServer(name: "IP:127.0.0.1", mode: .ending)
    #expect(try await adapter(ending).send(request("GET", ending.url)).body == Data("half".utf8))
    let cutting = try TLSServer(name: "IP:127.0.0.1", mode: .cutting)
    let error = try #require(try await adapter(cutting).failure(request("GET", cutting.url)))
    #expect(error.kind == .badResponse)
    #expect(error.message.contains("may be cut off"))
    #expect(error.mayHaveBeenProcessed)
    let response = try await adapter(cutting).stream(request("GET", cutting.url), body: .none, progress: nil)
    await #expect(throws: TransportError.self) { while try await response.next() != nil {} }
  }

  @Test(arguments: [TLSServer.Mode.asking, .asking12])
  func `a client certificate is shown to the server`(mode: TLSServer.Mode) async throws {
    let server = try TLSServer(name: "IP:127.0.0.1", mode: mode)
    let (certificate, key) = (try Data(contentsOf: server.certificate), try Data(contentsOf: server.key))
    let folder = server.key.deletingLastPathComponent()
    let locked = folder.appending(path: "locked.pem").path
    let archive = folder.appending(path: "identity.p12").path
    try TLSServer.run(["openssl", "ec", "-in", server.key.path, "-aes256", "-passout", "pass:secret", "-out", locked])
    try TLSServer.run([
      "openssl", "pkcs12", "-export", "-in", server.certificate.path, "-inkey", server.key.path, "-passout",
      "pass:secret", "-out", archive,
    ])
    let identities: [CurlAdapter.ClientIdentity] = [
      .pem(certificate: certificate, key: key),
      .pem(certificate: certificate, key: try Data(contentsOf: URL(filePath: locked)), password: "secret"),
      .pkcs12(try Data(contentsOf: URL(filePath: archive)), password: "secret"),
    ]
    for identity in identities {
      let known = adapter(server) { $0.clientIdentity = identity }
      #expect(try await known.send(request("GET", server.url)).body == Data("ok".utf8))
      // The connection of one who is known is not lent to one who is not.
      let error = try #require(try await adapter(server).failure(request("GET", server.url)))
      #expect(error.kind == .tls)
      #expect(error.message.contains("the server asks for a client certificate, and the adapter has none"))
    }
    // libcurl lends a connection to whoever names the same certificate; there is none to another server.
    let second = try TLSServer(name: "IP:127.0.0.1", mode: mode)
    for identity in [
      CurlAdapter.ClientIdentity.pem(certificate: certificate, key: Data("no key".utf8)),
      .pkcs12(try Data(contentsOf: URL(filePath: archive)), password: "wrong"),
    ] {
      let unreadable = adapter(second) { $0.clientIdentity = identity }
      let error = try #require(try await unreadable.failure(request("GET", second.url)))
      #expect(error.kind == .tls)
      #expect(!error.mayHaveBeenProcessed)
      #expect(!"\(error)".contains("wrong"))
    }
  }

  @Test func `only a pinned key is trusted`() async throws {
    let server = try TLSServer(name: "IP:127.0.0.1")
    let pin = try TLSServer.run([
      "sh", "-c",
      "openssl x509 -in \(server.certificate.path) -pubkey -noout | openssl pkey -pubin -outform der"
        + " | openssl dgst -sha256 -binary | openssl base64",
    ]).trimmingCharacters(in: .whitespacesAndNewlines)
    let other = Data(repeating: 7, count: 32).base64EncodedString()
    let pinned = adapter(server) { $0.pinnedKeys = [other, pin] }
    #expect(try await pinned.send(request("GET", server.url)).body == Data("ok".utf8))
    #expect(try await adapter(server).send(request("GET", server.url)).status == 200)
    // The connections of the others are not lent to it.
    let wrong = adapter(server) { $0.pinnedKeys = [other] }
    let error = try #require(try await wrong.failure(request("POST", server.url), body: .data(Data([1]))))
    #expect(error.kind == .tls)
    #expect(!error.mayHaveBeenProcessed)
    // A pin takes the place of no authority.
    let untrusting = CurlAdapter { $0.pinnedKeys = [pin] }
    #expect(try await untrusting.failure(request("GET", server.url))?.kind == .tls)
  }

  @Test func `a pin that no connection can match is an error`() async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let pin = Data(repeating: 7, count: 32).base64EncodedString()
    for (pins, url) in [
      ([pin], server.url()), (["sha256//\(pin)"], URL(string: "https://127.0.0.1:1/")!),
      ([""], URL(string: "https://127.0.0.1:1/")!), ([pin, "AAAA"], URL(string: "https://127.0.0.1:1/")!),
    ] {
      let error = try #require(try await CurlAdapter { $0.pinnedKeys = pins }.failure(request("GET", url)))
      #expect(error.kind == .invalidRequest)
      #expect(!error.mayHaveBeenProcessed)
    }
    #expect(server.connections == 0)
  }

  @Test func `secrets of TLS are written only when asked`() async {
    await #expect(processExitsWith: .success) {
      let file = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: file) }
      setenv("SSLKEYLOGFILE", file.path, 1)
      func secrets() -> String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }
      for logs in [false, true] {
        let server = try TLSServer(name: "IP:127.0.0.1")
        let adapter = CurlAdapter {
          $0.trust = .file(server.certificate)
          $0.logsTLSKeys = logs
        }
        #expect(try await adapter.send(request("GET", server.url)).body == Data("ok".utf8))
        #expect(secrets().contains("SECRET") == logs)
      }
    }
  }
}
