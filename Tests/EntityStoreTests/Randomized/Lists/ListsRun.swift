import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// A pair of row ids.
struct ListPair: Hashable, Sendable {
  let left: Int64
  let right: Int64
}

/// A run of `RandomizedListTests`: pairs of row ids that are saved, and the lists that were set in the main context since.
@MainActor
struct ListsRun<L: ManagedEntity, R: ManagedEntity> {
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

  var saved: Set<ListPair> = []
  var lefts: Set<Int64> = []
  var rights: Set<Int64> = []
  /// Not saved yet.
  var new: Set<Int64> = []
  var deleting: Set<Int64> = []
  var setLefts: [Int64: Set<Int64>] = [:]
  var setRights: [Int64: Set<Int64>] = [:]
  /// Unsaved pairs and pairs unsaved as gone: whether that was set on the left.
  var made: [ListPair: Bool] = [:]
  /// Whether others wrote since the last save: which side an unsaved pair is of may then be another one.
  var isMixed = false

  /// The authors of articles, which are required: saved, and set since.
  var authors: [Int64: Int64] = [:]
  var setAuthors: [Int64: Int64] = [:]
  var writers: [Int64] = []
  var deletingWriters: Set<Int64> = []
  var lastUID = 0

  init(_ place: Place, _ seed: UInt64, _ left: Left, _ right: Right) throws {
    test = try TestStore(place, TestStore.blog)
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

  var isOneEntity: Bool { L.self == R.self }

  nonisolated static func setUID(_ object: any ManagedEntity, _ uid: Int) {
    (object as? Article)?.uid = uid
    (object as? Writer)?.uid = uid
  }

  mutating func insert() throws {
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

  mutating func next() async throws {
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

  mutating func forgetChanges() {
    (new, deleting, setLefts, setRights) = ([], [], [:], [:])
    (made, isMixed, setAuthors, deletingWriters) = ([:], false, [:], [])
  }

  mutating func rollback() {
    log.append("rollback")
    main.rollback()
    lefts.subtract(new)
    rights.subtract(new)
    forgetChanges()
  }

  /// One object by itself: memberships that were set through the lists of others stay.
  mutating func rollBackOne() throws {
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

  mutating func setAuthor() throws {
    guard !isOneEntity, let pk = random.element(lefts.subtracting(deleting).sorted()),
      let author = random.element(writers.filter { !deletingWriters.contains($0) })
    else { return }
    log.append("author \(pk) = \(author)")
    try object(Article.self, pk).author = object(Writer.self, author)
    setAuthors[pk] = authors[pk] == author ? nil : author
  }

  func author(_ pk: Int64) -> Int64? { setAuthors[pk] ?? authors[pk] }

  mutating func deleteWriter() throws {
    let left = writers.filter { !deletingWriters.contains($0) }
    guard left.count > 1, let pk = random.element(left) else { return }
    log.append("delete writer \(pk)")
    try main.delete(object(Writer.self, pk))
    deletingWriters.insert(pk)
  }

  /// A new article without an author can't be saved; its changes are then still there.
  mutating func failToSave() async throws {
    guard !isOneEntity else { return }
    log.append("fail")
    let article = try main.insert(Article.self)
    let kind: StoreError.Kind?
    if random.chance(2) {
      kind = await asyncErrorKind { try await main.save() }
    } else {
      kind = errorKind { try main.saveAtOnce() }
    }
    guard kind == .invalidObject else {
      throw RandomizedContext.Difference("a save without an author: \(String(describing: kind))")
    }
    try main.delete(article)
    try compare()
  }

  /// Whether the main context has the pair: a list that was set has the members that were set, from whichever side.
  func isPair(_ left: Int64, _ right: Int64) -> Bool {
    guard !deleting.contains(left), !deleting.contains(right) else { return false }
    return setLefts[left]?.contains(right) ?? setRights[right]?.contains(left)
      ?? saved.contains(ListPair(left: left, right: right))
  }

  func members(_ left: Int64) -> [Int64] { rights.filter { isPair(left, $0) }.sorted() }
  func holders(_ right: Int64) -> [Int64] { lefts.filter { isPair($0, right) }.sorted() }

  mutating func some(_ all: Set<Int64>) -> Set<Int64> {
    var some: Set<Int64> = []
    for pk in all.subtracting(deleting).sorted() where random.chance(3) { some.insert(pk) }
    return some
  }

  mutating func setLeft() throws {
    guard let pk = random.element(lefts.subtracting(deleting).sorted()) else { return }
    let wanted = some(rights)
    let before = Set(members(pk))
    try object(L.self, pk)[keyPath: left] = try wanted.map { try object(R.self, $0) }
    log.append("left \(pk) = \(wanted.sorted())")
    guard before != wanted else { return }
    for right in before.symmetricDifference(wanted) {
      let pair = ListPair(left: pk, right: right)
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
  mutating func endUndone(left pk: Int64) {
    let rows = saved.filter { $0.left == pk && !deleting.contains($0.right) }.map(\.right)
    if !new.contains(pk), setLefts[pk] == Set(rows) { setLefts[pk] = nil }
  }

  mutating func endUndone(right pk: Int64) {
    let rows = saved.filter { $0.right == pk && !deleting.contains($0.left) }.map(\.left)
    if !new.contains(pk), setRights[pk] == Set(rows) { setRights[pk] = nil }
  }

  mutating func setRight() throws {
    guard let pk = random.element(rights.subtracting(deleting).sorted()) else { return }
    let wanted = some(lefts)
    let before = Set(holders(pk))
    try object(R.self, pk)[keyPath: right] = try wanted.map { try object(L.self, $0) }
    log.append("right \(pk) = \(wanted.sorted())")
    guard before != wanted else { return }
    for left in before.symmetricDifference(wanted) {
      let pair = ListPair(left: left, right: pk)
      made[pair] = saved.contains(pair) == wanted.contains(left) ? nil : false
    }
    setRights[pk] = wanted
    for left in before.symmetricDifference(wanted) where setLefts[left] != nil {
      if wanted.contains(left) { setLefts[left]?.insert(pk) } else { setLefts[left]?.remove(pk) }
      endUndone(left: left)
    }
    endUndone(right: pk)
  }

  mutating func delete() throws {
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

  mutating func remove(_ pk: Int64) {
    lefts.remove(pk)
    rights.remove(pk)
    setLefts[pk] = nil
    setRights[pk] = nil
    authors[pk] = nil
    setAuthors[pk] = nil
    saved = saved.filter { $0.left != pk && $0.right != pk }
    made = made.filter { $0.key.left != pk && $0.key.right != pk }
  }

  func object<E: ManagedEntity>(_ type: E.Type, _ pk: Int64) throws -> E {
    try #require(try main.object(EntityID<E>(pk: pk)))
  }
}
