import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Synchronization
import Testing

/// Expectations that hold, and those that do not.
@Suite(.client(entities: sampleEntities + [Trip.self, Leg.self, Stop.self])) @MainActor struct MappingTestTests {
  private let post: JSONValue = ["id": 7, "title": "t", "state": "published", "author": 1, "tags": [3, 2]]

  @Test func `expectations that hold are no issues`() async throws {
    let test = try await MappingTest(Post.self, post)
    test.expect(\.title, "t")
    test.expect(\.body, nil)
    test.expect(\.state, .published)
    test.expectLink(\.author, uid: 1)
    // The list has no order.
    test.expectLinks(\.tags, uids: [2, 3])
    test.expectNothingElse()
    try await test.expectNothingNewAgain()
    #expect(test.object.uid == 7)
  }

  @Test func `each expectation that does not hold is an issue`() async throws {
    let test = try await MappingTest(Post.self, post)
    for (name, check) in [
      ("Post.title", { test.expect(\.title, "other") }), ("Post.author", { test.expectLink(\.author, uid: 2) }),
      ("Post.author", { test.expectNoLink(\.author) }),
      ("Post.tags", { test.expectLinks(\.tags, uids: [2]) }),
    ] as [(String, () -> Void)] {
      withKnownIssue {
        check()
      } matching: { issue in
        issue.comments.contains { "\($0)".contains(name) }
      }
    }
  }

  @Test func `a value that the test does not name is an issue`() async throws {
    let test = try await MappingTest(Post.self, post)
    test.expect(\.title, "t")
    let issues = Mutex<[String]>([])
    withKnownIssue {
      test.expectNothingElse()
    } matching: { issue in
      issues.withLock { $0 += issue.comments.map { "\($0)" } }
      return true
    }
    let named = issues.withLock { $0 }
    #expect(named.count == 3)
    for name in ["Post.state", "Post.author", "Post.tags"] { #expect(named.contains { $0.contains(name) }) }
  }

  @Test func `embedded objects are looked at`() async throws {
    let test = try await MappingTest(
      Trip.self, ["id": 1, "legs": [["from": ["city": "Oslo"]], ["from": ["city": "Rome"]]], "stop": ["name": "s"]])
    test.expect(\.legs) { #expect($0.map(\.city) == ["Oslo", "Rome"]) }
    test.expect(\.stop) { #expect($0?.name == "s") }
    test.expectNothingElse()
  }

  @Test func `a mapping test refuses a body with no object or several objects`() async throws {
    await #expect(throws: MappingTestError.self) { try await MappingTest(Post.self, [["id": 1], ["id": 2]]) }
    await #expect(throws: MappingTestError.self) { try await MappingTest(Post.self, []) }
    await #expect(throws: RequestError.self) { try await MappingTest(Post.self, Data("[".utf8)) }
  }

  @Test func `a fixture is found above the test too`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fixtures-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (tests, deep) = (folder.appending(path: "Tests/Fixtures"), folder.appending(path: "Tests/A/B"))
    for url in [tests, deep] { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    try Data("1".utf8).write(to: tests.appending(path: "one.json"))
    try Data("2".utf8).write(to: tests.appending(path: "two.txt"))
    let file = deep.appending(path: "SomeTests.swift").path
    #expect(try fixture("one", file: file) == Data("1".utf8))
    #expect(try fixture("two.txt", file: file) == Data("2".utf8))
    let error = try #require(throws: NoFixture.self) { try fixture("none", file: file) }
    #expect(error.name == "none.json")
    #expect(error.description.contains(deep.path))
  }

  @Test func `a fixture is an answer`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fixtures-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let fixtures = folder.appending(path: "Fixtures")
    try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
    try Data("[{\"id\": 4}]".utf8).write(to: fixtures.appending(path: "posts.json"))
    try StubAdapter.current.on(
      .get, "/posts", .fixture("posts", headers: ["X-Total": "1"], file: folder.appending(path: "T.swift").path))
    let response = try await Post.get()
    #expect(response.ids.count == 1)
    #expect(response.headers["X-Total"] == "1")
  }
}
