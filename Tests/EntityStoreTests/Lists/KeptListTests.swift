import class Foundation.ProcessInfo
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Lists that are set as a whole, again and again: the members that the context keeps, for how long, and the cost.
@MainActor
struct KeptListTests {
  /// The number of SQLite's steps for each of `count` appends to both kinds of lists.
  nonisolated private static func append(_ count: Int, in context: EntityContext) throws -> [[Int]] {
    let counter = WorkCounter(on: context.connection)
    let writer = try #require(try context.fetch(Writer.self).first)
    let article = try #require(try context.fetch(Article.where { $0.uid == 1 }).first)
    let (articles, tags) = (try context.fetch(Article.self), try context.fetch(Tag.self))
    return try [
      articles.map { article in counter.work { writer.reviews.append(article) } },
      tags.map { tag in counter.work { article.tags.append(tag) } },
      // A new one is as cheap: its unsaved values change no list.
      (0..<count).map { number in
        let new = try context.insert(Article.self)
        new.uid = count + 1 + number
        new.author = writer
        return counter.work { writer.reviews.append(new) }
      },
    ]
  }

  private func filled(_ place: Place, _ count: Int) async throws -> TestStore {
    let test = try TestStore(place, TestStore.blog)
    try await test.store.background { context in
      let writer = try context.insert(Writer.self)
      for uid in 1...count {
        let article = try context.insert(Article.self)
        article.uid = uid
        article.author = writer
        try context.insert(Tag.self).uid = "\(uid)"
      }
    }
    return test
  }

  @Test(arguments: Place.usual, [true, false])
  func `an object is appended to a long list as to a short list`(_ place: Place, isInMain: Bool) async throws {
    let test = try await filled(place, 200)
    let costs =
      isInMain
      ? try Self.append(200, in: test.store.main) : try await test.store.background { try Self.append(200, in: $0) }
    for cost in costs {
      // The first ones read the list, to be kept.
      #expect(cost[199] <= cost[10] + 20, "\(cost)")
    }
    if isInMain { try test.store.main.saveAtOnce() }
    let read = try await test.store.read { context in
      [try context.fetch(Writer.self)[0].reviews.count, try context.fetch(Article.where { $0.uid == 1 })[0].tags.count]
    }
    #expect(read == [400, 200])
  }

  @Test(arguments: Place.usual)
  func `many lists that are appended to by turns cost no more than one list`(_ place: Place) async throws {
    let test = try await filled(place, 200)
    let costs = try await test.store.background { context in
      let counter = WorkCounter(on: context.connection)
      let writers = try (2...41).map { uid in
        let writer = try context.insert(Writer.self)
        writer.uid = uid
        return writer
      }
      let articles = try context.fetch(Article.self)
      var costs: [Int] = []
      for round in 0..<5 {
        costs.append(
          writers.enumerated().reduce(0) { cost, writer in
            let article = articles[writer.offset * 5 + round]
            return cost + counter.work { writer.element.reviews.append(article) }
          })
      }
      return costs
    }
    // The first round sets the lists, the second one reads them, to be kept.
    #expect(costs[4] <= costs[2] + 20, "\(costs)")
    #expect(costs[4] * 4 <= costs[1], "\(costs)")
  }

  /// They come into the context one by one, and the list is not read for each.
  @Test(arguments: Place.usual, [true, false])
  func `a loose object is appended to a long list as to a short list`(_ place: Place, isInMain: Bool) async throws {
    let test = try TestStore(place)
    @Sendable func append(in context: EntityContext) throws -> [Int] {
      let counter = WorkCounter(on: context.connection)
      let boss = try context.insert(Person.self)
      boss.uid = 1
      return (0..<400).map { number in
        let person = Person()
        person.uid = number + 2
        return counter.work { boss.reports.append(person) }
      }
    }
    let costs = isInMain ? try append(in: test.store.main) : try await test.store.background { try append(in: $0) }
    if isInMain { try test.store.main.saveAtOnce() }
    #expect(costs[399] <= costs[10] + 20, "\(costs)")
    #expect(try await test.store.read { try $0.fetch(Person.self, uid: 1)?.reports.map(\.uid) } == Array(2...401))
  }

