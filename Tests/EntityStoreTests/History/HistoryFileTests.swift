import EntityMacros
import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

@Entity final class LedgerOne {
  @UID var uid: Int
  var title: String

  static let entityName = "Ledger"
}

@Entity final class LedgerTwo {
  @UID var uid: Int
  var title: String
  var remark: String?

  static let entityName = "Ledger"
}

/// Acts that empty, fill, copy or change a file as a whole, and its history.
struct HistoryFileTests {
  @Test(arguments: Place.usual)
  func `an emptied store names all that went`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    for uid in 1...3 { try await test.store.addPerson(uid) }
    let token = try await test.history.token()
    try await test.store.reset(discardsPending: true)
    let commits = try await test.history.commits(after: token)
    #expect(commits.map { $0.changes(of: Person.self).text } == [#"0 [] ["1", "2", "3"]"#])
    try await test.store.addPerson(4)
    #expect(try await test.history.commits(after: commits.token).count == 1)
  }

  @Test(arguments: Place.usual)
  func `a restored archive is a commit of all its objects`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    for uid in 1...2 { try await test.store.addPerson(uid) }
    let archive = try await test.store.archive()
    try await test.store.addPerson(3)
    let token = try await test.history.token()
    try await test.store.restore(from: archive, discardsPending: true)
    let commit = try #require(try await test.history.commits(after: token).first)
    #expect(commit.changes(of: Person.self).text == #"2 [] ["1", "2", "3"]"#)
    let ids = commit.changes(of: Person.self).inserted
    #expect(try await test.store.read { try $0.objects(ids).map(\.uid) } == [1, 2])
    // The archive has no history of its own.
    let other = try HistoryStore(place, nil)
    try await other.store.restore(from: archive)
    #expect(try await other.history.policy() == .off)
  }

  @Test func `a copy has the history and refuses tokens of the file`() async throws {
    let test = try HistoryStore(.file)
    try await test.store.addPerson(1)
    let token = try await test.history.token()
    let url = test.folder.url.appending(path: "copy")
    try await test.store.backup(to: url)
    let copy = try EntityStore(.file(url), entities: TestStore.people, busyTimeout: .ample)
    #expect(try await copy.history.commits().map(\.generation) == [1])
    try await copy.addPerson(2)
    #expect(try await copy.history.commits().map(\.generation) == [1, 2])
    #expect(await asyncErrorKind { _ = try await copy.history.commits(after: token) } == .historyGone)
    #expect(try await test.history.commits(after: token).isEmpty)
    #expect(try await copy.check().isEmpty)
  }

  @Test(arguments: Place.usual)
  func `a schema that only adds goes on with the history`(_ place: Place) async throws {
    let folder = try TemporaryFolder()
    let location: StoreLocation = place == .file ? .file(folder.file) : .inMemory
    let store = try EntityStore(
      location, entities: [LedgerOne.self], busyTimeout: .ample, options: .history(.keepingAll))
    let token = try await store.history.token()
    try await store.background { try $0.insert(LedgerOne.self).uid = 1 }
    let next = try EntityStore(
      location, entities: [LedgerTwo.self], busyTimeout: .ample, options: .history(nil, author: "next"))
    try await next.background { try $0.fetch(LedgerTwo.self, uid: 1)?.remark = "new" }
    let commits = try await next.history.commits(after: token)
    #expect(commits.map(\.author) == ["app", "next", "next"])
    #expect(
      commits.map { $0.changes(of: LedgerTwo.self).text } == ["1 [] []", "0 [] []", #"0 ["remark"] []"#])
    // A process of the earlier version does not know the property.
    let old = try await store.history.commits(after: token)
    #expect(old.last?.changes(of: LedgerOne.self).updated.map(\.columns.names) == [[]])
  }

  @Test(arguments: Place.usual)
  func `a step ends the history`(_ place: Place) async throws {
    let folder = try TemporaryFolder()
    let location: StoreLocation = place == .file ? .file(folder.file) : .inMemory
    let store = try EntityStore(
      location, entities: [LedgerOne.self], busyTimeout: .ample, options: .history(.keepingAll))
    try await store.background { try $0.insert(LedgerOne.self).uid = 1 }
    let token = try await store.history.token()
    let next = try EntityStore(
      location, entities: [LedgerOne.self],
      migrations: [Migration("titles") { try $0.execute("UPDATE \"Ledger\" SET title = 'changed'") }],
      busyTimeout: .ample)
    #expect(await asyncErrorKind { _ = try await next.history.commits(after: token) } == .historyGone)
    let start = try await next.history.token()
    try await next.background { try $0.insert(LedgerOne.self).uid = 2 }
    #expect(try await next.history.commits(after: start).count == 1)
  }

  @Test func `a file that is only read tells its history`() async throws {
    let test = try HistoryStore(.file)
    let token = try await test.history.token()
    try await test.store.addPerson(1)
    var options = StoreOptions.history(.off)
    options.access = .readOnly
    let reader = try EntityStore(
      .file(test.folder.file), entities: TestStore.people, busyTimeout: .ample, options: options)
    #expect(try await reader.history.commits(after: token).count == 1)
    #expect(await asyncErrorKind { try await reader.history.prune(upTo: token) } == .readOnly)
  }

  /// A process is killed at some system call: the log has the commits that the file has, and all of each.
  @Test(
    .enabled(if: WorkerProcess.isPossible, WorkerProcess.reason), .timeLimit(.minutes(Faults.minutes)))
  func `a process that is killed leaves a log of its commits`() async throws {
    var commits = 0
    await Seeds.each(Faults.areAll ? 100 : 3, sanitized: 1, "history") { seed, steps in
      let folder = try TemporaryFolder()
      // The first seeds are those that die after some commits.
      let call = 20 + Int((seed + 6) % 100) * 37
      steps = "system call \(call)"
      func open() throws -> EntityStore {
        try EntityStore(
          .file(folder.file), entities: CommitSequence.entities, busyTimeout: .ample, options: .history(.keepingAll))
      }
      try await open().close()
      let worker = try WorkerProcess("commits", "\(seed)", suite: FaultWorkerTests.self)
      var answer = try await worker.ask("\(call) 1 20 \(folder.file.path)")
      while let line = answer, line != "all" { answer = try await worker.nextAnswer() }
      worker.kill()
      _ = try await worker.end()
      let store = try open()
      let (replay, count) = try await store.read { context in
        let log = HistoryLog(connection: context.connection, schema: context.core.schema)
        var replay = HistoryReplay()
        let commits = try log.commits(after: 0).commits
        for commit in commits { replay.take(commit) }
        try replay.check(RowDump(context), context.core.schema)
        return (replay, commits.count)
      }
      try #require(replay.mistakes == [])
      commits += count
    }
    #expect(commits > 0 || Seeds.one != nil)
  }
}
