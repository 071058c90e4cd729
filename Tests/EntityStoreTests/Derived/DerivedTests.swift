import TestSchema
import Testing

@testable import EntityStore

/// Derived properties: columns that follow from others of their row.
@MainActor final class DerivedTests {
  static let entities: [any ManagedEntity.Type] = Bale.world

  /// Held for as long as the test runs.
  private var held: TestStore?

  private func store(_ place: Place) throws -> (test: TestStore, main: EntityContext) {
    let test = try TestStore(place, Self.entities)
    held = test
    return (test, test.store.main)
  }

  /// Three bales of the server: totals 10, 40 and 90.
  private func bales(_ place: Place) async throws -> (test: TestStore, main: EntityContext, bales: [Bale]) {
    let (test, main) = try store(place)
    try await test.store.background(as: .server) { context in
      let guild = try context.insert(Guild.self)
      guild.uid = 1
      for number in 1...3 {
        let bale = try context.insert(Bale.self)
        (bale.uid, bale.price, bale.count, bale.guild) = (number, number * 10, number, guild)
        bale.title = ["cotton", "hay", "wool"][number - 1]
      }
    }
    return (test, main, try main.fetch(Bale.all))
  }

  // MARK: Each way of writing a row

  @Test(arguments: Place.usual)
  func `setters and saves of each context write a derived value`(_ place: Place) async throws {
    let (test, main) = try store(place)
    let bale = try main.insert(Bale.self)
    #expect(bale.total == 0)
    (bale.price, bale.count, bale.title, bale.code) = (3, 4, "jute", "abc")
    #expect(bale.total == 12)
    try main.saveAtOnce()
    #expect(try await test.store.totals() == [12])
    bale.price = 5
    try await main.save()
    #expect(try await test.store.totals() == [20])
    // A child, and a draft.
    let child = try main.child()
    let copy = try #require(try child.object(bale.entityID))
    copy.count = 10
    #expect(copy.total == 50)
    #expect(bale.total == 20)
    try await child.save()
    #expect(bale.total == 50)
    try main.saveAtOnce()
    #expect(try await test.store.totals() == [50])
    // A unit, with a query amid its changes.
    let id = bale.entityID
    try await test.store.background { context in
      let bale = try #require(try context.object(id))
      bale.price = -1
      #expect(try context.fetch(Bale.where { $0.total == -10 && $0.shade == .red }) == [bale])
      bale.price = -2
      let other = try context.insert(Bale.self)
      (other.price, other.title) = (7, "")
    }
    #expect(try await test.store.totals() == [-20, 7])
    #expect(bale.total == -20)
  }

  @Test(arguments: Place.usual)
  func `responses write a derived value with its sources`(_ place: Place) async throws {
    let rows = try UIDRows(place, Self.entities)
    let (uid, price, count) = (Bale.columns.uid.index, Bale.columns.price.index, Bale.columns.count.index)
    let id = try await rows.respond(Bale.self, [uid: .integer(1), price: .integer(3)])
    let bale = try #require(try rows.main.object(id))
    #expect(bale.total == 3)
    #expect(try await rows.store.totals() == [3])
    _ = try await rows.respond(Bale.self, [uid: .integer(1), count: .integer(5)])
    #expect(try await rows.store.totals() == [15])
    try rows.main.merging.merge()
    #expect(bale.total == 15)
    // An edit that stays counts, and not the value of the response.
    bale.price = 2
    try rows.main.saveAtOnce()
    _ = try await rows.respond(Bale.self, [uid: .integer(1), price: .integer(100), count: .integer(7)])
    #expect(try await rows.store.totals() == [14])
    // Nobody gives it a value.
    _ = try await rows.respond(Bale.self, [uid: .integer(1), Bale.columns.total.index: .integer(1_000)])
    #expect(try await rows.store.totals() == [14])
    _ = try await rows.respond(Bale.self, [uid: .integer(2), Bale.columns.total.index: .integer(1_000)])
    #expect(try await rows.store.totals() == [14, 0])
  }

  @Test(arguments: Place.usual)
  func `an update by query writes a derived value and cannot set it`(_ place: Place) async throws {
    let (test, main, bales) = try await bales(place)
    try await test.store.background { context in
      _ = try context.update(Bale.where { $0.total > 10 }) { $0.set(\.price) { $0.price + 1 } }
    }
    #expect(try await test.store.totals() == [10, 42, 93])
    #expect(bales.map(\.total) == [10, 42, 93])
    try main.update(Bale.where { $0.total > 42 }) { $0.set(\.count, to: 1) }
    #expect(try main.fetch(Bale.all.select { $0.total }) == [10, 42, 31])
    let error = #expect(throws: StoreError.self) { try main.update(Bale.all) { $0.set(\.total, to: 1) } }
    #expect(error?.kind == .invalidQuery)
    #expect(error?.message.contains("'Bale.total' is derived") == true)
  }

