import EntityRequests
import EntityTesting
import Foundation
import SessionAdapter
import Testing

/// The conformance suite over Foundation's client.
@Suite(.untilItHangs, .underURLSession) struct SessionConformanceTests {
  #if canImport(FoundationNetworking)
    /// Left out: its response has trailer fields, and URLSession of Swift 6.3 on Linux stops the process at them.
    static let stopping = "a body in chunks is put together"
    /// What URLSession on Linux can't do; the article on the adapter tells.
    static let known = [
      // The path has dots, and is refused before it is sent.
      "method, path and query are sent as they are written",
      // The body of a redirect without a target is lost.
      "every status is a response, and nothing is sent again",
      // One of two fields whose names differ in case is lost.
      "header fields of one name stay several, and cookies are not kept",
    ]
  #else
    static let stopping = ""
    static let known: [String] = []
  #endif

  static let cases = (ConformanceCase.all + ConformanceCase.streaming).filter { $0.name != stopping }

  @Test(arguments: cases) func foundationsAdapterConforms(_ one: ConformanceCase) async throws {
    try await withKnownIssue {
      try await one.check(URLSessionAdapter())
    } when: {
      Self.known.contains(one.name)
    }
  }

  @Test func theKnownCasesAreThere() {
    let names = (ConformanceCase.all + ConformanceCase.streaming).map(\.name)
    #expect((Self.known + [Self.stopping]).allSatisfy { names.contains($0) || $0.isEmpty })
  }
}

extension Trait where Self == ConditionTrait {
  /// Foundation is not built for the thread sanitizer, which sees none of the order that its queues keep.
  static var underURLSession: Self {
    #if ENTITYCLIENT_TSAN
      .disabled("the thread sanitizer does not see Foundation's queues")
    #else
      .enabled(if: true)
    #endif
  }
}
