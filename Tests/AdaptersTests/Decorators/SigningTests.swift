import Adapters
import EntityRequests
import EntityTesting
import Testing
import HTTPFoundation

@Suite(.untilItHangs)
struct SigningTests {
  private static let key = Data("a key of the app".utf8)
  private let server = URL(string: "https://api.example.com/")!
  private let stub = StubAdapter()

  private func adapter(_ base: some RequestAdapter, fields: [String] = ["Content-Type"]) -> some RequestAdapter {
    base.signed(by: RequestSigner(keyID: "app \"1\"", key: Self.key, at: server, covering: fields))
  }

  @Test(
    arguments: [
      (
        Data(repeating: 0x0B, count: 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Data("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        Data(repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func `the codes are those of the standard`(_ key: Data, _ message: String, _ code: String) {
    // RFC 4231 §4.
    let bytes = HMACSHA256.code(of: message.utf8, key: key)
    #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == code)
  }

  /// RFC 9421 §B.2.5.
  @Test func `the signature is that of the standard`() throws {
    let key = try #require(
      Data(base64Encoded: "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="))
    let base = """
      "date": Tue, 20 Apr 2021 02:07:55 GMT
      "@authority": example.com
      "content-type": application/json
      "@signature-params": ("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"
      """
    #expect(
      Data(HMACSHA256.code(of: base.utf8, key: key)).base64EncodedString()
        == "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=")
  }

  /// The part of a server: it makes the text from the request that came, and compares.
  private func expectSigned(
    _ request: StubRequest, covered: String, body: String, authority: String = "api.example.com"
  ) throws {
    let input = try #require(request.headers["Signature-Input"])
    #expect(input.hasPrefix("sig1=(\(covered));created=1672617610;nonce=\""))
    #expect(input.hasSuffix("\";keyid=\"app \\\"1\\\"\";alg=\"hmac-sha256\""))
    #expect(request.headers["Content-Digest"] == body)
    let names = covered.split(separator: " ").map { $0.dropFirst().dropLast() }
    var base = ""
    for name in names {
      let value: String
      switch name {
      case "@method": value = request.method.rawValue
      case "@authority": value = authority
      case "@path": value = request.url.path(percentEncoded: true)
      case "@query": value = "?" + (request.url.query(percentEncoded: true) ?? "")
      default: value = try #require(request.headers[String(name)]).trimmingCharacters(in: .whitespaces)
      }
      base += "\"\(name)\": \(value)\n"
    }
    base += "\"@signature-params\": " + input.dropFirst("sig1=".count)
    let code = Data(HMACSHA256.code(of: base.utf8, key: Self.key)).base64EncodedString()
    #expect(request.headers["Signature"] == "sig1=:\(code):")
  }

  /// The output of `printf hello | openssl dgst -sha256 -binary | base64`, and that for no input.
  private static let hello = "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:"
  private static let nothing = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"
  private static let components = "\"@method\" \"@authority\" \"@path\" \"@query\" \"content-digest\""

  @Test func `a server can check the request that came`() async throws {
    stub.on(.get, "/**", .status(204)).on(.post, "/**", .status(204)).on(.put, "/**", .status(204))
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("signed-\(UUID().uuidString)")
    try Data("hello".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let replayable = RequestBodyStream(length: nil, isReplayable: true) {
      let rest = Pieces([Data("he".utf8), Data("llo".utf8)])
      return { await rest.next() }
    }
    let adapter = adapter(stub)
    try await AnswerClock.$now.withValue({ 1_672_617_610 }) {
      let get = URL(string: "https://API.example.com:443/a%20b/?x=1&y=%2F#part")!
      _ = try await adapter.send(request("GET", get))
      for body in [RequestBody.data(Data("hello".utf8)), .file(file), .stream(replayable)] {
        let post = URL(string: "https://api.example.com/notes")!
        _ = try await adapter.send(request("POST", post, ["Content-Type": " text/plain "]), body: body)
      }
    }
    let sent = stub.requests
    #expect(sent.count == 4)
    try expectSigned(sent[0], covered: Self.components, body: Self.nothing)
    for request in sent.dropFirst() {
      try expectSigned(request, covered: Self.components + " \"content-type\"", body: Self.hello)
      #expect(request.body == Data("hello".utf8))
    }
  }

  @Test func `a stream that cannot be opened again is an error that says so`() async throws {
    let error = try #require(
      try await adapter(stub).failure(request("PUT", server), body: stream([Data([1])], length: 1)))
    #expect(error.kind == .invalidRequest)
    #expect(error.message.contains("can't be opened again"))
    #expect(stub.requests.isEmpty)
  }

  @Test func `another server gets no signature`() async throws {
    stub.on(.get, "/**", .status(204))
    _ = try await adapter(stub).send(request("GET", URL(string: "https://other.example.com/")!))
    #expect(stub.requests.map { $0.headers.count } == [0])
  }

  @Test func `no description shows the key`() {
    let signer = RequestSigner(keyID: "app", key: Data("s3cret".utf8), at: server)
    var text = "\(signer) \(String(reflecting: signer)) \(stub.signed(by: signer))"
    dump(signer, to: &text)
    #expect(!text.contains("s3cret"))
    #expect(!text.contains("6 bytes"))
  }

  @Test(
    arguments: [
      ("https://api.example.com/", "Front.example.com:443", "front.example.com"),
      ("https://api.example.com/", "front.example.com:8443", "front.example.com:8443"),
      ("https://b\u{FC}cher.example/", nil, "xn--bcher-kva.example"), ("https://[::1]:8443/", nil, "[::1]:8443"),
    ])
  func `the signed authority is the one that is sent`(_ address: String, _ host: String?, _ authority: String)
    async throws
  {
    stub.on(.get, "/**", .status(204))
    let url = try #require(URL(string: address))
    let adapter = stub.signed(by: RequestSigner(keyID: "app \"1\"", key: Self.key, at: url))
    try await AnswerClock.$now.withValue({ 1_672_617_610 }) {
      _ = try await adapter.send(request("GET", url, host.map { ["Host": $0] } ?? [:]))
    }
    let sent = try #require(stub.requests.first)
    try expectSigned(sent, covered: Self.components, body: Self.nothing, authority: authority)
  }

  @Test func `a signature covers a field once`() async throws {
    stub.on(.get, "/**", .status(204))
    let adapter = adapter(stub, fields: ["Content-Type", "content-type", "Content-Digest", "Accept"])
    try await AnswerClock.$now.withValue({ 1_672_617_610 }) {
      _ = try await adapter.send(request("GET", server, ["Content-Type": "text/plain", "Accept": "text/html"]))
    }
    let sent = try #require(stub.requests.first)
    try expectSigned(sent, covered: Self.components + " \"content-type\" \"accept\"", body: Self.nothing)
  }
}
