import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The facts about objects with pending changes, from which a plan follows.
@MainActor struct PendingFactsTests {
  /// The facts as texts: kind, object, properties, links and former targets, in the order of the numbers.
  private func texts(_ store: EntityStore, of keys: Set<RowKey>? = nil) async throws -> [String] {
    let schema = store.core.schema
    let facts = try await store.read { try $0.pendingEdits.outboxFacts(of: keys) }
    #expect(facts.allSatisfy { $0.key == $0.value.key })
    // A unit has the same facts.
    let ofUnit = try await store.core.unit { try $0.outbox.facts(of: keys) }
    #expect(ofUnit == facts)
    let first = facts.values.map(\.number).min() ?? 0
    func name(_ key: RowKey) -> String {
      let found = try? store.main.connection.rows(
        "SELECT \(schema.entities[key.entity].uid.map { schema.entities[key.entity].properties[$0].name } ?? "NULL") "
          + "FROM \(schema.entities[key.entity].table) WHERE _pk = ?", [.integer(key.pk)]
      ) { $0.text(0) }
      let uid = found.map { $0.first.map { $0 ?? "new" } ?? "gone" } ?? "?"
      return "\(schema.entities[key.entity].name) \(uid)"
    }
    return facts.values.sorted { ($0.number, $0.key.entity, $0.key.pk) < ($1.number, $1.key.entity, $1.key.pk) }.map {
      facts in
      let properties = schema.entities[facts.key.entity].properties
      let links = facts.links.map {
        "\(properties[$0.property].name)\($0.isRequired ? "!" : "")=\(name($0.target))"
      }
      return "\(facts.number - first) \(facts.kind) \(name(facts.key)) uid \(facts.uid ?? "-") "
        + "\(facts.edited.indices.map { properties[$0].name }) \(links)"
        + (facts.formerTargets.isEmpty ? "" : " was \(facts.formerTargets.map(name))")
        + (facts.cause == nil ? "" : " caused")
    }
  }

  private func blog(_ place: Place) async throws -> TestStore {
    let test = try TestStore(place, TestStore.blog)
    try await test.store.background(as: .server) { context in
      let writers = try (1...3).map { uid in
        let writer = try context.insert(Writer.self)
        writer.uid = uid
        return writer
      }
      let tags = try ["a", "b", "c"].map { uid in
        let tag = try context.insert(Tag.self)
        tag.uid = uid
        return tag
      }
      for uid in 1...2 {
        let article = try context.insert(Article.self)
        (article.uid, article.author, article.reviewer) = (uid, writers[0], writers[1])
        article.tags = Array(tags.prefix(2))
      }
    }
    return test
  }

