import EntityRequests
import Testing
import HTTPFoundation

extension ConformanceCase {
  static func request(_ method: String = "GET", _ url: URL, _ headers: [String: String] = [:]) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  static var requests: [ConformanceCase] {
    [
      ConformanceCase("method, path and query are sent as they are written") { adapter in
        let server = try ConformanceServer.answering { _ in ConformanceServer.response() }
        let targets = ["/a%2Fb/../c?q=a%20b+c", "/%41?a=b?c", "/a//b/"]
        for (method, target) in zip(["GET", "DELETE", "PATCH"], targets) {
          _ = try await adapter.send(request(method, try server.url(target)), body: .none, progress: nil)
        }
        #expect(server.requests.map(\.line) == ["GET \(targets[0])", "DELETE \(targets[1])", "PATCH \(targets[2])"])
      },
      ConformanceCase("header fields are sent") { adapter in
        let server = try ConformanceServer.answering { _ in ConformanceServer.response() }
        let fields = ["X-One": "a b", "Accept": "application/xml", "Authorization": "Bearer abc"]
        _ = try await adapter.send(request("GET", try server.url(), fields), body: .none, progress: nil)
        for (name, value) in fields { #expect(server.requests.first?.values(name) == [value], "\(name)") }
      },
      ConformanceCase("bodies of each kind arrive whole") { adapter in
        let server = try ConformanceServer.answering { _ in ConformanceServer.response() }
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let file = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString)")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        func stream(_ length: Int64?) -> RequestBody {
          .stream(RequestBodyStream(length: length) { try RequestBodyStream(contentsOf: file).open() })
        }
        for body in [.data(data), .file(file), stream(Int64(data.count)), stream(nil)] as [RequestBody] {
          _ = try await adapter.send(request("PUT", try server.url()), body: body, progress: nil)
        }
        #expect(server.requests.count == 4)
        for (number, sent) in server.requests.enumerated() {
          // Showing the difference of large bodies takes minutes.
          let isWhole = Data(sent.body) == data
          #expect(isWhole, "body \(number)")
        }
      },
      ConformanceCase("answers go to their own requests, however many there are") { adapter in
        let server = try ConformanceServer.answering { ConformanceServer.response("200 OK", "", $0.line) }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<100 {
            group.addTask {
              let url = try server.url("/\(number)")
              let response = try await adapter.send(request("GET", url), body: .none, progress: nil)
              #expect(String(decoding: response.body, as: UTF8.self) == "GET /\(number)")
            }
          }
          try await group.waitForAll()
        }
        #expect(Set(server.requests.map(\.line)).count == 100 && server.requests.count == 100)
      },
    ]
  }

  static var responses: [ConformanceCase] { statusesAndFields + bodiesOfResponses }

  private static var statusesAndFields: [ConformanceCase] {
    [
      ConformanceCase("every status is a response, and nothing is sent again", [22, 23]) { adapter in
        let server = try ConformanceServer.answering { request in
          let status = request.line.split(separator: "/").last ?? ""
          return ConformanceServer.response(
            "\(status) X", "WWW-Authenticate: Basic realm=\"a\"\r\nRetry-After: 0\r\n", "b")
        }
        let statuses = [200, 201, 302, 400, 401, 404, 429, 500, 503]
        for status in statuses {
          let response = try await adapter.send(
            request("GET", try server.url("/\(status)")), body: .none, progress: nil)
          #expect(response.status == status)
          #expect(response.body == Data("b".utf8))
        }
        #expect(server.requests.count == statuses.count)
      },
      ConformanceCase("a redirect is a response, and is not followed", [21]) { adapter in
        let server = try ConformanceServer.answering { _ in
          ConformanceServer.response("302 Found", "Location: /elsewhere\r\n")
        }
        let response = try await adapter.send(request("GET", try server.url("/a")), body: .none, progress: nil)
        #expect(response.status == 302 && response.headers["Location"] == "/elsewhere")
        #expect(server.requests.count == 1)
      },
      ConformanceCase("header fields of one name stay several, and cookies are not kept") { adapter in
        let server = try ConformanceServer.answering { _ in
          ConformanceServer.response("200 OK", "Set-Cookie: a=1\r\nset-cookie: b=2, c\r\nX-Empty:\r\n")
        }
        let response = try await adapter.send(request("GET", try server.url()), body: .none, progress: nil)
        #expect(response.headers.values(of: "Set-Cookie") == ["a=1", "b=2, c"])
        #expect(response.headers["x-empty"] == "")
        _ = try await adapter.send(request("GET", try server.url()), body: .none, progress: nil)
        #expect(server.requests.last?.values("Cookie") == [])
      },
    ]
  }

  private static var bodiesOfResponses: [ConformanceCase] {
    [
      ConformanceCase("a body in chunks is put together") { adapter in
        let server = try ConformanceServer.answering { _ in
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nX-Trailer: 1\r\n\r\n"
        }
        for _ in 0..<2 {
          let response = try await adapter.send(request("GET", try server.url()), body: .none, progress: nil)
          #expect(response.body == Data("abcdefg".utf8))
        }
      },
      ConformanceCase("HEAD, 204 and 304 have no body, whatever their heads say", [15]) { adapter in
        let server = try ConformanceServer.answering { request in
          if request.line.hasPrefix("HEAD") { return "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" }
          return request.line.hasSuffix("204")
            ? "HTTP/1.1 204 No Content\r\n\r\n" : "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"
        }
        for (method, path) in [("HEAD", "/a"), ("GET", "/204"), ("GET", "/304"), ("HEAD", "/b")] {
          let response = try await adapter.send(request(method, try server.url(path)), body: .none, progress: nil)
          #expect(response.body.isEmpty)
        }
        #expect(server.requests.count == 4)
      },
      ConformanceCase("a stream has the head and then the body, and progress never decreases") { adapter in
        let body = String(repeating: "0123456789", count: 50_000)
        let server = try ConformanceServer.answering { _ in ConformanceServer.response("200 OK", "X-A: 1\r\n", body) }
        let counts = ConformanceCounts()
        let response = try await adapter.stream(request("GET", try server.url()), body: .none) {
          counts.add($0.bytesReceived)
        }
        #expect(response.status == 200 && response.headers["X-A"] == "1")
        var found = Data()
        while let piece = try await response.next() { found.append(piece) }
        // Showing the difference of large bodies takes minutes.
        let isWhole = found == Data(body.utf8)
        #expect(isWhole)
        #expect(try await response.next() == nil)
        #expect(counts.all == counts.all.sorted())
      },
    ]
  }
}
