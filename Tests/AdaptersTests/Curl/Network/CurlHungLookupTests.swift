import Adapters
import EntityRequests
import Foundation
import HungLookup
import Testing

/// A lookup of a name that does not return: it is let go at the end of each test, and not before.
@Suite(.untilItHangs, .enabled(if: hung_lookup_is_there()))
struct CurlHungLookupTests {
  private let name = "\(UUID().uuidString.lowercased()).hung.invalid"
  private var url: URL { URL(string: "http://\(name)/secret-path")! }

  /// Another request is answered while the lookup hangs.
  private func expectAnswer() async throws {
    // A limit of time may be reached before the lookup has begun.
    await lookupHangs(name)
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    #expect(try await CurlAdapter().send(request("GET", server.url())).status == 204)
    #expect(hung_lookup_hangs(name))
  }

  @Test func `the request ends by its deadline`() async throws {
    defer { hung_lookup_let_go(name) }
    let adapter = CurlAdapter { $0.connectTimeout = .milliseconds(200) }
    let error = try #require(try await adapter.failure(request("POST", url), body: .data(Data([1]))))
    #expect(error.kind == .timeout)
    #expect(!error.mayHaveBeenProcessed)
    #expect(error.message.hasPrefix("Resolving the name of \(name):80: "))
    #expect(!error.message.contains("secret-path"))
    try await expectAnswer()
  }

  @Test func `the whole time counts the lookup`() async throws {
    defer { hung_lookup_let_go(name) }
    let adapter = CurlAdapter { $0.totalTimeout = .milliseconds(200) }
    let error = try #require(try await adapter.failure(request("GET", url)))
    #expect(error.kind == .timeout)
    #expect(!error.mayHaveBeenProcessed)
    try await expectAnswer()
  }

  @Test func `a cancelled request ends while the lookup hangs`() async throws {
    defer { hung_lookup_let_go(name) }
    let adapter = CurlAdapter()
    let task = Task { try await adapter.send(request("GET", url)) }
    await lookupHangs(name)
    // Before the cancellation nothing else is held up, nor after it.
    try await expectAnswer()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await expectAnswer()
  }

  @Test func `the request ends with the lookup`() async throws {
    let task = Task { try await CurlAdapter().failure(request("GET", url)) }
    await lookupHangs(name)
    hung_lookup_let_go(name)
    #expect(try await task.value?.kind == .nameResolution)
  }
}
