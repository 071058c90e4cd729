import EntityJSON
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// A store as an archive, and back.
@MainActor
struct ArchiveTests {
  /// An archive of a store, restored into another one that has rows already.
  private func copy(
    _ store: EntityStore, _ entities: [any ManagedEntity.Type], _ place: Place = .memory
  ) async throws -> TestStore {
    let other = try TestStore(place, entities)
    try await other.store.restore(from: try await store.archive())
    return other
  }

  // MARK: What comes back

  @Test(arguments: Place.usual) func `values come back as they were`(_ place: Place) async throws {
    let test = try TestStore(place, [Values.self, Kinds.self])
    let texts = ["", "é", "e\u{301}", "😀\u{0}\n\"\\\u{2028}", "null"]
    try await test.store.background { context in
      for (number, text) in texts.enumerated() {
        let values = try context.insert(Values.self)
        values.uid = UUID()
        values.string = text
        values.int64 = [.min, .max, 0, -1, 1 << 53 + 1][number]
        values.uint64 = [.max, 1 << 63, 0, 1, 7][number]
        values.double = [.infinity, -.infinity, 5, .leastNonzeroMagnitude, 0.1][number]
        values.maybeDouble = [1e300, nil, -5, .greatestFiniteMagnitude, 1 / 3][number]
        values.data = Data(text.utf8) + [0, 255]
        values.maybeData = number == 0 ? Data() : nil
        values.date = Date(timeIntervalSince1970: 1_709_294_400.25)
        let kinds = try context.insert(Kinds.self)
        kinds.uid = number
        kinds.decimal = Decimal(string: "-12345678901234567890.0123456789")!
        kinds.maybeDecimal = Decimal(number)
        kinds.grants = [.read, .write]
        kinds.setup = Setup(
          limits: [.init(name: text, most: 1.5)], since: values.date, blob: values.data)
        kinds.float = 0.1
        kinds.maybeTags = text.isEmpty ? nil : [text]
      }
    }
    let other = try await copy(test.store, [Values.self, Kinds.self], place)
    let expected = try await content(test.store)
    #expect(try await content(other.store) == expected)
    #expect(expected.count > 20)
  }