  /// The steps of each append of a new member, one by one; those of loose ones, or of objects of the context.
  nonisolated private static func append(
    _ count: Int, to list: MixList, in context: EntityContext, areLoose: Bool
  ) throws -> [Int] {
    let counter = WorkCounter(on: context.connection)
    let mix = try context.fetch(Mix.self)[0]
    func made<M: Numbered>(_ type: M.Type, _ number: Int) throws -> M {
      let member = areLoose ? M() : try context.insert(M.self)
      member.number = number
      return member
    }
    return try (0..<count).map { number in
      switch list {
      case .tunes:
        let tune = try made(Tune.self, number)
        return counter.work { mix.tunes.append(tune) }
      case .remarks:
        let remark = try made(Remark.self, number)
        return counter.work { mix.remarks.append(remark) }
      case .verses:
        let verse = try made(Verse.self, number)
        return counter.work { mix.verses.append(verse) }
      }
    }
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `an object is appended to a long ordered list as to a short list`(_ place: Place, _ list: MixList) async throws {
    for (isInMain, areLoose) in [(true, false), (true, true), (false, false), (false, true)] {
      let test = try TestStore(place, Mix.world)
      try await test.store.background { try $0.insert(Mix.self).number = 1 }
      let costs =
        isInMain
        ? try Self.append(400, to: list, in: test.store.main, areLoose: areLoose)
        : try await test.store.background { try Self.append(400, to: list, in: $0, areLoose: areLoose) }
      #expect(costs[399] <= costs[10] + 40, "\(isInMain) \(areLoose) \(costs[10]) \(costs[399])")
      if isInMain {
        #expect(list.read(try test.store.main.fetch(Mix.self)[0]) == Array(0..<400))
        try test.store.main.saveAtOnce()
      }
      #expect(try await test.store.read { list.read(try $0.fetch(Mix.self)[0]) } == Array(0..<400))
    }
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `an object is added to a long ordered list as to a short list`(_ place: Place, _ list: MixList) async throws {
    let test = try TestStore(place, Mix.world)
    let costs = try await test.store.background { context in
      let mix = try context.insert(Mix.self)
      mix.number = 1
      return try Self.add(300, to: list, of: mix, from: 0)
    }
    let main = test.store.main
    let mix = try #require(try main.fetch(Mix.self).first)
    let more = try Self.add(300, to: list, of: mix, from: 300)
    // The first one looks for the end of the list.
    #expect(
      costs[299] <= costs[10] + 40 && more[299] <= more[10] + 40, "\(costs[10]) \(costs[299]) \(more[10]) \(more[299])")
    #expect(list.read(mix) == Array(0..<600))
    try main.saveAtOnce()
    #expect(try await test.store.read { list.read(try $0.fetch(Mix.self)[0]) } == Array(0..<600))
  }

  /// The steps of each link from a member's side, of new members or of those that the store has.
  nonisolated private static func enter(
    _ count: Int, _ list: MixList, in context: EntityContext, areNew: Bool
  ) throws -> [Int] {
    let counter = WorkCounter(on: context.connection)
    let mix = try context.fetch(Mix.self)[0]
    func members<M: Numbered>(_ type: M.Type) throws -> [M] {
      guard areNew else { return try context.fetch(M.self).sorted { $0.number < $1.number } }
      return try (0..<count).map { number in
        let member = try context.insert(M.self)
        member.number = number
        return member
      }
    }
    return switch list {
    case .tunes: try members(Tune.self).map { tune in counter.work { tune.mixes.append(mix) } }
    case .remarks: try members(Remark.self).map { remark in counter.work { remark.mix = mix } }
    case .verses: try members(Verse.self).map { verse in counter.work { verse.mix = mix } }
    }
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `an object enters a long ordered list by its own property as a short list`(_ place: Place, _ list: MixList)
    async throws
  {
    for (isInMain, areNew) in [(true, true), (true, false), (false, true), (false, false)] {
      let test = try TestStore(place, Mix.world)
      try await test.store.background { context in
        try context.insert(Mix.self).number = 1
        for number in 0..<400 where !areNew {
          try context.insert(Tune.self).number = number
          try context.insert(Remark.self).number = number
          try context.insert(Verse.self).number = number
        }
      }
      let costs =
        isInMain
        ? try Self.enter(400, list, in: test.store.main, areNew: areNew)
        : try await test.store.background { try Self.enter(400, list, in: $0, areNew: areNew) }
      // The first one looks for the end of the list.
      #expect(
        costs[399] <= costs[10] + 40,
        "main \(isInMain) new \(areNew): \(costs[10]), \(costs[399]), all \(costs.reduce(0, +))")
      if isInMain {
        #expect(list.read(try test.store.main.fetch(Mix.self)[0]) == Array(0..<400))
        try test.store.main.saveAtOnce()
      }
      #expect(try await test.store.read { list.read(try $0.fetch(Mix.self)[0]) } == Array(0..<400))
    }
  }

  @Test(arguments: Place.usual, [true, false])
  func `an object that comes back into an ordered list is its last member`(_ place: Place, isRolledBack: Bool)
    async throws
  {
    let test = try TestStore(place, Mix.world)
    try await test.store.background { context in
      let mix = try context.insert(Mix.self)
      mix.number = 1
      for number in 0..<5 {
        let remark = try context.insert(Remark.self)
        remark.number = number
        if number < 3 { remark.mix = mix }
      }
    }
    let main = test.store.main
    let mix = try #require(try main.fetch(Mix.self).first)
    let remarks = try main.fetch(Remark.self).sorted { $0.number < $1.number }
    mix.remarks = [2, 1, 0].map { remarks[$0] }
    for number in [4, 3] { remarks[number].mix = mix }
    #expect(mix.remarks.map(\.number) == [2, 1, 0, 4, 3])
    func comeBack(_ number: Int) throws {
      if isRolledBack { try main.rollback(remarks[number]) } else { remarks[number].mix = nil }
      remarks[number].mix = mix
    }
    try comeBack(4)
    #expect(mix.remarks.map(\.number) == [2, 1, 0, 3, 4])
    // It was the end of the list.
    try comeBack(4)
    #expect(mix.remarks.map(\.number) == [2, 1, 0, 3, 4])
    // Others put one behind the saved members meanwhile.
    try await test.store.background { context in
      let other = try context.insert(Remark.self)
      (other.number, other.mix) = (9, try context.fetch(Mix.self).first)
    }
    try comeBack(3)
    #expect(mix.remarks.last === remarks[3])
    let order = mix.remarks.map(\.number)
    try main.saveAtOnce()
    #expect(mix.remarks.map(\.number) == order)
    #expect(Set(order) == [0, 1, 2, 3, 4, 9])
  }

  nonisolated private static func add(_ count: Int, to list: MixList, of mix: Mix, from first: Int) throws -> [Int] {
    let context = try #require(mix.entityContext)
    let counter = WorkCounter(on: context.connection)
    func add<M: Numbered>(_ number: Int, _ members: KeyPath<Mix, [M]>) throws -> Int {
      let member = try context.insert(M.self)
      member.number = number
      return try counter.work { try mix.add(member, to: members) }
    }
    return try (first..<first + count).map { number in
      switch list {
      case .tunes: try add(number, \.tunes)
      case .remarks: try add(number, \.remarks)
      case .verses: try add(number, \.verses)
      }
    }
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `an ordered list that is appended to has its order after other edits`(_ place: Place, _ list: MixList)
    async throws
  {
    let shop = try await MixShop(place, list)
    let (main, mix) = (shop.main, shop.mix)
    for number in 10...13 { try list.edit(mix) { $0.append(number) } }
    #expect(list.read(mix) == [1, 2, 3, 4, 5, 10, 11, 12, 13])
    try list.edit(mix) { $0.swapAt(0, 8) }
    try list.edit(mix) { $0.append(14) }
    try list.edit(mix) { $0.removeAll { $0 == 14 } }
    for number in [15, 14] { try list.edit(mix) { $0.append(number) } }
    try list.add(16, to: mix)
    try list.edit(mix) { $0.append(17) }
    #expect(list.read(mix) == [13, 2, 3, 4, 5, 10, 11, 12, 1, 15, 14, 16, 17])
    // Others put one behind the saved members meanwhile.
    try await shop.others { $0.append(91) }
    try list.edit(mix) { $0.append(18) }
    let read = list.read(mix)
    #expect(read.filter { $0 != 91 } == [13, 2, 3, 4, 5, 10, 11, 12, 1, 15, 14, 16, 17, 18])
    #expect(read.contains(91))
    try main.saveAtOnce()
    #expect(list.read(mix) == read)
    for number in 20...22 { try list.edit(mix) { $0.append(number) } }
    main.rollback()
    #expect(list.read(mix) == read)
  }

  private func isSame(_ one: [Person], _ other: [Person]) -> Bool { one.elementsEqual(other) { $0 === $1 } }

  @Test func `a loose list is set to its former members and more`() {
    let boss = Person()
    let people = (0..<6).map { _ in Person() }
    boss.reports.append(people[0])
    boss.reports.append(people[1])
    boss.reports += [people[2], people[1], people[3]]
    #expect(isSame(boss.reports, Array(people[0..<4])))
    boss.reports.insert(people[4], at: 1)
    #expect(isSame(boss.reports, [people[0], people[4], people[1], people[2], people[3]]))
    boss.reports.removeAll { $0 === people[1] || $0 === people[3] }
    #expect(isSame(boss.reports, [people[0], people[4], people[2]]))
    #expect(people.map { $0.boss === boss } == [true, false, true, false, true, false])
    boss.reports = [people[5], people[0], people[5], people[2]]
    #expect(isSame(boss.reports, [people[5], people[0], people[2]]))
    boss.reports.append(people[0])
    #expect(isSame(boss.reports, [people[5], people[0], people[2]]))
    boss.reports = []
    #expect(people.allSatisfy { $0.boss == nil })
  }

  enum End: CaseIterable { case save, rollback, rollbackOfOne, undone, others }

  @Test(arguments: Place.usual, End.allCases)
  func `a context keeps a list no longer than its changes`(_ place: Place, _ end: End) async throws {
    let test = try await filled(place, 3)
    let main = test.store.main
    weak var member: Article?
    do {
      let writer = try #require(try main.fetch(Writer.self).first)
      let articles = try main.fetch(Article.self)
      writer.reviews.append(articles[0])
      try test.store.main.saveAtOnce()
      writer.reviews.append(articles[1])
      writer.reviews.append(articles[2])
      #expect(writer.reviews.count == 3)
      member = articles[0]
      switch end {
      case .save: try await main.save()
      case .rollback: main.rollback()
      case .rollbackOfOne: for article in articles { try main.rollback(article) }
      case .undone: for article in articles.dropFirst() { article.reviewer = nil }
      case .others: try await test.store.background { try $0.fetch(Tag.self)[0].name = "new" }
      }
      if end == .others { _ = try main.fetch(Tag.self) }
    }
    #expect(member == nil)
  }

  /// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=1000` runs so many.
  @Test(arguments: Place.usual, [true, false])
  func `a kept list equals the list that a query finds`(_ place: Place, isInMain: Bool) async throws {
    await Seeds.each(place == .memory ? 60 : 15, sanitized: 3, "\(place), main: \(isInMain)") { seed, _ in
      let test = try await filled(place, 5)
      if isInMain {
        var steps = ListSteps(context: test.store.main, random: SeededRandom(seed))
        for _ in 0..<60 {
          if steps.random.chance(8) { try await others(test.store, &steps.random) }
          try steps.step()
          try steps.compare()
        }
      } else {
        try await test.store.background { context in
          var steps = ListSteps(context: context, random: SeededRandom(seed))
          for _ in 0..<60 {
            try steps.step()
            try steps.compare()
          }
          context.rollback()
        }
      }
    }
  }

  /// A kept list is set by its difference, and is nevertheless the whole list against the lists of others.
  @Test(arguments: Place.usual)
  func `a kept list is set as a list that is not kept`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 60 : 15, sanitized: 3, "\(place)") { seed, _ in
      let kept = try await listsAfterSteps(seed, place, keepsLists: true)
      let read = try await listsAfterSteps(seed, place, keepsLists: false)
      guard kept == read else {
        let place = zip(kept, read).first { $0 != $1 }
        throw ListSteps.Difference(
          description: "kept: \(String(describing: place?.0)), not: \(String(describing: place?.1))")
      }
    }
  }

