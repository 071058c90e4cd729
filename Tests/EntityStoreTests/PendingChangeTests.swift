import EntityStore
import Foundation
import Testing

@testable import EntityStore

/// Saved changes that the server has not acknowledged.
@MainActor struct PendingChangeTests {
  /// A store with persons that the server knows.
  private func people(_ place: Place, _ names: [String] = ["Ada", "Bob"]) async throws -> TestStore {
    let test = try TestStore(place)
    try await test.store.background(as: .server) { context in
      for (index, name) in names.enumerated() {
        let person = try context.insert(Person.self)
        (person.uid, person.name, person.email) = (index + 1, name, "\(name)@example.com")
      }
    }
    return test
  }

  private func person(_ uid: Int, in test: TestStore) throws -> Person {
    try #require(try test.store.main.fetch(Person.self, uid: uid))
  }

  private func texts(_ test: TestStore) async throws -> [String] {
    try await test.store.pending.changes().map(\.description)
  }

  @Test(arguments: Place.allCases)
  func anEditHasTheValueBeforeItTheValueAndTheTime(_ place: Place) async throws {
    let test = try await people(place)
    #expect(try await test.store.pending.changes().isEmpty)
    let ada = try person(1, in: test)
    let begin = Date().addingTimeInterval(-1)
    ada.name = "one"
    try await test.store.main.save()
    let first = try #require(try await test.store.pending.changes(of: Person.self).first)
    ada.name = "two"
    ada.age = 36
    ada.email = nil
    try await test.store.main.save()
    let changes = try await test.store.pending.changes()
    #expect(changes.count == 1)
    let change = try #require(changes.first)
    #expect(change.kind == .edit)
    #expect(change.entity == "Person")
    #expect(change.uid == "1")
    #expect(change.id(as: Person.self) == ada.entityID)
    #expect(change.id(as: Team.self) == nil)
    #expect(change.edits.map(\.property) == ["name", "email", "age"])
    #expect(
      change.edits.map(\.base) == [
        .attribute(.text("Ada")), .attribute(.text("Ada@example.com")), .attribute(.integer(0)),
      ])
    #expect(change.edits.map(\.value) == [.attribute(.text("two")), .attribute(.null), .attribute(.integer(36))])
    #expect(change.edit(of: \Person.Columns.email)?.base?.as(String.self) == "Ada@example.com")
    #expect(change.edit(of: \Person.Columns.score) == nil)
    let times = try change.edits.map { try #require($0.time) }
    #expect(times.allSatisfy { $0 > begin && $0 < Date().addingTimeInterval(1) })
    #expect(try #require(first.time) <= times[0])
    #expect(change.time == times.max())
    #expect(try await test.store.pending.count() == 1)
    #expect(try await test.store.pending.changes(of: Team.self).isEmpty)
    #expect(ada.pendingColumns.names == ["name", "email", "age"])
    #expect(ada.pendingColumns.contains(\.email))
    #expect(!ada.pendingColumns.contains(\.score))
    #expect(try test.store.main.count(Person.where { $0.hasPendingChanges }) == 1)
    #expect(try test.store.main.pendingChanges() == changes)
  }

