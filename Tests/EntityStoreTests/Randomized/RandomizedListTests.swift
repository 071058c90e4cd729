import class Foundation.ProcessInfo
import TestSupport
import Testing

@testable import EntityStore

/// Random edits of many-to-many relationships from both sides and of required links, in several contexts, against a set
/// of pairs. Rows turn out to be others, saves fail, objects are rolled back by themselves.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@MainActor
struct RandomizedListTests {
  @Test(arguments: Place.allCases)
  func listsAgreeWithPairs(_ place: Place) async throws {
    try await run(place) { (\Article.tags, \Tag.articles) }
  }

  @Test(arguments: Place.allCases)
  func listsWithinOneEntityAgreeWithPairs(_ place: Place) async throws {
    try await run(place) { (\Writer.following, \Writer.followers) }
  }

  private func run<L: ManagedEntity, R: ManagedEntity>(
    _ place: Place, _ lists: @Sendable () -> (Lists<L, R>.Left, Lists<L, R>.Right)
  ) async throws {
    await Seeds.each(place == .memory ? 150 : 40, sanitized: 5, place.rawValue) { seed, steps in
      let (left, right) = lists()
      var lists = try Lists<L, R>(place, seed, left, right)
      defer { steps = "step \(lists.step): " + lists.log.joined(separator: "; ") }
      try await lists.go()
    }
  }
}

private struct Pair: Hashable, Sendable {
  let left: Int64
  let right: Int64
}

/// The model: pairs of row ids that are saved, and the lists that were set in the main context since.
@MainActor
private struct Lists<L: ManagedEntity, R: ManagedEntity> {
  typealias Left = any ReferenceWritableKeyPath<L, [R]> & Sendable
  typealias Right = any ReferenceWritableKeyPath<R, [L]> & Sendable

  let test: TestStore
  let main: EntityContext
  let left: Left
  let right: Right
  var random: SeededRandom
  var step = 0
  /// The steps so far, to find the cause of a failure.
  var log: [String] = []

  var saved: Set<Pair> = []
  var lefts: Set<Int64> = []
  var rights: Set<Int64> = []
  /// Not saved yet.
  var new: Set<Int64> = []
  var deleting: Set<Int64> = []
  var setLefts: [Int64: Set<Int64>] = [:]
  var setRights: [Int64: Set<Int64>] = [:]
  /// Unsaved pairs and pairs unsaved as gone: whether that was set on the left.
  var made: [Pair: Bool] = [:]
  /// Whether others wrote since the last save: which side an unsaved pair is of may then be another one.
  var isMixed = false

  /// The authors of articles, which are required: saved, and set since.
  var authors: [Int64: Int64] = [:]
  var setAuthors: [Int64: Int64] = [:]
  var writers: [Int64] = []
  var deletingWriters: Set<Int64> = []
  var lastUID = 0

  init(_ place: Place, _ seed: UInt64, _ left: Left, _ right: Right) throws {
    test = try TestStore(place, ManyToManyTests.blog)
    main = test.store.main
    main.conflictPolicy = .mine
    (self.left, self.right) = (left, right)
    random = SeededRandom(seed)
    for _ in 0..<(isOneEntity ? 0 : 3) { writers.append(try main.insert(Writer.self).entityID.pk) }
    try main.save()
    for _ in 0..<4 { try insert() }
    try main.save()
    authors = setAuthors
    (new, setAuthors) = ([], [:])
  }

  private var isOneEntity: Bool { L.self == R.self }

  nonisolated private static func setUID(_ object: any ManagedEntity, _ uid: Int) {
    (object as? Article)?.uid = uid
    (object as? Writer)?.uid = uid
  }

  private mutating func insert() throws {
    let one = try main.insert(L.self)
    log.append("insert \(one.entityID.pk)")
    lastUID += 1
    Self.setUID(one, lastUID)
    if let article = one as? Article, let author = random.element(writers.filter { !deletingWriters.contains($0) }) {
      article.author = try object(Writer.self, author)
      setAuthors[one.entityID.pk] = author
    }
    lefts.insert(one.entityID.pk)
    new.insert(one.entityID.pk)
    if isOneEntity {
      rights.insert(one.entityID.pk)
    } else {
      let other = try main.insert(R.self).entityID.pk
      rights.insert(other)
      new.insert(other)
    }
  }

  mutating func go() async throws {
    for _ in 0..<(10 + random.below(30)) {
      step += 1
      try await next()
    }
    log.append("end")
    try await save()
    try compare()
  }

  private mutating func next() async throws {
    switch random.below(22) {
    case 0:
      try insert()
    case 1...3:
      try setLeft()
    case 4...6:
      try setRight()
    case 7:
      try delete()
    case 8, 9:
      log.append("save")
      try await save()
    case 10:
      rollback()
    case 11...13:
      try await unit()
    case 14:
      log.append("read")
      try await read()
    case 15: try rollBackOne()
    case 16, 17: try setAuthor()
    case 18: try deleteWriter()
    case 19: try await failToSave()
    case 20: try await collide()
    default:
      log.append("compare")
      try compare()
    }
  }