  @Test(arguments: Place.usual)
  func `two rows that are one object have one value`(_ place: Place) async throws {
    let rows = try UIDRows(place, Self.entities)
    let (uid, price, count) = (Bale.columns.uid.index, Bale.columns.price.index, Bale.columns.count.index)
    // The price is of one row and the count of the other, both ways: the row that survives is there already, or new.
    for isNew in [false, true] {
      let number: Int64 = isNew ? 2 : 1
      let listed = try await rows.respond(Bale.self, [uid: .integer(number), price: .integer(6), count: .integer(7)])
      try await rows.store.background { try #require(try $0.object(listed)).count = 8 }
      if isNew {
        let key = try await rows.store.core.unit { try $0.newPrimaryKey() }
        _ = try await rows.respond(Bale.self, pk: key, [uid: .integer(number), price: .integer(5)])
      } else {
        let posted = try rows.main.insert(Bale.self)
        posted.title = "here"
        try await rows.main.save()
        _ = try await rows.respond(Bale.self, pk: posted.entityID.pk, [uid: .integer(number), price: .integer(5)])
        #expect(posted.total == 40)
      }
    }
    #expect(try await rows.store.totals() == [40, 40])
  }

  @Test(arguments: Place.usual)
  func `a unique value that another object gets leaves no trace`(_ place: Place) async throws {
    let (test, main) = try store(place)
    try await test.store.background(as: .server) { context in
      for (uid, code) in [(1, "abc"), (2, "de")] {
        let bale = try context.insert(Bale.self)
        (bale.uid, bale.code) = (uid, code)
      }
    }
    // A swap gives each row the other's value.
    try await test.store.background(as: .server) { context in
      for (uid, code) in [(1, "de"), (2, "abc")] { try context.fetch(Bale.self, uid: uid)?.code = code }
    }
    #expect(try await test.store.totals() == [0, 0])
    let lengths: [Int?] = try main.fetch(Bale.all.select { $0.codeLength })
    #expect(lengths == [2, 3])
    // The response does not speak of the second one, which is without a code then.
    try await test.store.core.unit { rows in
      let model = try rows.schema.model(Bale.self)
      rows.uniqueness.mayGiveUp = { _, _, _ in true }
      var row = RowValues(count: model.properties.count)
      row[Bale.columns.code.index] = .text("abc")
      let source = RowSource.response(MergePolicy(keepsEdits: false), newer: ColumnMask())
      _ = try rows.write(model, pk: rows.find(model, uid: .integer(1))?.pk ?? 0, row, source)
      try rows.uniqueness.settleUniqueValues()
    }
    #expect(try await test.store.totals().count == 2)
    let left: [Int?] = try await test.store.read { try $0.fetch(Bale.all.select { $0.codeLength }) }
    #expect(left == [3, nil])
  }

  @Test(arguments: Place.usual)
  func `a restored archive computes derived values anew`(_ place: Place) async throws {
    let (test, _, _) = try await bales(place)
    let archive = try await test.store.archive()
    #expect(!String(decoding: archive, as: UTF8.self).contains("\"total\""))
    let other = try TestStore(place, Self.entities)
    try await other.store.restore(from: archive)
    #expect(try await other.store.totals() == [10, 40, 90])
    #expect(try other.store.main.fetch(Bale.where { $0.matches("w") }).map(\.title) == ["wool"])
  }

  // MARK: What it is no part of

  @Test(arguments: Place.usual)
  func `a derived value is no local edit`(_ place: Place) async throws {
    let (test, main, bales) = try await bales(place)
    bales[0].price = 11
    #expect(main.changes.properties(of: bales[0]) == ["price"])
    try main.saveAtOnce()
    #expect(try await test.store.pending.changes().flatMap { $0.edits.map(\.property) } == ["price"])
    let marks = try main.connection.rows("SELECT _edited FROM main.Bale") { $0.text(0) }
    #expect(marks == ["price", nil, nil])
    try await test.store.pending.discardAll()
    #expect(try await test.store.totals() == [10, 40, 90])
    #expect(bales[0].total == 10)
  }

  @Test(arguments: Place.usual)
  func `an equal value is not written`(_ place: Place) async throws {
    let (test, _, bales) = try await bales(place)
    let pk = bales[1].entityID.pk
    let changed = try await test.store.core.unit { rows in
      let model = try rows.schema.model(Bale.self)
      return try [(40, 1), (40, 2)].map { (price: Int64, count: Int64) in
        var row = RowValues(count: model.properties.count)
        row[Bale.columns.price.index] = .integer(price)
        row[Bale.columns.count.index] = .integer(count)
        let changed = try rows.write(model, pk: pk, row, .effect).changed
        return changed.indices.map { model.properties[$0].name }
      }
    }
    #expect(changed == [["price", "count", "mean"], ["count", "total", "mean"]])
    #expect(try await test.store.totals() == [10, 80, 90])
  }

  // MARK: Values here

  @Test(arguments: Place.usual)
  func `unsaved changes count in queries`(_ place: Place) async throws {
    let (_, main, bales) = try await bales(place)
    bales[0].price = 1_000
    bales[1].title = "zinc"
    #expect(bales.map(\.total) == [1_000, 40, 90])
    #expect(try main.fetch(Bale.where { $0.total >= 90 }.sorted { $0.total }).map(\.uid) == [3, 1])
    #expect(try main.fetch(Bale.where { $0.letter == "Z" }) == [bales[1]])
    #expect(try main.fetch(Bale.where { $0.matches("z") }) == [bales[1]])
    let letters = try main.fetch(Bale.all.grouped { $0.letter }.select { ($0.key, $0.count) })
    #expect(letters.map(\.0).sorted() == ["C", "W", "Z"])
    #expect(bales[0].snapshot.total == 1_000)
    #expect(try main.snapshots(Bale.where { $0.total == 1_000 }).map(\.letter) == ["C"])
    #expect(try main.fetchOne(Guild.all)?.bales.map(\.uid) == [2, 3, 1])
    let child = try main.child()
    #expect(try child.fetch(Bale.where { $0.total == 1_000 }).map(\.total) == [1_000])
    main.rollback()
    #expect(bales.map(\.total) == [10, 40, 90])
    #expect(try main.fetch(Bale.where { $0.total == 1_000 }).isEmpty)
    #expect(try main.fetchOne(Guild.all)?.bales.map(\.uid) == [1, 2, 3])
  }

  @Test(arguments: Place.usual)
  func `observers of a derived value hear of its sources`(_ place: Place) async throws {
    let (test, main, bales) = try await bales(place)
    let guild = try #require(try main.fetchOne(Guild.all))
    let total = Watcher { _ = bales[0].total }
    let letter = Watcher { _ = bales[0].letter }
    let list = Watcher { _ = guild.bales }
    bales[0].price = 500
    #expect(total.fired)
    #expect(!letter.fired)
    #expect(list.fired)
    try await main.save()
    let id = bales[0].entityID
    try await test.store.background { try #require(try $0.object(id)).count = 2 }
    #expect(total.fired)
    #expect(!letter.fired)
    #expect(bales[0].total == 1_000)
  }

  @Test(arguments: Place.usual)
  func `live queries hear of derived values`(_ place: Place) async throws {
    let (test, _, bales) = try await bales(place)
    let live = LiveQuery(Bale.where { $0.total > 15 }.sorted(by: \.total, .descending), in: test.store)
    #expect(live.objects.map(\.uid) == [3, 2])
    bales[0].count = 50
    #expect(live.objects.map(\.uid) == [1, 3, 2])
    try await test.store.background { try #require(try $0.fetch(Bale.self, uid: 3)).price = 0 }
    #expect(live.objects.map(\.uid) == [1, 2])
  }

  @Test(arguments: Place.usual)
  func `an object without a row has its derived value`(_ place: Place) throws {
    let (_, main) = try store(place)
    let loose = Bale()
    (loose.price, loose.count, loose.title) = (6, 7, "oats")
    #expect(loose.total == 42)
    #expect(loose.letter == "O")
    try main.insert(loose)
    try main.saveAtOnce()
    #expect(try main.fetch(Bale.where { $0.total == 42 }) == [loose])
    try main.delete(loose)
    try main.saveAtOnce()
    #expect(loose.total == 42)
  }

  @Test(arguments: Place.usual)
  func `a value without a stored form is the neutral value`(_ place: Place) throws {
    let (_, main) = try store(place)
    let bale = try main.insert(Bale.self)
    bale.count = 0
    try main.saveAtOnce()
    #expect(bale.mean.isNaN)
    #expect(try main.fetch(Bale.all.select { $0.mean }) == [0])
  }

  @Test(arguments: Place.usual)
  func `queries use its indexes`(_ place: Place) async throws {
    let (_, main, _) = try await bales(place)
    let one = try main.explain(Bale.where { $0.total == 40 })
    #expect("\(one)".contains("Bale,total"), "\(one)")
    let two = try main.explain(Bale.where { $0.letter == "H" }.sorted { $0.total })
    #expect("\(two)".contains("Bale,,letter"), "\(two)")
  }

  // MARK: Declarations

  @Test(arguments: Place.usual)
  func `a derived property may be written by hand`(_ place: Place) async throws {
    let test = try TestStore(place, [Parish.self])
    let main = test.store.main
    let parish = try main.insert(Parish.self)
    parish.name = "Ås"
    #expect(try main.fetch(Parish.where { $0.folded == "as" }) == [parish])
    try main.saveAtOnce()
    #expect(try await test.store.read { try $0.fetch(Parish.all.select { $0.folded }) } == ["as"])
  }

  @Test func `a schema refuses what cannot be derived`() {
    for (entity, message) in [
      (DerivedOfDerived.self as any ManagedEntity.Type, "which is derived too"),
      (DerivedOfNothing.self, "is derived from no attribute"),
      (DerivedOfOther.self, "which `properties` does not declare"), (DerivedOfLazy.self, "which is lazy"),
    ] {
      let error = #expect(throws: StoreError.self) { _ = try EntityStore(.inMemory, entities: [entity]) }
      #expect(error?.kind == .invalidSchema)
      #expect(error?.message.contains(message) == true, "\(error.map { "\($0)" } ?? "")")
    }
  }
}