  @Test(arguments: Place.allCases)
  func anInsertIsPendingUntilTheServerHasIt(_ place: Place) async throws {
    let test = try await people(place)
    let main = test.store.main
    let new = try main.insert(Person.self)
    new.name = "Cid"
    #expect(try await test.store.pending.count() == 0)
    try await main.save()
    #expect(!new.hasUID)
    #expect(try main.fetch(Person.where { !$0.hasUID }) == [new])
    var change = try #require(try await test.store.pending.changes().first)
    #expect(change.kind == .insert)
    #expect(change.uid == nil)
    #expect(change.time != nil)
    #expect(change.edits.map(\.property) == ["name"])
    #expect(change.edits.map(\.base) == [nil])
    // An object with nothing set is one too, and a uid that the app gives.
    let empty = try main.insert(Person.self)
    let named = try main.insert(Team.self)
    named.uid = "red"
    try await main.save()
    #expect(try await test.store.pending.changes().map(\.kind) == [.insert, .insert, .insert])
    #expect(named.hasUID)
    #expect(!empty.hasUID)
    new.age = 3
    try await main.save()
    change = try #require(try await test.store.pending.changes(of: Person.self).first)
    #expect(change.edits.map(\.property) == ["name", "age"])
    // An answer that has it.
    let id = new.entityID
    try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row[Person.columns.uid.index] = .integer(9)
      row[Person.columns.age.index] = .integer(4)
      _ = try rows.write(model, pk: id.pk, row, .response(.keepingEdits, newer: ColumnMask()))
    }
    change = try #require(try await test.store.pending.changes(of: Person.self).first { $0.uid == "9" })
    #expect(change.kind == .edit)
    #expect(change.edits.map(\.property) == ["name", "age"])
    #expect(change.edits.map(\.base) == [nil, nil])
    #expect(new.hasUID)
    try await test.store.pending.acknowledge(new.entityID)
    #expect(try await test.store.pending.changes(of: Person.self).map(\.id) == [empty.entityID.untyped])
    try await test.store.pending.acknowledgeAll()
    #expect(try await test.store.pending.count() == 0)
    #expect(try main.count(Person.where { $0.hasPendingChanges }) == 0)
  }

  @Test(arguments: Place.allCases)
  func anUnsentUIDReadsAsWhatItIs(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    let seen = Watcher { _ = person.hasUID }
    #expect(person.uid == 0)
    #expect(!person.hasUID)
    #expect(try main.fetch(Person.where { !$0.hasUID }) == [person])
    person.uid = 7
    #expect(person.hasUID)
    #expect(seen.fired)
    #expect(try main.count(Person.where { $0.hasUID }) == 1)
    #expect(try !main.insert(Note.self).hasUID)
    try await main.save()
    #expect(try main.count(Note.where { $0.hasUID }) == 0)
  }

  @Test(arguments: Place.allCases)
  func aDeletionIsPendingWhereTheServerHasTheObject(_ place: Place) async throws {
    let test = try await people(place)
    let main = test.store.main
    let (ada, bob) = (try person(1, in: test), try person(2, in: test))
    let new = try main.insert(Person.self)
    let note = try main.insert(Note.self)
    note.person = ada
    try await main.save()
    for object in [ada, new] { try main.delete(object) }
    try await main.save()
    let changes = try await test.store.pending.changes()
    #expect(changes.map(\.description) == ["Person 1: it was deleted here"])
    #expect(changes.first?.time != nil)
    #expect(changes.first?.id == ada.entityID.untyped)
    // A unit's deletions too; the server's own are none.
    let id = bob.entityID
    try await test.store.background { try $0.delete(try #require(try $0.object(id))) }
    #expect(try await texts(test) == ["Person 1: it was deleted here", "Person 2: it was deleted here"])
    let third = try await test.store.background(as: .server) { context in
      let person = try context.insert(Person.self)
      person.uid = 3
      return person.entityID
    }
    try await test.store.background(as: .server) { try $0.delete(try #require(try $0.object(third))) }
    #expect(try await test.store.pending.count() == 2)
    // The object is there again.
    let again = try main.upsert(Person.self, uid: 1)
    again.name = "Ada"
    try await main.save()
    #expect(try await test.store.pending.changes().map(\.kind) == [.deletion, .edit])
    try await test.store.pending.discardAll()
    #expect(try await test.store.pending.count() == 0)
  }

  @Test(arguments: Place.allCases)
  func aNewObjectInThePlaceOfADeletedOneIsTheSameToTheServer(_ place: Place) async throws {
    let test = try await people(place)
    let main = test.store.main
    try main.delete(try person(1, in: test))
    let again = try main.insert(Person.self)
    again.uid = 1
    try await main.save()
    #expect(try await test.store.pending.changes().map(\.kind) == [.edit])
  }

  @Test(arguments: Place.allCases)
  func discardedEditsAreAsTheServerLastSaid(_ place: Place) async throws {
    let test = try await people(place)
    let main = test.store.main
    let (ada, bob) = (try person(1, in: test), try person(2, in: test))
    (ada.name, ada.age, ada.boss) = ("one", 1, bob)
    bob.name = "two"
    try await main.save()
    let seen = Watcher { _ = ada.name }
    try await test.store.pending.discard(ada.entityID, \.name)
    try test.store.mergeMain()
    #expect(seen.fired)
    #expect(ada.name == "Ada")
    #expect(!ada.hasChanges)
    #expect(ada.pendingColumns.names == ["age", "boss"])
    #expect(bob.reports == [ada])
    // Unsaved changes stay, as with any commit.
    ada.age = 2
    let change = try #require(try await test.store.pending.changes().first { $0.uid == "1" })
    try await test.store.pending.discard(change)
    try test.store.mergeMain()
    #expect(ada.age == 2)
    #expect(ada.boss == nil)
    #expect(bob.reports == [])
    main.rollback()
    #expect(ada.age == 0)
    try await test.store.pending.discard(bob.entityID)
    try test.store.mergeMain()
    #expect(bob.name == "Bob")
    #expect(try await test.store.pending.count() == 0)
  }

  @Test(arguments: Place.allCases)
  func discardedInsertsGo(_ place: Place) async throws {
    let test = try await people(place)
    let main = test.store.main
    let new = try main.insert(Person.self)
    let note = try main.insert(Note.self)
    note.person = new
    let ada = try person(1, in: test)
    ada.boss = new
    try await main.save()
    try await test.store.pending.discard(new.entityID)
    try test.store.mergeMain()
    #expect(new.isDeleted)
    #expect(note.isDeleted)
    #expect(ada.boss == nil)
    #expect(try await texts(test) == ["Person 1: boss was edited"])
    try await test.store.pending.discardAll()
    #expect(try await test.store.pending.count() == 0)
  }

  @Test(arguments: Place.allCases)
  func acknowledgedEditsKeepTheirValues(_ place: Place) async throws {
    let test = try await people(place)
    let ada = try person(1, in: test)
    (ada.name, ada.age) = ("one", 1)
    try await test.store.main.save()
    try await test.store.pending.acknowledge(ada.entityID, \.name)
    try test.store.mergeMain()
    #expect(ada.pendingColumns.names == ["age"])
    #expect(try await test.store.pending.changes().map { $0.edits.map(\.property) } == [["age"]])
    try await test.store.pending.acknowledge(try #require(try await test.store.pending.changes().first))
    try test.store.mergeMain()
    #expect(ada.pendingColumns.isEmpty)
    #expect((ada.name, ada.age) == ("one", 1))
    // The next edit begins anew.
    ada.name = "two"
    try await test.store.main.save()
    #expect(try await test.store.pending.changes().first?.edits.first?.base == .attribute(.text("one")))
  }

  @Test(arguments: Place.allCases)
  func editsOfAListNameItsPairs(_ place: Place) async throws {
    let test = try TestStore(place, ManyToManyTests.blog)
    try await test.store.background(as: .server) { context in
      let writer = try context.insert(Writer.self)
      writer.uid = 1
      let tags = try ["a", "b", "c"].map { uid in
        let tag = try context.insert(Tag.self)
        tag.uid = uid
        return tag
      }
      let article = try context.insert(Article.self)
      (article.uid, article.author, article.tags) = (1, writer, Array(tags.prefix(2)))
    }
    #expect(try await test.store.pending.count() == 0)
    let main = test.store.main
    let article = try #require(try main.fetch(Article.self, uid: 1))
    let tags = try main.fetch(Tag.all.sorted(by: \.uid))
    article.tags = [tags[1], tags[2]]
    try await main.save()
    let change = try #require(try await test.store.pending.changes().first)
    #expect(change.edits.map(\.property) == ["tags"])
    let edit = try #require(change.edits.first)
    #expect(edit.base == .list([tags[0], tags[1]].map(\.entityID.untyped)))
    #expect(edit.value == .list([tags[1], tags[2]].map(\.entityID.untyped)))
    #expect(edit.added == [tags[2].entityID.untyped])
    #expect(edit.removed == [tags[0].entityID.untyped])
    #expect(edit.time != nil)
    try await test.store.pending.discard(article.entityID, \.tags)
    try test.store.mergeMain()
    #expect(article.tags == [tags[0], tags[1]])
    #expect(try await test.store.pending.count() == 0)
    try article.remove(tags[0], from: \.tags)
    try article.add(tags[2], to: \.tags)
    try await main.save()
    try await test.store.pending.acknowledge(article.entityID)
    try test.store.mergeMain()
    #expect(article.tags == [tags[1], tags[2]])
    #expect(try await test.store.pending.count() == 0)
    #expect(try main.connection.rows("SELECT 1 FROM main.\"Article,tags,removed\"") { _ in true }.isEmpty)
    let marked = "SELECT 1 FROM main.\"Article,tags\" WHERE _edited NOT NULL"
    #expect(try main.connection.rows(marked) { _ in true }.isEmpty)
    // A server's unit marks no pair.
    let (id, ids) = (article.entityID, tags.map(\.entityID))
    try await test.store.background(as: .server) { context in
      let article = try #require(try context.object(id))
      article.tags = try context.objects([ids[0]])
    }
    #expect(try await test.store.pending.count() == 0)
    #expect(article.tags == [tags[0]])
  }

  @Test(arguments: Place.allCases)
  func aUnitOfTheServersEndsTheEditsThatItSets(_ place: Place) async throws {
    let test = try await people(place)
    let ada = try person(1, in: test)
    (ada.name, ada.age) = ("mine", 1)
    try await test.store.main.save()
    let id = ada.entityID
    try await test.store.background(as: .server) { try #require(try $0.object(id)).name = "theirs" }
    try test.store.mergeMain()
    #expect(ada.name == "theirs")
    #expect(try await test.store.pending.changes().map { $0.edits.map(\.property) } == [["age"]])
  }

  @Test(arguments: Place.allCases)
  func aUnitThatFailsLeavesNoNotes(_ place: Place) async throws {
    let test = try await people(place)
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      try await test.store.background { context in
        let people = try context.fetch(Person.all.sorted(by: \.uid))
        people[0].name = "x"
        try context.delete(people[1])
        _ = try context.insert(Person.self)
        #expect(try context.pendingChanges().map(\.kind).count == 3)
        throw Stop()
      }
    }
    #expect(try await test.store.pending.count() == 0)
    // What was rolled back within a unit neither.
    try await test.store.background { context in
      let people = try context.fetch(Person.all.sorted(by: \.uid))
      people[0].name = "x"
      try context.delete(people[1])
      #expect(try context.pendingCount() == 2)
      context.rollback()
      people[0].age = 5
    }
    #expect(try await texts(test) == ["Person 1: age was edited"])
  }

  @Test(arguments: Place.allCases)
  func twoRowsThatTurnOutToBeOneHaveTheNotesOfBoth(_ place: Place) async throws {
    let test = try await people(place)
    let main = test.store.main
    let (ada, bob) = (try person(1, in: test), try person(2, in: test))
    (ada.name, ada.age) = ("mine", 1)
    bob.boss = ada
    try await main.save()
    bob.boss = nil
    try await main.save()
    try await test.store.pending.acknowledge(bob.entityID)
    bob.boss = ada
    try await main.save()
    try await test.store.pending.acknowledge(bob.entityID)
    bob.boss = nil
    try await main.save()
    let id = try await test.store.background { context in
      let new = try context.insert(Person.self)
      new.name = "posted"
      try context.save()
      new.uid = 1
      return new.entityID
    }
    try test.store.mergeMain()
    let changes = try await test.store.pending.changes()
    let new = try #require(changes.first { $0.id == id.untyped })
    #expect(new.kind == .edit)
    #expect(new.edits.map(\.property) == ["uid", "name", "age"])
    // The name before is the one that the server said of the object that it turned out to be.
    #expect(new.edits.map(\.base) == [nil, .attribute(.text("Ada")), .attribute(.integer(0))])
    let other = try #require(changes.first { $0.uid == "2" })
    #expect(other.edits.map(\.base) == [.object(id.untyped)])
    #expect(changes.count == 2)
    let notes = try main.connection.rows("SELECT pk FROM main._entity_edits") { $0.int64(0) }
    #expect(Set(notes) == [id.pk, bob.entityID.pk])
  }

  @Test func pendingChangesAreOfTheFile() async throws {
    let folder = try TemporaryFolder()
    var kept: [PendingChange] = []
    do {
      let store = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
      let other = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
      try await store.background(as: .server) { context in
        for uid in 1...3 { try context.insert(Person.self).uid = uid }
      }
      try await store.background { context in
        let people = try context.fetch(Person.all.sorted(by: \.uid))
        people[0].name = "x"
        try context.delete(people[1])
      }
      try await other.background { context in
        try #require(try context.fetch(Person.self, uid: 3)).name = "y"
        try context.insert(Person.self).name = "z"
      }
      kept = try await store.pending.changes()
      #expect(kept.map(\.kind) == [.edit, .deletion, .edit, .insert])
      #expect(try await other.pending.changes() == kept)
      try await other.pending.discard(kept[0])
      #expect(try await store.pending.changes() == Array(kept.dropFirst()))
    }
    let store = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
    #expect(try await store.pending.changes() == Array(kept.dropFirst()))
  }

  @Test(arguments: Place.allCases)
  func theSequenceHasEachState(_ place: Place) async throws {
    let test = try await people(place)
    let ada = try person(1, in: test)
    var updates = test.store.pending.updates().makeAsyncIterator()
    #expect(try await updates.next()?.get() == [])
    ada.name = "x"
    try await test.store.main.save()
    #expect(try await updates.next()?.get().map(\.kind) == [.edit])
    try test.store.main.delete(ada)
    try await test.store.main.save()
    let deleted = try #require(try await updates.next()?.get())
    #expect(deleted.map(\.kind) == [.deletion])
    try await test.store.pending.discard(deleted[0])
    #expect(try await updates.next()?.get() == [])
  }

  @Test(arguments: Place.allCases)
  func aStoreIsEmptiedWithoutLosingWhatNobodyKept(_ place: Place) async throws {
    let test = try TestStore(place, ManyToManyTests.blog)
    try await test.store.background { context in
      let article = try context.insert(Article.self)
      let tag = try context.insert(Tag.self)
      (article.uid, article.author, article.tags, tag.uid) = (1, try context.insert(Writer.self), [tag], "a")
    }
    let main = test.store.main
    let article = try #require(try main.fetch(Article.self, uid: 1))
    let author = article.author
    #expect(await asyncErrorKind { try await test.store.reset() } == .pendingChanges)
    #expect(!article.isDeleted)
    try await test.store.reset(discardsPending: true)
    try test.store.mergeMain()
    #expect(try main.count(Article.all) == 0)
    #expect(article.title == "" && article.isDeleted)
    #expect(author.name == "" && author.isDeleted)
    #expect(try await test.store.pending.count() == 0)
    try await test.store.reset()
    let again = try main.insert(Tag.self)
    again.uid = "a"
    try await main.save()
    #expect(try main.count(Tag.all) == 1)
    #expect(again.entityID.pk != article.entityID.pk)
  }

  @Test(arguments: Place.allCases)
  func theChangesAreExportedAsJSON(_ place: Place) async throws {
    let test = try await people(place)
    let (ada, bob) = (try person(1, in: test), try person(2, in: test))
    (ada.name, ada.email, ada.boss) = ("x", nil, bob)
    try await test.store.main.save()
    let text = String(decoding: try await test.store.pending.export(), as: UTF8.self)
    let seconds = /"time":[0-9.]+/
    #expect(
      text.replacing(seconds, with: "\"time\":0")
        == #"{"changes":[{"edits":[{"base":"Ada","property":"name","time":0,"value":"x"},"#
        + #"{"base":"Ada@example.com","property":"email","time":0,"value":null},"#
        + #"{"base":null,"property":"boss","time":0,"value":{"entity":"Person","row":\#(bob.entityID.pk)}}],"#
        + #""entity":"Person","kind":"edit","row":\#(ada.entityID.pk),"time":0,"uid":"1"}],"version":1}"#)
  }

  @Test(arguments: 1...3)
  func editsInAFileOfAnEarlierFormatHaveNoValueBefore(_ format: Int) async throws {
    let folder = try TemporaryFolder()
    let fixture = try #require(
      Bundle.module.url(forResource: "format-\(format)", withExtension: "sqlite", subdirectory: "Fixtures"))
    try FileManager.default.copyItem(at: fixture, to: folder.file)
    let store = try EntityStore(
      .file(folder.file), entities: V1.all, migrations: format < 3 ? [] : [Migration("noted") { _ in }],
      busyTimeout: .ample)
    let change = try #require(try await store.pending.changes().first { $0.entity == "Guest" })
    #expect(change.kind == .edit)
    #expect(change.edits.map(\.property) == ["fullName", "nickname", "age", "perks"])
    #expect(change.edits.dropLast().allSatisfy { $0.base == nil })
    #expect(change.time == nil)
    // Without it the value stays, and the edit ends.
    try await store.pending.discard(change)
    let guest = try await store.read { context in
      let guest = try #require(try context.fetch(V1.Guest.self, uid: 1))
      return "\(guest.fullName) \(guest.age) \(guest.perks.map(\.name).sorted()) \(guest.pendingColumns.names)"
    }
    #expect(guest == "Ada Lovelace 36 \(format == 1 ? [] : ["bar", "gym"]) []")
  }

  // MARK: Observers and live queries

  @Test(arguments: Place.allCases)
  func observersOfPendingColumnsHearOfEditsAndTheirEnd(_ place: Place) async throws {
    let test = try await people(place)
    let ada = try person(1, in: test)
    let seen = Watcher { _ = ada.pendingColumns }
    ada.name = "one"
    #expect(seen.fired)
    try await test.store.main.save()
    try await test.store.pending.acknowledge(ada.entityID)
    try test.store.mergeMain()
    #expect(seen.fired)
    #expect(ada.pendingColumns.isEmpty)
    let id = ada.entityID
    try await test.store.background { try #require(try $0.object(id)).age = 7 }
    try test.store.mergeMain()
    #expect(seen.fired)
    #expect(ada.pendingColumns.names == ["age"])
    #expect(!seen.fired)
  }

  @Test(arguments: Place.allCases)
  func observersHearWhenEditsAreSentAndWhenThatEnds(_ place: Place) async throws {
    let test = try await people(place)
    let ada = try person(1, in: test)
    ada.name = "one"
    let seen = Watcher { _ = ada.isSent }
    let sent = SentEdits(of: ada, ada._$state.model.all)
    #expect(seen.fired)
    #expect(ada.isSent)
    sent.settle(ada)
    #expect(seen.fired)
    #expect(!ada.isSent)
    ada.name = "two"
    let failing = SentEdits(of: ada, ada._$state.model.all)
    #expect(seen.fired)
    failing.end(ada)
    #expect(seen.fired)
    #expect(!ada.isSent)
    #expect(ada.pendingColumns.names == ["name"])
  }

  @Test(arguments: Place.allCases)
  func aLiveQueryForPendingChangesFollowsTheContextsOwnSaves(_ place: Place) async throws {
    let test = try await people(place)
    let live = LiveQuery(Person.where { $0.hasPendingChanges }, in: test.store)
    let unnamed = LiveQuery(Person.where { !$0.hasUID }, in: test.store)
    #expect(live.objects.isEmpty)
    let ada = try person(1, in: test)
    ada.name = "one"
    #expect(live.objects.isEmpty)
    try await test.store.main.save()
    #expect(live.objects == [ada])
    try await test.store.pending.acknowledgeAll()
    #expect(live.objects.isEmpty)
    let new = try test.store.main.insert(Person.self)
    #expect(live.objects.isEmpty)
    #expect(unnamed.objects == [new])
    try await test.store.main.save()
    #expect(live.objects == [new])
    // The end of an insert changes no value.
    try await test.store.pending.acknowledge(new.entityID)
    #expect(live.objects.isEmpty)
    #expect(unnamed.objects == [new])
  }

  // MARK: Deletions

  @Test(arguments: Place.allCases)
  func theDeletionsThatADeleteRuleMadeEndWithTheirCause(_ place: Place) async throws {
    let test = try TestStore(place, [Cellar.self, Bottle.self])
    func fill() async throws {
      try await test.store.background(as: .server) { context in
        for uid in 1...2 {
          let cellar = try context.insert(Cellar.self)
          cellar.uid = uid
          for number in 1...2 {
            let bottle = try context.insert(Bottle.self)
            (bottle.uid, bottle.cellar) = (uid * 10 + number, cellar)
          }
        }
      }
      try await test.store.background { context in
        try context.delete(try #require(try context.fetch(Bottle.self, uid: 11)))
      }
      try await test.store.background { context in
        for cellar in try context.fetch(Cellar.all) { try context.delete(cellar) }
      }
      #expect(try await test.store.pending.count() == 6)
    }
    try await fill()
    let cellars = try await test.store.pending.changes(of: Cellar.self)
    try await test.store.pending.acknowledge(try #require(cellars.first { $0.uid == "2" }))
    #expect(
      try await test.store.pending.changes().map(\.description).sorted() == [
        "Bottle 11: it was deleted here", "Bottle 12: it was deleted here", "Cellar 1: it was deleted here",
      ])
    try await test.store.pending.discard(try #require(cellars.first { $0.uid == "1" }))
    // This one was deleted before, by itself.
    #expect(try await texts(test) == ["Bottle 11: it was deleted here"])
    try await test.store.reset(discardsPending: true)
    try await fill()
    try await test.store.background { _ = try $0.upsert(Cellar.self, uid: 1) }
    #expect(
      try await test.store.pending.changes(of: Bottle.self).map(\.uid).sorted { $0 ?? "" < $1 ?? "" } == [
        "11", "21", "22",
      ])
  }

  @Test(arguments: Place.allCases)
  func aSavedObjectThatGetsTheUIDOfADeletedOneIsKnownToTheServer(_ place: Place) async throws {
    let test = try await people(place)
    let main = test.store.main
    let new = try main.insert(Person.self)
    new.name = "Cid"
    try await main.save()
    try main.delete(try person(1, in: test))
    try await main.save()
    #expect(try await test.store.pending.changes().map(\.kind) == [.insert, .deletion])
    new.uid = 1
    try await main.save()
    #expect(try await test.store.pending.changes().map(\.kind) == [.edit])
    #expect(try await test.store.pending.changes().first?.edits.map(\.property) == ["uid", "name"])
  }

  // MARK: Values before edits

  @Test(arguments: Place.allCases)
  func anObjectThatTurnsOutToBeTheServersHasItsValuesBeforeEditsOfTheSameSave(_ place: Place) async throws {
    let test = try await people(place)
    let id = try await test.store.background { context in
      let new = try context.insert(Person.self)
      try context.save()
      (new.uid, new.name, new.age) = (1, "mine", 5)
      return new.entityID
    }
    let change = try #require(try await test.store.pending.changes().first)
    #expect(change.id == id.untyped)
    #expect(change.kind == .edit)
    #expect(change.edit(of: \Person.Columns.name)?.base == .attribute(.text("Ada")))
    #expect(change.edit(of: \Person.Columns.age)?.base == .attribute(.integer(0)))
    try await test.store.pending.discard(id, \.name)
    #expect(try await test.store.read { try $0.object(id)?.name } == "Ada")
  }

  @Test(arguments: Place.allCases)
  func theTimeOfAListIsThatOfItsLastEdit(_ place: Place) async throws {
    let test = try TestStore(place, ManyToManyTests.blog)
    try await test.store.background(as: .server) { context in
      for uid in ["a", "b"] { try context.insert(Tag.self).uid = uid }
      let article = try context.insert(Article.self)
      (article.uid, article.author) = (1, try context.insert(Writer.self))
    }
    let main = test.store.main
    let article = try #require(try main.fetch(Article.self, uid: 1))
    let tags = try main.fetch(Tag.all.sorted(by: \.uid))
    article.tags = [tags[0]]
    try await main.save()
    try await test.store.core.unit { try $0.connection.execute("UPDATE main._entity_edits SET time = 1") }
    #expect(try await test.store.pending.changes().first?.time == Date(timeIntervalSince1970: 1))
    try article.add(tags[1], to: \.tags)
    try await main.save()
    #expect(try #require(try await test.store.pending.changes().first?.time) > Date(timeIntervalSince1970: 1))
  }

  // MARK: Changes of the server

  @Test(arguments: Place.allCases)
  func aUnitOfTheServersEndsThePairsThatItTakesOut(_ place: Place) async throws {
    let test = try TestStore(place, ManyToManyTests.blog)
    try await test.store.background(as: .server) { context in
      try context.insert(Tag.self).uid = "a"
      let article = try context.insert(Article.self)
      (article.uid, article.author) = (1, try context.insert(Writer.self))
    }
    try await test.store.background { context in
      let tag = try #require(try context.fetch(Tag.self, uid: "a"))
      tag.articles = try context.fetch(Article.all)
    }
    #expect(try await texts(test) == ["Tag a: articles was edited"])
    // Through the list on the other side.
    try await test.store.background(as: .server) { context in
      let article = try #require(try context.fetch(Article.self, uid: 1))
      article.tags = []
      try context.save()
      #expect(try context.fetch(Tag.all).allSatisfy { $0.pendingColumns.isEmpty })
    }
    #expect(try await test.store.pending.count() == 0)
    #expect(try await test.store.read { try $0.count(Tag.where { $0.hasPendingChanges }) } == 0)
  }
}
