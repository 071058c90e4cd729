import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// A uid of several properties: rows, objects, edits of parts.
@MainActor
struct CompositeUIDTests {
  private let parcel = ParcelLine.columns.parcel.index
  private let code = ParcelLine.columns.code.index
  private let article = ParcelLine.columns.article.index

  private func uids(_ rows: UIDRows, _ entity: String = "ParcelLine") throws -> [String?] {
    try rows.main.connection.rows("SELECT _uid FROM main.\"\(entity)\" ORDER BY _pk") { $0.text(0) }
  }

  private func line(_ rows: UIDRows, _ parcel: Int, _ code: String, _ article: String? = nil) throws -> ParcelLine {
    let line = try rows.main.insert(ParcelLine.self)
    line.parcel = parcel
    line.code = code
    line.article = article
    return line
  }

  private func edit(_ rows: UIDRows, _ id: EntityID<ParcelLine>, code: String) async throws {
    try await rows.store.background { try $0.object(id)?.code = code }
  }

  // MARK: Finding

  @Test(arguments: Place.usual)
  func `an object is found by its parts before and after its save`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let made = try line(rows, 5, "a", "book")
    #expect(made.hasUID)
    #expect(try rows.main.fetch(ParcelLine.self, uid: ["code": "a", "parcel": 5]) === made)
    #expect(try rows.main.fetch(ParcelLine.self, uid: [5, "b"]) == nil)
    try await rows.main.save()
    #expect(try rows.main.fetch(ParcelLine.self, uid: [5, "a"]) === made)
    let found = try await rows.store.read { try $0.fetch(ParcelLine.self, uid: [5, "a"])?.article }
    #expect(found == "book")
    #expect(try uids(rows) == [#"[5,"a"]"#])
    #expect("\(made.snapshot)" == #"ParcelLine(parcel: 5, code: "a", article: "book", count: 0, scans: …)"#)
  }

  @Test(arguments: Place.usual)
  func `texts with separators in them are different uids`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let pairs = [("a:b", "c"), ("a", "b:c"), ("a\",\"b", "c"), ("a", "b\",\"c"), ("", ""), ("\\", "\n")]
    for (first, second) in pairs {
      let label = try rows.main.insert(ParcelLabel.self)
      (label.first, label.second, label.text) = (first, second, first + "|" + second)
    }
    try await rows.main.save()
    for (first, second) in pairs {
      #expect(try rows.main.fetch(ParcelLabel.self, uid: [first, second])?.text == first + "|" + second)
    }
    #expect(try rows.count("ParcelLabel") == 6)
  }

  @Test(arguments: Place.usual)
  func `parts of each type are found again`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let shelf = UUID()
    for number: UInt64? in [0, .max, nil] {
      let slot = try rows.main.insert(ParcelSlot.self)
      slot.shelf = shelf
      slot.number = number
    }
    try await rows.main.save()
    #expect(try rows.main.fetch(ParcelSlot.self, uid: ["shelf": shelf, "number": 0])?.number == 0)
    #expect(try rows.main.fetch(ParcelSlot.self, uid: ["shelf": shelf, "number": UInt64.max])?.number == .max)
    #expect(try uids(rows, "ParcelSlot").compactMap(\.self).count == 2)
    #expect(try rows.main.fetch(ParcelSlot.where { !$0.hasUID }).map(\.number) == [nil])
    let reader = try await rows.store.read {
      try $0.fetch(ParcelSlot.self, uid: ["shelf": shelf, "number": UInt64.max])?.shelf
    }
    #expect(reader == shelf)
  }

  @Test func `another uid than the entity's is refused`() throws {
    let rows = try UIDRows(.memory, Parcels.all)
    let wrong: [CompositeUID] = [[5], [5, "a", "b"], ["a", 5], ["parcel": 5], ["parcel": 5, "x": "a"], []]
    for uid in wrong {
      #expect(errorKind { _ = try rows.main.fetch(ParcelLine.self, uid: uid) } == .invalidValue)
      #expect(errorKind { _ = try rows.main.upsert(ParcelLine.self, uid: uid) } == .invalidValue)
    }
    let twice: CompositeUID = ["parcel": 5, "parcel": 6, "code": "a"]
    #expect(errorKind { _ = try rows.main.fetch(ParcelLine.self, uid: twice) } == .invalidValue)
    #expect(errorKind { _ = try rows.main.fetch(ParcelScan.self, uid: [5, "a"]) } == .invalidSchema)
    #expect(errorKind { _ = try rows.main.upsert(ParcelLine.self, uid: 5) } == .invalidValue)
    #expect(rows.main.changes.isEmpty)
  }

  // MARK: A part without a value

  @Test(arguments: Place.usual)
  func `an object has no uid while a part has no value`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let one = try rows.main.insert(ParcelLine.self)
    one.parcel = 5
    let other = try rows.main.insert(ParcelLine.self)
    other.parcel = 5
    try await rows.main.save()
    #expect(!one.hasUID && one.code == "")
    #expect(try uids(rows) == [nil, nil])
    // Zero and the empty text are values as any other.
    one.code = ""
    other.code = "b"
    try await rows.main.save()
    #expect(try uids(rows) == [#"[5,""]"#, #"[5,"b"]"#])
    #expect(one.hasUID)
    #expect(try rows.edited(one.entityID).isSuperset(of: ["parcel", "code"]))
  }

  // MARK: Edits of parts

  @Test(arguments: Place.usual)
  func `an edit of a part gives the object another uid`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let id = try await rows.respond(ParcelLine.self, [parcel: .integer(5), code: .text("a")])
    let line = try #require(try rows.main.object(id))
    line.code = "b"
    #expect(rows.main.changes.properties(of: line) == ["code"])
    #expect(try rows.main.fetch(ParcelLine.self, uid: [5, "a"]) == nil)
    #expect(try rows.main.fetch(ParcelLine.self, uid: [5, "b"]) === line)
    // Taken back, it is no change.
    line.code = "a"
    #expect(rows.main.changes.isEmpty)
    #expect(!line.hasChanges)
    line.code = "c"
    try await rows.main.save()
    #expect(try uids(rows) == [#"[5,"c"]"#])
    #expect(try rows.edited(id) == ["code"])
    line.parcel = 6
    rows.main.rollback()
    #expect(try rows.main.fetch(ParcelLine.self, uid: [5, "c"]) === line)
  }

  @Test(arguments: Place.usual)
  func `a part of a uid that makes two objects one is refused`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let first = try line(rows, 5, "a")
    let second = try line(rows, 5, "b")
    try await rows.main.save()
    second.code = "a"
    #expect(await asyncErrorKind { try await rows.main.save() } == .uniqueViolation)
    rows.main.rollback()
    let third = try line(rows, 5, "b")
    #expect(await asyncErrorKind { try await rows.main.save() } == .uniqueViolation)
    try rows.main.delete(third)
    // Two that change places are no collision.
    (first.code, second.code) = ("b", "a")
    try await rows.main.save()
    #expect(try uids(rows) == [#"[5,"b"]"#, #"[5,"a"]"#])
  }

  @Test(arguments: Place.usual)
  func `an upsert takes the object that has the uid`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let upserted = try rows.main.upsert(ParcelLine.self, uid: ["parcel": 5, "code": "a"])
    #expect(upserted.parcel == 5 && upserted.code == "a")
    upserted.article = "here"
    // Another row gets the uid meanwhile.
    _ = try await rows.respond(
      ParcelLine.self, [parcel: .integer(5), code: .text("a"), article: .text("there"), 3: .integer(7)])
    try await rows.main.save()
    #expect(try rows.count("ParcelLine") == 1)
    #expect(upserted.article == "here" && upserted.count == 7)
    let again = try await rows.store.background { context in
      try context.upsert(ParcelLine.self, uid: [5, "a"]).count
    }
    #expect(again == 7)
  }

  // MARK: Responses

  @Test(arguments: Place.usual)
  func `a placeholder gets its parts from the uid`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let uid = try CompositeUID([5, "a"]).stored(for: rows.store.core.schema.model(ParcelLine.self))
    let pk = try await rows.store.core.unit { try $0.row($0.schema.model(ParcelLine.self), uid: uid) }
    let placeholder = try #require(try rows.main.object(EntityID<ParcelLine>(pk: pk)))
    #expect(placeholder.isPlaceholder)
    #expect(placeholder.parcel == 5 && placeholder.code == "a")
    #expect(try rows.main.fetch(ParcelLine.self, uid: [5, "a"]) == nil)
    let filled = try await rows.respond(ParcelLine.self, [parcel: .integer(5), code: .text("a"), article: .text("x")])
    #expect(filled.pk != pk || !placeholder.isPlaceholder)
    try rows.main.merging.merge()
    #expect(try rows.main.fetch(ParcelLine.self, uid: [5, "a"])?.article == "x")
    #expect(try rows.count("ParcelLine") == 1)
  }

  @Test(arguments: Place.usual)
  func `an edited part keeps all parts`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let id = try await rows.respond(ParcelLine.self, [parcel: .integer(5), code: .text("a")])
    try await edit(rows, id, code: "b")
    // The answer to a request on the object names another uid.
    _ = try await rows.respond(
      ParcelLine.self, pk: id.pk, [parcel: .integer(6), code: .text("c"), article: .text("answer")])
    let line = try #require(try rows.main.object(id))
    #expect((line.parcel, line.code, line.article) == (5, "b", "answer"))
    #expect(try uids(rows) == [#"[5,"b"]"#])
    _ = try await rows.respond(ParcelLine.self, pk: id.pk, keepsEdits: false, [parcel: .integer(6), code: .text("c")])
    #expect(try uids(rows) == [#"[6,"c"]"#])
    #expect(try rows.edited(id) == [])
  }

  @Test(arguments: Place.usual)
  func `a part that others changed is a conflict, and the uid follows`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let id = try await rows.respond(ParcelLine.self, [parcel: .integer(5), code: .text("a")])
    let line = try #require(try rows.main.object(id))
    rows.main.conflictPolicy = .theirs
    line.code = "mine"
    line.article = "mine"
    try await edit(rows, id, code: "theirs")
    try await rows.main.save()
    #expect(line.code == "theirs" && line.article == "mine")
    #expect(try uids(rows) == [#"[5,"theirs"]"#])
    #expect(try rows.main.fetch(ParcelLine.self, uid: [5, "theirs"]) === line)
  }

  @Test(arguments: Place.usual)
  func `a deleted object leaves a tombstone that its uid ends`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let id = try await rows.respond(ParcelLine.self, [parcel: .integer(5), code: .text("a")])
    #expect(try rows.main.delete(ParcelLine.self, uid: [5, "a"]))
    #expect(try !rows.main.delete(ParcelLine.self, uid: [5, "b"]))
    try await rows.main.save()
    #expect(try rows.main.object(id) == nil)
    #expect(try await rows.store.pending.changes().map(\.uid) == [#"[5,"a"]"#])
    let uid = try CompositeUID(["parcel": 5, "code": "a"]).stored(for: rows.store.core.schema.model(ParcelLine.self))
    let isDeleted = try await rows.store.core.unit { try $0.edits.isDeletedHere($0.schema.model(ParcelLine.self), uid) }
    #expect(isDeleted)
    let again = try line(rows, 5, "a")
    try await rows.main.save()
    #expect(try await rows.store.pending.changes().map(\.kind) != [.deletion])
    #expect(again.hasUID)
  }

  @Test(arguments: Place.usual)
  func `an edit of a part that is taken back gives the uid back`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let id = try await rows.respond(ParcelLine.self, [parcel: .integer(5), code: .text("a")])
    try await edit(rows, id, code: "b")
    let change = try #require(try await rows.store.pending.changes().first)
    #expect(change.uid == #"[5,"b"]"#)
    #expect(change.edits.map(\.property) == ["code"])
    try await rows.store.pending.discard(change)
    #expect(try uids(rows) == [#"[5,"a"]"#])
    #expect(try rows.main.fetch(ParcelLine.self, uid: [5, "a"])?.code == "a")
  }

  // MARK: Loose objects, drafts, observers

  @Test(arguments: Place.usual)
  func `loose objects and drafts have the uid of their parts`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let loose = ParcelLine()
    loose.parcel = 5
    #expect(!loose.hasUID)
    loose.code = "a"
    #expect(loose.hasUID)
    try rows.main.insert(loose)
    #expect(try rows.main.fetch(ParcelLine.self, uid: [5, "a"]) === loose)
    try await rows.main.save()
    let draft = try rows.main.edit(loose)
    draft.object.code = "b"
    try draft.save()
    #expect(loose.code == "b")
    #expect(try rows.main.fetch(ParcelLine.self, uid: [5, "b"]) === loose)
    try await rows.main.save()
    #expect(try uids(rows) == [#"[5,"b"]"#])
  }

  @Test(arguments: Place.usual)
  func `acknowledged parts leave no change`(_ place: Place) async throws {
    let rows = try UIDRows(place, Parcels.all)
    let made = try line(rows, 5, "a", "book")
    try await rows.main.save()
    #expect(made.isMadeHere)
    let model = try rows.store.core.schema.model(ParcelLine.self)
    let id = made.entityID
    try await rows.store.core.unit { try $0.edits.acknowledge(model, pk: id.pk, model.uidParts?.mask ?? model.all) }
    try rows.main.merging.merge()
    #expect(!made.isMadeHere)
    #expect(try rows.edited(made.entityID) == ["article"])
  }
}
