import EntityClient
import EntityTesting
import Testing

/// The messages of a stub end in logs.
@Suite struct StubLogTests {
  @Test func `the log of a stub has no secrets of a URL`() async throws {
    let stub = StubAdapter().on(.get, "/a?token=other-one", .json([]))
    let client = try Client(adapter: stub, baseURL: "https://api.example.com/")
    try await withKnownIssue {
      try await client.get("a?page=7&token=hidden")
    } matching: { issue in
      guard let error = issue.error as? UnexpectedRequest else { return issue.error is RequestError }
      let text = "\(error)"
      return !text.contains("hidden") && text.contains("a?page=7&token=REDACTED")
    }
  }
}
