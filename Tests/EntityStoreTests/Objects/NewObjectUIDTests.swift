import TestSchema
import Testing

@testable import EntityStore

/// Objects made here with a uid that another row has, or gets.
@MainActor
struct NewObjectUIDTests {
  private let uid = Person.columns.uid.index
  private let name = Person.columns.name.index
  private let age = Person.columns.age.index

  @Test(arguments: Place.usual)
  func `a new object with another object's uid is refused`(_ place: Place) async throws {
    let rows = try UIDRows(place)
    let main = rows.main
    let old = try await rows.store.addPerson(4711, "old", age: 40)
    let new = try main.insert(Person.self)
    new.uid = 4711
    new.name = "secret"
    var thrown: StoreError?
    do { try main.saveAtOnce() } catch { thrown = error as? StoreError }
    let error = try #require(thrown)
    #expect(error.kind == .uniqueViolation)
    #expect(error.message.contains("'Person'"))
    #expect(error.message.contains("'uid'"))
    #expect(error.message.contains("row \(old.pk)"))
    #expect(error.message.contains("row \(new.entityID.pk)"))
    #expect(error.message.contains("upsert(_:uid:)"))
    #expect(!error.description.contains("4711"))
    #expect(!error.description.contains("secret"))
    #expect(await asyncErrorKind { try await main.save() } == .uniqueViolation)
    #expect(new.isInserted)
    #expect(main.hasChanges)
    #expect(try #require(try main.object(old)).isDeleted == false)
    new.uid = 4712
    try await main.save()
    #expect(try main.count(Person.all) == 2)

    let inUnit = await asyncErrorKind {
      try await rows.store.background { context in
        let new = try context.insert(Person.self)
        new.uid = 4711
      }
    }
    let saved = await asyncErrorKind {
      try await rows.store.background { context in
        let new = try context.insert(Person.self)
        new.uid = 4711
        try context.save()
      }
    }
    let twins = await asyncErrorKind {
      try await rows.store.background { context in
        for _ in 0..<2 { try context.insert(Person.self).uid = 4713 }
      }
    }
    #expect(inUnit == .uniqueViolation)
    #expect(saved == .uniqueViolation)
    #expect(twins == .uniqueViolation)
    #expect(try main.fetch(Person.all).map(\.name).sorted() == ["old", "secret"])
  }

  @Test(arguments: Place.usual)
  func `upsert takes the object that is there`(_ place: Place) async throws {
    let rows = try UIDRows(place)
    let main = rows.main
    let old = try await rows.store.addPerson(5, "old", age: 40)
    let person = try main.upsert(Person.self, uid: 5)
    #expect(person.entityID == old)
    #expect(person.name == "old")
    let new = try main.upsert(Person.self, uid: 6)
    #expect(new.isInserted)
    #expect(new.uid == 6)
    #expect(try main.upsert(Person.self, uid: 6) === new)
    try main.delete(person)
    let again = try main.upsert(Person.self, uid: 5)
    #expect(again !== person)
    #expect(again.isInserted)
    try await main.save()
    #expect(person.isDeleted)
    #expect(person.forwardedTo == nil)
    #expect(again.name == "")
    let newID = new.entityID
    try await rows.store.background { context in
      #expect(try context.upsert(Person.self, uid: 6).entityID == newID)
      let inserted = try context.insert(Person.self)
      inserted.uid = 7
      #expect(try context.upsert(Person.self, uid: 7) === inserted)
      try context.delete(inserted)
      #expect(try context.upsert(Person.self, uid: 7) !== inserted)
    }
    #expect(errorKind { _ = try main.upsert(Note.self, uid: 1) } == .invalidSchema)
    #expect(errorKind { _ = try main.upsert(Team.self, uid: 1) } == .invalidValue)
    #expect(await asyncErrorKind { try await rows.store.read { _ = try $0.upsert(Person.self, uid: 1) } } == .readOnly)
    #expect(!main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `an upserted object takes over a row that came since`(_ place: Place) async throws {
    let rows = try UIDRows(place)
    let main = rows.main
    let person = try main.upsert(Person.self, uid: 5)
    person.name = "mine"
    let listed = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list"), age: .integer(40)])
    let object = try #require(try main.object(listed))
    try await main.save()
    #expect(person.name == "mine")
    #expect(person.age == 40)
    #expect(!person.isDeleted)
    #expect(object.isDeleted)
    #expect(object.forwardedTo == person.entityID)
    #expect(try rows.edited(person.entityID) == ["uid", "name"])
    // Given another uid by hand it is an object like any other.
    let other = try main.upsert(Person.self, uid: 6)
    other.uid = 5
    #expect(await asyncErrorKind { try await main.save() } == .uniqueViolation)
  }

  @Test(arguments: Place.usual)
  func `a placeholder gives way to a new object with its uid`(_ place: Place) async throws {
    let rows = try UIDRows(place)
    let main = rows.main
    try await rows.store.core.unit { rows in
      for uid in 5...6 { _ = try rows.row(try rows.schema.model(Person.self), uid: .integer(Int64(uid))) }
    }
    #expect(try main.fetch(Person.self, uid: 5) == nil)
    let person = try main.insert(Person.self)
    person.uid = 5
    let upserted = try main.upsert(Person.self, uid: 6)
    try await main.save()
    #expect(!upserted.isPlaceholder)
    #expect(!person.isPlaceholder)
    #expect(try main.fetch(Person.all).map(\.uid).sorted() == [5, 6])
  }

  @Test(arguments: Place.usual)
  func `a list fills a placeholder that the main context made`(_ place: Place) async throws {
    let rows = try UIDRows(place)
    let main = rows.main
    // Made for a link in the main context, and not saved before a list has the object.
    let model = try main.core.schema.model(Person.self)
    let made = try #require(try main.answers.insert(model, isPlaceholder: true) as? Person)
    main.answers.updating(made, .keepingEdits, newer: ColumnMask()) { made.uid = 5 }
    _ = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list")])
    try await main.save()
    #expect(made.name == "list")
    #expect(!made.isPlaceholder)
    #expect(try main.fetch(Person.self, uid: 5) === made)
  }

  @Test(arguments: Place.usual)
  func `a uid of another type is refused also where SQLite finds it`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(5)
    let main = test.store.main
    #expect(errorKind { try main.upsert(Person.self, uid: "5") } == .invalidValue)
    #expect(errorKind { try main.upsert(Person.self, uid: "6") } == .invalidValue)
    #expect(try main.upsert(Person.self, uid: 5).entityID == id)
    try await main.save()
    let kind = await asyncErrorKind {
      try await test.store.background { try $0.upsert(Person.self, uid: "5").name = "other" }
    }
    #expect(kind == .invalidValue)
  }
}
