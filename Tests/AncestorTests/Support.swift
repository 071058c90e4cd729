import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

/// A value that a server sends, of no entity.
struct Person: Decodable, Sendable, Equatable {
  let name: String
}

/// The body of a refusal.
struct Problem: Decodable, Sendable, Equatable {
  let code: Int
  let message: String
}

/// The reports of progress that a request made.
final class Reports: Sendable {
  private let reports = Mutex<[RequestProgress]>([])

  var all: [RequestProgress] { reports.withLock { $0 } }
  var handler: RequestProgressHandler { { report in self.reports.withLock { $0.append(report) } } }
}

/// Runs a test with the URL of a store's file, in a folder that is deleted afterwards.
@MainActor func withStoreFile(_ test: @MainActor (URL) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "ancestors-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await test(folder.appending(path: "store.sqlite"))
}

/// The `RequestError` that `body` throws; the test fails where there is none.
@MainActor func requestError(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: @MainActor () async throws -> Void
) async throws -> RequestError {
  let error = await #expect(throws: RequestError.self, sourceLocation: sourceLocation) { try await body() }
  return try #require(error, sourceLocation: sourceLocation)
}

/// A contact as the server has it: `{"id": 0, "display_name": "Contact 0"}`.
func contact(_ uid: Int) -> JSONValue { ["id": JSONValue(uid), "display_name": JSONValue("Contact \(uid)")] }

/// Contacts as the server lists them.
func contacts(_ uids: some Sequence<Int>) -> JSONValue { JSONArray(uids.map(contact)).value }

extension EntityStore {
  /// The uids of the contacts, ascending.
  func contactUIDs() async throws -> [Int] {
    try await read { try $0.fetch(Contact.all.sorted(by: \.uid)).map(\.uid) }
  }

  /// How many objects there are, of all entities.
  func objectCount() async throws -> Int { try await read { try $0.count() } }
}
