import EntityClient
import EntityTesting
import Foundation
import Testing

@Entity final class Bug: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var labels: [Marker]
  @Key("main_label") var main: Marker?

  static var basePath: String { "bugs" }
  static var namedInRequests: Set<PartialKeyPath<Bug>> { [\.labels, \.main] }
}

@Entity final class Marker: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Unique var name: String

  static var basePath: String { "markers" }
  static var nameAttribute: PartialKeyPath<Marker>? { \.name }
}

@Entity final class Folder: RemoteEntity {
  @UID @Key("id") var uid: Int
  var labels: [Sticker]

  static var basePath: String { "folders" }
}

@Entity final class Sticker: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "stickers" }
  static var nameAttribute: PartialKeyPath<Sticker>? { \.name }
}

@Entity final class HandBug: RemoteEntity {
  @UID @Key("id") var uid: Int
  var labels: [Marker]
  var main: Marker?

  static var basePath: String { "hand-bugs" }

  func update(with response: ResponseObject) throws {
    try response.assign("labels", to: &labels)
    try response.assign("main", to: &main)
  }
}

/// Relationships that name their objects by another attribute than the uid.
@Suite(.client(entities: [Bug.self, Marker.self, HandBug.self, Folder.self, Sticker.self])) struct NamedObjectTests {
  private func lines() async throws -> [String] {
    try await Client.current.store.read { context in
      try context.fetch(Bug.self).sorted { $0.uid < $1.uid }.map {
        "\($0.uid) \($0.labels.map(\.name).sorted()) \($0.main?.name ?? "-")"
      }
    }
  }

  private func prepare() async throws {
    _ = try await Marker.upsert(from: [["id": 1, "name": "bug"], ["id": 2, "name": "new"], ["id": 3, "name": "old"]])
  }

  @Test func `a text names the object that has it, and again writes no row`() async throws {
    try await prepare()
    let body: JSONValue = [["id": 7, "labels": ["bug", "new"], "main_label": "old"], ["id": 8, "labels": [3]]]
    _ = try await Bug.upsert(from: body)
    #expect(try await lines() == [#"7 ["bug", "new"] old"#, #"8 ["old"] -"#])
    #expect(try await Bug.upsert(from: body).counts.rowsWritten == 0)
    _ = try await Bug.upsert(from: ["id": 7, "labels": ["new"], "main_label": nil])
    #expect(try await lines()[0] == #"7 ["new"] -"#)
    #expect(try await Client.current.store.read { try $0.count(Marker.all) } == 3)
  }

  @Test func `a name is the server's, also where the object was renamed here`() async throws {
    try await prepare()
    try await Client.current.store.background { context in
      try #require(try context.fetch(Marker.self, uid: 1)).name = "minor"
    }
    for type in [Bug.self, HandBug.self] as [any RemoteEntity.Type] {
      func labels(_ name: String) async throws -> (Set<Int>, Int) {
        let unrecognized = try await upsert(["id": 7, "labels": [JSONValue(name)]], of: type)
        let uids = try await Client.current.store.read { context in
          try type == Bug.self
            ? context.fetch(Bug.all).flatMap { $0.labels.map(\.uid) }
            : context.fetch(HandBug.all).flatMap { $0.labels.map(\.uid) }
        }
        return (Set(uids), unrecognized)
      }
      // The server has another object with the new name, which is not here yet.
      #expect(try await labels("minor") == ([], 1))
      #expect(try await labels("bug") == ([1], 0))
    }
  }

  @MainActor @Test(arguments: [true, false])
  func `in the main context a name is the server's, too, where the object was renamed here`(
    _ isSaved: Bool
  ) async throws {
    try await prepare()
    let main = try Client.current.store.main
    let bug = try #require(try main.fetch(Marker.self, uid: 1))
    bug.name = "minor"
    if isSaved { try await main.save() }
    for type in [Bug.self, HandBug.self] as [any RemoteEntity.Type] {
      func labels(_ name: String) throws -> [Int] {
        try main.upsert(type, from: ["id": 7, "labels": [JSONValue(name)]])
        return try type == Bug.self
          ? main.fetch(Bug.all).flatMap { $0.labels.map(\.uid) }
          : main.fetch(HandBug.all).flatMap { $0.labels.map(\.uid) }
      }
      #expect(try labels("bug") == [1])
      // The server has another object with the new name, which is not here yet. Nothing says that the list has lost a member.
      #expect(try labels("minor") == [1])
      #expect(try labels("new") == [2])
    }
    // An object that the server does not have is found by its own name, and so is one of an earlier response.
    try main.insert(Marker.self).name = "made here"
    try main.upsert(Marker.self, from: ["id": 5, "name": "fresh"])
    try main.upsert(Bug.self, from: ["id": 8, "labels": ["made here"], "main_label": "fresh"])
    let other = try #require(try main.fetch(Bug.self, uid: 8))
    #expect(other.labels.map(\.name) == ["made here"] && other.main?.uid == 5)
    bug.name = "bug"
    try main.upsert(Bug.self, from: ["id": 8, "labels": ["bug"]])
    #expect(other.labels.map(\.uid) == [1])
  }

  @MainActor @Test(arguments: [true, false])
  func `an object that has no name at the server is found by none`(_ isSaved: Bool) async throws {
    let main = try Client.current.store.main
    try main.upsert(Sticker.self, from: ["id": 1, "name": nil])
    try main.upsert(Sticker.self, from: ["id": 2, "name": "new"])
    try await main.save()
    try #require(try main.fetch(Sticker.self, uid: 1)).name = "minor"
    if isSaved { try await main.save() }
    try main.upsert(Folder.self, from: ["id": 7, "labels": ["minor", "new"]])
    #expect(try #require(try main.fetch(Folder.self, uid: 7)).labels.map(\.uid) == [2])
  }

  private func upsert<E: RemoteEntity>(_ value: JSONValue, of type: E.Type) async throws -> Int {
    try await E.upsert(from: value).unrecognized.count
  }

  @Test func `an unknown name makes no object, is listed, and takes no member out`() async throws {
    try await prepare()
    _ = try await Bug.upsert(from: ["id": 7, "labels": ["bug"], "main_label": "bug"])
    let response = try await Bug.upsert(from: ["id": 7, "labels": ["new", "nobody"], "main_label": "nobody"])
    #expect(
      response.unrecognized.map { "\($0.entity).\($0.property) \($0.value)" } == [
        "Bug.main nobody", "Bug.labels nobody",
      ])
    #expect(try await lines() == [#"7 ["bug", "new"] bug"#])
    #expect(try await Client.current.store.read { try $0.count(Marker.all) } == 3)
  }

  @Test func `an update by hand finds the same objects`() async throws {
    try await prepare()
    for _ in 0..<2 { _ = try await HandBug.upsert(from: ["id": 7, "labels": ["bug", "new"], "main": "old"]) }
    try await Client.current.store.read { context in
      let bug = try #require(try context.fetch(HandBug.all).first)
      #expect(bug.labels.map(\.name).sorted() == ["bug", "new"])
      #expect(bug.main?.name == "old")
    }
  }

  @MainActor @Test func `an edit that is sent by names, and answered by objects, ends`() async throws {
    let (stub, store) = try (StubAdapter.current, Client.current.store)
    try await prepare()
    _ = try await Bug.upsert(from: ["id": 7, "title": "t", "labels": ["new"]])
    let bug = try #require(try store.main.fetch(Bug.all).first)
    let marker = try #require(try store.main.fetch(Marker.where { $0.name == "bug" }).first)
    bug.labels = [marker]
    try await store.main.save()
    #expect(try await store.pending.count() == 1)
    stub.on(.patch, "/bugs/7", .json(["id": 7, "title": "t", "labels": [["id": 1, "name": "bug"]]]))
    try await bug.patch { try $0.setJSON(["labels": ["bug"]]) }
    #expect(try await store.pending.count() == 0)
    #expect(bug.labels.map(\.uid) == [1])
    // Other names than those of the members are no edit that was sent, at any URL.
    bug.labels = []
    bug.labels = [try #require(try store.main.fetch(Marker.where { $0.name == "old" }).first)]
    try await store.main.save()
    stub.on(.patch, "/bugs/7/labels", .json(["id": 7]))
    try await bug.patch(to: "7/labels") { try $0.setJSON(["labels": ["bug"]]) }
    #expect(try await store.pending.count() == 1)
    stub.on(.patch, "/bugs/7", .json(["id": 7]))
    try await bug.patch { try $0.setJSON(["labels": ["bug"]]) }
    #expect(try await store.pending.count() == 1)
    try await bug.patch { try $0.setJSON(["labels": ["old"]]) }
    #expect(try await store.pending.count() == 0)
  }

  @MainActor @Test func `a request names objects by the server's names`() async throws {
    let (stub, store) = try (StubAdapter.current, Client.current.store)
    try await prepare()
    _ = try await Bug.upsert(from: ["id": 7, "title": "t", "labels": ["new"], "main_label": "old"])
    let bug = try #require(try store.main.fetch(Bug.all).first)
    func marker(_ uid: Int) throws -> Marker { try #require(try store.main.fetch(Marker.self, uid: uid)) }
    bug.labels = [try marker(1)]
    bug.main = nil
    try marker(1).name = "minor"
    try await store.main.save()
    stub.on(.patch, "/bugs/7", .json(["id": 7]))
    try await bug.patch(\.labels, \.main)
    #expect(stub.requests.last?.json == ["labels": ["bug"], "main_label": nil])
    #expect(try await store.pending.count() == 1, "the edit of the label's name is left")
    bug.main = try marker(3)
    try await store.main.save()
    try await bug.patchPending()
    #expect(stub.requests.last?.json == ["main_label": "old"])
    // A placeholder has no name that is known, and an export needs none.
    _ = try await Bug.upsert(from: ["id": 7, "main_label": 4])
    let error = await #expect(throws: RequestError.self) { try await bug.patch(\.main) }
    #expect(error?.kind == .invalidRequest)
    #expect(try bug.jsonObject(depth: 0).value["main_label"] == 4)
    bug.main?.name = "made up"
    try await store.main.save()
    await #expect(throws: RequestError.self, "the server does not have the name") { try await bug.patch(\.main) }
    // An object that the server does not know has no name there.
    let new = try store.main.insert(Marker.self)
    new.name = "fresh"
    bug.main = new
    try await store.main.save()
    let count = stub.requests.count
    let unknown = await #expect(throws: RequestError.self) { try await bug.patch(\.main) }
    #expect(unknown?.kind == .missingUID && stub.requests.count == count)
  }
}
