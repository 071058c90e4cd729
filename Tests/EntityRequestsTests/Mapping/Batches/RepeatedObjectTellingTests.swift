import EntityClient
import EntityTesting
import Foundation
import TestSupport
import Testing

@testable import EntityRequests

/// The news that contexts, histories and counts get of a response that contradicts itself.
@Suite struct RepeatedObjectTellingTests {
  private func store(_ url: URL? = nil) throws -> EntityStore {
    var options = StoreOptions()
    options.history = .keepingAll
    return try EntityStore(
      url.map { .file($0) } ?? .inMemory,
      entities: [
        Tangle.self, HandTangle.self, TwiceCrate.self, TwiceSlip.self, TwiceSlipLine.self, TwiceBin.self,
        TwiceBit.self, TwiceLabel.self,
      ],
      busyTimeout: .seconds(60),
      options: options)
  }

  private func url() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appendingPathComponent("store.sqlite")
  }

  @Test(arguments: [
    #"[{"id":3,"owner":5},{"id":5,"deleted":true}]"#,
    #"[{"id":5,"likes":[3]},{"id":5,"deleted":true}]"#,
    #"[{"id":3,"next":5},{"id":5,"deleted":true}]"#,
  ])
  func `a deletion stays in the history`(_ text: String) async throws {
    let value = try JSONValue(parsing: Data(text.utf8))
    for hand in [false, true] {
      let store = try store()
      let seed: JSONValue = [["id": 3, "name": "a"], ["id": 5, "name": "b"]]
      if hand {
        _ = try await store.receive(HandTangle.self, seed)
      } else {
        _ = try await store.receive(Tangle.self, seed)
      }
      let token = try await store.history.token()
      let counts =
        hand
        ? try await store.receive(HandTangle.self, value).counts
        : try await store.receive(Tangle.self, value).counts
      #expect(counts.deleted == 1)
      let commits = try await store.history.commits(after: token)
      let deleted =
        hand
        ? commits.flatMap { $0.changes(of: HandTangle.self).deleted.map(\.uid) }
        : commits.flatMap { $0.changes(of: Tangle.self).deleted.map(\.uid) }
      #expect(deleted == ["5"])
    }
  }

  @Test func `the deletion of an embedding parent stays in the history`() async throws {
    let store = try store()
    _ = try await store.receive(TwiceCrate.self, [["id": 5, "name": "b"]])
    let token = try await store.history.token()
    let value = try JSONValue(parsing: Data(#"[{"id":5,"slips":[{"text":"x"}]},{"id":5,"deleted":true}]"#.utf8))
    #expect(try await store.receive(TwiceCrate.self, value).counts.deleted == 1)
    let commits = try await store.history.commits(after: token)
    #expect(commits.flatMap { $0.changes(of: TwiceCrate.self).deleted.map(\.uid) } == ["5"])
  }

  @Test @MainActor func `another store hears of the deletion`() async throws {
    let url = try url()
    let one = try store(url)
    let two = try store(url)
    _ = try await one.receive(Tangle.self, [["id": 3, "name": "a"], ["id": 5, "name": "b"]])
    let object = try #require(try two.main.fetch(Tangle.self, uid: 5))
    #expect(object.name == "b")
    _ = try await one.receive(
      Tangle.self, try JSONValue(parsing: Data(#"[{"id":3,"owner":5},{"id":5,"deleted":true}]"#.utf8)))
    try two.mergeMain()
    #expect(object.isGone)
    #expect(try two.main.fetch(Tangle.self, uid: 5) == nil)
  }

  @Test @MainActor func `the end of a list edit is reported`() async throws {
    for list in ["owned", "likes"] {
      let store = try store()
      _ = try await store.receive(
        Tangle.self, [["id": 1, "name": "o", list: [2, 3]], ["id": 2], ["id": 3]] as JSONValue)
      let object = try #require(try store.main.fetch(Tangle.self, uid: 1))
      if list == "owned" { object.owned = object.owned.reversed() } else { object.likes = object.likes.reversed() }
      try await store.main.save()
      #expect(object.hasLocalEdits)
      let text =
        list == "owned"
        ? #"[{"id":1,"owned":[{"id":3,"name":"x"},{"id":2,"name":"y"}]},{"id":3,"name":"z"}]"#
        : #"[{"id":1,"likes":[3,2]},{"id":1,"likes":[2,3]},{"id":1,"likes":[3,2]}]"#
      let value = try JSONValue(parsing: Data(text.utf8))
      _ = try await store.receive(Tangle.self, value) { $0.localEdits = .overwrite }
      try store.mergeMain()
      let inRows = try await store.read { try $0.fetch(Tangle.self, uid: 1)?.hasLocalEdits }
      #expect(inRows == false)
      #expect(!object.hasLocalEdits)
    }
  }

  @Test @MainActor func `an embedded part that goes and comes back is not reported`() async throws {
    let store = try store()
    _ = store.main
    func value(_ name: String, _ text: String = "a") throws -> JSONValue {
      try JSONValue(
        parsing: Data(
          #"[{"id":1,"name":"\#(name)","slip":{"text":"a"}},{"id":1,"slip":null},{"id":1,"slip":{"text":"\#(text)"}}]"#
            .utf8))
    }
    _ = try await store.receive(TwiceCrate.self, try value("x"))
    let before = try await store.read { try $0.fetch(TwiceSlip.all).map(\.entityID) }
    var token = try await store.history.token()
    let counts = try await store.receive(TwiceCrate.self, try value("y")).counts
    #expect(counts.rowsWritten == 1)
    #expect(try await store.read { try $0.fetch(TwiceSlip.all).map(\.entityID) } == before)
    var commits = try await store.history.commits(after: token)
    #expect(commits.map { $0.changes(of: TwiceSlip.self).inserted.count } == [0])
    #expect(commits.map { $0.changes(of: TwiceSlip.self).deleted.count } == [0])
    #expect(commits.map { $0.changes(of: TwiceSlip.self).updated.count } == [0])
    token = try await store.history.token()
    _ = try await store.receive(TwiceCrate.self, try value("y", "b"))
    commits = try await store.history.commits(after: token)
    #expect(commits.map { $0.changes(of: TwiceSlip.self).inserted.count } == [0])
    #expect(commits.map { $0.changes(of: TwiceSlip.self).updated.map(\.columns.names) } == [[["text"]]])
  }

  @Test @MainActor func `the history names only changed columns`() async throws {
    let store = try store()
    _ = store.main
    _ = try await store.receive(Tangle.self, [["id": 1, "name": "b", "code": "u"]])
    let token = try await store.history.token()
    _ = try await store.receive(Tangle.self, [["id": 1, "name": "a", "code": "v"], ["id": 1, "name": "b"]])
    let commits = try await store.history.commits(after: token)
    #expect(commits.map { $0.changes(of: Tangle.self).updated.map(\.columns.names) } == [[["code"]]])
  }

  @Test @MainActor func `the counts are the same without followers`() async throws {
    var all: [EntityCounts] = []
    for follows in [false, true] {
      let store = try store()
      if follows { _ = try store.main.fetch(Tangle.self) }
      _ = try await store.receive(Tangle.self, [["id": 1, "name": "b", "likes": [3]], ["id": 2], ["id": 3]])
      all.append(
        try await store.receive(Tangle.self, [["id": 1, "name": "a", "likes": [2]], ["id": 1, "name": "b"]]).counts)
    }
    #expect(all[0] == all[1])
  }

  @Test(arguments: [
    #"[{"id":7,"deleted":true},{"id":3,"owner":7},{"id":7,"name":"x"}]"#,
    #"[{"id":7,"deleted":true},{"id":7,"name":"x"},{"id":3,"owner":7}]"#,
    #"[{"id":7,"deleted":true},{"id":7,"name":"x","owned":[{"id":3,"owner":7}]}]"#,
    #"[{"id":7,"deleted":true},{"id":7,"name":"x","next":{"id":3,"owner":7}}]"#,
    #"[{"id":7,"name":"x","next":{"id":7,"deleted":true},"owned":[{"id":3}]}]"#,
  ])
  func `an object that comes after its deletion stays`(_ text: String) async throws {
    let value = try JSONValue(parsing: Data(text.utf8))
    let store = try store()
    for _ in 0..<2 {
      _ = try await store.receive(Tangle.self, value)
      let stated = try await store.read { c in
        try (c.fetch(Tangle.self, uid: 7)?.name, c.fetch(Tangle.self, uid: 3)?.owner?.uid).0.map {
          "\($0) \(String(describing: try? c.fetch(Tangle.self, uid: 3)?.owner?.uid))"
        }
      }
      _ = try await store.receive(HandTangle.self, value)
      let handed = try await store.read { c in
        try c.fetch(HandTangle.self, uid: 7)?.name.map {
          "\($0) \(String(describing: try? c.fetch(HandTangle.self, uid: 3)?.owner?.uid))"
        }
      }
      #expect(stated == handed)
      #expect(stated?.contains("x") == true && stated?.contains("7") == true, "G \(text) \(stated ?? "nil")")
    }
  }

  @Test func `objects without uid that have each other`() async throws {
    let store = try store()
    _ = try await store.receive(TwiceBin.self, [["id": 1, "bits": [["size": 1, "labels": [["text": "x"]]]]]])
    #expect(try await store.read { try $0.fetch(TwiceLabel.all).count } == 1)
    let counts = try await store.receive(TwiceBin.self, [["id": 1, "bits": []]]).counts
    #expect(counts.rowsWritten > 0)
  }

  @Test func `embedded parts within parts that go and come change nothing`() async throws {
    let store = try store()
    let value = try JSONValue(
      parsing: Data(
        #"[{"id":1,"slip":{"text":"a","lines":[{"text":"l"},{"text":"m"}]}},{"id":1,"slip":null},{"id":1,"slip":{"text":"b","lines":[{"text":"l"}]}},{"id":1,"slip":{"lines":[{"text":"l"},{"text":"k"}]}}]"#
          .utf8))
    _ = try await store.receive(TwiceCrate.self, value)
    let token = try await store.history.token()
    let counts = try await store.receive(TwiceCrate.self, value).counts
    #expect(counts.rowsWritten == 0)
    #expect(try await store.history.commits(after: token).map(\.generation) == [])
  }

  @Test func `an object that one response makes and deletes leaves nothing`() async throws {
    let store = try store()
    _ = try await store.receive(Tangle.self, [["id": 1, "name": "o", "likes": [2]], ["id": 2, "name": "p"]])
    let token = try await store.history.token()
    let value = try JSONValue(
      parsing: Data(
        #"[{"id":1,"likes":[2,7]},{"id":7,"name":"n","owner":1},{"id":7,"deleted":true}]"#.utf8))
    let counts = try await store.receive(Tangle.self, value).counts
    let commits = try await store.history.commits(after: token)
    #expect(commits.map { $0.changes(of: Tangle.self) }.isEmpty)
    #expect(counts.rowsWritten == 0)
  }

  @Test func `list positions that come back are no change`() async throws {
    let store = try store()
    _ = try await store.receive(Tangle.self, [["id": 1, "name": "o", "owned": [4, 2, 3]], ["id": 9]])
    let value = try JSONValue(
      parsing: Data(
        #"[{"id":2,"owner":null},{"id":6,"owner":1},{"id":2,"owner":1},{"id":4,"owner":9},{"id":4,"owner":1}]"#.utf8))
    _ = try await store.receive(Tangle.self, value)
    #expect(try await store.read { try $0.fetch(Tangle.self, uid: 1)?.owned.map(\.uid) } == [4, 2, 3, 6])
    let counts = try await store.receive(Tangle.self, value).counts
    #expect(counts.rowsWritten == 0)
    #expect(try await store.read { try $0.fetch(Tangle.self, uid: 1)?.owned.map(\.uid) } == [4, 2, 3, 6])
  }
}

@Entity private final class TwiceCrate: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var slip: TwiceSlip?
  @Relationship(inverse: \TwiceSlip.crate, onDelete: .cascade) var slips: [TwiceSlip]

  static var basePath: String { "crates" }
  static var deletionKey: String? { "deleted" }
}

@Entity private final class TwiceSlip {
  var text: String?
  var crate: TwiceCrate?
  @Relationship(inverse: \TwiceSlipLine.slip, onDelete: .cascade) var lines: [TwiceSlipLine]
}

@Entity private final class TwiceSlipLine {
  var text: String?
  var slip: TwiceSlip?
}

@Entity private final class TwiceBin: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \TwiceBit.bin, onDelete: .cascade) var bits: [TwiceBit]

  static var basePath: String { "bins" }
}

@Entity private final class TwiceBit {
  var size: Int?
  var bin: TwiceBin?
  @Relationship(inverse: \TwiceLabel.bits) var labels: [TwiceLabel]
}

@Entity private final class TwiceLabel {
  var text: String?
  var bits: [TwiceBit]
}