  @Test(arguments: Place.usual) func `relationships come back with their order`(_ place: Place)
    async throws
  {
    let test = try TestStore(place, Mix.world + TestStore.people)
    try await test.store.background(as: .server) { context in
      for number in 1...2 {
        let mix = try context.insert(Mix.self)
        mix.number = number
        for list in MixList.allCases {
          try list.set(mix, [3, 1, 2].map { $0 + (list == .tunes ? 0 : number * 10) })
        }
      }
      // Two that are each other's boss.
      let (ada, bob) = (try context.insert(Person.self), try context.insert(Person.self))
      (ada.uid, bob.uid) = (1, 2)
      (ada.boss, bob.boss) = (bob, ada)
      let note = try context.insert(Note.self)
      (note.text, note.person) = ("kept", ada)
    }
    let other = try await copy(test.store, Mix.world + TestStore.people, place)
    try await other.store.read { context in
      for number in 1...2 {
        let mix = try #require(try context.fetch(Mix.self, uid: number))
        #expect(MixList.tunes.read(mix) == [3, 1, 2])
        #expect(MixList.remarks.read(mix) == [3, 1, 2].map { $0 + number * 10 })
        #expect(MixList.verses.read(mix) == [3, 1, 2].map { $0 + number * 10 })
      }
      let ada = try #require(try context.fetch(Person.self, uid: 1))
      #expect(ada.boss?.boss === ada)
      #expect(ada.reports.map(\.uid) == [2])
      #expect(ada.notes.map(\.text) == ["kept"])
    }
    #expect(try await content(other.store) == content(test.store))
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `a list of which only some members were moved keeps its order`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list, [1, 2, 3, 4, 5, 6])
    try await shop.others { $0.swapAt(0, 4) }
    try await shop.others { $0.append(7) }
    try await shop.others { $0.insert(8, at: 3) }
    let expected = try await shop.saved()
    #expect(try shop.positions() > 0)
    #expect(expected == [5, 2, 3, 8, 4, 1, 6, 7])
    let archive = try await shop.test.store.archive()
    // The row ids of the archive move up, and down.
    let (later, earlier) = (try TestStore(place, Mix.world), try TestStore(place, Mix.world))
    for _ in 0..<3 { try await later.store.restore(from: archive, discardsPending: true) }
    try await earlier.store.restore(from: try await later.store.archive())
    for store in [later.store, earlier.store] {
      let found = try await store.read { list.read(try #require(try $0.fetch(Mix.self, uid: 1))) }
      #expect(found == expected)
      // A member that comes later is the last one.
      try await store.background { try list.edit(try #require(try $0.fetch(Mix.self, uid: 1))) { $0.append(9) } }
      let more = try await store.read { list.read(try #require(try $0.fetch(Mix.self, uid: 1))) }
      #expect(more == expected + [9])
      #expect(try await store.check(.full).isEmpty)
    }
  }

  @Test func `placeholders stay placeholders`() async throws {
    let test = try TestStore(.memory)
    _ = try await test.store.core.unit { rows in
      try rows.row(rows.schema.model(Person.self), uid: .integer(7))
    }
    try await test.store.addPerson(8)
    let other = try await copy(test.store, TestStore.people)
    #expect(try await other.store.read { try $0.fetch(Person.all).map(\.uid) } == [8])
    #expect(try await content(other.store) == content(test.store))
  }

  @Test(arguments: Place.usual) func `pending changes stay pending`(_ place: Place) async throws {
    let entities: [any ManagedEntity.Type] =
      Writer.world + TestStore.people
    let test = try TestStore(place, entities)
    try await test.store.background(as: .server) { context in
      let writer = try context.insert(Writer.self)
      writer.uid = 1
      for uid in 1...3 {
        let article = try context.insert(Article.self)
        (article.uid, article.title, article.author) = (uid, "old \(uid)", writer)
        let tag = try context.insert(Tag.self)
        tag.uid = "t\(uid)"
        article.tags = [tag]
      }
      for uid in 1...2 { try context.insert(Person.self).uid = uid }
    }
    try await test.store.background { context in
      let articles = try (1...3).map { try #require(try context.fetch(Article.self, uid: $0)) }
      articles[0].title = "new"
      articles[0].parent = articles[1]
      articles[1].tags = try [#require(try context.fetch(Tag.self, uid: "t1"))]
      try context.delete(articles[2])
      let (ada, bob) = (
        try context.insert(Person.self), try #require(try context.fetch(Person.self, uid: 1))
      )
      (ada.name, ada.boss) = ("made here", bob)
      bob.boss = ada
    }
    let other = try await copy(test.store, entities, place)
    #expect(try await content(other.store) == content(test.store))
    let summary = try await pending(other.store)
    #expect(summary == (try await pending(test.store)))
    #expect(summary.contains("Article 1 edit title old 1 -> new"))
    #expect(summary.contains("Article 3 deletion"))
    #expect(summary.contains { $0.hasPrefix("Person - insert") })
    // The answer that acknowledges an edit ends it there, too.
    let sent = try #require(try await other.store.pending.changes(of: Article.self).first)
    try await other.store.background(as: .server) { context in
      let id = try #require(sent.id(as: Article.self))
      try #require(try context.object(id)).title = "newer"
    }
    #expect(try await !pending(other.store).contains { $0.contains("title") })
  }

  private func pending(_ store: EntityStore) async throws -> [String] {
    func text(_ value: PendingValue?) -> String {
      switch value {
      case .attribute(.text(let text)): text
      case .attribute(let value): "\(value)"
      case .object(let id): id == nil ? "null" : "an object"
      case .list(let ids): "\(ids.count) objects"
      case nil: "-"
      }
    }
    return try await store.pending.changes().flatMap { change in
      let name = "\(change.entity) \(change.uid ?? "-") \(change.kind)"
      return change.edits.isEmpty
        ? [name]
        : change.edits.map { "\(name) \($0.property) \(text($0.base)) -> \(text($0.value))" }
    }.sorted()
  }

  // MARK: What it replaces

  @Test(arguments: Place.usual) func `a restore replaces all that was there`(_ place: Place) async throws {
    let source = try TestStore(place)
    try await source.store.background(as: .server) { try $0.insert(Person.self).uid = 1 }
    let archive = try await source.store.archive()
    let test = try TestStore(place)
    try await test.store.background(as: .server) { context in
      for uid in 1...3 { try context.insert(Person.self).uid = uid }
      try context.insert(Team.self).uid = "gone"
    }
    let main = test.store.main
    let before = try main.fetch(Person.all)
    let query = LiveQuery(Person.all, in: test.store)
    #expect(query.objects.count == 3)
    let summary = try await test.store.restore(from: archive)
    #expect(summary.objects == ["Person": 1, "Team": 0, "Note": 0])
    #expect(summary.objectCount == 1)
    #expect(try main.fetch(Person.all).map(\.uid) == [1])
    #expect(before.map(\.isDeleted) == [true, true, true])
    #expect(try main.count(Team.all) == 0)
    while query.objects.count != 1 { await Task.yield() }
    // Ids of before lead to nobody, also where the archive has the object.
    for person in before { #expect(try main.object(person.entityID) == nil) }
    // And new objects get ids of their own.
    let new = try main.insert(Person.self)
    new.uid = 9
    try main.saveAtOnce()
    #expect(try main.count(Person.all) == 2)
  }

  @Test(arguments: Place.usual) func `an empty archive empties the store`(_ place: Place) async throws {
    let test = try TestStore(place)
    let archive = try await test.store.archive()
    try await test.store.background(as: .server) { try $0.insert(Person.self).uid = 1 }
    #expect(try await test.store.restore(from: archive).objectCount == 0)
    #expect(try await test.store.read { try $0.count(Person.all) } == 0)
  }

  @Test func `changes that were not sent are not lost unasked`() async throws {
    let test = try TestStore(.memory)
    let archive = try await test.store.archive()
    try await test.store.addPerson(1, "not sent")
    let before = try await content(test.store)
    #expect(await asyncErrorKind { try await test.store.restore(from: archive) } == .pendingChanges)
    #expect(try await content(test.store) == before)
    try await test.store.restore(from: archive, discardsPending: true)
    #expect(try await test.store.pending.changes().isEmpty)
  }

  @Test func `an archive can be restored often`() async throws {
    let test = try TestStore(.memory)
    try await test.store.background(as: .server) { try $0.insert(Person.self).uid = 1 }
    let expected = try await content(test.store)
    for _ in 0..<5 {
      try await test.store.restore(from: try await test.store.archive())
      #expect(try await content(test.store) == expected)
    }
  }

  // MARK: Files

  @Test func `an archive in a file equals the archive in memory`() async throws {
    let test = try TestStore(.file)
    try await test.store.background(as: .server) { context in
      for uid in 0..<1000 {
        let person = try context.insert(Person.self)
        (person.uid, person.name) = (uid, String(repeating: "n", count: uid))
      }
    }
    let url = test.folder.url.appendingPathComponent("backup.archive")
    let summary = try await test.store.archive(to: url)
    #expect(summary.objects["Person"] == 1000)
    #expect(try Data(contentsOf: url) == (try await test.store.archive()))
    let other = try TestStore(.memory)
    #expect(try await other.store.restore(from: url) == summary)
    #expect(try await content(other.store) == content(test.store))
    // An archive of an empty store takes the place of a full one.
    try await test.store.reset()
    try await test.store.archive(to: url)
    #expect(try await other.store.restore(from: url).objectCount == 0)
    #expect(try files(test.folder) == ["backup.archive", "store.sqlite"])
  }

  private func files(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter {
      !$0.contains("sqlite-")
    }.sorted()
  }

  @Test func `an archive that fails leaves the file as it was`() async throws {
    let test = try TestStore(.file)
    for uid in 0..<600 { try await test.store.addPerson(uid) }
    let url = test.folder.url.appendingPathComponent("backup.archive")
    try Data("before".utf8).write(to: url)
    let task = Task { @MainActor in
      withUnsafeCurrentTask { $0?.cancel() }
      try await test.store.archive(to: url)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try Data(contentsOf: url) == Data("before".utf8))
    let missing = test.folder.url.appendingPathComponent("none/backup.archive")
    #expect(await asyncErrorKind { try await test.store.archive(to: missing) } == .cannotOpen)
    #expect(await asyncErrorKind { try await test.store.restore(from: missing) } == .cannotOpen)
    let page = try #require(URL(string: "https://example.com/backup"))
    #expect(await asyncErrorKind { try await test.store.archive(to: page) } == .invalidLocation)
    #expect(await asyncErrorKind { try await test.store.restore(from: page) } == .invalidLocation)
    // A folder is no file that could be replaced.
    let folder = test.folder.url.appendingPathComponent("folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    #expect(await asyncErrorKind { try await test.store.archive(to: folder) } == .cannotOpen)
    #expect(try files(test.folder) == ["backup.archive", "folder", "store.sqlite"])
  }

  @Test func `an archive is one snapshot`() async throws {
    let test = try TestStore(.file)
    try await test.store.background(as: .server) { context in
      for uid in 0..<2000 { try context.insert(Person.self).uid = uid }
    }
    async let changes: Void = {
      for round in 1...20 {
        try await test.store.background(as: .server) { context in
          for person in try context.fetch(Person.all) { person.age = round }
        }
      }
    }()
    let other = try TestStore(.memory)
    for _ in 0..<5 {
      try await other.store.restore(from: try await test.store.archive())
      #expect(try await other.store.read { Set(try $0.fetch(Person.all).map(\.age)).count } == 1)
    }
    try await changes
  }
}

/// All rows and notes of a store as text, with their row ids counted from the first one.
func content(_ store: EntityStore) async throws -> [String] {
  let lines = try await store.archive().split(separator: 0x0A).dropFirst().dropLast()
  let values = try lines.map { try JSONValue(parsing: Data($0)) }
  var section = JSONObject()
  let ids = try ArchivedIDs(values)
  return try values.map { value in
    if let object = value.object {
      section = object
      return "\(value)"
    }
    return "\(try ids.counted(value, section, store))"
  }
}

/// The row ids in an archive, and their ranks.
private struct ArchivedIDs {
  private let first: Int64

  init(_ lines: [JSONValue]) throws {
    var section = JSONObject()
    var first = Int64.max
    for line in lines {
      if let object = line.object {
        section = object
      } else if section.contains("rows"), let pk = line.array?[0]?.int64 {
        first = min(first, pk)
      }
    }
    self.first = first
  }

  private func counted(_ value: JSONValue) -> JSONValue {
    value.int64.map { JSONValue($0 - first) } ?? value
  }

  func counted(_ line: JSONValue, _ section: JSONObject, _ store: EntityStore) throws -> JSONValue {
    var values = Array(try #require(line.array))
    func count(_ index: Int) { values[index] = counted(values[index]) }
    let schema = store.core.schema
    if let name = section["rows"]?.string, let columns = section["columns"]?.array {
      let model = try #require(schema.entities.first { $0.name == name })
      count(0)
      for (index, column) in columns.enumerated() {
        let property = try #require(model.properties.first { $0.name == column.string })
        if case .toOne = property.kind { count(index + 3) }
        if property.positionOf != nil, let place = values[index + 3].int64 {
          values[index + 3] = JSONValue(place &- first << ListOrder.rowShift)
        }
      }
    } else if section.contains("removed") {
      count(1)
      count(2)
    } else {
      count(1)
      if section.contains("deletions") { count(4) }
      let model = schema.entities.first { $0.name == values[0].string }
      let property = model?.properties.first { $0.name == values[2].string }
      if section.contains("edits"), case .toOne? = property?.kind { count(3) }
    }
    return JSONValue(values)
  }
}
