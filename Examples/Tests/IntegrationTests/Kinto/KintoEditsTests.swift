import EntityClient
import Foundation
import Kinto
import Testing

/// Local edits on their way to the server, and the server's word on them.
@Suite("Kinto: edits", .kinto) @MainActor struct KintoEditsTests {
  @Test func `a new record is put once and known`() async throws {
    try await withPeers { ada, bob in
      try await ada {
        let norway = try await ada.country("NO", "Norway")
        #expect(norway.lastModified > 0)
        #expect(!norway.hasChanges)
        #expect(try await refusal { try await norway.create() }.status == 412)
        #expect(try await Country.records().all().counts.rowsWritten == 0)
      }
      #expect(try await bob { try await Country.records().all() }.counts.inserted == 1)
      #expect(try bob.store.main.fetch(Country.self, uid: "NO")?.name == "Norway")
    }
  }

  @Test func `the server names a record that is posted`() async throws {
    try await withPeers { ada, _ in
      try await ada {
        let language = try ada.store.main.insert(Language.self)
        language.name = "Lojban"
        language.vitality = .constructed
        try await language.post {
          try $0.setJSON(["data": language.jsonObject(for: \.name, \.scope, \.vitality).value])
        }
        #expect(UUID(uuidString: language.code) != nil)
        #expect(!language.hasChanges)
        #expect(try await Language.records().all().counts.unchanged == 1)
        #expect(try ada.store.main.count(Language.all) == 1)
      }
    }
  }

  @Test func `an edit that is sent by PATCH is acknowledged`() async throws {
    try await withPeers { ada, bob in
      let norway = try await ada { try await ada.country("NO", "Norway") }
      let before = norway.lastModified
      norway.name = "Norge"
      norway.flag = "🇳🇴"
      try await ada { try await norway.save(\.name) }
      #expect(norway.name == "Norge")
      #expect(norway.lastModified > before)
      // The flag was not sent: it is still an edit of this client's own.
      #expect(norway.hasChanges)
      #expect(norway.flag == "🇳🇴")

      try await bob {
        _ = try await Country.records().all()
        let same = try #require(try bob.store.main.fetch(Country.self, uid: "NO"))
        #expect(same.name == "Norge")
        #expect(same.flag == "")
        same.name = "Noreg"
        same.flag = "?"
        try await same.save(\.name, \.flag)
      }
      #expect(try await ada { try await norway.refresh() })
      #expect(norway.name == "Noreg")
      #expect(norway.flag == "🇳🇴")
    }
  }

  @Test func `a record is replaced as a whole`() async throws {
    try await withPeers { ada, bob in
      let oslo = try await ada {
        let norway = try await ada.country("NO", "Norway")
        let viken = try ada.store.main.insert(Subdivision.self)
        let oslo = try ada.store.main.insert(Subdivision.self)
        for (subdivision, code) in [(viken, "NO-30"), (oslo, "NO-03")] {
          subdivision.code = code
          subdivision.country = norway
          try await subdivision.create()
        }
        oslo.parent = viken
        oslo.category = "County"
        try await oslo.replace()
        return oslo
      }
      #expect(!oslo.hasChanges)
      let record = try await bob { try await Subdivision.get("NO-03") }
      #expect(record.value?["data.parent"] == "NO-30")
      #expect(record.value?["data.country"] == "NO")
      let same = try #require(try record.object)
      #expect(same.category == "County")
      #expect(same.parent?.isPlaceholder == true)
      #expect(same.country.isPlaceholder)
      oslo.parent = nil
      try await ada { try await oslo.replace() }
      try await bob { try await same.refresh() }
      #expect(same.parent == nil)
      #expect(same.country.code == "NO")
    }
  }

  @Test func `a stale edit is refused and stays until it is sent again`() async throws {
    try await withPeers { ada, bob in
      let norway = try await ada { try await ada.country("NO", "Norway") }
      let same = try await bob { try #require(try await Country.get("NO").object) }
      same.officialName = "Kingdom of Norway"
      try await bob { try await same.save(\.officialName) }

      norway.name = "Norge"
      try await ada {
        let error = try await refusal { try await norway.save(\.name) }
        #expect(error.status == 412)
        #expect(error.method == .patch)
        #expect(error.body?["details.existing.official_name"] == "Kingdom of Norway")
        #expect(norway.name == "Norge")
        #expect(norway.hasChanges)
        // The server's values come in, and the edit stays.
        #expect(try await Country.records().all().counts.updated == 1)
        #expect(norway.name == "Norge")
        #expect(norway.officialName == "Kingdom of Norway")
        try await norway.save(\.name)
        #expect(!norway.hasChanges)
      }
      #expect(try await bob { try await same.refresh() })
      #expect(same.name == "Norge")
      #expect(same.etag == norway.etag)
    }
  }

  @Test func `a deleted record is gone here and there`() async throws {
    try await withPeers { ada, bob in
      try await ada {
        let norway = try await ada.country("NO", "Norway")
        _ = try await bob { try await Country.get("NO") }
        try await norway.remove()
        #expect(norway.isDeleted)
        #expect(try ada.store.main.count(Country.all) == 0)
        #expect(try await refusal { try await Country.get("NO") }.status == 404)
      }
      try await bob {
        let same = try #require(try bob.store.main.fetch(Country.self, uid: "NO"))
        #expect(try await refusal { try await same.remove() }.status == 404)
        #expect(!same.isDeleted)
        try await same.delete(deletesOn404: true)
        #expect(same.isDeleted)
      }
    }
  }

  @Test func `a record that is as it was is not sent again`() async throws {
    try await withPeers { ada, _ in
      try await ada {
        let norway = try await ada.country("NO", "Norway")
        #expect(try await norway.refresh() == false)
        let list = try await Country.head().headers["ETag"] ?? ""
        let again = try await Country.get { try $0.setHeaders(["If-None-Match": list]) }
        #expect(again.status == 304)
        #expect(again.ids.isEmpty)
        #expect(again.counts.rowsWritten == 0)
        #expect(try ada.store.main.count(Country.all) == 1)
      }
    }
  }

  @Test func `a wrong password is refused and not shown`() async throws {
    try await withPeers { ada, _ in
      _ = try await ada { try await ada.country("NO", "Norway") }
      let stranger = try Peer(ada.bucket, password: "guessed-wrong")
      defer { stranger.remove() }
      try await stranger {
        let error = try await refusal { try await Country.records().all() }
        #expect(error.status == 401)
        #expect(error.kind == .status)
        #expect(error.page == 1)
        #expect(error.response?.headers["WWW-Authenticate"]?.hasPrefix("Basic") == true)
        #expect(!error.description.contains("guessed"))
        #expect(!error.description.contains("_limit=500"))
      }
      #expect(try stranger.store.main.count(Country.all) == 0)
    }
  }
}
