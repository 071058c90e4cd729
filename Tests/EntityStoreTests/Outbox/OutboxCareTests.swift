import EntityJSON
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The entries of the outbox in all that happens to a file.
@MainActor struct OutboxCareTests {
  private typealias Kind = OutboxEntry.Kind
  private typealias State = OutboxEntry.State

  @Test(arguments: Place.usual)
  func `a reset refuses for entries, and removes them`(_ place: Place) async throws {
    let (test, ada) = try await TestStore.withAda(place)
    let store = test.store
    try await store.pending.acknowledgeAll()
    try await test.addEntry(of: ada.entityID, .command, .waiting)
    try await test.addEntry(of: ada.entityID, .update, .refused)
    #expect(try await store.pending.count() == 0)
    let error = await #expect(throws: StoreError.self) { try await store.reset() }
    #expect(error?.kind == .pendingChanges)
    #expect(error?.message.contains("changes of 1 object ") == true)
    #expect(try await test.entries().count == 2)
    try await store.reset(discardsPending: true)
    #expect(try await test.entries().isEmpty)
    try await store.reset()
    // An entry that this version can't read counts too.
    try await store.core.unit {
      try $0.connection.execute(
        "INSERT INTO main._entity_outbox (entity, pk, kind, state, time) VALUES ('Ghost', 1, 1, 1, 1)")
    }
    #expect(await asyncErrorKind { try await store.reset() } == .pendingChanges)
  }

