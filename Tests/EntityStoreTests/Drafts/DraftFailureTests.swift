import TestSchema
import Testing

@testable import EntityStore

/// Saves of drafts that SQLite fails midway.
@MainActor
struct DraftFailureTests {
  private static let entities = TestStore.people + TestStore.blog + Mix.world

  /// The part of a context that a user sees.
  private func view(_ context: EntityContext) throws -> [String] {
    var lines: [String] = ["changes \(context.hasChanges)"]
    let changes = context.changes
    for (kind, objects) in [
      ("inserted", changes.inserted), ("changed", changes.changed), ("deleted", changes.deleted),
    ] {
      for object in objects { lines.append("\(kind) \(object._$state.id): \(changes.properties(of: object))") }
    }
    for person in try context.fetch(Person.self) {
      lines.append(
        "\(person.entityID) \(person.name) \(person.age) boss \(person.boss?.uid ?? 0) team \(person.team?.uid ?? "-")"
          + " reports \(person.reports.map(\.uid)) pending \(person.pendingColumns.names)")
    }
    for article in try context.fetch(Article.self) {
      lines.append("article \(article.uid): \(article.tags.map(\.uid)) by \(article.author.uid) \(article.hasChanges)")
    }
    for tag in try context.fetch(Tag.self) { lines.append("tag \(tag.uid): \(tag.articles.map(\.uid))") }
    for mix in try context.fetch(Mix.self) {
      lines.append("mix \(mix.number): \(MixList.tunes.read(mix)) \(MixList.remarks.read(mix)) \(mix.hasChanges)")
    }
    for tune in try context.fetch(Tune.self) { lines.append("tune \(tune.number): \(tune.mixes.map(\.number))") }
    for remark in try context.fetch(Remark.self) { lines.append("remark \(remark.number): \(remark.mix?.number ?? 0)") }
    return lines
  }

  @MainActor
  private struct World {
    let test: TestStore
    let main: EntityContext
    var people: [Person] = []
    var articles: [Article] = []
    var tags: [Tag] = []
    var teams: [Team] = []
    var mixes: [Mix] = []

    init(_ place: Place) throws {
      test = try TestStore(place, DraftFailureTests.entities)
      main = test.store.main
      people = try (1...6).map { uid in
        let person = try main.insert(Person.self)
        (person.uid, person.name, person.age) = (uid, "p\(uid)", 30)
        return person
      }
      people[5].boss = people[4]
      let writer = try main.insert(Writer.self)
      writer.uid = 1
      tags = try ["a", "b", "c", "d"].map { uid in
        let tag = try main.insert(Tag.self)
        tag.uid = uid
        return tag
      }
      articles = try (1...3).map { uid in
        let article = try main.insert(Article.self)
        (article.uid, article.author) = (uid, writer)
        article.tags = [tags[0], tags[1]]
        return article
      }
      teams = try ["x", "y"].map { uid in
        let team = try main.insert(Team.self)
        team.uid = uid
        return team
      }
      mixes = try (1...2).map { number in
        let mix = try main.insert(Mix.self)
        mix.number = number
        return mix
      }
      try MixList.tunes.set(mixes[0], [1, 2, 3, 4])
      try MixList.tunes.set(mixes[1], [4, 5])
      try MixList.remarks.set(mixes[0], [1, 2, 3])
      try main.save()
      // Changes of its own, which the draft changes in its turn.
      people[0].email = "main@example.com"
      people[1].age = 31
      people.append(try main.insert(Person.self))
      people.append(try main.insert(Person.self))
      (people[6].uid, people[7].uid) = (7, 8)
      people[1].boss = people[7]
      try main.delete(people[3])
      try articles[0].add(tags[2], to: \.tags)
      try articles[1].remove(tags[0], from: \.tags)
      articles[2].tags = [tags[3]]
      try MixList.tunes.set(mixes[0], [4, 1, 2, 3])
    }