  private mutating func forgetChanges() {
    (new, deleting, setLefts, setRights) = ([], [], [:], [:])
    (made, isMixed, setAuthors, deletingWriters) = ([:], false, [:], [])
  }

  private mutating func rollback() {
    log.append("rollback")
    main.rollback()
    lefts.subtract(new)
    rights.subtract(new)
    forgetChanges()
  }

  /// One object by itself: memberships that were set through the lists of others stay.
  private mutating func rollBackOne() throws {
    let all = setLefts.keys.filter { !new.contains($0) && !deleting.contains($0) }.sorted()
    guard let pk = random.element(all), !isMixed || setRights.isEmpty, !isOneEntity || setRights[pk] == nil else {
      return
    }
    log.append("rollback \(pk)")
    try main.rollback(object(L.self, pk))
    setLefts[pk] = nil
    setAuthors[pk] = nil
    for (pair, isLeft) in made where pair.left == pk {
      guard isLeft else { continue }
      made[pair] = nil
      guard setRights[pair.right] != nil else { continue }
      if saved.contains(pair) { setRights[pair.right]?.insert(pk) } else { setRights[pair.right]?.remove(pk) }
    }
  }

  // MARK: Required links

  private mutating func setAuthor() throws {
    guard !isOneEntity, let pk = random.element(lefts.subtracting(deleting).sorted()),
      let author = random.element(writers.filter { !deletingWriters.contains($0) })
    else { return }
    log.append("author \(pk) = \(author)")
    try object(Article.self, pk).author = object(Writer.self, author)
    setAuthors[pk] = authors[pk] == author ? nil : author
  }

  private func author(_ pk: Int64) -> Int64? { setAuthors[pk] ?? authors[pk] }

  private mutating func deleteWriter() throws {
    let left = writers.filter { !deletingWriters.contains($0) }
    guard left.count > 1, let pk = random.element(left) else { return }
    log.append("delete writer \(pk)")
    try main.delete(object(Writer.self, pk))
    deletingWriters.insert(pk)
  }

  /// A new article without an author can't be saved; its changes are then still there.
  private mutating func failToSave() async throws {
    guard !isOneEntity else { return }
    log.append("fail")
    let article = try main.insert(Article.self)
    let kind: StoreError.Kind?
    if random.chance(2) {
      kind = await asyncErrorKind { try await main.save() }
    } else {
      kind = errorKind { try main.saveAtOnce() }
    }
    guard kind == .invalidValue else {
      throw RandomizedContext.Difference("a save without an author: \(String(describing: kind))")
    }
    try main.delete(article)
    try compare()
  }

