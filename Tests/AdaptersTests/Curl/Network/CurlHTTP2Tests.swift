import EntityRequests
import Foundation
import Testing

@testable import Adapters

/// The offer of HTTP/2, as the server reads it. What is spoken then is tested by `scripts/integration`.
@Suite(.untilItHangs)
struct CurlHTTP2Tests {
  /// With a libcurl that is not safe with HTTP/2, it is never offered.
  @Test(arguments: [true, false])
  func `a handshake offers HTTP2 where the configuration allows it`(isAllowed: Bool) async throws {
    let hellos = Log<Data>()
    let server = try TestServer { connection in
      // The head of a record has its length (RFC 8446 §5.1).
      let head = try connection.read(5) ?? []
      let length = head.suffix(2).reduce(0) { $0 << 8 | Int($1) }
      hellos.add(Data(try connection.read(length) ?? []))
    }
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    let adapter = CurlAdapter { $0.allowsHTTP2 = isAllowed }
    #expect(try await adapter.failure(request("GET", url)) != nil)
    let hello = try #require(hellos.all.first)
    // The names in the extension (RFC 7301 §3.1), each behind its length.
    #expect(hello.firstRange(of: Data("\u{8}http/1.1".utf8)) != nil)
    let isOffered = hello.firstRange(of: Data("\u{2}h2".utf8)) != nil
    let isKeptToHTTP1 = CurlOptions.httpVersion(allowsHTTP2: isAllowed) == CurlOptions.httpVersion(allowsHTTP2: false)
    #expect(isOffered != isKeptToHTTP1)
  }
}
