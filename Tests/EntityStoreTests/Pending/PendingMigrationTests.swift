import Foundation
import Testing

@testable import EntityStore

/// Pending changes in a file that another version of the app opens.
struct PendingMigrationTests {
  private static let bases: [PendingValue?] = [
    .attribute(.text("Guest No1")), .attribute(.text("n1")), .attribute(.integer(21)),
  ]
  /// Numbers become texts.
  private static let toTexts = [
    Migration("ages") { step in
      try step.convert("age", of: "Guest", to: String.self, sql: "age || ' years'")
      try step.convert("uid", of: "Guest", to: String.self, sql: "'g' || uid")
      try step.rename("fullName", of: "Guest", to: "firstName")
      try step.add("lastName", String.self, to: "Guest")
    }
  ]

  /// Deletes the third room and makes another one, as the first version of the app.
  private func change(_ hotel: Hotel) async throws {
    let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
    try await store.background { context in
      try context.delete(try #require(try context.fetch(V1.Room.self, uid: 3)))
      try context.insert(V1.Room.self).label = "new"
    }
  }

  private func notes(_ hotel: Hotel) throws -> [String] {
    try hotel.rows("SELECT entity, property, has_base FROM main._entity_edits ORDER BY 1, 2")
  }

  @Test(arguments: Place.usual)
  func `pending changes follow new names`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    try await change(hotel)
    try hotel.connection.execute("UPDATE main._entity_deletions SET entity = 'Guest', uid = 4")
    let store = try EntityStore(hotel.location, entities: V2.all, busyTimeout: .ample)
    let edit = try #require(try await store.pending.changes(of: V2.Visitor.self).first { $0.kind == .edit })
    #expect(edit.edits.map(\.property) == ["name", "nickname", "age", "extras"])
    #expect(edit.edits.dropLast().map(\.base) == Self.bases)
    #expect(edit.edits.allSatisfy { $0.time != nil })
    #expect(try hotel.rows("SELECT entity, uid FROM main._entity_deletions") == ["Visitor|4"])
    try await store.pending.discard(edit)
    let visitor = try await store.read { context in
      let visitor = try #require(try context.fetch(V2.Visitor.self, uid: 1))
      return "\(visitor.name) \(visitor.nickname ?? "-") \(visitor.age) \(visitor.extras.map(\.name).sorted())"
    }
    #expect(visitor == "Guest No1 n1 21 [\"bar\", \"gym\"]")
  }

