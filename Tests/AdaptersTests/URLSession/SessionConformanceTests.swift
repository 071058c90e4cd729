import EntityRequests
import EntityTesting
import Foundation
import SessionAdapter
import Testing

/// The conformance suite over Foundation's client.
@Suite(.untilItHangs, .underURLSession) struct SessionConformanceTests {
  #if canImport(FoundationNetworking)
    private static let differences = AdapterDifferences.session
  #else
    private static let differences = AdapterDifferences.collecting
  #endif

  @Test(arguments: AdapterDifferences.cases)
  func `Foundation's adapter conforms`(_ one: ConformanceCase) async throws {
    try await one.check(URLSessionAdapter(), except: Self.differences)
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
