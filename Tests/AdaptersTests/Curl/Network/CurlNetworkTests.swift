import Adapters
import EntityRequests
import Testing
import HTTPFoundation

/// A request that must not take each network.
@Suite(.untilItHangs) struct CurlNetworkTests {
  private func expectRefusal(_ property: String, _ change: (inout URLRequest) -> Void) async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    var request = request("GET", server.url())
    change(&request)
    let error = try #require(try await CurlAdapter().failure(request))
    #expect(error.kind == .unsupported)
    #expect(!error.mayHaveBeenProcessed)
    #expect(error.message.contains(property))
    let sent = request
    await #expect(throws: TransportError.self) {
      _ = try await CurlAdapter().stream(sent, body: .none, progress: nil)
    }
    #expect(server.connections == 0)
  }

  @Test func `a request that must not be cellular is refused`() async throws {
    try await expectRefusal("allowsCellularAccess") { $0.allowsCellularAccess = false }
  }

  #if !canImport(FoundationNetworking)
    @Test func `a request that must not be expensive or constrained is refused`() async throws {
      try await expectRefusal("allowsExpensiveNetworkAccess") { $0.allowsExpensiveNetworkAccess = false }
      try await expectRefusal("allowsConstrainedNetworkAccess") { $0.allowsConstrainedNetworkAccess = false }
    }
  #endif
}
