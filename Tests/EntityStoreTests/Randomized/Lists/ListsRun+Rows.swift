import TestSchema
import TestSupport
import Testing

@testable import EntityStore

// Saves, units of work, and the comparison of lists and rows.

extension ListsRun {
  mutating func save() async throws {
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
    let pairs = lefts.flatMap { left in members(left).map { ListPair(left: left, right: $0) } }
    saved = Set(pairs)
    for pk in deleting { remove(pk) }
    forgetChanges()
    if main.hasChanges { throw RandomizedContext.Difference("there are changes after a save") }
  }

  mutating func unit() async throws {
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
            pairs = pairs.filter { $0.left != pk }.union(wanted.map { ListPair(left: pk, right: $0) })
          case 3...5:
            guard let pk = random.element(known.1.filter { !gone.contains($0) }) else { continue }
            var wanted: [Int64] = []
            for other in known.0 where !gone.contains(other) && random.chance(3) { wanted.append(other) }
            let objects = try wanted.map { try #require(try context.object(EntityID<L>(pk: $0))) }
            try #require(try context.object(EntityID<R>(pk: pk)))[keyPath: right] = objects
            pairs = pairs.filter { $0.right != pk }.union(wanted.map { ListPair(left: $0, right: pk) })
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

  func read() async throws {
    let (saved, left) = (saved, left)
    let found = try await test.store.read { context in
      Set(
        try context.fetch(L.all).flatMap { one in
          one[keyPath: left].map { ListPair(left: one.entityID.pk, right: $0.entityID.pk) }
        })
    }
    guard found == saved else { throw RandomizedContext.Difference("the rows are \(found), not \(saved)") }
  }

  func compare() throws {
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

  /// Another context makes an object that turns out to be one that there is already.
  mutating func collide() async throws {
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
    func now(_ pair: ListPair) -> ListPair {
      ListPair(left: now(pair.left), right: isOneEntity ? now(pair.right) : pair.right)
    }
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
}
