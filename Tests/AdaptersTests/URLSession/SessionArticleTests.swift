import EntityRequests
import SessionAdapter
import Testing
import HTTPFoundation

/// The code of the article SendingWithURLSession.
@Suite(.untilItHangs, .underURLSession) struct SessionArticleTests {
  @Test func `the settings of the article compile and hold`() async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let url = server.url()
    var configuration = URLSessionAdapter.Configuration()
    configuration.idleTimeout = .seconds(20)
    configuration.maximumResponseBytes = 16 << 20
    let adapter = URLSessionAdapter(configuration).standard()

    let response = try await adapter.send(URLRequest(url: url), body: .none, progress: nil)
    #expect(response.status == 204)
  }

  @Test func `a refusal`() async throws {
    let url = try #require(URL(string: "http://127.0.0.1/a"))
    let adapter = URLSessionAdapter()
    var refusal = ""
    do {
      _ = try await adapter.send(URLRequest(url: url), body: .data(Data("a".utf8)), progress: nil)
    } catch let error as TransportError where error.kind == .unsupported {
      refusal = error.message  // URLSession does not send a GET with a body as it is written; so nothing was sent.
    }
    #expect(refusal == "URLSession does not send a GET with a body as it is written; so nothing was sent.")
  }
}
