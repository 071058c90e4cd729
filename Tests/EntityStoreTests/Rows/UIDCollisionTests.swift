import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Two rows that turn out to be one object: no edit of either is lost.
@MainActor
struct UIDCollisionTests {
  private let uid = Person.columns.uid.index
  private let name = Person.columns.name.index
  private let email = Person.columns.email.index
  private let age = Person.columns.age.index

  // MARK: Edits of both

  @Test(arguments: Place.usual)
  func `an edit of either row stays an edit`(_ place: Place) async throws {
    let rows = try UIDRows(place)
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
    try rows.main.merging.merge()
    #expect(posted.name == "edited here")
    #expect(posted.email == nil)
    #expect(posted.score == 1)
    #expect(posted.age == 40)
    #expect(try rows.edited(id) == ["name", "email", "score"])
    // And the next answer leaves them alone.
    _ = try await rows.respond(Person.self, [uid: .integer(5), email: .text("later@x"), age: .integer(41)])
    try rows.main.merging.merge()
    #expect(posted.email == nil)
    #expect(posted.age == 41)
  }

  @Test(arguments: Place.usual)
  func `an answer that ends edits ends the edits of the other row`(_ place: Place) async throws {
    let rows = try UIDRows(place)
    let listed = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list")])
    try await rows.store.edit(listed) {
      $0.name = "edited"
      $0.age = 3
    }
    let posted = try rows.main.insert(Person.self)
    try await rows.main.save()
    _ = try await rows.respond(
      Person.self, pk: posted.entityID.pk, keepsEdits: false, [uid: .integer(5), name: .text("answer")])
    try rows.main.merging.merge()
    #expect(posted.name == "answer")
    #expect(posted.age == 3)
    #expect(try rows.edited(posted.entityID) == ["age"])
  }

  @Test(arguments: Place.usual)
  func `the answer's value wins over the other row's`(_ place: Place) async throws {
    let rows = try UIDRows(place)
    _ = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list"), age: .integer(40)])
    let posted = try rows.main.insert(Person.self)
    posted.name = "here"
    try await rows.main.save()
    // The same value as the row has already is a word too.
    _ = try await rows.respond(Person.self, pk: posted.entityID.pk, [uid: .integer(5), age: .integer(0)])
    try rows.main.merging.merge()
    #expect(posted.age == 0)
    #expect(posted.name == "here")
  }

  @Test(arguments: Place.usual)
  func `a sent uid takes the other row's edits along`(_ place: Place) async throws {
    let rows = try UIDRows(place)
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
    try rows.main.merging.merge()
    sent.settle(posted)
    try await rows.main.save()
    #expect(posted.name == "edited since")
    #expect(posted.age == 3)
    #expect(try rows.edited(posted.entityID) == ["name", "age"])
  }

  @Test(arguments: Place.usual)
  func `an answer to a request of the other object acknowledges its edits`(_ place: Place) async throws {
    let rows = try UIDRows(place)
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
    try rows.main.merging.merge()
    #expect(try rows.edited(posted.entityID) == ["name", "email", "age"])
    _ = try await rows.store.core.unit { try sent.acknowledge(on: $0) }
    sent.settle(object)
    try rows.main.merging.merge()
    #expect(posted.name == "sent")
    #expect(posted.email == "later@x")
    #expect(try rows.edited(posted.entityID) == ["email", "age"])
  }

  @Test(arguments: Place.usual)
  func `a unique value goes to the row that survives`(_ place: Place) async throws {
    let rows = try UIDRows(place, [Kinds.self])
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
    try rows.main.merging.merge()
    #expect(posted.maybeURL?.absoluteString == "https://a.example")
    #expect(posted.maybeTier == .low)
  }

  @Test(arguments: Place.usual)
  func `a link to a row that becomes the same object leads to the object itself`(_ place: Place) async throws {
    let rows = try UIDRows(place)
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
    try main.merging.merge()
    #expect(posted.boss === posted)
    #expect(try await rows.store.read { try $0.fetch(Person.all).map { $0.boss === $0 } } == [true, true])
  }

  // MARK: Unsaved edits

  @Test(arguments: Place.usual, [false, true])
  func `unsaved edits of the other object follow`(_ place: Place, isMerged: Bool) async throws {
    let rows = try UIDRows(place)
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

  @Test(arguments: Place.usual)
  func `one save may edit both rows that turn out to be one object`(_ place: Place) async throws {
    let rows = try UIDRows(place)
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
}
