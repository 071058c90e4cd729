import Adapters
import EntityRequests
import EntityTesting
import Testing
import HTTPFoundation

/// The conformance suite, over the adapters of the package; and adapters that do not conform.
@Suite(.untilItHangs) struct ConformanceTests {
  @Test(arguments: ConformanceCase.all + ConformanceCase.streaming)
  func `libcurl's adapter conforms`(_ one: ConformanceCase) async throws {
    try await one.check(CurlAdapter())
  }

  @Test(arguments: ConformanceCase.all + ConformanceCase.streaming)
  func `a decorator conforms as the adapter in it does`(_ one: ConformanceCase) async throws {
    try await one.check(CurlAdapter().modifying { _ in })
  }

  @Test(arguments: ConformanceCase.all)
  func `a known fault is pinned`(_ one: ConformanceCase) async throws {
    let adapter = CurlAdapter().followingRedirects()
    try await withKnownIssue {
      try await one.check(adapter)
    } when: {
      one.name.hasPrefix("a redirect")
    }
  }

  @Test func `each case has a name of its own`() {
    let names = (ConformanceCase.all + ConformanceCase.streaming).map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test(arguments: ConformanceCase.all.filter { !$0.name.contains("cancelled") })
  func `an adapter that answers by itself fails each case`(_ one: ConformanceCase) async throws {
    try await withKnownIssue {
      try await one.check(CannedAdapter())
    } matching: {
      // A case that hangs, or has no server, tells nothing of its adapter.
      !($0.error is ConformanceHang) && !($0.error is SocketError)
    }
  }

  @Test func `an adapter that hangs is left`() async throws {
    let one = try #require(ConformanceCase.all.first)
    let error = await #expect(throws: ConformanceHang.self) { try await one.check(HangingAdapter(), within: .zero) }
    #expect(error?.name == one.name)
  }

  @Test func `a cancelled case ends`() async throws {
    let one = try #require(ConformanceCase.all.first)
    let gate = StubGate()
    let stub = StubAdapter().on(.get, "/**", .status(204).waiting(for: gate))
    let task = Task { try await one.check(stub) }
    await gate.arrival()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

/// It sends nothing, and says that all is well.
private struct CannedAdapter: RequestAdapter {
  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    HTTPResponse(status: 299, body: Data("canned".utf8))
  }
}

/// It never answers, and heeds no cancellation.
private struct HangingAdapter: RequestAdapter {
  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    return HTTPResponse(status: 204)
  }
}