  /// Another context makes an object that turns out to be one that there is already.
  private mutating func collide() async throws {
    let all = lefts.subtracting(new).subtracting(deleting).sorted()
    guard
      let loser = random.element(all.filter { setLefts[$0] == nil && setRights[$0] == nil && setAuthors[$0] == nil })
    else { return }
    let author = authors[loser]
    let survivor = try await test.store.background { context in
      let old = try #require(try context.object(EntityID<L>(pk: loser)))
      let uid = (old as? Article)?.uid ?? (old as? Writer)?.uid ?? 0
      let writer = try author.flatMap { try context.object(EntityID<Writer>(pk: $0)) }
      let one = try context.insert(L.self)
      if let writer { (one as? Article)?.author = writer }
      try context.save()
      Self.setUID(one, uid)
      return one.entityID.pk
    }
    log.append("\(loser) is \(survivor)")
    isMixed = true
    func now(_ pk: Int64) -> Int64 { pk == loser ? survivor : pk }
    func now(_ pair: Pair) -> Pair { Pair(left: now(pair.left), right: isOneEntity ? now(pair.right) : pair.right) }
    saved = Set(saved.map(now))
    made = Dictionary(made.map { (now($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    lefts = Set(lefts.map(now))
    setRights = setRights.mapValues { Set($0.map(now)) }
    if isOneEntity {
      rights = Set(rights.map(now))
      setLefts = setLefts.mapValues { Set($0.map(now)) }
    }
    authors[loser] = nil
    authors[survivor] = author
  }

  /// Whether the main context has the pair: a list that was set has the members that were set, from whichever side.
  private func isPair(_ left: Int64, _ right: Int64) -> Bool {
    guard !deleting.contains(left), !deleting.contains(right) else { return false }
    return setLefts[left]?.contains(right) ?? setRights[right]?.contains(left)
      ?? saved.contains(Pair(left: left, right: right))
  }

  private func members(_ left: Int64) -> [Int64] { rights.filter { isPair(left, $0) }.sorted() }
  private func holders(_ right: Int64) -> [Int64] { lefts.filter { isPair($0, right) }.sorted() }

  private mutating func some(_ all: Set<Int64>) -> Set<Int64> {
    var some: Set<Int64> = []
    for pk in all.subtracting(deleting).sorted() where random.chance(3) { some.insert(pk) }
    return some
  }

  private mutating func setLeft() throws {
    guard let pk = random.element(lefts.subtracting(deleting).sorted()) else { return }
    let wanted = some(rights)
    let before = Set(members(pk))
    try object(L.self, pk)[keyPath: left] = try wanted.map { try object(R.self, $0) }
    log.append("left \(pk) = \(wanted.sorted())")
    guard before != wanted else { return }
    for right in before.symmetricDifference(wanted) {
      let pair = Pair(left: pk, right: right)
      made[pair] = saved.contains(pair) == wanted.contains(right) ? nil : true
    }
    setLefts[pk] = wanted
    for right in before.symmetricDifference(wanted) where setRights[right] != nil {
      if wanted.contains(right) { setRights[right]?.insert(pk) } else { setRights[right]?.remove(pk) }
      endUndone(right: right)
    }
    endUndone(left: pk)
  }

  /// A list with the members of the rows is not edited.
  private mutating func endUndone(left pk: Int64) {
    let rows = saved.filter { $0.left == pk && !deleting.contains($0.right) }.map(\.right)
    if !new.contains(pk), setLefts[pk] == Set(rows) { setLefts[pk] = nil }
  }

  private mutating func endUndone(right pk: Int64) {
    let rows = saved.filter { $0.right == pk && !deleting.contains($0.left) }.map(\.left)
    if !new.contains(pk), setRights[pk] == Set(rows) { setRights[pk] = nil }
  }

  private mutating func setRight() throws {
    guard let pk = random.element(rights.subtracting(deleting).sorted()) else { return }
    let wanted = some(lefts)
    let before = Set(holders(pk))
    try object(R.self, pk)[keyPath: right] = try wanted.map { try object(L.self, $0) }
    log.append("right \(pk) = \(wanted.sorted())")
    guard before != wanted else { return }
    for left in before.symmetricDifference(wanted) {
      let pair = Pair(left: left, right: pk)
      made[pair] = saved.contains(pair) == wanted.contains(left) ? nil : false
    }
    setRights[pk] = wanted
    for left in before.symmetricDifference(wanted) where setLefts[left] != nil {
      if wanted.contains(left) { setLefts[left]?.insert(pk) } else { setLefts[left]?.remove(pk) }
      endUndone(left: left)
    }
    endUndone(right: pk)
  }

  private mutating func delete() throws {
    guard let pk = random.element(lefts.subtracting(deleting).sorted()) else { return }
    log.append("delete \(pk)")
    try main.delete(object(L.self, pk))
    guard new.remove(pk) != nil else { return _ = deleting.insert(pk) }
    remove(pk)
    for right in setRights.keys.sorted() where setRights[right]?.remove(pk) != nil { endUndone(right: right) }
    for left in isOneEntity ? setLefts.keys.sorted() : [] where setLefts[left]?.remove(pk) != nil {
      endUndone(left: left)
    }
  }

  private mutating func remove(_ pk: Int64) {
    lefts.remove(pk)
    rights.remove(pk)
    setLefts[pk] = nil
    setRights[pk] = nil
    authors[pk] = nil
    setAuthors[pk] = nil
    saved = saved.filter { $0.left != pk && $0.right != pk }
    made = made.filter { $0.key.left != pk && $0.key.right != pk }
  }

  private mutating func save() async throws {
    let isDenied = lefts.subtracting(deleting).contains { author($0).map(deletingWriters.contains) ?? false }
    let kind: StoreError.Kind?
    if random.chance(2) {
      kind = await asyncErrorKind { try await main.save() }
    } else {
      kind = errorKind { try main.saveAtOnce() }
    }
    guard kind == (isDenied ? .deleteDenied : nil) else {
      throw RandomizedContext.Difference("save: \(String(describing: kind)), denied: \(isDenied)")
    }
    if isDenied {
      try compare()
      return rollback()
    }
    writers.removeAll { deletingWriters.contains($0) }
    authors.merge(setAuthors) { $1 }
    let pairs = lefts.flatMap { left in members(left).map { Pair(left: left, right: $0) } }
    saved = Set(pairs)
    for pk in deleting { remove(pk) }
    forgetChanges()
    if main.hasChanges { throw RandomizedContext.Difference("there are changes after a save") }
  }

  private mutating func unit() async throws {
    var pairs = saved
    let known = (lefts.subtracting(new).sorted(), rights.subtracting(new).sorted())
    // The save of an edit of a row that others deleted fails, which other tests check.
    let mayGo = known.0.filter {
      setLefts[$0] == nil && setRights[$0] == nil && setAuthors[$0] == nil && !deleting.contains($0)
    }
    let (left, right, seed, writers) = (left, right, random.next(), writers)
    do {
      let (changed, gone, given) = try await test.store.background { [pairs] context in
        var pairs = pairs
        var random = SeededRandom(seed)
        var gone: Set<Int64> = []
        var given: [Int64: Int64] = [:]
        for _ in 0..<(1 + random.below(4)) {
          switch random.below(10) {
          case 8, 9:
            guard let author = random.element(writers), let pk = random.element(known.0.filter { !gone.contains($0) })
            else { continue }
            let article = try #require(try context.object(EntityID<Article>(pk: pk)))
            article.author = try #require(try context.object(EntityID<Writer>(pk: author)))
            given[pk] = author
          case 0...2:
            guard let pk = random.element(known.0.filter { !gone.contains($0) }) else { continue }
            var wanted: [Int64] = []
            for other in known.1 where !gone.contains(other) && random.chance(3) { wanted.append(other) }
            let objects = try wanted.map { try #require(try context.object(EntityID<R>(pk: $0))) }
            try #require(try context.object(EntityID<L>(pk: pk)))[keyPath: left] = objects
            pairs = pairs.filter { $0.left != pk }.union(wanted.map { Pair(left: pk, right: $0) })
          case 3...5:
            guard let pk = random.element(known.1.filter { !gone.contains($0) }) else { continue }
            var wanted: [Int64] = []
            for other in known.0 where !gone.contains(other) && random.chance(3) { wanted.append(other) }
            let objects = try wanted.map { try #require(try context.object(EntityID<L>(pk: $0))) }
            try #require(try context.object(EntityID<R>(pk: pk)))[keyPath: right] = objects
            pairs = pairs.filter { $0.right != pk }.union(wanted.map { Pair(left: $0, right: pk) })
          case 6:
            guard let pk = random.element(mayGo.filter { !gone.contains($0) }) else { continue }
            try context.delete(try #require(try context.object(EntityID<L>(pk: pk))))
            gone.insert(pk)
            pairs = pairs.filter { $0.left != pk && $0.right != pk }
          default: if random.chance(3) { throw CancellationError() }
          }
        }
        return (pairs, gone, given)
      }
      pairs = changed
      saved = pairs
      isMixed = true
      authors.merge(given) { $1 }
      log.append("unit: \(saved.map { "\($0.left)-\($0.right)" }.sorted()), deleted \(gone.sorted())")
      for pk in gone { remove(pk) }
      // The context knows of a member's deletion when it has merged it.
      if !gone.isEmpty { try test.store.mergeMain() }
    } catch is CancellationError {
    }
  }

  private func read() async throws {
    let (saved, left) = (saved, left)
    let found = try await test.store.read { context in
      Set(
        try context.fetch(L.all).flatMap { one in
          one[keyPath: left].map { Pair(left: one.entityID.pk, right: $0.entityID.pk) }
        })
    }
    guard found == saved else { throw RandomizedContext.Difference("the rows are \(found), not \(saved)") }
  }

  private func compare() throws {
    for pk in isOneEntity ? [] : lefts.subtracting(deleting).sorted() {
      let wanted = author(pk).flatMap { deletingWriters.contains($0) ? 0 : $0 }
      let found = try object(Article.self, pk).author
      guard found.isDeleted ? wanted == 0 : found.entityID.pk == wanted else {
        throw RandomizedContext.Difference("the author of \(pk) is \(found.entityID.pk), not \(wanted ?? -1)")
      }
    }
    for pk in writers where !deletingWriters.contains(pk) {
      let found = try object(Writer.self, pk).articles.map(\.entityID.pk)
      let wanted = lefts.subtracting(deleting).filter { author($0) == pk }.sorted()
      guard found == wanted else { throw RandomizedContext.Difference("\(pk) wrote \(found), not \(wanted)") }
    }
    for pk in lefts.subtracting(deleting).sorted() {
      let found = try object(L.self, pk)[keyPath: left].map(\.entityID.pk)
      guard found == members(pk) else {
        throw RandomizedContext.Difference("the list of \(pk) is \(found), not \(members(pk))")
      }
    }
    for pk in rights.subtracting(deleting).sorted() {
      let found = try object(R.self, pk)[keyPath: right].map(\.entityID.pk)
      guard found == holders(pk) else {
        throw RandomizedContext.Difference("\(pk) is in the lists of \(found), not \(holders(pk))")
      }
    }
  }

  private func object<E: ManagedEntity>(_ type: E.Type, _ pk: Int64) throws -> E {
    try #require(try main.object(EntityID<E>(pk: pk)))
  }
}
