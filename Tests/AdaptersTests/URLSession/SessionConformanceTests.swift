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
    /// The cases that URLSession on Linux can't pass; the article on the adapter tells of them.
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

  /// A list, since URLSession on Linux may stop the process at a case that nobody has tried yet.
  static let tried = [
    "method, path and query are sent as they are written",
    "header fields are sent",
    "bodies of each kind arrive whole",
    "answers go to their own requests, however many there are",
    "every status is a response, and nothing is sent again",
    "a redirect is a response, and is not followed",
    "header fields of one name stay several, and cookies are not kept",
    "HEAD, 204 and 304 have no body, whatever their heads say",
    "a stream has the head and then the body, and progress never decreases",
    "a refused connection is told, and surely processed nothing",
    "a connection that ends without a reply may have processed the request, and a POST is sent once",
    "a POST on a kept connection that the server has left is done once at most",
    "a body that is shorter than it was said is an error",
    "a reply that is not HTTP is an error",
    "a body stream that fails ends the request with an error",
    "a task that is cancelled already sends nothing",
    "a cancelled task gets CancellationError, and its connection ends",
    "the head of a stream comes before its body, and the body piece by piece",
    "a stream that nobody reads any more ends its connection",
  ]

  static let cases = (ConformanceCase.all + ConformanceCase.streaming).filter {
    tried.contains($0.name) && $0.name != stopping
  }

  @Test(arguments: cases) func foundationsAdapterConforms(_ one: ConformanceCase) async throws {
    try await withKnownIssue {
      try await one.check(URLSessionAdapter())
    } when: {
      Self.known.contains(one.name)
    }
  }

  @Test func theKnownCasesAreThere() {
    let names = (ConformanceCase.all + ConformanceCase.streaming).map(\.name)
    #expect((Self.tried + Self.known + [Self.stopping]).allSatisfy { names.contains($0) || $0.isEmpty })
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
