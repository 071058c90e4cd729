import EntityClient
import Foundation
import Kinto
import Testing

/// Changes and deletions since a timestamp.
@Suite("Kinto: changes", .kinto) @MainActor struct KintoChangesTests {
  @Test func `deleted records delete rows and a second look writes nothing`() async throws {
    try await withPeers { ada, bob in
      let codes = ["DK", "FI", "IS", "NO", "SE"]
      var countries: [Country] = []
      try await ada { for code in codes { countries.append(try await ada.country(code, "Name of \(code)")) } }
      var since = try await bob {
        #expect(try await Country.records().all().counts.inserted == 5)
        return try await Country.timestamp()
      }
      let gone = try #require(try bob.store.main.fetch(Country.self, uid: "NO"))

      try await ada {
        for country in countries where ["DK", "NO", "SE"].contains(country.code) { try await country.remove() }
        countries[2].name = "Ísland"
        try await countries[2].save(\.name)
        _ = try await ada.country("FO", "Faroe Islands")
        // It came and went in the meantime: nobody else ever knew it.
        try await ada.country("GL", "Greenland").remove()
      }
      try await bob {
        let changes = try await Country.changes(since: since, pageSize: 2).all()
        #expect(changes.pages == 3)
        #expect(changes.ids.count == 2)
        #expect(changes.counts.deleted == 3)
        #expect(changes.counts.updated == 1)
        #expect(changes.counts.inserted == 1)
        since = try await Country.timestamp()
        let again = try await Country.changes(since: since).all()
        #expect(again.counts == EntityCounts())
        let whole = try await Country.records(options: .deleteMissing(in: Country.all)).all()
        #expect(whole.counts.unchanged == 3)
        #expect(whole.counts.rowsWritten == 0)
      }
      #expect(gone.isDeleted)
      #expect(
        try bob.store.main.fetch(Country.all.sorted(by: \.code)).map(\.name) == [
          "Name of FI", "Faroe Islands", "Ísland",
        ])
    }
  }

  @Test func `a deleted country takes its subdivisions along in any order`() async throws {
    try await withPeers { ada, bob in
      let (norway, oslo) = try await ada {
        let norway = try await ada.country("NO", "Norway")
        let oslo = try ada.store.main.insert(Subdivision.self)
        oslo.code = "NO-03"
        oslo.country = norway
        try await oslo.create()
        return (norway, oslo)
      }
      let since = try await bob {
        _ = try await Subdivision.records().all()
        _ = try await Country.records().all()
        return try await (countries: Country.timestamp(), subdivisions: Subdivision.timestamp())
      }
      try await ada {
        try await oslo.remove()
        try await norway.remove()
      }
      try await bob {
        let countries = try await Country.changes(since: since.countries).all()
        #expect(countries.counts.deleted == 1)
        #expect(countries.counts.rowsWritten == 2)
        let subdivisions = try await Subdivision.changes(since: since.subdivisions).all()
        #expect(subdivisions.counts == EntityCounts())
      }
      #expect(try bob.store.main.count(Subdivision.all) == 0)
    }
  }

  @Test func `two clients come to the same state through the server`() async throws {
    try await withPeers { ada, bob in
      try await ada { for code in ["DK", "NO", "SE"] { _ = try await ada.country(code, code) } }
      for (index, peer) in [bob, ada, bob, ada, bob].enumerated() {
        try await peer {
          _ = try await Country.changes(since: 0).all()
          for country in try peer.store.main.fetch(Country.all) {
            country.name += "\(index)"
            try await country.save(\.name)
          }
          _ = try await peer.country("X\(index)", "")
        }
      }
      for peer in [ada, bob] { _ = try await peer { try await Country.changes(since: 0).all() } }
      let all = try [ada, bob].map { peer in
        try peer.store.main.fetch(Country.all.sorted(by: \.code)).map { "\($0.code) \($0.name) \($0.lastModified)" }
      }
      #expect(all[0] == all[1])
      #expect(all[0].count == 8)
      #expect(all[0].first?.hasPrefix("DK DK01234 ") == true)
    }
  }
}
