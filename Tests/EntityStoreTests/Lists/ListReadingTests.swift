import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// The cost of reading to-many relationships: of members that a context has, and of parts of a list that it has not read.
@MainActor struct ListReadingTests {
  private func filled(_ place: Place, _ count: Int) async throws -> TestStore {
    let test = try TestStore(place, TestStore.people + TestStore.blog + Mix.world)
    try await test.store.background(as: .server) { context in
      let boss = try context.insert(Person.self)
      boss.uid = 0
      for uid in 1...count {
        let person = try context.insert(Person.self)
        (person.uid, person.name, person.boss) = (uid, "n\(uid)", boss)
      }
    }
    return test
  }

  /// Where the members of an array lie in memory.
  private func place<T>(_ members: [T]) -> UnsafeRawPointer? { members.withUnsafeBytes { $0.baseAddress } }

  @Test(arguments: Place.usual)
  func `a list whose members are there costs neither statement nor array`(_ place: Place) async throws {
    let test = try await filled(place, 5_000)
    let main = test.store.main
    let boss = try #require(try main.fetch(Person.self, uid: 0))
    let work = WorkCounter(on: main.connection)
    main.resetStatistics()
    let reports = boss.reports
    #expect(reports.count == 5_000)
    let first = work.total
    for round in 0..<200 {
      #expect(boss.reports.count == 5_000)
      #expect(!boss.reports.isEmpty)
      #expect(boss.reports.first === reports[0])
      // A table by index.
      #expect(boss.reports[round] === reports[round])
      #expect(try boss.count(of: \.reports) == 5_000)
      #expect(try boss.first(of: \.reports) === reports[0])
      #expect(try !boss.isEmpty(of: \.reports))
    }
    #expect(work.total == first)
    #expect(main.statistics.lists == 1)
    #expect(self.place(boss.reports) == self.place(reports))
    // A change of a member that decides on no list leaves it.
    reports[7].name = "new"
    #expect(self.place(boss.reports) == self.place(reports))
    #expect(work.total == first)
    // It is read again after a commit.
    try await test.store.background(as: .server) { context in
      try context.delete(try #require(try context.fetch(Person.self, uid: 1)))
    }
    #expect(boss.reports.count == 4_999)
    #expect(main.statistics.lists == 2)
  }

  @Test(arguments: Place.usual)
  func `a part of a list is read without the other parts`(_ place: Place) async throws {
    var costs: [[Int]] = []
    for count in [50, 3_200] {
      let test = try await filled(place, count)
      let main = test.store.main
      let boss = try #require(try main.fetch(Person.self, uid: 0))
      let work = WorkCounter(on: main.connection)
      let objects = main.loaded.objects[boss._$state.model.number].count
      main.resetStatistics()
      var (isEmpty, first) = (true, Person?.none)
      costs.append([
        try work.work { isEmpty = try boss.isEmpty(of: \.reports) },
        try work.work { first = try boss.first(of: \.reports) },
      ])
      #expect(!isEmpty)
      #expect(first?.uid == 1)
      #expect(try boss.count(of: \.reports) == count)
      #expect(main.statistics.lists == 3)
      #expect(main.statistics.relationships == ["Person.reports": 3])
      // The first one alone is an object.
      #expect(main.loaded.objects[boss._$state.model.number].count == objects + 1)
    }
    #expect(costs[0] == costs[1])
  }

  @Test(arguments: Place.usual)
  func `parts of a list count unsaved changes`(_ place: Place) async throws {
    let test = try await filled(place, 3)
    let main = test.store.main
    let boss = try #require(try main.fetch(Person.self, uid: 0))
    func agree(_ count: Int, _ first: Int?) throws {
      #expect(try boss.count(of: \.reports) == count)
      #expect(try boss.isEmpty(of: \.reports) == (count == 0))
      #expect(try boss.first(of: \.reports)?.uid == first)
    }
    for readsAll in [false, true] {
      if readsAll { #expect(boss.reports.count == 3) }
      try agree(3, 1)
      let new = try main.insert(Person.self)
      (new.uid, new.boss) = (9, boss)
      // The main context has made it: its row id is lower than those of the unit.
      try agree(4, 9)
      try main.delete(try #require(try main.fetch(Person.self, uid: 1)))
      try agree(3, 9)
      try #require(try main.fetch(Person.self, uid: 2)).boss = nil
      try agree(2, 9)
      if readsAll { #expect(boss.reports.map(\.uid) == [9, 3]) }
      main.rollback()
      try agree(3, 1)
    }
    // In a child, a unit, a read and a loose object.
    let child = try main.child()
    let copy = try #require(try child.object(boss.entityID))
    #expect(try copy.count(of: \.reports) == 3)
    #expect(copy.reports.count == 3)
    try #require(try main.fetch(Person.self, uid: 2)).boss = nil
    #expect(try copy.count(of: \.reports) == 2)
    #expect(copy.reports.map(\.uid) == [1, 3])
    main.rollback()
    let id = boss.entityID
    await #expect(throws: CancellationError.self) {
      try await test.store.background { context in
        let boss = try #require(try context.object(id))
        #expect(try boss.count(of: \.reports) == 3)
        #expect(boss.reports.count == 3)
        try context.delete(boss.reports[0])
        #expect(try boss.count(of: \.reports) == 2)
        #expect(boss.reports.map(\.uid) == [2, 3])
        throw CancellationError()
      }
    }
    #expect(try await test.store.read { try $0.object(id)?.first(of: \.reports)?.uid } == 1)
    let loose = Person()
    #expect(try loose.isEmpty(of: \.reports))
    loose.reports = [Person(), Person()]
    #expect(try loose.count(of: \.reports) == 2)
    #expect(try loose.first(of: \.reports) === loose.reports[0])
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `parts of ordered lists are in their order`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    #expect(try list.first(shop.mix) == 1)
    #expect(try list.count(shop.mix) == 5)
    try await shop.others { $0.reverse() }
    #expect(try list.first(shop.mix) == 5)
    try list.edit(shop.mix) { $0.swapAt(0, 1) }
    #expect(try list.first(shop.mix) == 4)
    #expect(shop.numbers.first == 4)
    #expect(try list.first(shop.mix) == 4)
    try list.deleteFirst(of: shop.mix)
    #expect(try list.first(shop.mix) == 5)
    #expect(try list.count(shop.mix) == 4)
  }

  /// A list is held as a prefetch is: until the next merge, and by the context alone.
  @Test(arguments: Place.usual)
  func `lists that were read go with the next commit`(_ place: Place) async throws {
    let test = try await filled(place, 20)
    try await test.store.background(as: .server) { context in
      let writer = try context.insert(Writer.self)
      let tags = try (0..<10).map { number in
        let tag = try context.insert(Tag.self)
        tag.uid = "\(number)"
        return tag
      }
      for uid in 0..<10 {
        let article = try context.insert(Article.self)
        (article.uid, article.author, article.tags) = (uid, writer, tags)
      }
    }
    let main = test.store.main
    let gone = Gone()
    do {
      // Circles: each of the lists holds the objects that have the others.
      for article in try main.fetch(Article.self) {
        for tag in article.tags { gone.watch(tag.articles + [article]) }
        gone.watch(article.tags)
      }
      let boss = try #require(try main.fetch(Person.self, uid: 0))
      gone.watch(boss.reports + [boss])
    }
    try await test.store.background(as: .server) { try $0.fetch(Tag.self)[0].name = "new" }
    try main.merging.merge()
    #expect(gone.left == 0)
    #expect(gone.count > 200)
  }

  @Test(arguments: Place.usual)
  func `lists are released with their store and with a unit`(_ place: Place) async throws {
    let gone = Gone()
    do {
      let test = try await filled(place, 20)
      let boss = try #require(try test.store.main.fetch(Person.self, uid: 0))
      gone.watch(boss.reports + [boss])
      gone.watch(boss.reports.flatMap(\.reports))
      try await test.store.background { context in
        let boss = try #require(try context.fetch(Person.self, uid: 0))
        gone.watch(boss.reports + boss.reports.compactMap(\.boss))
      }
    }
    #expect(gone.count > 20)
    // The turn of a unit, or a merge, may hold a context for a moment.
    while gone.left > 0 { await Task.yield() }
  }

  /// An object that nobody else holds would be made anew for each read.
  @Test func `a loose list that is read again is the same array`() {
    let boss = Person()
    for _ in 0..<50 { boss.reports.append(Person()) }
    let reports = boss.reports
    #expect(reports.count == 50)
    #expect(place(boss.reports) == place(reports))
    #expect(boss.reports[7] === reports[7])
    // Each change of the list, from either side, is seen.
    reports[3].boss = nil
    #expect(boss.reports.count == 49)
    let other = Person()
    other.boss = boss
    #expect(boss.reports.last === other)
    try? boss.remove(other, from: \.reports)
    #expect(boss.reports.count == 49)
    other.reports = [boss.reports[0]]
    #expect(boss.reports.count == 48)
    #expect(boss.reports.allSatisfy { $0.boss === boss })
  }

  @Test func `loose lists that lead back to one another end`() throws {
    let gone = Gone()
    do {
      let (articles, tags) = ((0..<3).map { _ in Article() }, (0..<3).map { _ in Tag() })
      for article in articles { article.tags = tags }
      for tag in tags { gone.watch(tag.articles) }
      for article in articles { gone.watch(article.tags) }
      let node = Person()
      node.reports = [Person(), node]
      gone.watch(node.reports)
      for person in node.reports { gone.watch(person.reports) }
    }
    #expect(gone.left == 0)
    let test = try TestStore(.memory, TestStore.people)
    do {
      let node = try test.store.main.insert(Person())
      node.uid = 1
      let loose = (0..<3).map { _ in Person() }
      loose[0].reports = [loose[1], loose[2]]
      gone.watch(loose[0].reports)
      node.reports = [loose[0]]
      #expect(loose[0].reports.count == 2)
      test.store.main.rollback()
    }
    #expect(gone.left == 0)
  }

  /// A loop over all objects does not hold all that it has read.
  @Test func `a loop holds only the last lists that it read`() async throws {
    let test = try TestStore(.memory, TestStore.people)
    try await test.store.background(as: .server) { context in
      for uid in 0..<1_000 {
        let boss = try context.insert(Person.self)
        boss.uid = uid
        for _ in 0..<60 { try context.insert(Note.self).person = boss }
      }
    }
    let main = test.store.main
    let people = try main.fetch(Person.self)
    for person in people { #expect(person.notes.count == 60) }
    #expect(main.loaded.prefetched.count <= 2 * 16_384)
    // And the last list whole, however long it is.
    main.resetStatistics()
    for person in people.suffix(100) { #expect(person.notes.count == 60) }
    #expect(main.statistics.lists == 0)
  }
}

extension MixList {
  fileprivate func first(_ mix: Mix) throws -> Int? {
    switch self {
    case .tunes: try mix.first(of: \.tunes)?.number
    case .remarks: try mix.first(of: \.remarks)?.number
    case .verses: try mix.first(of: \.verses)?.number
    }
  }

  fileprivate func count(_ mix: Mix) throws -> Int {
    switch self {
    case .tunes: try mix.count(of: \.tunes)
    case .remarks: try mix.count(of: \.remarks)
    case .verses: try mix.count(of: \.verses)
    }
  }

  fileprivate func deleteFirst(of mix: Mix) throws {
    guard let context = mix.entityContext else { return }
    switch self {
    case .tunes: try context.delete(mix.tunes[0])
    case .remarks: try context.delete(mix.remarks[0])
    case .verses: try context.delete(mix.verses[0])
    }
  }
}

/// Objects that should be gone.
///
/// `@unchecked Sendable`: one test has it, and waits for each of its parts before it begins the next one, so no two of them
/// reach it at once.
final class Gone: @unchecked Sendable {
  private struct Box {
    weak var object: AnyObject?
  }

  private var boxes: [Box] = []

  var count: Int { boxes.count }
  var left: Int { boxes.count { $0.object != nil } }

  func watch(_ objects: [some AnyObject]) { boxes += objects.map { Box(object: $0) } }
}
