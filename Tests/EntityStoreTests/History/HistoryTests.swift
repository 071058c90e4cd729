import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The log has what each commit changed, and whose commit it is.
struct HistoryTests {
  @Test(arguments: Place.usual)
  func `a commit has its author and its changes`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    let ada = try await test.store.addPerson(1, "Ada")
    let bob = try await test.store.addPerson(2, "Bob")
    let before = Date()
    let token = try await test.history.token()
    let cid = try await test.store.background { context in
      try context.object(ada)?.name = "Eve"
      try context.object(ada)?.age = 3
      try context.object(bob).map { try context.delete($0) }
      let cid = try context.insert(Person.self)
      cid.uid = 3
      return cid.entityID
    }
    let commits = try await test.history.commits(after: token)
    let commit = try #require(commits.first)
    #expect(commits.count == 1)
    #expect(commit.author == "app")
    #expect(commit.generation == 3)
    #expect(commit.date.timeIntervalSince(before) > -1)
    #expect(commit.entityNames == ["Person"])
    let people = commit.changes(of: Person.self)
    #expect(people.inserted == [cid])
    #expect(people.updated.map(\.id) == [ada])
    #expect(people.updated.first?.columns.contains(\.name) == true)
    #expect(people.updated.map(\.columns.names) == [["name", "age"]])
    #expect(people.deleted == [.init(id: bob, uid: "2", survivor: nil)])
    #expect(commit.changes(of: Note.self).isEmpty)
    #expect(commit.changes(of: Town.self).isEmpty)
    #expect(commit.token == commits.token)
  }

  @Test(arguments: Place.usual)
  func `a related list that changes is named once`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    let ada = try await test.store.addPerson(1)
    let token = try await test.history.token()
    try await test.store.background { context in
      for _ in 0..<5 { try context.insert(Note.self).person = try context.object(ada) }
    }
    let commit = try #require(try await test.history.commits(after: token).first)
    #expect(commit.changes(of: Note.self).inserted.count == 5)
    #expect(commit.changes(of: Person.self).updated.map(\.columns.names) == [["notes"]])
    let lines = try await test.store.read {
      try $0.connection.rows("SELECT count(*) FROM \(HistoryTables.changes) WHERE kind = 1") { $0.int64(0) }
    }
    #expect(lines == [1])
  }

  @Test(arguments: Place.usual) @MainActor
  func `an author is chosen for a unit and for a context`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    try await test.store.background { context in
      context.author = "import"
      try context.insert(Person.self).uid = 1
    }
    test.store.main.author = "form"
    try test.store.main.insert(Person.self).uid = 2
    try test.store.main.saveAtOnce()
    try test.store.main.insert(Person.self).uid = 3
    try await test.store.main.save()
    try await test.store.addPerson(4)
    #expect(try await test.history.commits().map(\.author) == ["import", "form", "form", "app"])
  }

  @Test(arguments: Place.usual)
  func `a filter passes over the commits of others`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    for (uid, author) in ["a", "b", "a", "c"].enumerated() {
      try await test.store.background { context in
        context.author = author
        try context.insert(Person.self).uid = uid
      }
    }
    let own = try await test.history.commits(by: .only(["a"]))
    #expect(own.map(\.generation) == [1, 3])
    // The place is after those that were passed over.
    #expect(own.token == (try await test.history.token()))
    #expect(try await test.history.commits(by: .except(["a", "c"])).map(\.author) == ["b"])
    let first = try await test.history.commits(by: .only(["a"]), limit: 1)
    #expect(first.map(\.generation) == [1])
    #expect(try await test.history.commits(after: first.token).map(\.author) == ["b", "a", "c"])
    #expect(try await test.history.commits(after: own.token).isEmpty)
  }

  @Test(arguments: Place.usual)
  func `a unit that fails leaves no line`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    try await test.store.addPerson(1)
    await #expect(throws: CancellationError.self) {
      try await test.store.background { context in
        try context.insert(Person.self).uid = 2
        try context.save()
        throw CancellationError()
      }
    }
    try await test.store.addPerson(3)
    let commits = try await test.history.commits()
    #expect(commits.map(\.generation) == [1, 2])
    #expect(commits.map { $0.changes(of: Person.self).text } == ["1 [] []", "1 [] []"])
  }

  @Test(arguments: Place.usual)
  func `changes that were undone leave no line`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    let ada = try await test.store.addPerson(1)
    let token = try await test.history.token()
    try await test.store.background { context in
      let person = try #require(try context.object(ada))
      person.age = 1
      try context.save()
      // Sent to the transaction by the query, and taken back.
      person.name = "undone"
      let extra = try context.insert(Person.self)
      extra.uid = 7
      #expect(try context.count(Person.all) == 2)
      context.rollback()
      person.email = "kept"
    }
    let commit = try #require(try await test.history.commits(after: token).first)
    #expect(commit.changes(of: Person.self).text == #"0 ["email+age"] []"#)
  }

  @Test(arguments: Place.usual)
  func `a transaction that makes no commit leaves no line`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    let ada = try await test.store.addPerson(1)
    try await test.store.core.unit { rows in
      // Told of, and not written.
      rows.tell(try rows.schema.model(Person.self), ada.pk, .updated, ColumnMask(1), isDirect: false)
    }
    try await test.store.edit(ada) { $0.age = 2 }
    let commits = try await test.history.commits()
    #expect(commits.map { $0.changes(of: Person.self).text } == ["1 [] []", #"0 ["age"] []"#])
  }

  @Test(arguments: Place.usual) @MainActor
  func `an object that turns out to be another object names it`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    let listed = try await test.store.background(as: .server) { context in
      let person = try context.insert(Person.self)
      person.uid = 5
      return person.entityID
    }
    let token = try await test.history.token()
    let posted = try await test.store.background { context in
      let person = try context.upsert(Person.self, uid: 5)
      person.name = "mine"
      return person.entityID
    }
    // `upsert` finds the row; a new row that gets its uid by an answer takes it in.
    #expect(posted == listed)
    let new = try await test.store.background { try $0.insert(Person.self).entityID }
    try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row[Person.columns.uid.index] = .integer(5)
      _ = try rows.write(model, pk: new.pk, row, .response(.keepingEdits, newer: ColumnMask()))
    }
    let commits = try await test.history.commits(after: token)
    #expect(commits.map { $0.changes(of: Person.self).inserted.count } == [0, 1, 0])
    #expect(
      commits.last?.changes(of: Person.self).deleted == [.init(id: listed, uid: "5", survivor: new)])
  }

  @Test(arguments: Place.usual) @MainActor
  func `an object that never had a row is no news`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    try await test.store.addPerson(1)
    let token = try await test.history.token()
    let person = try test.store.main.insert(Person.self)
    person.uid = 2
    try test.store.main.insert(Note.self).person = person
    try test.store.main.delete(person)
    try test.store.main.insert(Person.self).uid = 3
    try await test.store.main.save()
    let commit = try #require(try await test.history.commits(after: token).first)
    #expect(commit.changes(of: Person.self).text == "1 [] []")
  }

  @Test(arguments: Place.usual)
  func `a file without a history has no lines`(_ place: Place) async throws {
    let test = try HistoryStore(place, nil)
    try await test.store.addPerson(1)
    #expect(try await test.history.policy() == .off)
    #expect(await asyncErrorKind { _ = try await test.history.token() } == .historyGone)
    #expect(await asyncErrorKind { _ = try await test.history.commits() } == .historyGone)
    let lines = try await test.store.read { context in
      try [HistoryTables.commits, HistoryTables.changes].flatMap {
        try context.connection.rows("SELECT count(*) FROM \($0)") { $0.int64(0) }
      }
    }
    #expect(lines == [0, 0])
  }

  /// The uid goes to another object in the same save.
  @Test(arguments: Place.usual)
  @MainActor func `the history of a deleted object has its uid although another object got that uid`(_ place: Place)
    async throws
  {
    let test = try HistoryStore(place)
    let main = test.store.main
    let first = try main.insert(Person.self)
    first.uid = 5
    try await main.save()
    let token = try await test.history.token()
    let id = first.entityID
    try main.delete(first)
    try main.insert(Person.self).uid = 5
    try await main.save()
    let commits = try await test.history.commits(after: token)
    #expect(commits.last?.changes(of: Person.self).deleted.map(\.uid) == ["5"])
    #expect(commits.last?.changes(of: Person.self).deleted.map(\.id) == [id])
  }
}
