import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Places in the history, and how they end: a commit is read, or its lack is an error.
struct HistoryTokenTests {
  @Test(arguments: Place.usual)
  func `a token is kept as text and compares`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    let first = try await test.history.token()
    try await test.store.addPerson(1)
    let second = try await test.history.token()
    #expect(first < second)
    let text = try JSONEncoder().encode(first)
    let read = try JSONDecoder().decode(StoreHistory.Token.self, from: text)
    #expect(read == first)
    #expect(try await test.history.commits(after: read).map(\.token) == [second])
  }

  @Test(arguments: Place.usual) @MainActor
  func `a context has the token of the history that it sees`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    try await test.store.addPerson(1)
    let (count, token) = try await test.store.read { (try $0.count(Person.all), try $0.historyToken()) }
    #expect(count == 1)
    #expect(try test.store.main.historyToken() == token)
    let ofUnit = try await test.store.background { context in
      try context.insert(Person.self).uid = 2
      try context.save()
      return try context.historyToken()
    }
    // Its own commit comes after it.
    #expect(ofUnit == token)
    #expect(try await test.history.commits(after: token).map { $0.changes(of: Person.self).inserted.count } == [1])
    #expect(try test.store.main.historyToken() == (try await test.history.token()))
  }

  @Test(arguments: Place.usual)
  func `the token of another store is refused`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    let other = try HistoryStore(place)
    let token = try await other.history.token()
    #expect(await asyncErrorKind { _ = try await test.history.commits(after: token) } == .historyGone)
    #expect(await asyncErrorKind { try await test.history.prune(upTo: token) } == .historyGone)
  }

  @Test(arguments: Place.usual)
  func `a pruned token is refused and a later one is not`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    var tokens = [try await test.history.token()]
    for uid in 1...4 {
      try await test.store.addPerson(uid)
      tokens.append(try await test.history.token())
    }
    try await test.history.prune(upTo: tokens[2])
    for token in tokens.prefix(2) {
      #expect(await asyncErrorKind { _ = try await test.history.commits(after: token) } == .historyGone)
    }
    #expect(try await test.history.commits(after: tokens[2]).map(\.generation) == [3, 4])
    #expect(try await test.history.commits().map(\.generation) == [3, 4])
    #expect(try await Self.lines(test.store) == 2)
    try await test.history.prune(upTo: tokens[4])
    #expect(try await test.history.commits(after: tokens[4]).isEmpty)
    #expect(try await Self.lines(test.store) == 0)
    try await test.store.addPerson(5)
    #expect(try await test.history.commits(after: tokens[4]).map(\.generation) == [5])
    #expect(await asyncErrorKind { _ = try await test.history.commits(after: tokens[3]) } == .historyGone)
  }

  @Test(arguments: Place.usual)
  func `commits before a time are pruned`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    let token = try await test.history.token()
    for uid in 1...3 { try await test.store.addPerson(uid) }
    try await test.history.prune(before: Date(timeIntervalSince1970: 0))
    #expect(try await test.history.commits(after: token).count == 3)
    try await Self.age(test.store, upTo: 2)
    try await test.history.prune(before: Date(timeIntervalSince1970: 1_000))
    #expect(try await test.history.commits().map(\.generation) == [3])
    #expect(await asyncErrorKind { _ = try await test.history.commits(after: token) } == .historyGone)
    try await test.history.prune(before: .distantFuture)
    #expect(try await Self.lines(test.store) == 0)
  }

  @Test func `a file that keeps commits of a time removes older ones`() async throws {
    let test = try HistoryStore(.file, .keeping(.seconds(3600)))
    #expect(try await test.history.policy() == .keeping(.seconds(3600)))
    for uid in 1...3 { try await test.store.addPerson(uid) }
    #expect(try await test.history.commits().count == 3)
    try await Self.age(test.store, upTo: 2)
    // The first commit of a store looks for old ones, and later ones do now and then.
    try await test.another().addPerson(4)
    #expect(try await test.history.commits().map(\.generation) == [3, 4])
    #expect(try await Self.lines(test.store) == 2)
    try await Self.age(test.store, upTo: 4)
    for uid in 5...64 { try await test.store.addPerson(uid) }
    #expect(try await test.history.commits().map(\.generation) == Array(5...64))
    #expect(try await Self.lines(test.store) == 60)
  }

  /// The clock was put back: commits that are left have no gap.
  @Test func `commits are removed in their order`() async throws {
    let test = try HistoryStore(.file)
    for uid in 1...3 { try await test.store.addPerson(uid) }
    try await test.store.core.unit {
      try $0.connection.execute("UPDATE \(HistoryTables.commits) SET time = 1 WHERE generation = 2")
    }
    try await test.history.prune(before: Date(timeIntervalSince1970: 1_000))
    #expect(try await test.history.commits().map(\.generation) == [1, 2, 3])
  }

  @Test func `the history policy is the file's, and all who write heed it`() async throws {
    let test = try HistoryStore(.file, nil)
    let early = try test.another()
    try await early.addPerson(1)
    // Turned on while others have the file open.
    let on = try test.another(.keepingAll, author: "on")
    #expect(try await test.history.policy() == .keepingAll)
    let token = try await on.history.token()
    try await early.addPerson(2)
    try await test.store.addPerson(3)
    #expect(try await on.history.commits(after: token).map(\.author) == ["other", "app"])
    // One who says nothing leaves it as it is.
    #expect(try await test.another().history.policy() == .keepingAll)
    let off = try test.another(.off)
    #expect(try await Self.lines(off) == 0)
    #expect(await asyncErrorKind { _ = try await on.history.commits(after: token) } == .historyGone)
    try await on.addPerson(4)
    _ = try test.another(.keepingAll)
    // Commits that nobody noted are no history.
    #expect(await asyncErrorKind { _ = try await on.history.commits(after: token) } == .historyGone)
  }

  /// A program of an earlier version goes on writing to a file that it has open.
  @Test func `a commit that is not in the log is an error`() async throws {
    let test = try HistoryStore(.file)
    let token = try await test.history.token()
    try await test.store.addPerson(1)
    try RawConnection(test.folder.file.path, vfs: nil).run(
      "UPDATE _entity_store SET value = value + 1 WHERE key = 'generation'")
    #expect(await asyncErrorKind { _ = try await test.history.commits(after: token) } == .historyGone)
    // Without a token the history begins after the gap.
    #expect(try await test.history.commits().isEmpty)
    try await test.store.addPerson(2)
    #expect(await asyncErrorKind { _ = try await test.history.commits(after: token) } == .historyGone)
    #expect(try await test.history.commits().map(\.generation) == [3])
    try await test.store.addPerson(3)
    var updates = test.history.updates().makeAsyncIterator()
    #expect(try await updates.next()?.map(\.generation) == [3, 4])
  }

  /// Another program may write any value beneath an open store.
  @Test(arguments: ["9223372036854775807", "8589934591", "1e300", "-1", "-9223372036854775808", "'x'", "NULL"])
  @MainActor func `an impossible generation is an error`(_ value: String) async throws {
    let test = try HistoryStore(.file)
    let store = test.store
    try await store.addPerson(1)
    #expect(try store.main.count(Person.all) == 1)
    let token = try await test.history.token()
    let raw = try RawConnection(test.folder.file.path, vfs: nil)
    try raw.run("UPDATE _entity_store SET value = \(value) WHERE key = 'generation'")
    #expect(await asyncErrorKind { try await store.addPerson(2) } == .corrupt)
    #expect(await asyncErrorKind { _ = try await test.history.commits(after: token) } == .corrupt)
    #expect(await asyncErrorKind { _ = try await store.read { try $0.count(Person.all) } } == .corrupt)
    #expect(errorKind { _ = try store.main.count(Person.all) } == .corrupt)
    try raw.run("UPDATE _entity_store SET value = 1 WHERE key = 'generation'")
    try await store.addPerson(2)
    #expect(try store.main.count(Person.all) == 2)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e18), .seconds(-1), .seconds(Int64.min)])
  func `commits are kept for any duration`(_ duration: Duration) async throws {
    let test = try HistoryStore(.file, .keeping(duration))
    let kept = duration < .zero ? Duration.zero : .seconds(1_000_000_000_000_000)
    #expect(try await test.history.policy() == .keeping(kept))
    for uid in 1...3 { try await test.store.addPerson(uid) }
    try await Self.age(test.store, upTo: 3)
    try await test.another().addPerson(4)
    #expect(try await test.history.commits().map(\.generation) == (duration < .zero ? [4] : [1, 2, 3, 4]))
    #expect(try await Self.lines(test.store) == (duration < .zero ? 1 : 4))
  }

  @Test(arguments: ["9e300", "-9e300", "9e999", "-9e999", "9223372036854775807", "-9223372036854775807"])
  func `any number in the file is a duration`(_ number: String) async throws {
    let test = try HistoryStore(.file, .keeping(.seconds(10)))
    try RawConnection(test.folder.file.path, vfs: nil).run(
      "UPDATE _entity_store SET value = \(number) WHERE key = 'history'")
    let other = try test.another()
    for uid in 1...2 { try await other.addPerson(uid) }
    let policy = try await other.history.policy()
    #expect(policy == .keeping(number.hasPrefix("-") ? .zero : .seconds(1_000_000_000_000_000)))
    #expect(try await other.history.commits().last?.generation == 2)
  }

  /// An object that had no row, and the changes that were news of it before a part of the unit was undone.
  @Test func `an object that never had a row leaves no line in the history`() async throws {
    let test = try HistoryStore(.file)
    let lines = try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      rows.history.note(model, 99, .updated, model.all)
      rows.history.didUndo()
      try rows.history.noteAbsent(model, 99)
      return try rows.connection.rows("SELECT count(*) FROM \(HistoryTables.changes)") { $0.int64(0) }
    }
    #expect(lines == [0])
  }

  static func lines(_ store: EntityStore) async throws -> Int64? {
    try await store.read {
      try $0.connection.rows("SELECT count(*) FROM \(HistoryTables.changes) WHERE kind = 0") { $0.int64(0) }.first
    }
  }

  /// Has commits be very old.
  private static func age(_ store: EntityStore, upTo generation: Int) async throws {
    try await store.core.unit {
      try $0.connection.execute("UPDATE \(HistoryTables.commits) SET time = 500 WHERE generation <= \(generation)")
    }
  }
}
