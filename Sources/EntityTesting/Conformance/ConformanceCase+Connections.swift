import EntityRequests
import Testing
import HTTPFoundation

/// Servers that can't be reached, that say nothing, or that go away.
extension ConformanceCase {
  /// A POST: adapters do not repeat it.
  ///
  /// - Parameter timeout: In whole seconds, because some transports have no others.
  private static func post(_ url: URL, timeout: TimeInterval) -> URLRequest {
    var request = request("POST", url)
    request.timeoutInterval = timeout
    return request
  }

  /// A request that never gets a response, to a server that only writes `text`.
  @concurrent private static func timeout(_ adapter: any RequestAdapter, after text: String) async throws {
    let server = try ConformanceServer { connection in
      _ = try connection.readRequest()
      try connection.send(text)
      connection.waitForClose()
    }
    let error = try await failure(adapter, post(try server.url(), timeout: 1))
    #expect(error?.kind == .timeout)
  }

  static var connections: [ConformanceCase] {
    [
      ConformanceCase("a port that takes no connection processed nothing", [2]) { adapter in
        let port = try FullPort()
        let url = try ConformanceServer.url(port: port.port)
        let error = try await failure(adapter, post(url, timeout: 1))
        #expect(error?.mayHaveBeenProcessed == false)
        withExtendedLifetime(port) {}
      },
      ConformanceCase("a name that nobody has is told, and surely processed nothing", [3]) { adapter in
        let url = try #require(URL(string: "http://nobody.invalid/"))
        let error = try await failure(adapter, request("POST", url))
        #expect(error?.mayHaveBeenProcessed == false)
      },
      ConformanceCase("a server that says nothing ends in a timeout", [5]) { adapter in
        try await timeout(adapter, after: "")
      },
      ConformanceCase("a head that stops ends in a timeout", [12]) { adapter in
        try await timeout(adapter, after: "HTTP/1.1 200 OK\r\nContent-")
      },
      ConformanceCase("a body that stops ends in a timeout", [13]) { adapter in
        try await timeout(adapter, after: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
      },
      ConformanceCase("a connection that is reset is an error, before the response and in its body", [7]) { adapter in
        for text in ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"] {
          let server = try ConformanceServer { connection in
            _ = try connection.readRequest()
            try connection.send(text)
            connection.reset()
          }
          let error = try await failure(adapter, request("POST", try server.url()), .data(Data("a".utf8)))
          #expect(error?.mayHaveBeenProcessed == true, "\(text)")
          #expect(server.requests.count == 1, "\(text)")
        }
      },
    ]
  }
}
