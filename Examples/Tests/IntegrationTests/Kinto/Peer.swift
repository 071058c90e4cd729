import Adapters
import EntityClient
import Foundation
import Kinto
import Testing

extension Trait where Self == ConditionTrait {
  /// Skipped where scripts/integration did not start Kinto.
  static var kinto: Self { .enabled(if: Peer.root != nil, "scripts/integration runs it") }
}

/// One client of a bucket: an app with a store in a file of its own.
final class Peer: Sendable {
  static let root = ProcessInfo.processInfo.environment["ENTITYCLIENT_KINTO"].flatMap { URL(string: $0) }

  let bucket: String
  let file: URL
  let store: EntityStore
  let server: KintoServer

  /// - Parameters:
  ///   - bucket: By default one that nobody else has.
  ///   - file: The file of an earlier client, to go on with.
  init(
    _ bucket: String = "b" + UUID().uuidString, password: String = "secret", file: URL? = nil
  ) throws {
    self.bucket = bucket
    self.file =
      file ?? FileManager.default.temporaryDirectory.appending(path: "kinto-\(UUID().uuidString).sqlite")
    store = try EntityStore(.file(self.file), entities: KintoServer.entities)
    server = try KintoServer(
      try #require(Self.root), bucket: bucket, user: bucket, password: password, store: store)
  }

  /// Runs `body` as this client.
  @discardableResult
  nonisolated(nonsending) func callAsFunction<R>(_ body: nonisolated(nonsending) () async throws -> R) async throws -> R
  {
    try await Client.withClient(server.client, operation: body)
  }

  /// Makes a country, here and on the server.
  @MainActor func country(_ code: String, _ name: String) async throws -> Country {
    let country = try store.main.insert(Country.self)
    country.code = code
    country.name = name
    try await country.create()
    return country
  }

  func remove() {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
  }
}

/// Two clients of one bucket, and the steps with them.
@MainActor func withPeers(_ body: @MainActor (Peer, Peer) async throws -> Void) async throws {
  let first = try Peer()
  let second = try Peer(first.bucket)
  defer {
    first.remove()
    second.remove()
  }
  try await first.server.setUp()
  try await body(first, second)
}

/// The error of a request that the server must refuse.
@MainActor func refusal<R>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: @MainActor () async throws -> R
) async throws -> RequestError {
  do {
    _ = try await body()
  } catch let error as RequestError {
    return error
  }
  Issue.record("The request was not refused.", sourceLocation: sourceLocation)
  throw CancellationError()
}
