import Adapters
import EntityRequests
import Testing

/// A process that has no file descriptor left. In a process of its own, whose limit it is.
@Suite(.untilItHangs) struct CurlDescriptorTests {
  @Test func `a request without a descriptor fails, and the next request is sent`() async {
    await #expect(processExitsWith: .success) {
      let error = try #require(try await failureWithoutADescriptor("POST", CurlAdapter()))
      #expect(!error.mayHaveBeenProcessed)
    }
  }
}
