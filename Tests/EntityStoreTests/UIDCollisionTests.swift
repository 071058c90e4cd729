import Foundation
import Testing

@testable import EntityStore

/// Two rows that turn out to be one object: no edit of either is lost.
@MainActor
struct UIDCollisionTests {
  @MainActor
  private struct Rows {
    let test: TestStore
    var store: EntityStore { test.store }
    var main: EntityContext { test.store.main }

    init(_ place: Place, _ entities: [any ManagedEntity.Type] = TestStore.people) throws {
      test = try TestStore(place, entities)
    }

    /// Writes values as a response does.
    func respond<E: ManagedEntity>(
      _ type: E.Type, pk: Int64? = nil, keepsEdits: Bool = true, _ values: [Int: StoredValue]
    ) async throws -> EntityID<E> {
      let pk = try await store.core.unit { rows in
        let model = try rows.schema.model(type)
        var row = RowValues(count: model.properties.count)
        for (index, value) in values { row[index] = value }
        let source = RowSource.response(MergePolicy(keepsEdits: keepsEdits), newer: ColumnMask())
        if let pk { return try rows.write(model, pk: pk, row, source).pk }
        if let uid = model.uid, let found = try rows.find(model, uid: row[uid]) {
          return try rows.update(model, found, row, source).pk
        }
        return try rows.insert(model, pk: rows.newPrimaryKey(), row, source).pk
      }
      return EntityID(pk: pk)
    }

    /// The properties that a row names as edited.
    func edited<E: ManagedEntity>(_ id: EntityID<E>) throws -> Set<String> {
      let names = try main.connection.rows(
        "SELECT _edited FROM main.\"\(E.entityName)\" WHERE _pk = ?", [.integer(id.pk)]
      ) { $0.text(0) ?? "" }
      return Set(names.joined(separator: ",").split(separator: ",").map(String.init))
    }

    func count(_ entity: String) throws -> Int64 {
      try main.connection.rows("SELECT count(*) FROM main.\"\(entity)\"") { $0.int64(0) }.first ?? -1
    }
  }

  private let uid = Person.columns.uid.index
  private let name = Person.columns.name.index
  private let email = Person.columns.email.index
  private let age = Person.columns.age.index

  // MARK: Edits of both