  /// In this history lists of both sides have a pair that others took out.
  @Test(arguments: Place.usual)
  func `one history of edits has the same end each time`(_ place: Place) async throws {
    let end = try await listsAfterSteps(532, place, keepsLists: false)
    for _ in 0..<4 {
      let again = try await listsAfterSteps(532, place, keepsLists: false)
      #expect(again == end)
    }
  }

  /// The lists after each save of random steps, and the steps.
  private func listsAfterSteps(_ seed: UInt64, _ place: Place, keepsLists: Bool) async throws -> [[String]] {
    let test = try await filled(place, 5)
    test.store.main.conflictPolicy = .mine
    var steps = ListSteps(context: test.store.main, random: SeededRandom(seed), keepsLists: keepsLists)
    var saved: [[String]] = []
    for _ in 0..<6 {
      for _ in 0..<8 {
        if steps.random.chance(3) { try await others(test.store, &steps.random) }
        try steps.step()
      }
      try steps.save()
      saved.append(
        try await test.store.read { context in
          try context.fetch(Article.self).map { "\($0.uid): \($0.tags.map(\.uid)) \($0._$state.edited)" }
            + context.fetch(Tag.self).map { "\($0.uid): \($0.articles.map(\.uid)) \($0._$state.edited)" }
        })
    }
    return saved + [steps.log]
  }

