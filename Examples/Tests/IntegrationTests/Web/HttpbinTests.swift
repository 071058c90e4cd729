import Adapters
import EntityClient
import EntityTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// httpbin, which answers as its paths say, over each adapter.
@Suite("httpbin", .enabled(if: WebService.httpbin.base != nil, "scripts/integration starts the server"))
struct HttpbinTests {
  let httpbin = WebService.httpbin

  /// The request as httpbin saw it; it answers with it.
  private struct Echo: Decodable {
    let method, url: String?
    let json: [String: [Int]]?
    let cookies: [String: String]?

    init(_ response: HTTPResponse) throws { self = try JSONDecoder().decode(Echo.self, from: response.body) }
  }

  /// httpbin sends it to whoever asks, with an `Accept-Encoding` or without.
  @Test(arguments: AdapterUnderTest.all, ["gzip", "deflate"])
  func `a coded body is decoded`(over one: AdapterUnderTest, coding: String) async throws {
    let adapter = one.adapter()
    var fields: [String: String] = [:]
    if one.differs(in: .codings) {
      let error = await #expect(throws: TransportError.self) { try await adapter.send(httpbin.request(coding)) }
      #expect(error?.kind == .badResponse)
      // A request that asks for codings has them decoded.
      fields = ["Accept-Encoding": coding]
    }
    let response = try await adapter.send(httpbin.request(coding, "GET", fields))
    #expect(response.headers["Content-Encoding"] == coding)
    #expect(try Echo(response).method == "GET")
  }

  /// httpbin sends it though nobody asked for it.
  @Test(arguments: AdapterUnderTest.all)
  func `a coding that nobody asked for is an error`(over one: AdapterUnderTest) async throws {
    let adapter = one.adapter()
    let error = await #expect(throws: TransportError.self) { try await adapter.send(httpbin.request("brotli")) }
    #expect(error?.kind == .badResponse)
  }

  @Test(arguments: AdapterUnderTest.all, [200, 204, 304, 400, 401, 404, 409, 418, 429, 500, 503])
  func `each status is a response`(over one: AdapterUnderTest, _ status: Int) async throws {
    let clock = VirtualClock(advancesByItself: true)
    let adapter = one.adapter(.init(), .withoutWaits(clock))
    #expect(try await adapter.send(httpbin.request("status/\(status)")).status == status)
    // A wait before each attempt but the first.
    let isSentAgain = one.differs(in: .passingStatuses) && [429, 503].contains(status)
    #expect(clock.sleeps.count == (isSentAgain ? 2 : 0))
  }

  @Test(arguments: AdapterUnderTest.all) func `a body in chunks arrives whole`(over one: AdapterUnderTest) async throws
  {
    let adapter = one.adapter()
    let response = try await adapter.stream(
      httpbin.request("stream-bytes/100000?chunk_size=999&seed=1"), body: .none, progress: nil)
    var count = 0
    while let piece = try await response.next() { count += piece.count }
    #expect(count == 100_000)
    let lines = try await adapter.send(httpbin.request("stream/20")).body.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 20)
  }

  @Test(arguments: AdapterUnderTest.all) func `a body that drips arrives whole`(over one: AdapterUnderTest) async throws
  {
    let adapter = one.adapter()
    let response = try await adapter.send(httpbin.request("drip?numbytes=10&duration=1&delay=0"))
    #expect(response.body == Data(repeating: UInt8(ascii: "*"), count: 10))
  }

  @Test(arguments: AdapterUnderTest.all) func `a range is answered with a part of the body`(over one: AdapterUnderTest)
    async throws
  {
    let adapter = one.adapter()
    let response = try await adapter.send(httpbin.request("range/1000", "GET", ["Range": "bytes=10-19"]))
    #expect(response.status == 206 && response.body.count == 10)
  }

  @Test(arguments: AdapterUnderTest.all) func `an answer that is the same has no body`(over one: AdapterUnderTest)
    async throws
  {
    let adapter = one.adapter()
    let response = try await adapter.send(httpbin.request("etag/abc", "GET", ["If-None-Match": "abc"]))
    #expect(response.status == 304 && response.body.isEmpty)
    #expect(try await adapter.send(httpbin.request("etag/abc", "GET", ["If-Match": "x"])).status == 412)
  }

  @Test(arguments: AdapterUnderTest.all, ["POST", "PUT", "PATCH", "DELETE"])
  func `a body arrives`(over one: AdapterUnderTest, method: String) async throws {
    let adapter = one.adapter()
    let request = try httpbin.request(method.lowercased(), method, ["Content-Type": "application/json"])
    let response = try await adapter.send(request, .data(Data(#"{"a": [1, 2]}"#.utf8)))
    #expect(try Echo(response).json == ["a": [1, 2]])
  }

  @Test(arguments: AdapterUnderTest.all)
  func `redirects are followed by the decorator and cookies are not kept`(over one: AdapterUnderTest) async throws {
    let (adapter, following) = (one.adapter(), one.followingRedirects())
    let response = try await adapter.send(httpbin.request("redirect/3"))
    #expect(response.status == (one.differs(in: .redirects) ? 200 : 302))
    #expect(try Echo(try await following.send(httpbin.request("redirect/3"))).url != nil)
    let kept = try await following.send(httpbin.request("cookies/set/a/1"))
    #expect(try Echo(kept).cookies == [:])
    #expect(try Echo(try await adapter.send(httpbin.request("cookies"))).cookies == [:])
  }

  @Test(arguments: AdapterUnderTest.all) func `an authentication challenge is a response`(over one: AdapterUnderTest)
    async throws
  {
    let adapter = one.adapter()
    let response = try await adapter.send(httpbin.request("digest-auth/auth/ada/secret"))
    #expect(response.status == 401)
    #expect(response.headers["WWW-Authenticate"]?.hasPrefix("Digest") == true)
    #expect(try await adapter.send(httpbin.request("bearer", "GET", ["Authorization": "Bearer abc"])).status == 200)
  }

  @Test(arguments: AdapterUnderTest.all) func `a server that thinks is waited for`(over one: AdapterUnderTest)
    async throws
  {
    let adapter = one.adapter()
    #expect(try await adapter.send(httpbin.request("delay/1")).status == 200)
  }
}
