import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

/// Lazy properties in responses and requests.
@Suite struct LazyResponseTests {
  /// The statements that read the value of a lazy property.
  private final class Reads: Sendable {
    private let all = Mutex<[String]>([])

    func note(_ event: StoreLog.Event) {
      guard case .statement(let statement) = event, statement.sql.hasPrefix("SELECT"),
        statement.sql.contains("\"scan\"") || statement.sql.contains("\"notes\"")
      else { return }
      all.withLock { $0.append(statement.sql) }
    }

    var new: [String] {
      all.withLock { reads in
        defer { reads = [] }
        return reads
      }
    }
  }

  private func archive() async throws -> (store: EntityStore, reads: Reads) {
    let reads = Reads()
    var options = StoreOptions()
    options.log = StoreLog(slowerThan: nil, statements: true) { reads.note($0) }
    let store = try EntityStore(
      .inMemory, entities: [Negative.self, HandNegative.self], busyTimeout: .seconds(600), options: options)
    _ = try await store.receive(Negative.self, ["id": 1, "name": "one", "scan": "AQID", "notes": ["a"]])
    _ = try await store.receive(HandNegative.self, ["id": 1, "name": "one", "scan": "AQID"])
    _ = reads.new
    return (store, reads)
  }

  private func scan(_ store: EntityStore) async throws -> [UInt8]? {
    try await store.read { try $0.fetch(Negative.self, uid: 1)?.scan.map { [UInt8]($0) } }
  }

  @Test func `a response without the lazy property reads nothing`() async throws {
    let (store, reads) = try await archive()
    _ = try await store.receive(Negative.self, ["id": 1, "name": "two"])
    _ = try await store.receive(HandNegative.self, ["id": 1, "name": "two"])
    _ = try await store.receive(Negative.self, [["id": 1, "name": "three"], ["id": 2, "name": "new"]])
    #expect(reads.new == [])
    #expect(try await scan(store) == [1, 2, 3])
    #expect(try await store.read { try $0.fetch(HandNegative.self, uid: 1)?.scan } == Data([1, 2, 3]))
  }

  @Test func `an equal value is no change, and another value is a change`() async throws {
    let (store, _) = try await archive()
    let same: JSONValue = ["id": 1, "scan": "AQID", "notes": ["a"]]
    #expect(try await store.receive(Negative.self, same).counts.rowsWritten == 0)
    #expect(try await store.receive(HandNegative.self, ["id": 1, "scan": "AQID"]).counts.rowsWritten == 0)
    #expect(try await store.receive(Negative.self, ["id": 1, "scan": "BA=="]).counts.rowsWritten == 1)
    #expect(try await store.receive(HandNegative.self, ["id": 1, "scan": "BA=="]).counts.rowsWritten == 1)
    #expect(try await scan(store) == [4])
    #expect(try await store.read { try $0.fetch(HandNegative.self, uid: 1)?.scan } == Data([4]))
    _ = try await store.receive(Negative.self, ["id": 1, "scan": nil])
    #expect(try await scan(store) == nil)
  }

  @Test func `a local edit stays until it is overwritten`() async throws {
    let (store, _) = try await archive()
    try await store.background { try $0.fetch(Negative.self, uid: 1)?.scan = Data([9]) }
    _ = try await store.receive(Negative.self, ["id": 1, "scan": "BA=="])
    #expect(try await scan(store) == [9])
    _ = try await store.receive(Negative.self, ["id": 1, "scan": "BA=="]) { $0.localEdits = .overwrite }
    #expect(try await scan(store) == [4])
    #expect(try await store.pending.count() == 0)
  }

  @Test @MainActor func `a request reads a lazy property only where it is sent`() async throws {
    let (store, reads) = try await archive()
    let stub = StubAdapter().on(.put, "/negatives/1", .json(["id": 1]))
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    try await Client.withClient(client) {
      let negative = try #require(try store.main.fetch(Negative.self, uid: 1))
      negative.name = "sent"
      try await negative.put(\.name)
      #expect(reads.new == [])
      #expect(try negative.jsonObject(for: \.scan) == ["scan": "AQID"])
      // Saved, let go of and sent: the acknowledgement ends the edit.
      negative.scan = Data([7])
      try await store.main.save()
      #expect(try await store.pending.count() == 1)
      store.main.reset()
      _ = reads.new
      try await negative.put(\.scan)
      #expect(reads.new.count > 0)
      #expect(stub.requests.last?.body == Data(#"{"scan":"Bw=="}"#.utf8))
      #expect(try await store.pending.count() == 0)
      #expect(negative.scan == Data([7]))
    }
  }
}

@Entity final class Negative: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Lazy var scan: Data?
  @Lazy var notes: [String]
  var name: String?
  static var basePath: String { "negatives/" }
}

@Entity final class HandNegative: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Lazy var scan: Data?
  var name: String?
  static var basePath: String { "hand-negatives/" }

  func update(with response: ResponseObject) throws {
    try response.assign("name", to: &name)
    try response.assign("scan", to: \.scan, of: self)
  }
}