  @Test(arguments: Place.allCases)
  func aUIDOfAnotherTypeIsRefusedAlsoWhereSQLiteFindsIt(_ place: Place) async throws {
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

  @Test(arguments: Place.allCases)
  func anEditOfEitherRowStaysAnEdit(_ place: Place) async throws {
    let rows = try Rows(place)
    let listed = try await rows.respond(
      Person.self, [uid: .integer(5), name: .text("list"), email: .text("list@x"), age: .integer(40)])
    try await rows.store.background { context in
      let person = try #require(try context.object(listed))
      person.name = "edited there"
      person.email = nil
      person.score = 1
    }
    let posted = try rows.main.insert(Person.self)
    posted.name = "edited here"
    try await rows.main.save()
    let id = posted.entityID
    // The answer of the POST has a word on all of them.
    _ = try await rows.respond(
      Person.self, pk: id.pk, [uid: .integer(5), name: .text("answer"), email: .text("answer@x")])
    try rows.main.merge()
    #expect(posted.name == "edited here")
    #expect(posted.email == nil)
    #expect(posted.score == 1)
    #expect(posted.age == 40)
    #expect(try rows.edited(id) == ["name", "email", "score"])
    // And the next answer leaves them alone.
    _ = try await rows.respond(Person.self, [uid: .integer(5), email: .text("later@x"), age: .integer(41)])
    try rows.main.merge()
    #expect(posted.email == nil)
    #expect(posted.age == 41)
  }

  @Test(arguments: Place.allCases)
  func anAnswerThatEndsEditsEndsThoseOfTheOtherRow(_ place: Place) async throws {
    let rows = try Rows(place)
    let listed = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list")])
    try await rows.store.edit(listed) {
      $0.name = "edited"
      $0.age = 3
    }
    let posted = try rows.main.insert(Person.self)
    try await rows.main.save()
    _ = try await rows.respond(
      Person.self, pk: posted.entityID.pk, keepsEdits: false, [uid: .integer(5), name: .text("answer")])
    try rows.main.merge()
    #expect(posted.name == "answer")
    #expect(posted.age == 3)
    #expect(try rows.edited(posted.entityID) == ["age"])
  }

  @Test(arguments: Place.allCases)
  func theAnswersValueWinsOverTheOtherRows(_ place: Place) async throws {
    let rows = try Rows(place)
    _ = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list"), age: .integer(40)])
    let posted = try rows.main.insert(Person.self)
    posted.name = "here"
    try await rows.main.save()
    // The same value as the row has already is a word too.
    _ = try await rows.respond(Person.self, pk: posted.entityID.pk, [uid: .integer(5), age: .integer(0)])
    try rows.main.merge()
    #expect(posted.age == 0)
    #expect(posted.name == "here")
  }

  @Test(arguments: Place.allCases)
  func aUIDThatWasSentBringsTheOtherRowsEditsAlong(_ place: Place) async throws {
    let rows = try Rows(place)
    let posted = try rows.main.insert(Person.self)
    posted.uid = 5
    posted.name = "sent"
    let sent = SentEdits(of: posted, posted._$state.model.all)
    let listed = try await rows.respond(Person.self, [uid: .integer(5), name: .text("sent")])
    try await rows.store.edit(listed) {
      $0.name = "edited since"
      $0.age = 3
    }
    _ = try await rows.store.core.unit { try sent.acknowledge(on: $0) }
    try rows.main.merge()
    sent.settle(posted)
    try await rows.main.save()
    #expect(posted.name == "edited since")
    #expect(posted.age == 3)
    #expect(try rows.edited(posted.entityID) == ["name", "age"])
  }

  @Test(arguments: Place.allCases)
  func anAnswerToARequestOfTheOtherObjectAcknowledgesItsEdits(_ place: Place) async throws {
    let rows = try Rows(place)
    let listed = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list")])
    let object = try #require(try rows.main.object(listed))
    (object.name, object.email) = ("sent", "sent@x")
    try await rows.main.save()
    let sent = SentEdits(of: object, object._$state.model.all)
    object.email = "later@x"
    let posted = try rows.main.insert(Person.self)
    posted.age = 3
    try await rows.main.save()
    _ = try await rows.respond(Person.self, pk: posted.entityID.pk, [uid: .integer(5)])
    try rows.main.merge()
    #expect(try rows.edited(posted.entityID) == ["name", "email", "age"])
    _ = try await rows.store.core.unit { try sent.acknowledge(on: $0) }
    sent.settle(object)
    try rows.main.merge()
    #expect(posted.name == "sent")
    #expect(posted.email == "later@x")
    #expect(try rows.edited(posted.entityID) == ["email", "age"])
  }

  @Test(arguments: Place.allCases)
  func aUniqueValueGoesToTheRowThatSurvives(_ place: Place) async throws {
    let rows = try Rows(place, [Kinds.self])
    let columns = Kinds.columns
    _ = try await rows.respond(
      Kinds.self,
      [
        columns.uid.index: .integer(5), columns.maybeURL.index: .text("https://a.example"),
        columns.maybeTier.index: .integer(10),
      ])
    let posted = try rows.main.insert(Kinds.self)
    posted.maybeTier = .low
    try await rows.main.save()
    _ = try await rows.respond(Kinds.self, pk: posted.entityID.pk, [columns.uid.index: .integer(5)])
    try rows.main.merge()
    #expect(posted.maybeURL?.absoluteString == "https://a.example")
    #expect(posted.maybeTier == .low)
  }

  @Test(arguments: Place.allCases)
  func aLinkToTheOtherObjectIsOneToItself(_ place: Place) async throws {
    let rows = try Rows(place)
    let listed = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list")])
    let main = rows.main
    let posted = try main.insert(Person.self)
    posted.boss = try main.object(listed)
    let other = try main.upsert(Person.self, uid: 6)
    let theirs = try await rows.respond(Person.self, [uid: .integer(6), name: .text("other")])
    other.boss = try main.object(theirs)
    try await main.save()
    #expect(other.boss === other)
    _ = try await rows.respond(Person.self, pk: posted.entityID.pk, [uid: .integer(5)])
    try main.merge()
    #expect(posted.boss === posted)
    #expect(try await rows.store.read { try $0.fetch(Person.all).map { $0.boss === $0 } } == [true, true])
  }

  // MARK: Unsaved edits

  @Test(arguments: Place.allCases, [false, true])
  func unsavedEditsOfTheOtherObjectFollow(_ place: Place, isMerged: Bool) async throws {
    let rows = try Rows(place)
    let main = rows.main
    let id = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list")])
    let listed = try #require(try main.object(id))
    let posted = try main.insert(Person.self)
    posted.age = 1
    try await main.save()
    listed.name = "unsaved"
    listed.email = "unsaved@x"
    listed.age = 2
    posted.email = "mine@x"
    _ = try await rows.respond(Person.self, pk: posted.entityID.pk, [uid: .integer(5), name: .text("answer")])
    if isMerged {
      try rows.store.mergeMain()
      #expect(posted.name == "unsaved")
      #expect(posted.email == "mine@x")
      #expect(posted.age == 2)
      #expect(try main.fetch(Person.where { $0.name == "unsaved" }) == [posted])
      #expect(listed.isDeleted)
      #expect(!listed.hasChanges)
    }
    try await main.save()
    #expect(listed.isDeleted)
    #expect(listed.forwardedTo == posted.entityID)
    #expect(posted.name == "unsaved")
    #expect(posted.email == "mine@x")
    #expect(posted.age == 2)
    #expect(try rows.edited(posted.entityID) == ["name", "email", "age"])
    let read = try await rows.store.read { try $0.fetch(Person.all).map { "\($0.name) \($0.email ?? "-") \($0.age)" } }
    #expect(read == ["unsaved mine@x 2"])
  }

  @Test(arguments: Place.allCases)
  func oneSaveMayEditBothRowsOfAMeeting(_ place: Place) async throws {
    let rows = try Rows(place)
    let made = try await rows.store.background { context in
      let person = try context.insert(Person.self)
      person.name = "made"
      return person.entityID
    }
    let listed = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list"), age: .integer(4)])
    try await rows.store.background { context in
      let (made, listed) = try (#require(try context.object(made)), #require(try context.object(listed)))
      made.uid = 5
      made.age = 1
      listed.age = 2
      listed.email = "listed@x"
    }
    let person = try #require(try rows.main.object(made))
    #expect(person.name == "made")
    #expect(person.age == 1)
    #expect(person.email == "listed@x")
    #expect(try rows.edited(made) == ["uid", "name", "age", "email"])
  }

  // MARK: Lists

  @Test(arguments: Place.allCases, [false, true])
  func aListHasThePairsOfBothRowsButThoseThatWereTakenOut(_ place: Place, isOwn: Bool) async throws {
    let rows = try Rows(place, ManyToManyTests.blog)
    let ids = try await rows.store.background { context in
      let writer = try context.insert(Writer.self)
      writer.uid = 1
      let articles = try (1...2).map { _ in try context.insert(Article.self) }
      for article in articles { article.author = writer }
      articles[0].uid = 7
      let tags = try ["a", "b", "c", "d"].map { uid in
        let tag = try context.insert(Tag.self)
        tag.uid = uid
        return tag
      }
      articles[0].tags = Array(tags[0...2])
      articles[1].tags = [tags[0], tags[3]]
      return articles.map(\.entityID)
    }
    let tags = Article.columns.tags.index
    // The server knows both lists.
    try await rows.store.core.unit { rows in
      let model = try rows.schema.model(Article.self)
      guard case .manyToMany(let membership, _) = model.properties[tags].kind else { return }
      for id in ids { try rows.endMarks(membership, of: id.pk) }
    }
    try await rows.store.background { context in
      let article = try #require(try context.object(ids[isOwn ? 1 : 0]))
      try article.remove(try #require(try context.fetch(Tag.self, uid: "a")), from: \.tags)
    }
    _ = try await rows.respond(Article.self, pk: ids[1].pk, [Article.columns.uid.index: .integer(7)])
    let article = try #require(try rows.main.object(ids[1]))
    #expect(article.tags.map(\.uid).sorted() == ["b", "c", "d"])
    #expect(try rows.edited(ids[1]).contains("tags"))
  }

  @Test(arguments: Place.allCases, [false, true])
  func anUnsavedListOfTheOtherObjectFollows(_ place: Place, isMerged: Bool) async throws {
    let rows = try Rows(place, ManyToManyTests.blog)
    let main = rows.main
    let writer = try main.insert(Writer.self)
    writer.uid = 1
    let articles = try (1...2).map { _ in try main.insert(Article.self) }
    for article in articles { article.author = writer }
    articles[0].uid = 7
    let tags = try ["a", "b", "c"].map { try main.upsert(Tag.self, uid: $0) }
    articles[0].tags = [tags[0]]
    try await main.save()
    articles[0].tags = [tags[1], tags[2]]
    _ = try await rows.respond(
      Article.self, pk: articles[1].entityID.pk, [Article.columns.uid.index: .integer(7)])
    if isMerged {
      try main.merge()
      #expect(articles[1].tags.map(\.uid).sorted() == ["b", "c"])
    }
    try await main.save()
    #expect(articles[0].isDeleted)
    #expect(articles[1].tags.map(\.uid).sorted() == ["b", "c"])
    #expect(try rows.edited(articles[1].entityID).contains("tags"))
    #expect(try await rows.store.read { try $0.fetch(Article.self, uid: 7)?.tags.map(\.uid).sorted() } == ["b", "c"])
  }

  // MARK: Objects without uid

  @Test(arguments: Place.allCases, 0..<4)
  func partsAreThoseOfTheRowWhereTheyWereEdited(_ place: Place, edited: Int) async throws {
    let (isOwnEdited, areTheirsEdited) = (edited & 1 == 1, edited & 2 == 2)
    let rows = try Rows(place)
    let note = (text: Note.columns.text.index, person: Note.columns.person.index)
    let listed = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list")])
    let posted = try rows.main.insert(Person.self)
    posted.name = "posted"
    try await rows.main.save()
    let theirs = try await rows.respond(Note.self, [note.text: .text("theirs"), note.person: .integer(listed.pk)])
    let own = try await rows.respond(
      Note.self, [note.text: .text("own"), note.person: .integer(posted.entityID.pk)])
    try await rows.store.background { context in
      if areTheirsEdited { try #require(try context.object(theirs)).rank = 1 }
      if isOwnEdited { try #require(try context.object(own)).rank = 1 }
    }
    _ = try await rows.respond(Person.self, pk: posted.entityID.pk, [uid: .integer(5)])
    try rows.main.merge()
    let expected = (isOwnEdited || !areTheirsEdited ? ["own"] : []) + (areTheirsEdited ? ["theirs"] : [])
    #expect(posted.notes.map(\.text).sorted() == expected)
    #expect(try rows.count("Note") == Int64(expected.count))
  }

  @Test(arguments: Place.allCases, 0..<4)
  func thePartThatNoRowHasAnyMoreGoes(_ place: Place, edited: Int) async throws {
    let (isOwnEdited, areTheirsEdited) = (edited & 1 == 1, edited & 2 == 2)
    let rows = try Rows(place, [Host.self, Room.self])
    let columns = Host.columns
    let (mine, other) = try await (
      rows.respond(Room.self, [Room.columns.city.index: .text("own")]),
      rows.respond(Room.self, [Room.columns.city.index: .text("theirs")])
    )
    _ = try await rows.respond(Host.self, [columns.uid.index: .integer(5), columns.room.index: .integer(other.pk)])
    let posted = try await rows.respond(Host.self, [columns.room.index: .integer(mine.pk)])
    try await rows.store.background { context in
      if areTheirsEdited { try #require(try context.object(other)).city = "theirs, edited" }
      if isOwnEdited { try #require(try context.object(mine)).city = "own, edited" }
    }
    _ = try await rows.respond(Host.self, pk: posted.pk, [columns.uid.index: .integer(5)])
    let host = try #require(try rows.main.object(posted))
    let expected = isOwnEdited ? "own, edited" : areTheirsEdited ? "theirs, edited" : "own"
    #expect(host.room?.city == expected)
    #expect(try rows.count("Room") == 1)
  }

  // MARK: Objects made here

  @Test(arguments: Place.allCases)
  func aNewObjectWithTheUIDOfAnotherOneIsRefused(_ place: Place) async throws {
    let rows = try Rows(place)
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

  @Test(arguments: Place.allCases)
  func upsertTakesTheObjectThatIsThere(_ place: Place) async throws {
    let rows = try Rows(place)
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

  @Test(arguments: Place.allCases)
  func anUpsertedObjectTakesOverARowThatCameSince(_ place: Place) async throws {
    let rows = try Rows(place)
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

  @Test(arguments: Place.allCases)
  func aPlaceholderGivesWay(_ place: Place) async throws {
    let rows = try Rows(place)
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

  @Test(arguments: Place.allCases)
  func aPlaceholderOfTheMainContextThatAListFilledIsFilled(_ place: Place) async throws {
    let rows = try Rows(place)
    let main = rows.main
    // Made for a link in the main context, and not saved before a list has the object.
    let model = try main.core.schema.model(Person.self)
    let made = try #require(try main.insert(model, isPlaceholder: true) as? Person)
    main.updating(made, .keepingEdits, newer: ColumnMask()) { made.uid = 5 }
    _ = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list")])
    try await main.save()
    #expect(made.name == "list")
    #expect(!made.isPlaceholder)
    #expect(try main.fetch(Person.self, uid: 5) === made)
  }
}
