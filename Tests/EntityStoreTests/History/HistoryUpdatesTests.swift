import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The sequence of commits, those to come and those of other processes too.
struct HistoryUpdatesTests {
  @Test(arguments: Place.usual)
  func `earlier commits come first, and later commits follow`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    let token = try await test.history.token()
    for uid in 1...3 { try await test.store.addPerson(uid) }
    var updates = test.history.updates(after: token).makeAsyncIterator()
    #expect(try await updates.next()?.map(\.generation) == [1, 2, 3])
    async let later = test.store.addPerson(4)
    let commits = try await updates.next()
    #expect(commits?.map(\.generation) == [4])
    _ = try await later
    // From the token of a group another run goes on.
    try await test.store.addPerson(5)
    var next = test.history.updates(after: commits?.token).makeAsyncIterator()
    #expect(try await next.next()?.map(\.generation) == [5])
  }

  @Test(arguments: Place.usual)
  func `a long history comes in parts`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    for uid in 1...120 { try await test.store.addPerson(uid) }
    var updates = test.history.updates().makeAsyncIterator()
    #expect(try await updates.next()?.count == 100)
    #expect(try await updates.next()?.map(\.generation) == Array(101...120))
  }

  @Test(arguments: Place.usual)
  func `commits by authors that the filter leaves out wake nobody`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    let token = try await test.history.token()
    var updates = test.history.updates(after: token, by: .except(["own"])).makeAsyncIterator()
    let store = test.store
    async let commits: Void = {
      for (uid, author) in ["own", "own", "app"].enumerated() {
        try await store.background { context in
          context.author = author
          try context.insert(Person.self).uid = uid
        }
      }
    }()
    let found = try await updates.next()
    try await commits
    #expect(found?.map(\.author) == ["app"])
    #expect(found?.map(\.generation) == [3])
  }

  @Test(arguments: Place.usual)
  func `a pruned history is an error and the end of the sequence`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    let token = try await test.history.token()
    for uid in 1...2 { try await test.store.addPerson(uid) }
    try await test.history.prune(upTo: try await test.history.token())
    var updates = test.history.updates(after: token).makeAsyncIterator()
    #expect(await asyncErrorKind { _ = try await updates.next() } == .historyGone)
    #expect(try await updates.next() == nil)
  }

  @Test(arguments: Place.usual)
  func `a closed store ends the sequence of updates`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    try await test.store.addPerson(1)
    var updates = test.history.updates().makeAsyncIterator()
    #expect(try await updates.next()?.count == 1)
    let store = test.store
    async let closed: Void = store.close()
    #expect(try await updates.next() == nil)
    try await closed
  }

  @Test(arguments: Place.usual)
  func `a cancelled task ends the sequence of updates`(_ place: Place) async throws {
    let test = try HistoryStore(place)
    let history = test.history
    let (reads, read) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      defer { read.finish() }
      for try await _ in history.updates() { read.yield() }
      return true
    }
    try await test.store.addPerson(1)
    for await _ in reads { break }
    task.cancel()
    #expect(try await task.value)
  }

  @Test(.enabled(if: WorkerProcess.isPossible, WorkerProcess.reason), .timeLimit(.minutes(Faults.minutes)))
  func `commits of another process wake the sequence of updates`() async throws {
    let test = try HistoryStore(.file, author: "first")
    let token = try await test.history.token()
    let worker = try WorkerProcess("counter", suite: FaultWorkerTests.self)
    let path = test.folder.file.path
    async let answer = worker.ask("3 1 \(path)")
    var people: [EntityID<Person>] = []
    for try await commits in test.history.updates(after: token) {
      for commit in commits {
        #expect(commit.author != "first")
        people += commit.changes(of: Person.self).inserted
      }
      if people.count == 3 { break }
    }
    #expect(try await answer == "1")
    #expect(try await worker.nextAnswer() == "2")
    let found = people
    let uids = try await test.store.read { try $0.objects(found).map(\.uid) }
    #expect(uids == [100_001, 100_002, 100_003])
    worker.kill()
    _ = try await worker.end()
  }

  /// A sequence alone keeps the file open, and hears of the commits of others.
  @Test func `a sequence goes on where nobody has the store`() async throws {
    let folder = try TemporaryFolder()
    var options = StoreOptions()
    options.history = .keepingAll
    func open() throws -> EntityStore {
      try EntityStore(.file(folder.file), entities: TestStore.people, options: options)
    }
    var updates = try open().history.updates().makeAsyncIterator()
    let other = try open()
    try await other.addPerson(1)
    #expect(try await updates.next()?.map(\.generation) == [1])
    async let next = updates.next()
    try await other.addPerson(2)
    #expect(try await next?.map(\.generation) == [2])
  }
}