  @Test(arguments: Place.usual)
  func `an edit has the links that it names, and the objects that it named before`(_ place: Place) async throws {
    let test = try await blog(place)
    let (store, main) = (test.store, test.store.main)
    #expect(try await texts(store) == [])
    let articles = try main.fetch(Article.all.sorted(by: \.uid))
    let writers = try main.fetch(Writer.all.sorted(by: \.uid))
    let tags = try main.fetch(Tag.all.sorted(by: \.uid))
    articles[0].title = "mine"
    try await main.save()
    (articles[1].author, articles[1].reviewer) = (writers[2], nil)
    articles[1].tags = [tags[1], tags[2]]
    try await main.save()
    #expect(
      try await texts(store) == [
        #"0 edit Article 1 uid 1 ["title"] []"#,
        #"1 edit Article 2 uid 2 ["author", "reviewer", "tags"] ["author!=Writer 3", "tags=Tag c"] "#
          + #"was ["Writer 1", "Writer 2", "Tag a"]"#,
      ])
    articles[0].length = 7
    try await main.save()
    #expect(try await texts(store).last == #"1 edit Article 1 uid 1 ["title", "length"] []"#)
    #expect(
      try await texts(store, of: [test.key(articles[0].entityID)]) == [
        #"0 edit Article 1 uid 1 ["title", "length"] []"#
      ])
    #expect(try await texts(store, of: [test.key(writers[0].entityID)]) == [])
    #expect(try await texts(store, of: []) == [])
  }

  @Test(arguments: Place.usual)
  func `an object that was made here has all its links`(_ place: Place) async throws {
    let test = try await blog(place)
    let (store, main) = (test.store, test.store.main)
    let writer = try main.insert(Writer.self)
    writer.name = "new"
    let tag = try main.insert(Tag.self)
    tag.uid = "mine"
    try await main.save()
    let article = try main.insert(Article.self)
    (article.title, article.author, article.parent) = ("new", writer, article)
    article.tags = [tag, try #require(try main.fetch(Tag.self, uid: "a"))]
    writer.friends = [try #require(try main.fetch(Writer.self, uid: 1))]
    try await main.save()
    let found = try await texts(store)
    #expect(
      found == [
        #"0 insert Tag mine uid mine ["uid"] ["articles=Article new"]"#,
        #"1 insert Writer new uid - ["name", "friends"] ["friends=Writer 1"]"#,
        #"1 insert Article new uid - ["title", "author", "tags", "parent"] "#
          + #"["author!=Writer new", "parent=Article new", "tags=Tag mine", "tags=Tag a"]"#,
      ])
  }

  @Test(arguments: Place.usual)
  func `a deletion has its uid, and the object that took it along`(_ place: Place) async throws {
    let test = try await blog(place)
    let (store, main) = (test.store, test.store.main)
    let article = try #require(try main.fetch(Article.self, uid: 1))
    article.title = "edited before"
    try await main.save()
    try main.delete(article)
    try await main.save()
    #expect(try await texts(store) == ["0 deletion Article gone uid 1 [] []"])
    #expect(try await texts(store, of: [test.key(article.entityID)]).count == 1)
    let other = try TestStore(place, Album.world)
    try await other.store.background(as: .server) { try $0.insert(Album.self).uid = 1 }
    try await other.store.core.unit { rows in
      let model = try rows.schema.model(Album.self)
      try rows.edits.leaveTombstone(model, 98, .integer(6))
      for (pk, cause) in [(99, 98), (100, 5)] {
        try rows.edits.leaveTombstone(model, Int64(pk), .integer(Int64(pk)), cause: Int64(cause))
      }
    }
    // The last one names a deletion that is not noted: it is sent by itself.
    #expect(
      try await texts(other.store) == [
        "0 deletion Album gone uid 6 [] []", "0 deletion Album gone uid 99 [] [] caused",
        "0 deletion Album gone uid 100 [] []",
      ])
  }

  @Test(arguments: Place.usual)
  func `the edits of embedded objects are those of the object that they are sent with`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let (store, main) = (test.store, test.store.main)
    let (ada, bob) = (try test.person(1), try test.person(2))
    let note = try main.insert(Note.self)
    note.person = ada
    try await main.save()
    #expect(try await texts(store) == [#"0 edit Person 1 uid 1 ["notes"] []"#])
    bob.name = "mine"
    try await main.save()
    note.text = "again"
    try await main.save()
    let own = #"0 edit Person 1 uid 1 ["notes"] []"#
    #expect(try await texts(store) == [#"0 edit Person 2 uid 2 ["name"] []"#, "1" + own.dropFirst()])
    for key in [try test.key(note.entityID), try test.key(ada.entityID)] {
      #expect(try await texts(store, of: [key]) == [own])
    }
    // Another parent: the server has the note with the first one.
    try await store.pending.acknowledgeAll()
    #expect(try await texts(store) == [])
    note.person = bob
    try await main.save()
    #expect(
      try await texts(store) == [
        #"0 edit Person 1 uid 1 ["notes"] []"#, #"0 edit Person 2 uid 2 ["notes"] [] was ["Person 1"]"#,
      ])
    try await store.pending.acknowledgeAll()
    try main.delete(note)
    try await main.save()
    // The deletion of an embedded object is no edit of the list.
    #expect(try await texts(store) == [])
    let loose = try main.insert(Note.self)
    try await main.save()
    #expect(try await texts(store, of: [test.key(loose.entityID)]) == ["0 insert Note new uid - [] []"])
  }

  @Test(arguments: Place.usual)
  func `embedded objects of embedded objects belong to the outermost one`(_ place: Place) async throws {
    let test = try TestStore(place, Album.world + Binder.world)
    let (store, main) = (test.store, test.store.main)
    // A list of pairs leads to the tracks.
    let id = try await store.background(as: .server) { context in
      let album = try context.insert(Album.self)
      album.uid = 1
      try album.add(try context.insert(Track.self), to: \.tracks)
      let shelf = try context.insert(Shelf.self)
      shelf.uid = 3
      try shelf.add(album, to: \.albums)
      return album.entityID
    }
    let album = try #require(try main.object(id))
    let track = try #require(album.tracks.first)
    track.title = "mine"
    try await main.save()
    let text = #"0 edit Album 1 uid 1 ["tracks"] []"#
    #expect(try await texts(store) == [text])
    #expect(try await texts(store, of: [test.key(id)]) == [text])
    #expect(try await texts(store, of: [test.key(track.entityID)]) == [text])
    try await store.pending.acknowledgeAll()
    // A binder has no uid either. Its pages, and the frames of these, are sent with it.
    let binder = try main.insert(Binder.self)
    let page = try main.insert(Page.self)
    page.binder = binder
    page.frame = try main.insert(Frame.self)
    let second = try main.insert(Page.self)
    (second.binder, second.twin, second.frame) = (binder, page, page.frame)
    try await main.save()
    #expect(try await texts(store) == [#"0 insert Binder new uid - ["pages"] []"#])
    page.frame.color = "red"
    try await main.save()
    for id in [try test.key(page.frame.entityID), try test.key(page.entityID), try test.key(binder.entityID)] {
      let facts = try await store.read { try $0.pendingEdits.outboxFacts(of: [id]) }
      #expect(facts.count == 1)
      #expect(facts[try test.key(binder.entityID)]?.kind == .insert)
      let generation = try await store.read { try $0.connection.generation() }
      #expect(facts.values.first?.number == generation)
    }
  }

  @Test(arguments: Place.usual)
  func `a list in an order names the members that came into it here`(_ place: Place) async throws {
    let test = try TestStore(place, Mix.world)
    let (store, main) = (test.store, test.store.main)
    try await store.background(as: .server) { context in
      let mix = try context.insert(Mix.self)
      mix.number = 1
      for number in 1...2 {
        let remark = try context.insert(Remark.self)
        (remark.number, remark.mix) = (number, mix)
      }
    }
    let mix = try #require(try main.fetch(Mix.self, uid: 1))
    let new = try main.insert(Remark.self)
    new.text = "new"
    mix.remarks = [new] + mix.remarks
    try await main.save()
    #expect(
      try await texts(store) == [
        #"0 edit Mix 1 uid 1 ["remarks"] ["remarks=Remark new"]"#,
        #"0 insert Remark new uid - ["text", "mix"] ["mix=Mix 1"]"#,
      ])
  }

  @Test(arguments: Place.usual)
  func `the facts of an object are its part of all facts`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place, (1...20).map { "P\($0)" })
    let (store, main) = (test.store, test.store.main)
    var random = SystemRandomNumberGenerator()
    for _ in 0..<30 {
      let people = try main.fetch(Person.all)
      let person = try #require(people.randomElement(using: &random))
      switch Int.random(in: 0..<7, using: &random) {
      case 0: person.age += 1
      case 1: person.boss = people.randomElement(using: &random)
      case 2: try main.insert(Note.self).person = person
      case 3: try main.fetch(Note.all).randomElement(using: &random)?.person = person
      case 4: if people.count > 5 { try main.delete(person) }
      case 5: person.team = try main.insert(Team.self)
      default: try main.insert(Person.self).boss = person
      }
      try await main.save()
      let all = try await store.read { try $0.pendingEdits.outboxFacts() }
      let changes = try await store.pending.changes()
      #expect(Set(all.keys) == Set(try changes.map { try #require(key($0, store.core.schema)) }))
      for (key, facts) in all {
        let own = try await store.read { try $0.pendingEdits.outboxFacts(of: [key]) }
        #expect(own == [key: facts])
      }
    }
  }

  private func key(_ change: PendingChange, _ schema: SchemaModel) -> RowKey? {
    guard let parent = change.parent else { return change.key }
    return schema.entity(ofTable: parent.entityName).map { RowKey(entity: $0.number, pk: parent.pk) }
  }

  /// The limit is that of a debug build on a machine with other work. An optimized build takes a tenth of it.
  @Test func `the facts of 10,000 objects take one query for each entity`() async throws {
    let test = try TestStore(.memory)
    try await test.store.background { context in
      let team = try context.insert(Team.self)
      for number in 0..<10_000 {
        let person = try context.insert(Person.self)
        (person.name, person.team) = ("P\(number)", team)
      }
    }
    let (count, time) = try await test.store.read { context in
      let start = ContinuousClock.now
      return (try context.pendingEdits.outboxFacts().count, start.duration(to: .now))
    }
    #expect(count == 10_001)
    #expect(time < .seconds(5), "\(time)")
  }
}
