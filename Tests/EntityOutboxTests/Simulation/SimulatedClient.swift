import EntityClient
import EntityTesting
import Foundation
import Synchronization

@testable import EntityOutbox
@testable import EntityStore

/// A store and its outbox: one process of the app.
struct SimulatedClient: Sendable {
  let line: SimulatedLine
  let store: EntityStore
  let client: Client
  let outbox: Outbox
  /// The file; `nil` for a store in memory.
  let file: URL?
  /// Keeps what a power cut would take; `nil` for the usual file system.
  let disk: TestDisk?

  /// - Parameters:
  ///   - number: The number of the client.
  ///   - account: The account that is signed in; `nil` where the client names none.
  ///   - now: The time that the client's own clock shows.
  ///   - width: The most requests that are under way at once.
  init(
    _ number: Int, _ server: SimulatedServer, _ service: SimulatedService, account: String?, file: URL?,
    disk: TestDisk?, clock: VirtualClock, now: Double, width: Int
  ) throws {
    let line = SimulatedLine(number, server, account: account)
    self.line = line
    (self.file, self.disk) = (file, disk)
    store = try EntityStore(
      file.map { .file($0, vfs: disk?.name) } ?? .inMemory, entities: simulatedEntities)
    var identity: (@Sendable () -> String?)?
    if account != nil { identity = { line.account } }
    let client = try Client(
      adapter: line, store: store, baseURL: "https://api.example.com/", identity: identity)
    self.client = client
    outbox = try SimulatedService.$current.withValue(service) {
      try Outbox(client, time: OutboxTime(clock, base: now), width: width)
    }
  }

  /// Reads all collections.
  ///
  /// - Parameter isWhole: Whether objects that a collection lacks are gone. A replica lacks new ones.
  func refresh(isWhole: Bool) async throws {
    try await Client.withClient(client) {
      try await refresh(Firm.self, isWhole)
      try await refresh(Skill.self, isWhole)
      try await refresh(Worker.self, isWhole)
      try await refresh(Job.self, isWhole)
    }
  }

  private func refresh<E: SimulatedEntity>(_ type: E.Type, _ isWhole: Bool) async throws {
    _ = isWhole ? try await E.get(options: .deleteMissing(in: E.all)) : try await E.get()
  }

  /// Whether the file says whose changes it has.
  func hasOwner() async throws -> Bool {
    let owner = try await store.core.unit { try $0.outbox.owner() }
    return owner != nil
  }

  /// Runs a closure after each commit of this process, on the thread of the commit.
  func onCommit(_ work: @escaping @Sendable () -> Void) { store.core.follow(SummaryLog(committed: work)) }

  /// The values that a screen shows, as the file has them now, by code and field. Objects that share a code are left out: a response
  /// to another request made the second one.
  static func columns(of file: URL?) throws -> [String: String] {
    guard let file else { return [:] }
    let connection = try Connection(.file(file), opening: .reading, busyTimeout: .seconds(5), log: nil)
    var columns: [String: String] = [:]
    var codes: [String: Int] = [:]
    for type in [Firm.entityName, Worker.entityName, Job.entityName] {
      let rows = try connection.rows("SELECT code, name, note FROM \"\(type)\"") { row in
        (row.text(0) ?? "", row.text(1) ?? "null", row.text(2) ?? "null")
      }
      for (code, name, note) in rows where !code.isEmpty {
        codes[code, default: 0] += 1
        (columns["\(code).name"], columns["\(code).note"]) = (name, note)
      }
    }
    for (code, count) in codes where count > 1 { (columns["\(code).name"], columns["\(code).note"]) = (nil, nil) }
    return columns
  }

  /// Copies the files as they are: what a kill at this moment leaves.
  func copy(to copy: URL) throws {
    guard let file else { return }
    for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: file.path + ending) {
      try FileManager.default.copyItem(atPath: file.path + ending, toPath: copy.path + ending)
    }
  }
}

/// Work that goes on while the seed does other things.
final class SimulatedOperation: Sendable {
  private let end = Mutex<Result<String, any Error>?>(nil)

  init(_ work: @escaping @Sendable () async throws -> String) {
    Task { [self] in
      do {
        let text = try await work()
        end.withLock { $0 = .success(text) }
      } catch {
        end.withLock { $0 = .failure(error) }
      }
    }
  }

  /// The result; `nil` while it goes on.
  var result: Result<String, any Error>? { end.withLock(\.self) }
}
