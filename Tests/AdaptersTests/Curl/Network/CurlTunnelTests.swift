import Adapters
import EntityRequests
import Foundation
import Testing

/// Kept connections over TLS. In processes of their own, for all adapters of a process share one pool.
@Suite(.untilItHangs, .enabled(if: TLSServer.isAvailable, "needs the openssl and python3 commands"))
struct CurlTunnelTests {
  /// The server answers with the credentials of the tunnel that the request came through, and the number of tunnels.
  @Test func `a tunnel serves only requests with its credentials`() async {
    await #expect(processExitsWith: .success) {
      let server = try TLSServer(name: "IP:127.0.0.1", mode: .tunnel)
      let url = try #require(server.proxy)
      func adapter(_ proxy: CurlAdapter.Proxy) -> CurlAdapter {
        CurlAdapter {
          $0.proxy = proxy
          $0.trust = .file(server.certificate)
        }
      }
      func answer(_ adapter: CurlAdapter) async throws -> [String] {
        let body = try await adapter.send(request("GET", server.url)).body
        return String(decoding: body, as: UTF8.self).split(separator: "\n").map { String($0) }
      }
      func credentials(_ user: String) -> String { "Basic \(Data("\(user):secret".utf8).base64EncodedString())" }

      let ann = adapter(.authenticated(url, user: "ann", password: "secret"))
      // The same credentials have one tunnel.
      let same = adapter(.authenticated(url, user: "ann", password: "secret"))
      for adapter in [ann, same, ann] { #expect(try await answer(adapter) == [credentials("ann"), "1"]) }
      let bob = adapter(.authenticated(url, user: "bob", password: "secret"))
      let nobody = adapter(.server(url))
      for _ in 0..<2 {
        #expect(try await answer(bob).first == credentials("bob"))
        #expect(try await answer(nobody).first == "none")
        #expect(try await answer(ann).first == credentials("ann"))
      }
    }
  }

  /// The second adapter has other authorities, and so a connection of its own.
  @Test func `a late answer over TLS is not taken for the answer to the next request`() async {
    await #expect(processExitsWith: .success) {
      let server = try TLSServer(name: "IP:127.0.0.1", mode: .late)
      let pem = try Data(contentsOf: server.certificate)
      let adapter = CurlAdapter {
        $0.trust = .file(server.certificate)
        $0.allowsHTTP2 = false
      }
      let other = CurlAdapter { $0.trust = .pem(pem) }
      #expect(try await adapter.send(request("GET", server.url.appending(path: "first"))).body == Data("ok".utf8))
      // Returns once the server has sent the late answer on the first connection.
      #expect(try await other.send(request("GET", server.url.appending(path: "late"))).body == Data("ok".utf8))
      let second = try await adapter.send(request("GET", server.url.appending(path: "second")))
      #expect(second.body == Data("ok".utf8))
      #expect(second.metrics?.isConnectionReused == false)
      let third = try await adapter.send(request("GET", server.url.appending(path: "third")))
      #expect(third.metrics?.isConnectionReused == true)
    }
  }
}