  @Test(arguments: Place.usual)
  func `entries of a row that turns out to be another one go with it`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let (store, main) = (test.store, test.store.main)
    let ada = try test.person(1)
    try await test.addEntry(of: ada.entityID, .update, .refused)
    let new = try main.insert(Person.self)
    try await main.save()
    try await test.addEntry(of: new.entityID, .create, .sending)
    let id = new.entityID
    try await store.background { context in
      let new = try #require(try context.object(id))
      new.uid = 1
    }
    let keys = try await test.entries().map(\.key)
    let key = try test.key(id)
    #expect(keys == [key, key])
    #expect(try await store.core.unit { try $0.outbox.entries(of: key).count } == 2)
  }

  @Test(arguments: Place.usual)
  func `entries follow new names, and their requests stay as they are`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    do {
      let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
      let key = RowKey(
        entity: try store.core.schema.model(V1.Guest.self).number,
        pk: try #require(try await store.read { try $0.fetch(V1.Guest.self, uid: 1)?.entityID.pk }))
      try await store.core.unit { rows in
        var entry = OutboxEntry(key: key, kind: .update, state: .refused, time: 1)
        entry.body = Data(#"{"fullName":"x"}"#.utf8)
        entry.sent = #"{"fullName":"x","age":7,"perks":[1,2],"nickname":null,"theirs":{"fullName":1.50}}"#
        entry.kept = #"{"fullName":"kept"}"#
        try rows.outbox.insert(entry)
        entry.sent = "none"
        entry.kept = nil
        try rows.outbox.insert(entry)
      }
    }
    let store = try EntityStore(hotel.location, entities: V2.all, busyTimeout: .ample)
    let entries = try await store.read { try $0.pendingEdits.outboxEntries() }
    #expect(entries.map { store.core.schema.entities[$0.key.entity].name } == ["Visitor", "Visitor"])
    #expect(
      entries[0].sent == #"{"age":7,"extras":[1,2],"name":"x","nickname":null,"theirs":{"fullName":1.50}}"#)
    #expect(entries[0].kept == #"{"name":"kept"}"#)
    #expect(entries[0].body == Data(#"{"fullName":"x"}"#.utf8))
    #expect(entries[1].sent == "none")
  }

  @Test(arguments: Place.usual)
  func `entries follow names that change hands`(_ place: Place) async throws {
    let hotel = try await Hotel(place, isEmpty: true)
    do {
      let store = try EntityStore(hotel.location, entities: Swap1.all, busyTimeout: .ample)
      let id = try await store.background(as: .server) { context in
        let left = try context.insert(Swap1.Left.self)
        left.uid = 1
        return left.entityID
      }
      let key = RowKey(entity: try store.core.schema.model(Swap1.Left.self).number, pk: id.pk)
      try await store.core.unit { rows in
        var entry = OutboxEntry(key: key, kind: .update, state: .sending, time: 1)
        entry.sent = #"{"first":"1","second":"2"}"#
        try rows.outbox.insert(entry)
      }
    }
    let store = try EntityStore(hotel.location, entities: Swap2.all, busyTimeout: .ample)
    let entry = try #require(try await store.read { try $0.pendingEdits.outboxEntries() }.first)
    #expect(store.core.schema.entities[entry.key.entity].name == "Right")
    #expect(entry.sent == #"{"first":"2","second":"1"}"#)
  }

  @Test(arguments: Place.usual)
  func `entries of a removed entity stay unread, and come back with it`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    func add(_ store: EntityStore) async throws {
      let id = try await store.background { context in
        let perk = try context.insert(V1.Perk.self)
        perk.name = "sauna"
        return perk.entityID
      }
      let key = RowKey(entity: try store.core.schema.model(V1.Perk.self).number, pk: id.pk)
      _ = try await store.core.unit {
        try $0.outbox.insert(OutboxEntry(key: key, kind: .create, state: .sending, time: 1))
      }
    }
    do { try await add(try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)) }
    do {
      let store = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], busyTimeout: .ample)
      #expect(try await store.read { try $0.pendingEdits.outboxEntries() } == [])
      #expect(try hotel.rows("SELECT entity FROM main._entity_outbox") == ["_removed,Perk"])
      #expect(try await store.check(.full).isEmpty)
      _ = try await store.archive()
    }
    do {
      let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
      #expect(try await store.read { try $0.pendingEdits.outboxEntries().map(\.kind) } == [.create])
    }
    _ = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], busyTimeout: .ample)
    let drop = [Migration("drop") { try $0.dropRemoved() }]
    _ = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], migrations: drop, busyTimeout: .ample)
    #expect(try hotel.rows("SELECT entity FROM main._entity_outbox") == [])
  }

  @Test(arguments: Place.usual)
  func `a check finds updates of objects that are not there`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let (store, main) = (test.store, test.store.main)
    let (ada, bob) = (try test.person(1).entityID, try test.person(2).entityID)
    for kind in Kind.allCases {
      for state in State.allCases { try await test.addEntry(of: ada, kind, state) }
    }
    try await test.addEntry(of: bob, .update, .waiting)
    #expect(try await store.check().isEmpty)
    // A deletion that the server is yet to hear of comes after what waits.
    try main.delete(try test.person(2))
    try await main.save()
    #expect(try await store.check().isEmpty)
    try await store.background(as: .server) { try $0.delete(try #require(try $0.object(ada))) }
    let problems = try await store.check()
    #expect(problems.map(\.object) == [ada.untyped])
    #expect(problems.map(\.kind) == [.bookkeeping])
    #expect(problems.first?.text.contains("an update of row \(ada.pk) of 'Person'") == true)
    for entry in try await test.entries() where entry.kind == .update && [.waiting, .conflict].contains(entry.state) {
      try await store.core.unit { try $0.outbox.remove(numbers: [entry.number]) }
    }
    #expect(try await store.check(.full).isEmpty)
  }

  @Test(arguments: Place.usual)
  func `an archive has all entries, and claims with their bytes and keys`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.blog)
    let (store, main) = (test.store, test.store.main)
    let (writer, tag, article) = try await store.background(as: .server) { context in
      let writer = try context.insert(Writer.self)
      let tag = try context.insert(Tag.self)
      let article = try context.insert(Article.self)
      (writer.uid, tag.uid, article.uid, article.author) = (1, "a", 1, writer)
      return (writer.entityID, tag.entityID, article.entityID)
    }
    for kind in Kind.allCases {
      for state in State.allCases {
        try await test.addEntry(of: article, kind, state) {
          $0.name = "\(kind) \(state)"
          $0.sent = """
            {"title":{"value":{"text":"x"}},"author":{"value":{"integer":\(writer.pk)}},"reviewer":null,\
            "tags":{"edited":[\(tag.pk),99999999]},"more":17}
            """
          $0.kept = #"{"parent":99999999}"#
          ($0.body, $0.answer, $0.status, $0.next) = (Data([0xFF]), Data(), 422, .infinity)
          ($0.idempotencyKey, $0.uid, $0.attempts, $0.reason, $0.request) = ("k", "1", 2, "no", "{}")
        }
      }
    }
    try #require(try main.object(article)).title = "edited since"
    try await main.save()
    let archive = try await store.archive()
    let other = try TestStore(place, TestStore.blog)
    for uid in 1...3 { try await other.store.background { try $0.insert(Town.self).uid = uid } }
    _ = try await other.store.restore(from: archive, discardsPending: true)
    let entries = try await other.entries()
    #expect(entries.map(\.name) == Kind.allCases.flatMap { kind in State.allCases.map { "\(kind) \($0)" } })
    let rows = try await other.store.read { context in
      [
        try context.fetch(Writer.self, uid: 1)?.entityID.pk, try context.fetch(Tag.self, uid: "a")?.entityID.pk,
        try context.fetch(Article.self, uid: 1)?.entityID.pk,
      ].compactMap(\.self)
    }
    #expect(rows.count == 3 && rows[0] != writer.pk)
    for entry in entries {
      #expect(entry.key.pk == rows[2])
      #expect(
        entry.sent == """
          {"author":{"value":{"integer":\(rows[0])}},"more":17,"reviewer":null,\
          "tags":{"edited":[\(rows[1])]},"title":{"value":{"text":"x"}}}
          """)
      // The arguments of a command are no properties.
      #expect(entry.kept == (entry.kind == .command ? #"{"parent":99999999}"# : #"{"parent":null}"#))
      #expect((entry.body, entry.answer, entry.status, entry.next) == (Data([0xFF]), Data(), 422, .infinity))
      #expect((entry.idempotencyKey, entry.uid, entry.attempts, entry.reason) == ("k", "1", 2, "no"))
      #expect((entry.request, entry.time) == ("{}", 1))
      // The edit came after the request was made.
      #expect(try await other.store.core.unit { try !$0.outbox.editedSince(entry.edited, entry.key).isEmpty })
    }
    #expect(try await other.store.check(.full).isEmpty)
    // An object that was not edited since is not edited after the restore either.
    try await other.store.pending.acknowledgeAll()
    try await other.store.restore(from: try await other.store.archive(), discardsPending: true)
    let generation = try await other.store.read { try $0.connection.generation() }
    #expect(try await other.entries().allSatisfy { $0.edited == generation })
  }

  @Test func `a line of an entry with one wrong value is refused or does no harm`() async throws {
    let test = try await TestStore.ofServer(.memory)
    let ada = try test.person(1).entityID
    try await test.addEntry(of: ada, .update, .conflict) {
      $0.sent = #"{"name":"x","boss":\#(ada.pk)}"#
      ($0.body, $0.answer, $0.status, $0.next) = (Data([0xFF]), Data(), 422, 5)
      ($0.idempotencyKey, $0.uid, $0.attempts, $0.reason, $0.request) = ("k", "1", 2, "no", "{}")
    }
    try await test.addEntry(of: ada, .command, .waiting) { $0.name = "cancel" }
    let lines = try await test.store.archive().split(separator: 0x0A).dropLast().map {
      try JSONValue(parsing: Data($0))
    }
    let begin = try #require(lines.firstIndex { $0.object?.contains("outbox") == true })
    #expect(lines.count == begin + 3)
    func refuses(_ lines: [JSONValue]) async throws -> Bool {
      var output = ArchiveOutput(nil)
      for line in lines { try output.line(line) }
      try output.endLine()
      let store = try EntityStore(.inMemory, entities: TestStore.people)
      do {
        try await store.restore(from: output.data)
      } catch let error as StoreError {
        #expect([.damagedArchive, .unknownEntity].contains(error.kind), "\(error)")
        #expect(try await store.read { try $0.pendingEdits.outboxEntries() }.isEmpty)
        return true
      }
      #expect(try await store.check(.full).isEmpty)
      #expect(try await store.read { try $0.pendingEdits.outboxEntries() }.count == 2)
      return false
    }
    #expect(try await !refuses(lines))
    let others: [JSONValue] = [nil, 0, 1, 2, 9, 1_000_000_000_000, -5, 1.5, "", "x", [:], ["base64": "AA=="]]
    var refused = 0
    for number in [begin + 1, begin + 2] {
      let values = try #require(lines[number].array.map(Array.init))
      for place in values.indices {
        for other in others {
          var (forged, changed) = (lines, values)
          changed[place] = other
          forged[number] = JSONValue(changed)
          if try await refuses(forged) { refused += 1 }
        }
      }
      var (forged, changed) = (lines, values)
      changed.removeLast()
      forged[number] = JSONValue(changed)
      #expect(try await refuses(forged))
    }
    #expect(refused > 150)
  }

  @Test(arguments: Place.usual)
  func `a copy has the entries, and their numbers go on`(_ place: Place) async throws {
    let (test, ada) = try await TestStore.withAda(place)
    try await test.addEntry(of: ada.entityID, .command, .waiting)
    try await test.addEntry(of: ada.entityID, .command, .waiting)
    try await test.store.core.unit { try $0.outbox.remove(numbers: [2]) }
    let file = test.folder.url.appendingPathComponent("copy.sqlite")
    try await test.store.backup(to: file)
    let copy = try EntityStore(.file(file), entities: TestStore.people, busyTimeout: .ample)
    #expect(try await copy.read { try $0.pendingEdits.outboxEntries().map(\.number) } == [1])
    let key = try test.key(ada.entityID)
    let number = try await copy.core.unit {
      try $0.outbox.insert(OutboxEntry(key: key, kind: .update, state: .sending, time: 1))
    }
    #expect(number == 3)
  }
}