  /// Another context changes lists.
  private func others(_ store: EntityStore, _ random: inout SeededRandom) async throws {
    let numbers = (0..<3).map { _ in random.below(5) }
    try await store.background { context in
      let (articles, tags) = (try context.fetch(Article.self), try context.fetch(Tag.self))
      guard articles.count > numbers[0], tags.count > numbers[1] else { return }
      articles[numbers[0]].tags = [tags[numbers[1]]]
      articles[numbers[0]].reviewer = numbers[2] < 2 ? nil : articles[0].author
      if numbers[2] == 0, tags.count > 3 { try context.delete(tags[numbers[1]]) }
    }
  }
}

/// Random edits of lists and of their members.
private struct ListSteps {
  let context: EntityContext
  var random: SeededRandom
  let keepsLists: Bool
  var log: [String] = []
  var lastUID = 1_000

  struct Difference: Error, CustomStringConvertible { let description: String }

  init(context: EntityContext, random: SeededRandom, keepsLists: Bool = true) {
    self.context = context
    self.random = random
    self.keepsLists = keepsLists
  }

  mutating func step() throws {
    let (writers, articles) = (try context.fetch(Writer.self), try context.fetch(Article.self))
    let tags = try context.fetch(Tag.self)
    guard let writer = random.element(writers), let article = random.element(articles), let tag = random.element(tags)
    else { return context.rollback() }
    let choice = random.below(17)
    log.append("\(choice)")
    switch choice {
    case 0...2: for _ in 0..<3 { append(random.element(articles) ?? article, to: writer, \.reviews) }
    case 3...5: for _ in 0..<3 { append(random.element(tags) ?? tag, to: article, \.tags) }
    case 6: writer.reviews.removeAll { _ in random.chance(2) }
    case 7: article.tags.removeAll { _ in random.chance(2) }
    case 8: append(article, to: tag, \.articles)
    case 9: article.reviewer = random.chance(2) ? nil : writer
    case 10: try article.remove(tag, from: \.tags)
    case 11: try article.add(tag, to: \.tags)
    case 12:
      lastUID += 1
      let new = try context.insert(Article.self)
      new.uid = lastUID
      new.author = writer
      writer.reviews.append(new)
      new.tags = tags
    case 13:
      if random.chance(2), tags.count > 2 {
        try context.delete(tag)
      } else if articles.count > 2 {
        try context.delete(article)
      }
    case 14: writer.reviews.shuffle(using: &random)
    case 15: if random.chance(2) { try context.rollback(article) } else { context.rollback() }
    default: try save()
    }
  }

