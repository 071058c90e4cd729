import EntityRequests
import Testing
import HTTPFoundation

/// Responses that ask for another request, and requests that nobody may send.
extension ConformanceCase {
  /// Sends requests with such responses, and checks that each request is sent once and each response arrives unchanged.
  @concurrent private static func handedOver(
    _ adapter: any RequestAdapter, _ status: Int, _ field: String, _ values: [String]
  ) async throws {
    for value in values {
      let server = try ConformanceServer.answering { _ in
        ConformanceServer.response("\(status) X", "\(field): \(value)\r\n", "b")
      }
      for method in ["GET", "POST"] {
        let body = RequestBody.stream(RequestBodyStream(length: 0) { { nil } })
        let response = try await adapter.send(
          request(method, try server.url("/a")), body: method == "GET" ? .none : body, progress: nil)
        #expect(response.status == status && response.body == Data("b".utf8), "\(method) \(status) \(value)")
        #expect(response.headers[field] == value)
      }
      #expect(server.requests.map(\.line) == ["GET /a", "POST /a"], "\(status) \(value)")
      #expect(server.requests.allSatisfy { $0.values("Authorization").isEmpty }, "\(status) \(value)")
    }
  }

  static var refusals: [ConformanceCase] {
    [
      ConformanceCase("redirects of every kind are responses, wherever they lead", [21]) { adapter in
        let other = try ConformanceServer.answering { _ in ConformanceServer.response() }
        for status in [300, 301, 302, 303, 307, 308] {
          try await handedOver(
            adapter, status, "Location",
            ["/a", "b?c", try other.url().absoluteString, "file:///etc/passwd", "//nobody.invalid/"])
        }
        #expect(other.requests.isEmpty)
      },
      ConformanceCase("challenges of every kind are responses", [22]) { adapter in
        try await handedOver(
          adapter, 401, "WWW-Authenticate",
          ["Basic realm=\"a\"", "Digest realm=\"a\", nonce=\"b\", qop=\"auth\"", "Bearer", "Negotiate"])
        try await handedOver(adapter, 407, "Proxy-Authenticate", ["Basic realm=\"a\""])
      },
      ConformanceCase("how long a server wants to be left alone is the caller's to read", [23]) { adapter in
        for status in [429, 503] {
          try await handedOver(
            adapter, status, "Retry-After", ["0", "1000000000", "Fri, 31 Dec 1999 23:59:59 GMT", "soon"])
        }
      },
      ConformanceCase("line breaks in a request never reach the wire", [30]) { adapter in
        let server = try ConformanceServer.answering { _ in ConformanceServer.response() }
        var inValue = request("GET", try server.url("/value"))
        inValue.allHTTPHeaderFields = ["X-A": "a\r\nX-Smuggled: b"]
        var inName = request("GET", try server.url("/name"))
        inName.allHTTPHeaderFields = ["X-A: a\r\nX-Smuggled": "b"]
        var inMethod = request("GET", try server.url("/method"))
        inMethod.httpMethod = "GET / HTTP/1.1\r\nX-Smuggled: b\r\n\r\nGET"
        let inURL = request("GET", try server.url("/%0D%0AX-Smuggled:%20b"))
        for request in [inValue, inName, inMethod, inURL] {
          // An adapter refuses the request, or sends it without these characters.
          do { _ = try await adapter.send(request, body: .none, progress: nil) } catch is TransportError {}
        }
        for request in server.requests {
          #expect(!request.head.contains("\nX-Smuggled") && !request.head.contains("\rX-Smuggled"))
          #expect(request.line.hasPrefix("GET /"))
        }
      },
    ]
  }
}
