import EntityRequests
import Testing
import HTTPFoundation

/// Heads that no server should write.
extension ConformanceCase {
  /// The response to a request, for a server that sends these bytes and then ends the connection; `nil` when the
  /// adapter refuses it.
  @concurrent static func response(
    _ adapter: any RequestAdapter, to reply: [UInt8]
  ) async throws -> HTTPResponse? {
    let server = try ConformanceServer { connection in
      _ = try connection.readRequest()
      try connection.send(reply)
    }
    do {
      return try await adapter.send(request("POST", try server.url()), body: .none, progress: nil)
    } catch is TransportError {
      return nil
    }
  }

  @concurrent private static func response(
    _ adapter: any RequestAdapter, to reply: String
  ) async throws -> HTTPResponse? {
    try await response(adapter, to: Array(reply.utf8))
  }

  static var heads: [ConformanceCase] { lengths + fields + followers }

  private static var lengths: [ConformanceCase] {
    [
      ConformanceCase("a body without a length ends with its connection", [10]) { adapter in
        let response = try await response(adapter, to: "HTTP/1.1 200 OK\r\n\r\nabc")
        #expect(response?.body == Data("abc".utf8))
      },
      ConformanceCase("blanks around a length are none of it", [11]) { adapter in
        for field in ["Content-Length: 3 ", "Content-Length: 3\t", "Content-Length: \t 3 \t"] {
          let response = try await response(adapter, to: "HTTP/1.1 200 OK\r\n\(field)\r\n\r\nabcd")
          #expect(response?.body == Data("abc".utf8), "\(field)")
        }
      },
      ConformanceCase("lengths that are none, or that contradict one another, are an error", [11]) { adapter in
        for fields in [
          "Content-Length: 3\r\nContent-Length: 4", "Content-Length: 3, 4", "Content-Length: -1",
          "Content-Length: 9223372036854775808", "Content-Length: 99999999999999999999",
        ] {
          let response = try await response(adapter, to: "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nabcd")
          #expect(response == nil, "\(fields)")
        }
      },
      ConformanceCase("a blank before the colon of a length or a coding hides no end of a body", [11, 14]) { adapter in
        let cutOff = try await response(adapter, to: "HTTP/1.1 200 OK\r\nContent-Length : 3\r\n\r\nab")
        #expect(cutOff == nil)
        for fields in ["Transfer-Encoding : chunked", "Transfer-Encoding\t: chunked", "Transfer-Encoding:\r\n chunked"]
        {
          let reply = "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n4\r\nabcd\r\n0\r\n\r\n"
          guard let response = try await response(adapter, to: reply) else { continue }
          #expect(response.body == Data("abcd".utf8), "\(fields)")
        }
      },
      ConformanceCase("a length beside chunks is passed over, or an error", [11]) { adapter in
        let fields = "Content-Length: 3\r\nTransfer-Encoding: chunked"
        let reply = "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n4\r\nabcd\r\n0\r\n\r\n"
        guard let response = try await response(adapter, to: reply) else { return }
        #expect(response.body == Data("abcd".utf8))
      },
    ]
  }

  private static var fields: [ConformanceCase] {
    [
      ConformanceCase("header fields without end are an error", [12, 14]) { adapter in
        let server = try ConformanceServer { connection in
          _ = try connection.readRequest()
          try connection.send("HTTP/1.1 200 OK\r\n")
          let fields = String(repeating: "X-A: \(String(repeating: "a", count: 100))\r\n", count: 100)
          while true { try connection.send(fields) }
        }
        _ = try await failure(adapter, request("POST", try server.url()))
      },
      ConformanceCase("four hundred header fields are all there", [14]) { adapter in
        let fields = (0..<400).map { "X-\($0): \($0)\r\n" }.joined()
        let response = try await response(adapter, to: ConformanceServer.bytes("200 OK", fields))
        let found = (0..<400).filter { response?.headers["X-\($0)"] == "\($0)" }
        #expect(found.count == 400)
      },
      ConformanceCase("a header field of 200 KB is whole, or an error", [14]) { adapter in
        let value = String(repeating: "a", count: 200_000)
        guard let response = try await response(adapter, to: ConformanceServer.bytes("200 OK", "X-A: \(value)\r\n"))
        else { return }
        // Showing the difference of large texts takes minutes.
        let isWhole = response.headers["X-A"] == value
        #expect(isWhole)
      },
      ConformanceCase("a NUL in a header field is an error", [14]) { adapter in
        let response = try await response(adapter, to: ConformanceServer.bytes("200 OK", "X-A: a\0b\r\n"))
        #expect(response == nil)
      },
      ConformanceCase("a folded header field is one value, or an error", [14]) { adapter in
        let reply = ConformanceServer.bytes("200 OK", "X-A: a\r\n  b\r\nX-B: c\r\n", "d")
        guard let response = try await response(adapter, to: reply) else { return }
        #expect(response.headers["X-A"]?.split(whereSeparator: \.isWhitespace) == ["a", "b"])
        #expect(response.headers["X-B"] == "c" && response.body == Data("d".utf8))
      },
      ConformanceCase("a header field needs no space behind its colon", [14]) { adapter in
        let response = try await response(adapter, to: ConformanceServer.bytes("200 OK", "X-A:a\r\nX-B:\t b \r\n"))
        #expect(response?.headers["X-A"] == "a" && response?.headers["X-B"] == "b")
      },
    ]
  }

  private static var followers: [ConformanceCase] {
    [
      ConformanceCase("fifty interim responses are passed over", [15]) { adapter in
        let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\nX-Early: a\r\n\r\n", count: 50)
        let reply = Array(interim.utf8) + ConformanceServer.bytes("200 OK", "X-Late: b\r\n", "c")
        let response = try await response(adapter, to: reply)
        #expect(response?.status == 200 && response?.body == Data("c".utf8))
        #expect(response?.headers["X-Late"] == "b" && response?.headers["X-Early"] == nil)
      },
      ConformanceCase("bytes behind a response are not the next one", [15, 18]) { adapter in
        let evil = ConformanceServer.response("200 OK", "", "evil")
        for first in ["HTTP/1.1 204 No Content\r\n\r\n", ConformanceServer.response("200 OK", "", "good")] {
          let server = try ConformanceServer { connection in
            while let request = try connection.readRequest() {
              let isFirst = request.line == "GET /1"
              try connection.send(isFirst ? first + evil : ConformanceServer.response("200 OK", "", "good"))
            }
          }
          do {
            let response = try await adapter.send(request("GET", try server.url("/1")), body: .none, progress: nil)
            #expect(response.body.isEmpty || response.body == Data("good".utf8), "\(first)")
          } catch is TransportError {}
          // The first response belongs to a request. A second response belongs to none.
          do {
            let response = try await adapter.send(request("GET", try server.url("/2")), body: .none, progress: nil)
            #expect(response.body == Data("good".utf8), "\(first)")
          } catch is TransportError {}
        }
      },
    ]
  }
}
