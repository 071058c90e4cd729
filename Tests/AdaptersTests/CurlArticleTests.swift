import Adapters
import EntityRequests
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The code of the article SendingWithLibcurl.
@Suite(.untilItHangs)
struct CurlArticleTests {
  @Test func limits() async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let url = server.url()
    var configuration = CurlAdapter.Configuration()
    configuration.idleTimeout = .seconds(20)
    configuration.totalTimeout = .seconds(300)
    let adapter = CurlAdapter(configuration)

    var request = URLRequest(url: url)
    request.timeoutInterval = 90
    request.cachePolicy = .reloadIgnoringLocalCacheData
    let response = try await adapter.send(request, body: .none, progress: nil)
    #expect(response.status == 204)
    #expect(server.requests.map { $0.values("Cache-Control") } == [["no-cache"]])
  }
}
