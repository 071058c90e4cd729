import Adapters
import EntityRequests
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// In processes of their own: they change settings of the whole process.
@Suite(.untilItHangs)
struct CurlEnvironmentTests {
  @Test func `proxy variables are ignored`() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"] {
        setenv(name, "http://127.0.0.1:1", 1)
      }
      #expect(try await CurlAdapter().send(request("GET", server.url())).body == Data("ok".utf8))
      // And a proxy that was asked for is not talked out of it.
      setenv("no_proxy", "*", 1)
      let adapter = CurlAdapter { $0.proxy = .server(server.url()) }
      #expect(try await adapter.send(request("GET", URL(string: "http://x.invalid/")!)).status == 200)
    }
  }

  @Test func `the process ends with transfers under way`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      try await exitWithATransferUnderWay(CurlAdapter())
    }
  }
}
