import EntityMacros
import EntityStore
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Conflicts of each kind of property, and of rows that come, go, and turn out to be others.
@MainActor
struct ConflictKindTests {
  private static let fail = ConflictPolicy.fail

  // MARK: Attributes

  @Entity final class Meter {
    @UID var uid: UUID
    @Transformed(by: Transformers.UnixMilliseconds.self) var readAt: Date
    var day: Date?
    var note: String?
    var small: Int8
    var owner: UUID?
    var price: Decimal
  }

  private func meter(_ place: Place) async throws -> (TestStore, Meter) {
    let test = try TestStore(place, [Meter.self])
    let id = try await test.store.background(as: .server) { context in
      let meter = try context.insert(Meter.self)
      meter.uid = UUID()
      meter.readAt = Date(timeIntervalSince1970: 0.1)
      return meter.entityID
    }
    return (test, try #require(try test.store.main.object(id)))
  }

  /// Writes to the row as another program does, which keeps other forms of the values.
  private func write(_ test: TestStore, _ sql: String) throws {
    try test.store.core.blockingUnit { try $0.connection.execute("UPDATE main.Meter SET \(sql)") }
  }

  @Test(arguments: Place.usual)
  func `a row whose values have another form is no conflict`(_ place: Place) async throws {
    let (test, meter) = try await meter(place)
    try write(
      test, "readAt = 0.1, day = 12.7, small = 5000, owner = '\(UUID().uuidString.lowercased())', price = '012=12.50'")
    // No commit of a store, so that nobody hears of it.
    test.store.main.reset()
    #expect(meter.small == 0)
    #expect(meter.owner != nil)
    meter.readAt = Date(timeIntervalSince1970: 5)
    meter.day = nil
    meter.note = "x"
    meter.small = 3
    meter.owner = nil
    meter.price = 2
    try await test.store.main.save(conflicts: Self.fail)
    #expect(try await test.store.pending.changes().first?.edits.count == 6)
  }

  @Test(arguments: Place.usual)
  func `dates and optionals that others changed are conflicts`(_ place: Place) async throws {
    let (test, meter) = try await meter(place)
    let id = meter.entityID
    meter.readAt = Date(timeIntervalSince1970: 5)
    meter.note = "mine"
    meter.owner = UUID()
    try await test.store.background { context in
      let meter = try #require(try context.object(id))
      meter.readAt = Date(timeIntervalSince1970: 7.25)
      meter.note = "theirs"
      meter.owner = UUID()
    }
    let error = try #require(storeError { try test.store.main.saveAtOnce(conflicts: Self.fail) })
    #expect(error.conflicts.map(\.property) == ["readAt", "note", "owner"])
    let first = try #require(error.conflicts.first)
    #expect(first.theirs.as(Date.self) == Date(timeIntervalSince1970: 7.25))
    #expect(first.base.as(Date.self) == Date(timeIntervalSince1970: 0.1))
    // None on one side.
    #expect(error.conflicts[1].base == .attribute(.null))
    #expect(error.conflicts[1].base.as(String?.self) == .some(nil))
    try await test.store.background { try $0.object(id)?.note = nil }
    try test.store.main.refresh(meter)
    try await test.store.background { try $0.object(id)?.note = "again" }
    let second = try #require(storeError { try test.store.main.saveAtOnce(conflicts: Self.fail) })
    #expect(second.conflicts.map(\.property) == ["note"])
  }

  @Test(arguments: Place.usual)
  func `raw values and JSON are compared as they are stored`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    let main = test.store.main
    let id = try await test.store.background(as: .server) { context in
      let kinds = try context.insert(Kinds.self)
      kinds.uid = 1
      return kinds.entityID
    }
    func write(_ rank: String, _ setup: String) throws {
      try test.store.core.blockingUnit { rows in
        let model = try rows.schema.model(Kinds.self)
        var row = RowValues(count: model.properties.count)
        row[Kinds.columns.rank.index] = .text(rank)
        row[Kinds.columns.setup.index] = .text(setup)
        _ = try rows.write(model, pk: id.pk, row, .effect)
      }
    }
    // A case that the app does not know, and a text with spaces.
    try write("owner", #"{ "isDark": false, "limits": [] }"#)
    let kinds = try #require(try main.object(id))
    #expect(kinds.rank == .member)
    #expect(kinds.unrecognizedValue(of: \.rank) == "owner")
    kinds.rank = .chief
    kinds.setup.isDark = true
    try await main.save(conflicts: Self.fail)
    #expect(kinds.rank == .chief)
    kinds.rank = .member
    kinds.setup.isDark = false
    kinds.tags = ["mine"]
    try write("admiral", #"{"isDark":true,"limits":[{"most":1,"name":"x"}]}"#)
    let error = try #require(storeError { try main.saveAtOnce(conflicts: Self.fail) })
    #expect(error.conflicts.map(\.property) == ["rank", "setup"])
    #expect(error.conflicts[0].theirs == .attribute(.text("admiral")))
    // The merge gets no value that its type does not have.
    let merge = ConflictPolicy.byColumn(
      .merge(\Kinds.Columns.rank) { base, _, _ in base },
      .merge(\Kinds.Columns.setup) { _, mine, theirs in Setup(isDark: mine.isDark || theirs.isDark) })
    let second = try #require(storeError { try main.saveAtOnce(conflicts: merge) })
    #expect(second.conflicts.map(\.property) == ["rank"])
    try write("chief", #"{"isDark":true,"limits":[{"most":1,"name":"x"}]}"#)
    // The row has the base again.
    try main.saveAtOnce(conflicts: merge)
    #expect(kinds.setup.isDark)
    #expect(kinds.rank == .member)
    #expect(kinds.tags == ["mine"])
  }

  @Test(arguments: Place.usual)
  func `the theirs policy for an unknown raw value leaves that value`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    let id = try await test.store.background(as: .server) { try $0.insert(Kinds.self).entityID }
    let kinds = try #require(try test.store.main.object(id))
    kinds.rank = .chief
    try test.store.core.blockingUnit { rows in
      let model = try rows.schema.model(Kinds.self)
      var row = RowValues(count: model.properties.count)
      row[Kinds.columns.rank.index] = .text("owner")
      _ = try rows.write(model, pk: id.pk, row, .effect)
    }
    try await test.store.main.save(conflicts: .theirs)
    #expect(kinds.rank == .member)
    #expect(kinds.unrecognizedValue(of: \.rank) == "owner")
  }

  // MARK: Relationships

  @Test(arguments: Place.usual)
  func `a to-one relationship is a column`(_ place: Place) async throws {
    let desk = try await Desk(place)
    let (main, id) = (desk.main, desk.id)
    let teams = try await desk.store.background(as: .server) { context in
      try ["a", "b", "c"].map { uid in
        let team = try context.insert(Team.self)
        team.uid = uid
        return team.entityID
      }
    }
    let (a, b, c) = (
      try #require(try main.object(teams[0])), try #require(try main.object(teams[1])),
      try #require(try main.object(teams[2]))
    )
    desk.person.team = a
    try await desk.store.background { context in
      try context.object(id)?.team = try context.object(teams[1])
    }
    let error = try #require(storeError { try main.saveAtOnce() })
    let conflict = try #require(error.conflicts.first)
    #expect(conflict.property == "team")
    #expect(conflict.base == .object(nil))
    #expect(conflict.mine == .object(teams[0].untyped))
    #expect(conflict.theirs == .object(teams[1].untyped))
    #expect(!"\(error)".contains("Team"))
    let lists = [a, b, c].map { team in Watcher { _ = team.members } }
    try await main.save(conflicts: .theirs)
    #expect(lists[0].fired)
    #expect(lists[1].fired)
    #expect(desk.person.team === b)
    #expect(b.members == [desk.person])
    #expect(a.members.isEmpty)
    // Another target than either.
    desk.person.team = a
    try await desk.store.background { try $0.object(id)?.team = nil }
    try main.merging.merge()
    _ = lists.map(\.fired)
    try await main.save(conflicts: .custom { _ in .value(.object(teams[2].untyped)) })
    #expect(lists[2].fired)
    #expect(lists[0].fired)
    #expect(desk.person.team === c)
    #expect(c.members == [desk.person])
    #expect(
      errorKind {
        desk.person.team = a
        try main.saveAtOnce()
      } == nil)
    desk.person.team = b
    try await desk.store.background { try $0.object(id)?.team = nil }
    #expect(errorKind { try main.saveAtOnce(conflicts: .custom { _ in .value(.object(id.untyped)) }) } == .invalidValue)
  }

  @Test(arguments: Place.usual)
  func `lists of two contexts are merged without a conflict`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let (article, other) = (shop.articles[0], shop.tags[1].entityID)
    let id = article.entityID
    article.tags = [shop.tags[0]]
    try await shop.test.store.background { context in
      try context.object(id)?.tags = try [#require(try context.object(other))]
    }
    try await shop.main.save(conflicts: .fail)
    try shop.articles[1].add(shop.tags[2], to: \.tags)
    let second = shop.articles[1].entityID
    try await shop.test.store.background { context in
      try context.object(second)?.add(#require(try context.object(other)), to: \.tags)
    }
    try await shop.main.save(conflicts: .fail)
    #expect(try await shop.saved(2) == ["b", "c"])
  }

  // MARK: Rows that come, go and are others

  @Test(arguments: Place.usual, [false, true])
  func `an edit of an object that others deleted fails unless it gives way`(_ place: Place, _ isMerged: Bool)
    async throws
  {
    let desk = try await Desk(place)
    let id = desk.id
    desk.person.age = 1
    desk.person.name = "mine"
    let team = try desk.main.insert(Team.self)
    try await desk.store.background { context in try context.object(id).map { try context.delete($0) } }
    if isMerged { try desk.main.merging.merge() }
    for policy in [ConflictPolicy.standard, .mine, .fail] {
      #expect(errorKind { try desk.main.saveAtOnce(conflicts: policy) } == .objectDeleted)
    }
    let part = ConflictPolicy.byColumn(.column(\Person.Columns.age, .theirs))
    #expect(errorKind { try desk.main.saveAtOnce(conflicts: part) } == .objectDeleted)
    #expect(desk.person.name == "mine")
    let all = ConflictPolicy.byColumn(
      .column(\Person.Columns.age, .theirs), .column(\Person.Columns.name, .theirs), others: .fail)
    try await desk.main.save(conflicts: isMerged ? .theirs : all)
    #expect(desk.person.isDeleted)
    #expect(!desk.main.hasChanges)
    #expect(!team.isInserted)
    #expect(try desk.main.count(Person.all) == 0)
  }

  @Test(arguments: Place.usual, [false, true])
  func `the lists of a deleted object give way with it`(_ place: Place, _ isMerged: Bool) async throws {
    let shop = try TagShop(place)
    let article = shop.articles[0]
    let id = article.entityID
    article.tags = [shop.tags[0]]
    article.title = "mine"
    try await shop.test.store.background { context in try context.object(id).map { try context.delete($0) } }
    if isMerged { try shop.main.merging.merge() }
    try await shop.main.save(conflicts: .theirs)
    #expect(article.isDeleted)
    #expect(!shop.main.hasChanges)
    #expect(shop.tags[0].articles.isEmpty)
    let pairs = try await shop.test.store.read { try $0.fetch(Tag.self, uid: "a")?.articles.count }
    #expect(pairs == 0)
  }

  @Test(arguments: Place.usual)
  func `a deletion wins over an edit by others`(_ place: Place) async throws {
    let desk = try await Desk(place)
    try desk.main.delete(desk.person)
    try await desk.other { $0.age = 5 }
    try await desk.main.save(conflicts: .fail)
    #expect(try desk.main.count(Person.all) == 0)
  }

  @Test(arguments: Place.usual)
  func `a placeholder that others fill is a conflict`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    try await test.store.core.unit { rows in
      _ = try rows.row(try rows.schema.model(Person.self), uid: .integer(7))
    }
    let person = try main.upsert(Person.self, uid: 7)
    person.name = "mine"
    try await test.store.background(as: .server) { try $0.upsert(Person.self, uid: 7).name = "server" }
    let error = try #require(storeError { try main.saveAtOnce(conflicts: .fail) })
    #expect(error.conflicts.map(\.property) == ["name"])
    #expect(error.conflicts.first?.theirs.as(String.self) == "server")
    try await main.save()
    #expect(person.name == "mine")
    #expect(!person.isPlaceholder)
  }

  @Test(arguments: Place.usual)
  func `a uid is a column too`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.person.uid = 2
    try await desk.server { $0.uid = 3 }
    let error = try #require(storeError { try desk.main.saveAtOnce(conflicts: .fail) })
    #expect(error.conflicts.map(\.property) == ["uid"])
    #expect(error.conflicts.first?.uid == "3")
    try desk.main.saveAtOnce(conflicts: .theirs)
    #expect(desk.person.uid == 3)
    #expect(try desk.main.fetch(Person.self, uid: 3) === desk.person)
    desk.person.uid = 2
    try await desk.server { $0.uid = 4 }
    try desk.main.saveAtOnce(conflicts: .mine)
    #expect(try desk.main.fetch(Person.self, uid: 2) === desk.person)
  }

  @Test(arguments: Place.usual, [false, true])
  func `edits of an object that turns out to be another are no conflict`(_ place: Place, _ isMerged: Bool) async throws
  {
    let test = try TestStore(place)
    let (store, main) = (test.store, test.store.main)
    let listed = try await store.background(as: .server) { context in
      let person = try context.insert(Person.self)
      (person.uid, person.name) = (5, "listed")
      return person.entityID
    }
    let posted = try main.insert(Person.self)
    posted.email = "posted"
    try await main.save()
    let old = try #require(try main.object(listed))
    let id = posted.entityID
    old.name = "mine"
    try await store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row[Person.columns.uid.index] = .integer(5)
      row[Person.columns.name.index] = .text("server")
      _ = try rows.write(model, pk: id.pk, row, .response(.keepingEdits, newer: ColumnMask()))
    }
    if isMerged {
      try main.merging.merge()
      #expect(posted.hasChanges)
      // From here on the edit is based on the row that survived.
      try await store.background { try $0.object(id)?.name = "other" }
      #expect(errorKind { try main.saveAtOnce() } == .conflict)
      try main.refresh(posted)
    }
    try await main.save(conflicts: .fail)
    #expect(posted.name == "mine")
    #expect(old.isDeleted)
  }
}