  @Test(arguments: Place.usual)
  func `names that change hands take their pending changes along`(_ place: Place) async throws {
    let hotel = try await Hotel(place, isEmpty: true)
    do {
      let store = try EntityStore(hotel.location, entities: Swap1.all, busyTimeout: .ample)
      try await store.background(as: .server) { context in
        for uid in 1...2 {
          try context.insert(Swap1.Left.self).uid = uid
          try context.insert(Swap1.Right.self).uid = uid
        }
      }
      try await store.background { context in
        try #require(try context.fetch(Swap1.Left.self, uid: 1)).first = "mine"
        try context.delete(try #require(try context.fetch(Swap1.Left.self, uid: 2)))
        try context.delete(try #require(try context.fetch(Swap1.Right.self, uid: 1)))
      }
    }
    let store = try EntityStore(hotel.location, entities: Swap2.all, busyTimeout: .ample)
    #expect(
      try await store.pending.changes().map(\.text).sorted() == [
        "Left 1: it was deleted here", "Right 1: second was edited", "Right 2: it was deleted here",
      ])
    let edit = try #require(try await store.pending.changes(of: Swap2.Right.self).first { $0.kind == .edit })
    #expect(edit.edits.map(\.base) == [.attribute(.null)])
  }

  @Test(arguments: Place.usual)
  func `pending changes of removed parts come back with them`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    try await change(hotel)
    do {
      let store = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], busyTimeout: .ample)
      #expect(
        try await store.pending.changes().map { "\($0.entity) \($0.uid ?? "-") \($0.kind) \($0.edits.map(\.property))" }
          .sorted() == ["Guest 1 edit [\"fullName\"]", "Room - insert [\"label\"]", "Room 3 deletion []"])
      // The last edit that this version knows ends.
      try await store.pending.acknowledge(try #require(try await store.pending.changes(of: V3.Guest.self).first))
    }
    let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
    let change = try #require(try await store.pending.changes(of: V1.Guest.self).first)
    #expect(change.edits.map(\.property) == ["nickname", "age", "perks"])
    #expect(change.edits.dropLast().map(\.base) == Array(Self.bases.dropFirst()))
    try await store.pending.discard(change)
    #expect(try hotel.guests("uid, fullName, nickname, age, _edited").first == "1|Ada Lovelace|n1|21|-")
    #expect(try notes(hotel) == ["Room||0"])
  }

  @Test(arguments: Place.usual)
  func `pending changes of a removed entity come back with it`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    do {
      let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
      try await store.background { context in
        try context.insert(V1.Perk.self).name = "sauna"
        try context.delete(try #require(try context.fetch(V1.Perk.self, uid: "gym")))
      }
    }
    _ = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], busyTimeout: .ample)
    #expect(try hotel.rows("SELECT entity FROM main._entity_deletions") == ["_removed,Perk"])
    let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
    #expect(
      try await store.pending.changes(of: V1.Perk.self).map(\.text).sorted() == [
        "Perk gym: it was deleted here", "Perk sauna: it was made here",
      ])
  }

  @Test(arguments: Place.usual)
  func `a removed part that is dropped takes its pending changes along`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    do {
      let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
      try await store.background { context in
        try context.delete(try #require(try context.fetch(V1.Perk.self, uid: "gym")))
        try context.insert(V1.Perk.self).name = "sauna"
      }
    }
    _ = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], busyTimeout: .ample)
    let drop = [Migration("drop") { try $0.dropRemoved() }]
    _ = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], migrations: drop, busyTimeout: .ample)
    #expect(try notes(hotel) == ["Guest|fullName|1"])
    #expect(try hotel.rows("SELECT count(*) FROM main._entity_deletions") == ["0"])
    // A step drops a property that no version has removed, too.
    let more = drop + [Migration("rename") { try $0.drop("fullName", of: "Guest") }]
    _ = try EntityStore(
      hotel.location, entities: [BareGuest.self], removed: ["Perk", "Room"], migrations: more, busyTimeout: .ample)
    #expect(try notes(hotel) == [])
  }

  @Test(arguments: Place.usual)
  func `values of another type are not known before`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let store = try EntityStore(hotel.location, entities: V5.all, migrations: Self.toTexts, busyTimeout: .ample)
    let change = try #require(try await store.pending.changes().first)
    #expect(change.edits.map(\.property) == ["firstName", "nickname", "age", "perks"])
    #expect(change.edit(of: \V5.Guest.Columns.firstName)?.base == Self.bases[0])
    #expect(change.edit(of: \V5.Guest.Columns.age)?.base == nil)
    try await store.pending.discard(change)
    #expect(try hotel.rows("SELECT age, firstName, _edited FROM Guest WHERE uid = 'g1'") == ["36 years|Guest No1|-"])
  }

  @Test(arguments: Place.usual)
  func `a property that becomes required had its default before`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    do {
      let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
      try await store.background { try #require(try $0.fetch(V1.Guest.self, uid: 3)).nickname = "tri" }
    }
    let store = try EntityStore(hotel.location, entities: V4.all, busyTimeout: .ample)
    let change = try #require(try await store.pending.changes(of: V4.Guest.self).first { $0.uid == "3" })
    #expect(change.edits.map(\.base) == [.attribute(.text("none"))])
    try await store.pending.discardAll()
    #expect(try hotel.guests("uid, nickname") == ["1|n1", "2|n2", "3|none"])
  }

  @Test(arguments: Place.usual)
  func `a step that changes rows by SQL leaves no note without its row`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    try await change(hotel)
    let migrations = [
      Migration("by hand") { step in
        try step.execute("DELETE FROM Room WHERE uid IS NULL")
        try step.execute("UPDATE Guest SET _edited = 'age,code' WHERE uid = 1")
      }
    ]
    let store = try EntityStore(hotel.location, entities: V1.all, migrations: migrations, busyTimeout: .ample)
    #expect(try notes(hotel) == ["Guest|age|1", "Guest|code|0"])
    #expect(try await store.pending.count() == 2)
    let change = try #require(try await store.pending.changes(of: V1.Guest.self).first)
    #expect(change.edits.map(\.base) == [nil, Self.bases[2]])
  }

  @Test(arguments: Place.usual)
  func `a migration step sees none of the store's own marks`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    try await change(hotel)
    let migrations = [
      Migration("rooms") { step in
        try step.updateRows(of: "Room") { row in
          if row["uid"].isNull { row.edited = row.edited.union(["owner"]) } else { row.edited = [] }
        }
      }
    ]
    let store = try EntityStore(hotel.location, entities: V1.all, migrations: migrations, busyTimeout: .ample)
    let room = try #require(try await store.pending.changes(of: V1.Room.self).first { $0.uid == nil })
    #expect(room.kind == .insert)
    #expect(room.edits.map(\.property) == ["label", "owner"])
  }

  @Test(arguments: Place.usual)
  func `an object that turns out to be another object takes the notes of removed properties`(_ place: Place)
    async throws
  {
    let hotel = try await Hotel(place)
    do {
      let store = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], busyTimeout: .ample)
      let new = try await store.background { try $0.insert(V3.Guest.self).entityID }
      try await store.background { try #require(try $0.object(new)).uid = 1 }
    }
    let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
    let change = try #require(try await store.pending.changes(of: V1.Guest.self).first)
    #expect(change.edit(of: \V1.Guest.Columns.nickname)?.base == Self.bases[1])
    #expect(change.edit(of: \V1.Guest.Columns.age)?.base == Self.bases[2])
  }

  /// Deletes two guests, as the first version of the app, and lets the fifth one convert the uids.
  private func deletions(
    _ hotel: Hotel, _ convert: @escaping @Sendable (Migration.Step) throws -> Void
  ) async throws -> EntityStore {
    do {
      let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
      try await store.background { context in
        for uid in 2...3 { try context.delete(try #require(try context.fetch(V1.Guest.self, uid: uid))) }
      }
    }
    let migrations = [
      Migration("texts") { step in
        try step.convert("age", of: "Guest", to: String.self, sql: "age || ' years'")
        try convert(step)
        try step.rename("fullName", of: "Guest", to: "firstName")
        try step.add("lastName", String.self, to: "Guest")
      }
    ]
    return try EntityStore(hotel.location, entities: V5.all, migrations: migrations, busyTimeout: .ample)
  }

  @Test(arguments: Place.usual, [true, false])
  func `a uid of another type is that of deleted objects, too`(_ place: Place, isSQL: Bool) async throws {
    let hotel = try await Hotel(place)
    let store = try await deletions(hotel) { step in
      if isSQL { return try step.convert("uid", of: "Guest", to: String.self, sql: "'g' || Guest.uid") }
      try step.convert("uid", of: "Guest", to: String.self) { "g\(Int(storedValue: $0) ?? 0)" }
    }
    let changes = try await store.pending.changes(of: V5.Guest.self).filter { $0.kind == .deletion }
    #expect(Set(changes.map(\.uid)) == ["g2", "g3"])
    // An answer that has one of them leaves it out.
    #expect(try await store.read { try $0.pendingEdits.isDeletedHere(V5.Guest.self, uid: .text("g2")) })
    try await store.background(as: .server) { try $0.insert(V5.Guest.self).uid = "g2" }
    #expect(try await store.pending.changes(of: V5.Guest.self).filter { $0.kind == .deletion }.map(\.uid) == ["g3"])
    #expect(try hotel.rows("SELECT uid FROM main._entity_deletions") == ["g3"])
  }

  @Test(arguments: Place.usual, ["fullName || uid", "\"fullName\" || uid", "'g' || _pk", "nullif('g' || uid, 'g2')"])
  func `a uid that cannot be converted for a deleted object fails the step`(_ place: Place, _ sql: String) async throws
  {
    let hotel = try await Hotel(place)
    var error: StoreError?
    do {
      _ = try await deletions(hotel) { try $0.convert("uid", of: "Guest", to: String.self, sql: sql) }
    } catch let failure as StoreError { error = failure }
    #expect(error?.kind == .migrationFailed)
    #expect(error?.message.contains("deleted here") == true, "\(error?.message ?? "")")
    #expect(try hotel.rows("SELECT uid FROM main._entity_deletions ORDER BY 1") == ["2", "3"])
  }

  @Test(arguments: Place.usual)
  func `the address of a deleted object has the new names`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let archive: Data
    do {
      let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
      try await store.core.unit { rows in
        let address = ObjectAddress(["fullName": "Eve", "uid": "99"]).text
        try rows.edits.leaveTombstone(try rows.schema.model(V1.Guest.self), 9_999, .integer(99), address: address)
      }
      archive = try await store.archive()
    }
    let store = try EntityStore(hotel.location, entities: V2.all, busyTimeout: .ample)
    let other = try TestStore(place, V2.all)
    try await other.store.restore(from: archive)
    for store in [store, other.store] {
      let addresses = try await store.read { context in
        try context.connection.rows("SELECT address FROM main._entity_deletions WHERE uid = 99") { $0.text(0) }
      }
      #expect(addresses == [#"{"name":"Eve","uid":"99"}"#])
    }
  }

  @Test(arguments: Place.usual, [true, false])
  func `the address of a deleted object has values of another type`(_ place: Place, isSQL: Bool) async throws {
    let hotel = try await Hotel(place)
    do {
      let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
      try await store.core.unit { rows in
        // The second age can't be read.
        for (number, age) in [(99, "21"), (98, "18446744073709551615")] as [(Int64, String)] {
          let address = ObjectAddress(["age": age, "fullName": "Eve"]).text
          try rows.edits.leaveTombstone(
            try rows.schema.model(V1.Guest.self), 9_900 + number, .integer(number), address: address)
        }
      }
    }
    let migrations = [
      Migration("texts") { step in
        if isSQL {
          try step.convert("age", of: "Guest", to: String.self, sql: "age || ' years of ' || fullName")
        } else {
          try step.convert("age", of: "Guest", to: String.self) { "\(Int(storedValue: $0) ?? 0) years of Eve" }
        }
        try step.convert("uid", of: "Guest", to: String.self, sql: "'g' || uid")
        try step.rename("fullName", of: "Guest", to: "firstName")
        try step.add("lastName", String.self, to: "Guest")
      }
    ]
    _ = try EntityStore(hotel.location, entities: V5.all, migrations: migrations, busyTimeout: .ample)
    let notes = try hotel.rows("SELECT uid, address FROM main._entity_deletions ORDER BY uid")
    #expect(notes == [#"g98|{"firstName":"Eve"}"#, #"g99|{"age":"21 years of Eve","firstName":"Eve"}"#])
  }

  @Test(arguments: Place.usual)
  func `an object that gets the uid of a deleted one is not deleted`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    do {
      let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
      try await store.background { context in
        for name in ["gym", "bar"] { try context.delete(try #require(try context.fetch(V1.Perk.self, uid: name))) }
      }
    }
    try hotel.connection.execute(
      "INSERT INTO main._entity_versions (entity, pk, etag) SELECT entity, pk, '\"1\"' FROM main._entity_deletions")
    let migrations = [
      Migration("names") { step in
        try step.convert("name", of: "Perk", to: String.self, sql: "replace(name, 'spa', 'gym')")
      }
    ]
    let store = try EntityStore(hotel.location, entities: V1.all, migrations: migrations, busyTimeout: .ample)
    #expect(try await store.read { try $0.fetch(V1.Perk.self).map(\.name) } == ["gym"])
    #expect(try await store.pending.changes(of: V1.Perk.self).map(\.uid) == ["bar"])
    // The version of a deletion that is over goes with it.
    let versions = "SELECT uid FROM main._entity_versions AS v LEFT JOIN main._entity_deletions AS d ON d.pk = v.pk"
    #expect(try hotel.rows(versions) == ["bar"])
  }

  @Test(arguments: Place.usual)
  func `a uid stays another property's while deletions need it, unless they are given up`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    try await change(hotel)
    // The deletion of the room took an object along.
    try hotel.connection.execute(
      "INSERT INTO main._entity_deletions (entity, pk, uid, time, cause, number) "
        + "SELECT 'Perk', 9999, 'pool', time, pk, number FROM main._entity_deletions")
    func open(_ first: @escaping @Sendable (Migration.Step) throws -> Void) throws {
      let migration = Migration("uids") { step in
        try first(step)
        for uid in [nil, "uid"] { try step.setUID(uid, of: "Room") }
      }
      _ = try EntityStore(hotel.location, entities: V1.all, migrations: [migration], busyTimeout: .ample)
    }
    let error = #expect(throws: StoreError.self) { try open { _ in } }
    #expect(error?.kind == .migrationFailed)
    let text = try #require(error?.message.components(separatedBy: "execute(\"").last)
    let call = try #require(text.components(separatedBy: "\")").first)
    #expect(
      call.hasPrefix("DELETE FROM _entity_deletions WHERE cause IN") && call.hasSuffix("OR entity = 'Room'"), "\(text)")
    #expect(try hotel.rows("SELECT uid FROM main._entity_deletions ORDER BY entity") == ["pool", "3"])
    try open { try $0.execute(call) }
    let left = try hotel.rows("SELECT uid FROM main._entity_deletions")
    #expect(left == [], "\(call)")
  }

  /// Notes that a command of the outbox has set a property of a guest, which was made here.
  private func command(_ hotel: Hotel, _ uid: Int, _ sent: String) async throws {
    let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
    try await store.core.unit { rows in
      let model = try rows.schema.model(V1.Guest.self)
      let pk = try #require(try rows.current(model, uid: .integer(Int64(uid)))).pk
      var entry = OutboxEntry(key: RowKey(entity: model.number, pk: pk), kind: .command, state: .refused, time: 0)
      (entry.sent, entry.edited) = (sent, try rows.outbox.lastEdit(of: entry.key))
      try rows.outbox.insert(entry)
    }
    try hotel.connection.execute("UPDATE main._entity_edits SET base = NULL, has_base = 0")
  }

  private func dropCommands(_ store: EntityStore) async throws {
    try await store.core.unit { rows in
      for entry in try rows.outbox.all() { try rows.outbox.discardEffects(of: entry) }
    }
  }

  @Test(arguments: Place.usual)
  func `a dropped command brings back no value of another type`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    try await command(
      hotel, 1, #"{"age":{"former":{"integer":21},"value":{"integer":36}},"fullName":{"former":{"text":"Ada"}}}"#)
    let store = try EntityStore(hotel.location, entities: V5.all, migrations: Self.toTexts, busyTimeout: .ample)
    try await dropCommands(store)
    #expect(try hotel.rows("SELECT age, firstName, _edited FROM Guest WHERE uid = 'g1'") == ["36 years|Ada|-"])
  }

  @Test(arguments: Place.usual)
  func `a dropped command brings back the default of a property that became required`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    do {
      let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
      try await store.background { try #require(try $0.fetch(V1.Guest.self, uid: 3)).nickname = "tri" }
    }
    try await command(hotel, 3, #"{"nickname":{"former":{},"value":{"text":"tri"}}}"#)
    let store = try EntityStore(hotel.location, entities: V4.all, busyTimeout: .ample)
    try await dropCommands(store)
    #expect(try hotel.guests("uid, nickname") == ["1|ada", "2|n2", "3|none"])
  }
}