    func edit(_ draft: EntityContext) throws {
      func copy<E: ManagedEntity>(_ object: E) throws -> E { try #require(try draft.object(object.entityID)) }
      let people = try [0, 1, 2, 4, 5, 6, 7].map { try copy(self.people[$0]) }
      people[0].name = "draft"
      (people[1].age, people[1].name) = (32, "draft")
      // As in the row: the parent's edit ends.
      try copy(self.people[0]).email = nil
      people[2].team = try copy(teams[0])
      let new = try draft.insert(Person.self)
      (new.uid, new.boss) = (9, people[5])
      people[2].boss = new
      try draft.delete(people[3])
      try draft.delete(people[6])
      let gone = try draft.insert(Team.self)
      people[4].team = gone
      try draft.delete(gone)
      let tags = try self.tags.map { try copy($0) }
      let articles = try self.articles.map { try copy($0) }
      articles[0].tags = [tags[1], tags[3]]
      try articles[1].add(tags[0], to: \.tags)
      try articles[1].add(tags[3], to: \.tags)
      try articles[2].remove(tags[3], from: \.tags)
      try tags[1].remove(articles[2], from: \.articles)
      try MixList.tunes.set(try copy(mixes[0]), [3, 5, 4, 1])
      try MixList.tunes.add(6, to: try copy(mixes[1]))
      try MixList.remarks.set(try copy(mixes[0]), [3, 1, 4, 2])
    }
  }

  @Test(arguments: Place.usual)
  func `a save that fails at any step leaves the parent and the draft as they were`(_ place: Place) async throws {
    let world = try World(place)
    let draft = try world.main.child()
    try world.edit(draft)
    let (before, mine) = (try view(world.main), try view(draft))
    var (steps, failures) = (0, 0)
    while true {
      let failure = StepFailure(after: steps)
      var error: (any Error)?
      failure.run(on: world.main.connection) {
        do { try draft.saving.saveNow(.mine) } catch let thrown { error = thrown }
      }
      // Once all is taken, the end of the read may fail without any harm.
      guard let thrown = error else { break }
      failures += 1
      guard failure.hasHappened, (thrown as? StoreError)?.kind == .sqlite else { throw thrown }
      for (context, known) in [(world.main, before), (draft, mine)] {
        let now = try view(context)
        guard now != known else { continue }
        Issue.record("step \(steps): \(now.filter { !known.contains($0) }), not \(known.filter { !now.contains($0) })")
        return
      }
      steps += 1 + steps / 20
      await Task.yield()
    }
    #expect(failures > 50)
    #expect(!draft.hasChanges)
    try world.main.saveAtOnce()
    let other = try World(place)
    let unbroken = try other.main.child()
    try other.edit(unbroken)
    try unbroken.saving.saveNow(.mine)
    try other.main.saveAtOnce()
    func text(_ context: EntityContext) throws -> [String] {
      // The row ids differ.
      try view(context).map { $0.hasPrefix("Person") ? String($0.drop { $0 != " " }) : $0 }
    }
    #expect(try text(world.main) == text(other.main))
  }

  @Test(arguments: Place.usual)
  func `the edits that a draft ended in its parent are back when its save fails`(_ place: Place) throws {
    let shop = try TagShop(place)
    let (article, tags) = (shop.articles[0], shop.tags)
    article.tags = [tags[0]]
    try shop.main.save()
    shop.main.conflictPolicy = .fail
    article.title = "main"
    article.tags = [tags[1]]
    let draft = try shop.main.edit(article)
    draft.object.title = ""
    try draft.object.add(try #require(try draft.context.object(tags[2].entityID)), to: \.tags)
    var steps = 0
    while article.title != "" {
      let failure = StepFailure(after: steps)
      var hasFailed = false
      failure.run(on: shop.main.connection) {
        do { try draft.save() } catch { hasFailed = true }
      }
      if hasFailed {
        #expect(article.title == "main")
        #expect(article.tags.map(\.uid) == ["b"])
        #expect(draft.object.tags.map(\.uid) == ["b", "c"])
        #expect(shop.main.changes.properties(of: article) == ["title", "tags"])
      }
      steps += 7
    }
    #expect(article.tags.map(\.uid) == ["b", "c"])
    #expect(shop.main.changes.properties(of: article) == ["tags"])
  }
}
