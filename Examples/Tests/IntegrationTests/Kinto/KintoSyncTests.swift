import EntityClient
import Foundation
import Kinto
import Synchronization
import Testing

/// Thousands of records by pages, through libcurl into a file, compared with their source.
@Suite("Kinto: syncing", .kinto) struct KintoSyncTests {
  @Test func `every field of every record is as in the source and a second sync writes nothing`() async throws {
    let codes = try await Atlas.shared.codes()
    let peer = try Peer(Atlas.bucket)
    defer { peer.remove() }
    let start = ContinuousClock.now
    // Subdivisions come before the countries that they require.
    let first = try await sync(peer)
    let time = elapsed(since: start)
    let count = codes.countries.count + codes.subdivisions.count + codes.languages.count
    #expect(first.counts.inserted == count)
    #expect(first.counts.updated == 0)
    try await expectEqual(peer.store, codes)

    let restart = ContinuousClock.now
    let again = try await sync(peer, deleting: true)
    print(
      "Kinto: \(count) records synced in \(first.pages) pages in \(time); "
        + "again in \(elapsed(since: restart)), with \(again.counts.rowsWritten) rows written")
    #expect(again.counts.unchanged == count)
    #expect(again.counts.rowsWritten == 0)
    #expect(again.counts.deleted == 0)
    // The file, as another process finds it.
    try await expectEqual(EntityStore(.file(peer.file), entities: KintoServer.entities), codes)
  }

  @Test func `links are the same in both directions`() async throws {
    let codes = try await Atlas.shared.codes()
    let peer = try Peer(Atlas.bucket)
    defer { peer.remove() }
    _ = try await sync(peer)
    let parts = try await peer.store.read { context in
      let countries = try context.fetch(Country.all).map { ($0.code, Set($0.subdivisions.map(\.code))) }
      let subdivisions = try context.fetch(Subdivision.all).map { ($0.code, Set($0.parts.map(\.code))) }
      return Dictionary(uniqueKeysWithValues: countries + subdivisions).filter { !$0.value.isEmpty }
    }
    var expected: [String: Set<String>] = [:]
    for (code, fields) in codes.subdivisions {
      for whole in [fields["country"], fields["parent"]].compactMap(\.self) {
        expected[whole, default: []].insert(code)
      }
    }
    #expect(parts == expected)
  }

  @Test func `a walk goes on in another process at the place where it stopped`() async throws {
    let codes = try await Atlas.shared.codes()
    let first = try Peer(Atlas.bucket)
    defer { first.remove() }
    let some = try await first { try await Subdivision.records(limit: 3).all() }
    #expect(some.pages == 3)
    #expect(some.ids.count == 1500)
    let kept = try JSONEncoder().encode(try #require(some.next))

    let second = try Peer(Atlas.bucket, file: first.file)
    let token = try JSONDecoder().decode(PageToken.self, from: kept)
    let rest = try await second { try await Subdivision.records(from: token).all() }
    #expect(rest.next == nil)
    #expect(some.counts.inserted + rest.counts.inserted == codes.subdivisions.count)
    _ = try await second { try await Country.records().all() }
    #expect(try await second.store.differences(Subdivision.self, from: codes.subdivisions) == [])
  }

  @Test func `a cancelled walk leaves whole pages`() async throws {
    let codes = try await Atlas.shared.codes()
    let peer = try Peer(Atlas.bucket)
    defer { peer.remove() }
    let walk = Mutex<Task<Void, any Error>?>(nil)
    let (signal, start) = AsyncStream.makeStream(of: Void.self)
    let handedOut = Mutex(0)
    let task = Task {
      for await _ in signal { break }
      try await peer {
        let languages = Language.records(pageSize: 300) { progress in
          if progress.page == 3 { walk.withLock { $0?.cancel() } }
        }
        for try await page in languages { handedOut.withLock { $0 += page.ids.count } }
      }
    }
    walk.withLock { $0 = task }
    start.yield()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(handedOut.withLock { $0 } == 600)
    let later = try Peer(Atlas.bucket, file: peer.file)
    #expect(try await later.store.read { try $0.count(Language.all) } == 600)
    let whole = try await later { try await Language.records().all() }
    #expect(whole.counts.unchanged == 600)
    #expect(whole.counts.inserted == codes.languages.count - 600)
    #expect(try await later.store.differences(Language.self, from: codes.languages) == [])
  }

  // MARK: Support

  private func sync(_ peer: Peer, deleting: Bool = false) async throws -> (pages: Int, counts: EntityCounts) {
    try await peer {
      let subdivisions = try await Subdivision.records(options: deleting ? .deleteMissing(in: Subdivision.all) : [])
        .all()
      let countries = try await Country.records(options: deleting ? .deleteMissing(in: Country.all) : []).all()
      let languages = try await Language.records(options: deleting ? .deleteMissing(in: Language.all) : []).all()
      var counts = EntityCounts()
      for part in [subdivisions.counts, countries.counts, languages.counts] {
        counts.inserted += part.inserted
        counts.updated += part.updated
        counts.unchanged += part.unchanged
        counts.deleted += part.deleted
        counts.rowsWritten += part.rowsWritten
      }
      return (subdivisions.pages + countries.pages + languages.pages, counts)
    }
  }

  private func expectEqual(_ store: EntityStore, _ codes: ISOCodes) async throws {
    #expect(try await store.differences(Country.self, from: codes.countries) == [])
    #expect(try await store.differences(Subdivision.self, from: codes.subdivisions) == [])
    #expect(try await store.differences(Language.self, from: codes.languages) == [])
  }
}
