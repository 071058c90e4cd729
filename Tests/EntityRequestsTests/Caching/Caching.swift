import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Synchronization
import Testing

@testable import EntityRequests
@testable import EntityStore

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
  private let time = Mutex(1_000_000.0)

  var now: Double { time.withLock(\.self) }

  func advance(by seconds: Double) { time.withLock { $0 += seconds } }

  /// Runs `body` with this clock.
  nonisolated(nonsending) func run<R>(_ body: nonisolated(nonsending) () async throws -> R) async rethrows -> R {
    try await AnswerClock.$now.withValue({ self.now }) { try await body() }
  }
}

/// A server with two users that answers conditional requests as RFC 9110 §13 says.
struct CachingServer: Sendable {
  let stub = StubAdapter()
  let tag = Text("\"v1\"")

  /// A value that threads share.
  final class Text: Sendable {
    private let content: Mutex<String>
    init(_ value: String) { content = Mutex(value) }
    var value: String {
      get { content.withLock(\.self) }
      set { content.withLock { $0 = newValue } }
    }
  }

  /// - Parameter headers: Those of each answer, besides the tag.
  init(headers: HTTPHeaders = [:]) {
    let tag = tag
    stub.on(
      .get, "/users",
      .respond { request in
        var fields = headers
        fields["ETag"] = tag.value
        if request.headers["If-None-Match"] == tag.value {
          return HTTPResponse(status: 304, headers: fields, url: request.url)
        }
        fields["Content-Type"] = "application/json"
        let body = #"[{"id": 1, "email": "one \#(tag.value.filter(\.isNumber))"}, {"id": 2, "email": "two"}]"#
        return HTTPResponse(status: 200, headers: fields, url: request.url, body: Data(body.utf8))
      })
  }

  func client(
    _ store: EntityStore? = nil, headers: HTTPHeaders = [:], identity: (@Sendable () -> String?)? = nil,
    onRefreshFailure: (@Sendable (any Error) -> Void)? = nil
  ) throws -> Client {
    try Client(
      adapter: stub, store: store ?? EntityStore(.inMemory, entities: sampleEntities),
      baseURL: "https://api.example.com/", headers: headers, identity: identity, onRefreshFailure: onRefreshFailure)
  }

  /// The validators of the requests so far, `-` for one without.
  var tags: [String] { stub.requests.map { $0.headers["If-None-Match"] ?? "-" } }

  /// Runs `operation` with a client of a new server.
  nonisolated(nonsending) static func withClient(
    _ operation: nonisolated(nonsending) (_ server: CachingServer, _ client: Client) async throws -> Void
  ) async throws {
    let server = CachingServer()
    let client = try server.client()
    try await Client.withClient(client) { try await operation(server, client) }
  }
}

extension ResponseOptions {
  static var asked: Self { .cache(.networkOnly) }
  static var known: Self { .cache(.cacheOnly) }
}

extension EntityResponse<User> {
  /// The uids of the objects as the main context has them.
  @MainActor func uids() throws -> [Int] { try objects.map(\.uid) }
  @MainActor func emails() throws -> [String] { try objects.map { $0.email ?? "-" } }
}

extension EntityStore {
  /// The number of the last commit.
  func generation() async throws -> Int64 { try await core.read { $0.news.mergedGeneration } }

  /// The notes of answers in the file.
  func noteCount() async throws -> Int { try await noteTexts().count }

  func noteTexts() async throws -> [String] { try await notes("note") }

  /// The names of the notes in the file.
  func noteKeys() async throws -> [AnswerKey] { try await notes("key").map { AnswerKey($0) } }

  private func notes(_ column: String) async throws -> [String] {
    try await core.read { context in
      try context.connection.rows("SELECT \(column) FROM \(AnswerNotes.table)") { $0.text(0) ?? "" }
    }
  }
}

extension Client {
  /// How many requests wait for answers that they share.
  var waitingRequests: Int { caching.inFlight.waiting }
}
