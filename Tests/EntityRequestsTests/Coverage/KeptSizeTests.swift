import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

@Entity final class Clipping: RemoteEntity {
  @UID var id: Int
  var text: String?
  var isStarred: Bool?
  static var expires: Duration? { .seconds(30 * 86_400) }
  static var basePath: String { "clippings" }
}

func keep(_ store: EntityStore, to size: Int64) async throws {
  var limit = size
  for await _ in store.commits {
    let sizes = try await store.fileSizes()
    let used = sizes.database - sizes.free
    guard used > limit else { continue }
    let eviction = try await store.evict(downTo: size * 9 / 10, keeping: Clipping.where { $0.isStarred == true })
    limit = eviction.objects > 0 ? size : used + size / 10
  }
}

/// A cache that keeps to a size while it grows.
@Suite struct KeptSizeTests {
  @Test func `a store keeps to its size while responses come, and starred objects stay`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kept-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try EntityStore(.file(folder.appending(path: "s")), entities: [Clipping.self])
    let size: Int64 = 1_000_000
    let keeping = Task { try await keep(store, to: size) }
    let text = String(repeating: "x", count: 2_000)
    let used = { () async throws -> Int64 in
      let sizes = try await store.fileSizes()
      return sizes.database - sizes.free
    }
    for page in 0..<10 {
      let objects = (page * 200..<page * 200 + 200).map { id in
        ["id": JSONValue(id), "text": JSONValue(text), "is_starred": id == 7 ? true : false] as JSONValue
      }
      try await Clipping.upsert(from: JSONValue(objects), in: store)
      // Each page alone has 400 kB, and all have 4 MB.
      while try await used() > size { await Task.yield() }
    }
    keeping.cancel()
    _ = await keeping.result
    let ids = try await store.read { try $0.fetch(Clipping.all).map(\.id) }
    #expect(ids.contains(7))
    #expect(ids.count < 600)
  }

  @Test func `where more has to stay than the size, the file is not written anew with each eviction`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kept-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let packings = Mutex(0)
    var options = StoreOptions()
    options.log = StoreLog(slowerThan: nil, statements: true) { event in
      guard case .statement(let statement) = event, statement.sql.hasPrefix("VACUUM") else { return }
      packings.withLock { $0 += 1 }
    }
    let store = try EntityStore(.file(folder.appending(path: "s")), entities: [Clipping.self], options: options)
    let text = String(repeating: "x", count: 20_000)
    let objects = (0..<200).map { id in
      ["id": JSONValue(id), "text": JSONValue(text), "is_starred": true] as JSONValue
    }
    try await Clipping.upsert(from: JSONValue(objects), in: store)
    // All rows take 4 MB.
    let starred = Clipping.where { $0.isStarred == true }
    for id in 0..<10 {
      let gone = Clipping.where { $0.id == id }
      let response = try await Clipping.upsert(from: [] as JSONValue, in: store, options: .deleteMissing(in: gone))
      #expect(response.counts.deleted == 1)
      #expect(try await store.evict(downTo: 1_000_000, keeping: starred).objects == 0)
    }
    #expect(packings.withLock { $0 } <= 1)
    // Half of the file is free.
    let half = Clipping.where { $0.id < 120 }
    try await Clipping.upsert(from: [] as JSONValue, in: store, options: .deleteMissing(in: half))
    try await store.evict(downTo: 1_000_000, keeping: starred)
    #expect(packings.withLock { $0 } == 1)
    #expect(try await store.fileSizes().free == 0)
  }
}
