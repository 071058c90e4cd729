import Adapters
import EntityClient
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Debian's nginx, over each adapter. Its log tells what it received.
@Suite(
  "nginx", .timeLimit(.minutes(10)),
  .enabled(if: WebService.nginx.base != nil, "scripts/integration starts the server"))
struct NginxTests {
  let nginx = WebService.nginx

  /// A body in pieces, with or without its length.
  struct Upload {
    // Made once: a build for tests takes its time.
    static let data = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    static let all = [nil, 3_000_000].flatMap { length in
      [nil, "100-continue"].map { Upload(length: length, expectation: $0) }
    }

    let length: Int64?
    let expectation: String?
  }

  /// A path that no other test has.
  private func path(_ folder: String) -> String { "\(folder)/\(UUID().uuidString)" }

  /// The lines of nginx's log for a path: connection, method, path, status, transfer coding. They come after the response.
  private func log(_ path: String, count: Int) async throws -> [[Substring]] {
    while true {
      let response = try await CurlAdapter().send(nginx.request("log"))
      let lines = String(decoding: response.body, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
      let found = lines.filter { $0.count == 5 && $0[2] == "/" + path }
      if found.count >= count { return found }
    }
  }

  @Test(arguments: AdapterUnderTest.all) func `requests share a connection`(over one: AdapterUnderTest) async throws {
    let adapter = one.adapter()
    let path = path("any")
    for _ in 0..<20 { #expect(try await adapter.send(nginx.request(path)).status == 200) }
    #expect(Set(try await log(path, count: 20).map { $0[0] }).count < 20)
  }

  @Test(arguments: AdapterUnderTest.all)
  func `a connection that the server ends holds up no request`(over one: AdapterUnderTest) async throws {
    let adapter = one.adapter()
    for _ in 0..<100 {
      let response = try await adapter.send(nginx.request("brief/list.json"))
      #expect(response.status == 200 && response.body.count > 10_000)
    }
  }

  @Test(arguments: AdapterUnderTest.all) func `ranges of a file are the file`(over one: AdapterUnderTest) async throws {
    let adapter = one.adapter()
    let whole = try await adapter.send(nginx.request("files/list.json"))
    #expect(whole.headers["Accept-Ranges"] == "bytes")
    let parts = ["bytes=0-99", "bytes=100-"]
    var body = Data()
    for part in parts {
      let response = try await adapter.send(nginx.request("files/list.json", "GET", ["Range": part]))
      #expect(response.status == 206)
      body.append(response.body)
    }
    let isWhole = body == whole.body
    #expect(isWhole)
    #expect(try await adapter.send(nginx.request("files/list.json", "GET", ["Range": "bytes=9999999-"])).status == 416)
  }

  @Test(arguments: AdapterUnderTest.all)
  func `a file that is the same is not sent again`(over one: AdapterUnderTest) async throws {
    let adapter = one.adapter()
    let first = try await adapter.send(nginx.request("files/list.json"))
    let tag = try #require(first.headers["ETag"])
    let date = try #require(first.headers["Last-Modified"])
    for fields in [["If-None-Match": tag], ["If-Modified-Since": date]] {
      let response = try await adapter.send(nginx.request("files/list.json", "GET", fields))
      #expect(response.status == 304 && response.body.isEmpty)
    }
  }

  @Test(arguments: AdapterUnderTest.all) func `a compressed file is the file`(over one: AdapterUnderTest) async throws {
    let adapter = one.adapter()
    let whole = try await adapter.send(nginx.request("files/list.json"))
    let packed = try await adapter.send(nginx.request("packed/list.json"))
    // nginx packs for those who ask for it.
    #expect(packed.headers["Content-Encoding"] == (one.differs(in: .codings) ? nil : "gzip"))
    let isWhole = packed.body == whole.body
    #expect(isWhole)
    let response = try await adapter.stream(nginx.request("packed/list.json"), body: .none, progress: nil)
    var streamed = Data()
    while let piece = try await response.next() { streamed.append(piece) }
    let isStreamedWhole = streamed == whole.body
    #expect(isStreamedWhole)
  }

  @Test(arguments: AdapterUnderTest.all) func `a HEAD has the length and no body`(over one: AdapterUnderTest)
    async throws
  {
    let adapter = one.adapter()
    let response = try await adapter.send(nginx.request("files/list.json", "HEAD"))
    let whole = try await adapter.send(nginx.request("files/list.json"))
    #expect(response.body.isEmpty && response.headers["Content-Length"] == "\(whole.body.count)")
  }

  @Test(arguments: AdapterUnderTest.all, Upload.all)
  func `an upload is the file that is read back`(over one: AdapterUnderTest, _ upload: Upload) async throws {
    let adapter = one.adapter()
    let data = Upload.data
    let path = path("files")
    let body = RequestBodyStream(length: upload.length) {
      let once = Once()
      return { await once.isFirst() ? data : nil }
    }
    let request = try nginx.request(path, "PUT", upload.expectation.map { ["Expect": $0] } ?? [:])
    #expect(try await adapter.send(request, .stream(body)).status == 201)
    let back = try await adapter.send(nginx.request(path)).body == data
    #expect(back)
    #expect(try await adapter.send(nginx.request(path, "DELETE")).status == 204)
    // nginx writes a line once it has let go of the request: a later request on another connection may have its line first.
    let lines = try await log(path, count: 3)
    #expect(lines.map { $0[1] }.sorted() == ["DELETE", "GET", "PUT"])
    let isChunked = upload.length == nil && !one.differs(in: .chunkedUploads)
    #expect(lines.first { $0[1] == "PUT" }?[4] == (isChunked ? "chunked" : "-"))
  }

  @Test(arguments: AdapterUnderTest.all)
  func `an upload that is too large is refused at its head`(over one: AdapterUnderTest) async throws {
    let adapter = one.adapter()
    let path = path("small")
    let body = RequestBody.data(Data(repeating: 7, count: 4_000_000))
    #expect(try await adapter.send(nginx.request(path, "PUT"), body).status == 413)
    #expect(try await log(path, count: 1).map { $0[3] } == ["413"])
  }

  @Test(arguments: AdapterUnderTest.all)
  func `a redirect is followed by the decorator`(over one: AdapterUnderTest) async throws {
    let status = try await one.adapter().send(nginx.request("moved/a")).status
    #expect(status == (one.differs(in: .redirects) ? 200 : 302))
    let response = try await one.followingRedirects().send(nginx.request("moved/a"))
    #expect(response.status == 200 && response.body.count > 10_000)
  }

  @Test(arguments: AdapterUnderTest.all)
  func `a request that came too soon is sent again after the time that the server names`(over one: AdapterUnderTest)
    async throws
  {
    let adapter = one.adapter()
    let path = path("limited")
    // One request a second is answered.
    var refused = try await adapter.send(nginx.request(path))
    while refused.status == 200 { refused = try await adapter.send(nginx.request(path)) }
    #expect(refused.status == 503 && refused.headers["Retry-After"] == "1")
    var policy = RetryPolicy()
    policy.maximumAttempts = 10
    policy.retriesPerRequest = nil
    #expect(try await one.retrying(policy).send(nginx.request(path)).status == 200)
    let statuses = try await log(path, count: 3).map { $0[3] }
    #expect(statuses.last == "200" && statuses.contains("503"))
  }
}

/// Its port with TLS, whose certificate is of this run; the client's is the same one.
@Suite("nginx: TLS", .enabled(if: WebService.secure.base != nil, "scripts/integration starts the server"))
struct NginxTLSTests {
  let secure = WebService.secure

  private func configuration(identified: Bool) throws -> CurlAdapter.Configuration {
    var configuration = CurlAdapter.Configuration()
    let certificate = try WebService.nginxFile("certificate.pem")
    configuration.trust = .file(certificate)
    if identified {
      configuration.clientIdentity = .pem(
        certificate: try Data(contentsOf: certificate), key: try Data(contentsOf: WebService.nginxFile("key.pem")))
    }
    return configuration
  }

  @Test(arguments: AdapterUnderTest.overCurl)
  func `an authority of one's own is trusted`(over one: AdapterUnderTest) async throws {
    let response = try await one.adapter(configuration(identified: false)).send(secure.request("who"))
    #expect(String(decoding: response.body, as: UTF8.self) == "TLSv1.3 NONE")
  }

  @Test(arguments: AdapterUnderTest.all)
  func `an authority that nobody named is refused`(over one: AdapterUnderTest) async throws {
    let adapter = one.adapter()
    let error = await #expect(throws: TransportError.self) { try await adapter.send(secure.request("who")) }
    #expect(error?.kind == .tls)
    // Foundation does not tell when it was refused.
    #expect(error?.mayHaveBeenProcessed == one.differs(in: .authorities))
  }

  @Test(arguments: AdapterUnderTest.overCurl) func `a client shows its certificate`(over one: AdapterUnderTest)
    async throws
  {
    let unknown = try one.adapter(configuration(identified: false))
    #expect(try await unknown.send(secure.request("members/")).status == 403)
    let response = try await one.adapter(configuration(identified: true)).send(secure.request("members/"))
    #expect(String(decoding: response.body, as: UTF8.self) == "CN=nginx")
  }
}

private actor Once {
  private var isUsed = false
  func isFirst() -> Bool {
    defer { isUsed = true }
    return !isUsed
  }
}
