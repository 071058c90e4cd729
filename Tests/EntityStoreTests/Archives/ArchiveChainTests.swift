import EntityJSON
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// A store that is archived and restored many times.
struct ArchiveChainTests {
  @Test(arguments: Place.usual) func `row ids do not grow with the number of restores`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    try await store.background(as: .server) { context in
      let team = try context.insert(Team.self)
      team.uid = "t"
      for number in 1...3 {
        let person = try context.insert(Person.self)
        person.uid = number
        person.team = team
      }
    }
    // Notes with row ids: an edit, its base, and a deletion.
    try await store.background { context in
      try context.fetch(Person.self, uid: 1)?.team = nil
      try context.fetch(Person.self, uid: 3).map { try context.delete($0) }
    }
    var archive = try await store.archive()
    let first = try header(archive)
    for round in 1...70 {
      try await store.restore(from: archive, discardsPending: true)
      archive = try await store.archive()
      let header = try header(archive)
      #expect(header.count <= first.count, "round \(round)")
    }
    let people = try await store.read { context in
      try context.fetch(Person.self).sorted { $0.uid < $1.uid }.map { "\($0.uid) \($0.team?.uid ?? "-")" }
    }
    #expect(people == ["1 -", "2 t"])
    let pending = try await store.pending.changes()
    #expect(pending.count == 2)
  }

  private func header(_ archive: Data) throws -> ArchiveHeader {
    try ArchiveHeader(archive.prefix { $0 != 0x0A })
  }

  @Test func `an archive without a first row begins at one`() throws {
    let header = try ArchiveHeader(Data("{\"archive\":\"EntityClient\",\"format\":1,\"lastRow\":5}".utf8))
    #expect(header.firstRow == 1)
    #expect(header.count == 5)
    for row in ["0", "7", "-1", "\"1\""] {
      #expect(throws: StoreError.self) {
        try ArchiveHeader(
          Data("{\"archive\":\"EntityClient\",\"format\":1,\"firstRow\":\(row),\"lastRow\":5}".utf8))
      }
    }
  }
}
