import AsyncHTTPClient
import EntityRequests
import NIOCore
import Testing

@testable import AsyncHTTPClientAdapter

/// The kinds of the errors of the adapter over AsyncHTTPClient, by which retries go.
@Suite struct AsyncHTTPClientErrorTests {
  private struct Unknown: Error {}

  @Test func `an error has the kind of its cause`() {
    let errors: [(any Error, TransportError.Kind, Bool)] = [
      (NIOTooManyBytesError(maxBytes: 1), .bodyTooLarge, true), (UnreadableBody(Unknown()), .sending, true),
      (HTTPClientError.bodyLengthMismatch, .sending, true), (HTTPClientError.connectTimeout, .timeout, false),
      (HTTPClientError.deadlineExceeded, .timeout, true), (Unknown(), .connection, true),
    ]
    for (error, kind, mayHaveBeenProcessed) in errors {
      let mapped = AsyncHTTPClientAdapter.transportError(of: error)
      #expect(mapped.kind == kind)
      #expect(mapped.mayHaveBeenProcessed == mayHaveBeenProcessed)
    }
  }
}
