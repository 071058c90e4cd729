import Adapters
import EntityClient
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// httpbin, which answers as its paths say.
@Suite("httpbin", .enabled(if: WebService.httpbin.base != nil, "scripts/integration starts the server"))
struct HttpbinTests {
  let httpbin = WebService.httpbin
  let adapter = CurlAdapter()

  /// The request as httpbin saw it; it answers with it.
  private struct Echo: Decodable {
    let method, url: String?
    let json: [String: [Int]]?
    let cookies: [String: String]?

    init(_ response: HTTPResponse) throws { self = try JSONDecoder().decode(Echo.self, from: response.body) }
  }

  @Test(arguments: ["gzip", "deflate"]) func aCodedBodyIsDecoded(coding: String) async throws {
    let response = try await adapter.send(httpbin.request(coding))
    #expect(response.headers["Content-Encoding"] == coding)
    #expect(try Echo(response).method == "GET")
  }

  /// httpbin sends it though nobody asked for it.
  @Test func aCodingThatNobodyAskedForIsAnError() async throws {
    let error = await #expect(throws: TransportError.self) { try await adapter.send(httpbin.request("brotli")) }
    #expect(error?.kind == .badResponse)
  }

  @Test(arguments: [200, 204, 304, 400, 401, 404, 409, 418, 429, 500, 503])
  func aStatusIsAResponse(_ status: Int) async throws {
    #expect(try await adapter.send(httpbin.request("status/\(status)")).status == status)
  }

  @Test func aBodyInChunksIsWhole() async throws {
    let response = try await adapter.stream(
      httpbin.request("stream-bytes/100000?chunk_size=999&seed=1"), body: .none, progress: nil)
    var count = 0
    while let piece = try await response.next() { count += piece.count }
    #expect(count == 100_000)
    let lines = try await adapter.send(httpbin.request("stream/20")).body.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 20)
  }

  @Test func aBodyThatDripsIsWhole() async throws {
    let response = try await adapter.send(httpbin.request("drip?numbytes=10&duration=1&delay=0"))
    #expect(response.body == Data(repeating: UInt8(ascii: "*"), count: 10))
  }

  @Test func aRangeIsAPart() async throws {
    let response = try await adapter.send(httpbin.request("range/1000", "GET", ["Range": "bytes=10-19"]))
    #expect(response.status == 206 && response.body.count == 10)
  }

  @Test func anAnswerThatIsTheSameHasNoBody() async throws {
    let response = try await adapter.send(httpbin.request("etag/abc", "GET", ["If-None-Match": "abc"]))
    #expect(response.status == 304 && response.body.isEmpty)
    #expect(try await adapter.send(httpbin.request("etag/abc", "GET", ["If-Match": "x"])).status == 412)
  }

  @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"]) func aBodyArrives(method: String) async throws {
    let request = try httpbin.request(method.lowercased(), method, ["Content-Type": "application/json"])
    let response = try await adapter.send(request, .data(Data(#"{"a": [1, 2]}"#.utf8)))
    #expect(try Echo(response).json == ["a": [1, 2]])
  }

  @Test func redirectsAreFollowedByTheDecoratorAndCookiesAreNotKept() async throws {
    #expect(try await adapter.send(httpbin.request("redirect/3")).status == 302)
    let following = adapter.followingRedirects()
    #expect(try Echo(try await following.send(httpbin.request("redirect/3"))).url != nil)
    let kept = try await following.send(httpbin.request("cookies/set/a/1"))
    #expect(try Echo(kept).cookies == [:])
    #expect(try Echo(try await adapter.send(httpbin.request("cookies"))).cookies == [:])
  }

  @Test func aChallengeIsAResponse() async throws {
    let response = try await adapter.send(httpbin.request("digest-auth/auth/ada/secret"))
    #expect(response.status == 401)
    #expect(response.headers["WWW-Authenticate"]?.hasPrefix("Digest") == true)
    #expect(try await adapter.send(httpbin.request("bearer", "GET", ["Authorization": "Bearer abc"])).status == 200)
  }

  @Test func aServerThatThinksIsWaitedFor() async throws {
    #expect(try await adapter.send(httpbin.request("delay/1")).status == 200)
  }
}
