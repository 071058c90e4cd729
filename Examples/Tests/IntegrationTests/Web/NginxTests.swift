import Adapters
import EntityClient
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Debian's nginx. Its log tells what it received.
@Suite(
  "nginx", .timeLimit(.minutes(10)),
  .enabled(if: WebService.nginx.base != nil, "scripts/integration starts the server"))
struct NginxTests {
  let nginx = WebService.nginx
  let adapter = CurlAdapter()

  /// A path that no other test has.
  private func path(_ folder: String) -> String { "\(folder)/\(UUID().uuidString)" }

  /// The lines of nginx's log for a path: connection, method, path, status, transfer coding. They come after the response.
  private func log(_ path: String, count: Int) async throws -> [[Substring]] {
    while true {
      let response = try await adapter.send(nginx.request("log"))
      let lines = String(decoding: response.body, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
      let found = lines.filter { $0.count == 5 && $0[2] == "/" + path }
      if found.count >= count { return found }
    }
  }

  @Test func requestsShareAConnection() async throws {
    let path = path("any")
    for _ in 0..<20 { #expect(try await adapter.send(nginx.request(path)).status == 200) }
    #expect(Set(try await log(path, count: 20).map { $0[0] }).count < 20)
  }

  @Test func aConnectionThatTheServerEndsHoldsUpNoRequest() async throws {
    for _ in 0..<100 {
      let response = try await adapter.send(nginx.request("brief/list.json"))
      #expect(response.status == 200 && response.body.count > 10_000)
    }
  }

  @Test func rangesOfAFileAreTheFile() async throws {
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

  @Test func aFileThatIsTheSameIsNotSentAgain() async throws {
    let first = try await adapter.send(nginx.request("files/list.json"))
    let tag = try #require(first.headers["ETag"])
    let date = try #require(first.headers["Last-Modified"])
    for fields in [["If-None-Match": tag], ["If-Modified-Since": date]] {
      let response = try await adapter.send(nginx.request("files/list.json", "GET", fields))
      #expect(response.status == 304 && response.body.isEmpty)
    }
  }

  @Test func aCompressedFileIsTheFile() async throws {
    let whole = try await adapter.send(nginx.request("files/list.json"))
    let packed = try await adapter.send(nginx.request("packed/list.json"))
    #expect(packed.headers["Content-Encoding"] == "gzip")
    let isWhole = packed.body == whole.body
    #expect(isWhole)
    let response = try await adapter.stream(nginx.request("packed/list.json"), body: .none, progress: nil)
    var streamed = Data()
    while let piece = try await response.next() { streamed.append(piece) }
    let isStreamedWhole = streamed == whole.body
    #expect(isStreamedWhole)
  }

  @Test func aHeadHasTheLengthAndNoBody() async throws {
    let response = try await adapter.send(nginx.request("files/list.json", "HEAD"))
    let whole = try await adapter.send(nginx.request("files/list.json"))
    #expect(response.body.isEmpty && response.headers["Content-Length"] == "\(whole.body.count)")
  }

  @Test(arguments: [nil, 3_000_000] as [Int64?], [nil, "100-continue"] as [String?])
  func anUploadIsTheFileThatIsReadBack(length: Int64?, expectation: String?) async throws {
    let data = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let path = path("files")
    let body = RequestBodyStream(length: length) {
      let once = Once()
      return { await once.isFirst() ? data : nil }
    }
    let request = try nginx.request(path, "PUT", expectation.map { ["Expect": $0] } ?? [:])
    #expect(try await adapter.send(request, .stream(body)).status == 201)
    let back = try await adapter.send(nginx.request(path)).body == data
    #expect(back)
    #expect(try await adapter.send(nginx.request(path, "DELETE")).status == 204)
    let lines = try await log(path, count: 3)
    #expect(lines.map { $0[1] } == ["PUT", "GET", "DELETE"])
    #expect(lines[0][4] == (length == nil ? "chunked" : "-"))
  }

  @Test func anUploadThatIsTooLargeIsRefusedAtItsHead() async throws {
    let path = path("small")
    let body = RequestBody.data(Data(repeating: 7, count: 4_000_000))
    #expect(try await adapter.send(nginx.request(path, "PUT"), body).status == 413)
    #expect(try await log(path, count: 1).map { $0[3] } == ["413"])
  }

  @Test func aRedirectIsFollowedByTheDecorator() async throws {
    #expect(try await adapter.send(nginx.request("moved/a")).status == 302)
    let response = try await adapter.followingRedirects().send(nginx.request("moved/a"))
    #expect(response.status == 200 && response.body.count > 10_000)
  }

  @Test func aRequestThatCameTooSoonIsSentAgainAfterTheTimeThatTheServerNames() async throws {
    let path = path("limited")
    // One request a second is answered.
    var refused = try await adapter.send(nginx.request(path))
    while refused.status == 200 { refused = try await adapter.send(nginx.request(path)) }
    #expect(refused.status == 503 && refused.headers["Retry-After"] == "1")
    var policy = RetryPolicy()
    policy.maximumAttempts = 10
    policy.retriesPerRequest = nil
    #expect(try await adapter.retrying(policy).send(nginx.request(path)).status == 200)
    let statuses = try await log(path, count: 3).map { $0[3] }
    #expect(statuses.last == "200" && statuses.contains("503"))
  }
}

/// Its port with TLS, whose certificate is of this run; the client's is the same one.
@Suite("nginx: TLS", .enabled(if: WebService.secure.base != nil, "scripts/integration starts the server"))
struct NginxTLSTests {
  let secure = WebService.secure

  private func adapter(identified: Bool) throws -> CurlAdapter {
    var configuration = CurlAdapter.Configuration()
    let certificate = try WebService.nginxFile("certificate.pem")
    configuration.trust = .file(certificate)
    if identified {
      configuration.clientIdentity = .pem(
        certificate: try Data(contentsOf: certificate), key: try Data(contentsOf: WebService.nginxFile("key.pem")))
    }
    return CurlAdapter(configuration)
  }

  @Test func anAuthorityOfOnesOwnIsTrusted() async throws {
    let response = try await adapter(identified: false).send(secure.request("who"))
    #expect(String(decoding: response.body, as: UTF8.self) == "TLSv1.3 NONE")
    let error = await #expect(throws: TransportError.self) { try await CurlAdapter().send(secure.request("who")) }
    #expect(error?.kind == .tls && error?.mayHaveBeenProcessed == false)
  }

  @Test func aClientShowsItsCertificate() async throws {
    #expect(try await adapter(identified: false).send(secure.request("members/")).status == 403)
    let response = try await adapter(identified: true).send(secure.request("members/"))
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