  mutating func save() throws {
    do {
      try context.saveAtOnce()
    } catch let error as StoreError where error.kind == .objectDeleted {
      // Others deleted an object that is changed here.
      log.append("rolled back")
      context.rollback()
    }
  }

  private func append<E: ManagedEntity, T>(_ member: T, to object: E, _ list: ReferenceWritableKeyPath<E, [T]>) {
    if !keepsLists { context.unsaved.keptLists = KeptLists() }
    object[keyPath: list].append(member)
  }

  /// Each list reads as the objects that a query finds, in the same order.
  mutating func compare() throws {
    guard random.chance(2) else { return }
    for writer in try context.fetch(Writer.self) { try compare(writer, \.reviews, writer.reviews) }
    for article in try context.fetch(Article.self) { try compare(article, \.tags, article.tags) }
    for tag in try context.fetch(Tag.self) { try compare(tag, \.articles, tag.articles) }
  }

  private func compare<E: ManagedEntity, T: ManagedEntity>(_ object: E, _ list: KeyPath<E, [T]>, _ read: [T]) throws {
    let property = try #require(object._$state.model.index(of: list))
    let found = try context.answers.members(of: object, property).map(\._$state.pk)
    guard read.map(\._$state.pk) == found else {
      throw Difference(
        description: "\(log.joined(separator: " ")): \(object._$state.id) has \(read.map(\._$state.pk)), not \(found)")
    }
  }
}
