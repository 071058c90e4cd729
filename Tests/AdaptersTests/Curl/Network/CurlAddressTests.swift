import Adapters
import EntityRequests
import Foundation
import Testing

/// Requests to addresses that an adapter allows, and to others.
@Suite(.untilItHangs)
struct CurlAddressTests {
  /// An adapter that allows no address, and the addresses that it was asked for.
  private static func refusing(_ asked: Log<String>, proxy: CurlAdapter.Proxy = .none) -> CurlAdapter {
    CurlAdapter {
      $0.proxy = proxy
      $0.addressFilter = {
        asked.add($0)
        return false
      }
    }
  }

  @Test(arguments: ["GET", "POST"])
  func `nothing is sent to an address that is not allowed`(method: String) async throws {
    let (isFirstByteThere, isOver) = (Log<Bool>(), Event())
    let server = try TestServer { connection in
      isFirstByteThere.add(try connection.read(1) != nil)
      isOver.set()
    }
    let asked = Log<String>()
    let body: RequestBody = method == "POST" ? .data(Data([1])) : .none
    let error = try #require(
      try await Self.refusing(asked).failure(request(method, server.url(), ["X-Secret": "s3cret"]), body: body))
    #expect(error.kind == .forbiddenAddress)
    #expect(!error.mayHaveBeenProcessed)
    #expect(error.message.contains("the address 127.0.0.1, to which the connection for 127.0.0.1:\(server.port) leads"))
    #expect(asked.all == ["127.0.0.1"])
    await isOver.wait()
    #expect(isFirstByteThere.all == [false])
  }

  @Test func `each request is checked on a kept connection too`() async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let asked = Log<String>()
    let adapter = CurlAdapter {
      $0.addressFilter = {
        asked.add($0)
        return asked.all.count < 3
      }
    }
    for _ in 0..<2 { #expect(try await adapter.send(request("GET", server.url())).status == 204) }
    #expect(try await adapter.failure(request("GET", server.url()))?.kind == .forbiddenAddress)
    #expect(asked.all == ["127.0.0.1", "127.0.0.1", "127.0.0.1"])
    #expect(server.requests.count == 2)
  }

  /// In a process of its own, for all adapters of a process share one pool.
  @Test func `the kept connection of another adapter is checked`() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
      #expect(try await CurlAdapter().send(request("GET", server.url())).status == 204)
      let asked = Log<String>()
      let error = try await CurlAddressTests.refusing(asked).failure(request("GET", server.url()))
      #expect(error?.kind == .forbiddenAddress)
      #expect(asked.all == ["127.0.0.1"])
      #expect(server.connections == 1)
      #expect(try await CurlAdapter().send(request("GET", server.url())).status == 204)
      #expect(server.requests.count == 2)
    }
  }

  @Test func `the address is that of a proxy`() async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let proxy = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
    let url = try #require(URL(string: "http://elsewhere.invalid/x"))
    let asked = Log<String>()
    let error = try #require(
      try await Self.refusing(asked, proxy: .server(proxy)).failure(request("GET", url)))
    #expect(error.kind == .forbiddenAddress)
    #expect(error.message.contains("the address 127.0.0.1, to which the connection for elsewhere.invalid:80 leads"))
    #expect(server.requests.isEmpty)
  }
}
