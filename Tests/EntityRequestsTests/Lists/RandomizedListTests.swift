import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import TestSupport
import Testing

@testable import EntityRequests
@testable import EntityStore

/// A user whose values may go.
@Entity final class Headline: RemoteEntity {
  @UID @Key("id") var uid: Int
  var email: String?

  static var basePath: String { "headlines" }
  static var expires: Duration? { .seconds(1_000) }
}

/// Lists that are walked and refreshed, by several tasks, while the server's list changes, and objects are deleted or evicted here.
struct RandomizedListTests {
  /// A cursor heeds deletions too. Counted pages can't, without the total.
  @Test(arguments: ListServer.Paging.allCases)
  func `no member is there twice, out of order or lost`(_ paging: ListServer.Paging) async {
    await run(paging, moves: false)
  }

  @Test(arguments: ListServer.Paging.allCases)
  func `no member is there twice, or lost for ever, while the server changes the order`(
    _ paging: ListServer.Paging
  ) async {
    await run(paging, moves: true)
  }

  private func run(_ paging: ListServer.Paging, moves: Bool) async {
    await Seeds.each(40, sanitized: 4, "\(paging)") { seed, steps in
      var run = ListRun(paging, moves: moves, SeededRandom(seed))
      defer { steps = run.steps.joined(separator: "\n") }
      let store = try EntityStore(.inMemory, entities: [Headline.self])
      try await Client.withClient(run.server.client(store)) { try await run.run(store) }
    }
  }
}

private struct ListRun {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let server: ListServer
  /// Whether the server changes the order of its list.
  let moves: Bool
  var random: SeededRandom
  var steps: [String] = []
  private var tasks: [Task<Void, Never>] = []
  /// The users that are deleted here, and that the server has.
  private var deleted: Set<Int> = []
  /// Those whose deletion was discarded since, so that they come again with the list.
  private var away: Set<Int> = []

  private var list: StoredCollection<Headline> { server.list(of: Headline.self) }

  init(_ paging: ListServer.Paging, moves: Bool, _ random: SeededRandom) {
    self.moves = moves
    self.random = random
    server = ListServer(paging, size: 1 + self.random.below(4), users: self.random.below(12))
  }

  mutating func run(_ store: EntityStore) async throws {
    server.hold(true)
    await MainActor.run { store.main.undoManager.limit = .saves(50) }
    for _ in 0..<40 {
      try await step(store)
      try await check(store)
    }
    server.hold(false)
    await finish()
    try await check(store)
    server.heal()
    try await walk()
    try await check(store)
    if moves, server.paging != .offset {
      // Nothing tells an object that has moved up from the deletion of those that it has overtaken, unless a total does.
      steps.append("remove the list")
      try await list.remove()
      try await walk()
    }
    let (listed, there) = (try await store.uids(of: list), server.uids.filter { !deleted.contains($0) })
    guard Set(listed).isDisjoint(with: deleted) else { throw Failure(description: "\(listed) has a deleted member") }
    guard Set(listed).isSuperset(of: there) else { throw Failure(description: "\(listed) has not all of \(there)") }
    // An object that left the middle of the list is seen once the list is walked anew.
    if server.paging != .cursor, listed != there { throw Failure(description: "\(listed) is not \(there)") }
    let isComplete = try await list.status()?.isComplete
    guard isComplete == true else { throw Failure(description: "the walk has ended, and is not complete") }
    guard try await store.check(.full).isEmpty else { throw Failure(description: "the file has a member too many") }
  }

  private mutating func walk() async throws {
    steps.append("load, and walk to the end")
    try await list.load()
    var count = 0
    while try await list.status()?.hasMore == true {
      try await list.loadMore()
      count += 1
      if count > 200 { throw Failure(description: "the walk does not end") }
    }
  }

  private mutating func step(_ store: EntityStore) async throws {
    switch random.below(17) {
    case 14:
      guard let uid = random.element(server.uids) else { return }
      let isNewer = random.below(2) == 0
      steps.append("evict what is \(isNewer ? "newer" : "older") than \(uid)")
      try await store.core.unit { try $0.connection.execute("UPDATE Headline SET _heard = _heard - 600") }
      try await store.evict(Headline.self, olderThan: .seconds(500)) { isNewer ? $0.uid <= uid : $0.uid >= uid }
    case 15:
      steps.append("evict all, with the list")
      try await store.core.unit { try $0.connection.execute("UPDATE Headline SET _heard = _heard - 600") }
      try await store.evict(Headline.self, olderThan: .zero)
    case 16 where moves:
      guard let uid = random.element(server.uids) else { return }
      server.move(uid)
      steps.append("server: \(uid) moves, \(server.uids)")
    case 10, 11:
      guard let uid = random.element(try await store.uids(of: list)) else { return }
      steps.append("delete \(uid)")
      try await Self.delete(uid, store)
      deleted.insert(uid)
    case 12:
      guard let change = random.element(try await store.pending.changes()) else { return }
      guard let uid = deleted.first(where: { "\(change)".contains("Headline \($0):") }) else { return }
      deleted.remove(uid)
      if random.below(2) == 0 {
        steps.append("discard the deletion of \(uid)")
        try await store.pending.discard(change)
        away.insert(uid)
      } else if server.paging == .cursor {
        steps.append("the server deletes \(uid)")
        server.delete(uid)
        try await store.pending.acknowledge(change)
      } else {
        deleted.insert(uid)
      }
    case 13:
      let pending = deleted
      guard (try? await Self.undo(store)) == true else { return }
      for uid in pending where try await Self.isThere(uid, store) { deleted.remove(uid) }
      steps.append("undo: \(pending.subtracting(deleted))")
    case 0, 1:
      let count = 1 + random.below(4)
      server.add(count)
      steps.append("server: +\(count), \(server.uids)")
    case 2 where server.paging == .cursor:
      guard let uid = random.element(server.uids) else { return }
      server.delete(uid)
      steps.append("server: -\(uid), \(server.uids)")
    case 3: server.failNext()
    case 4, 5: begin("load") { try await $0.load() }
    case 6, 7: begin("loadMore") { try await $0.loadMore() }
    default:
      for _ in 0..<10 { await Task.yield() }
      let held = server.held
      guard held > 0 else { return }
      steps.append("answer, of \(held)")
      server.release(random.below(held))
      for _ in 0..<50 where server.held == held - 1 { await Task.yield() }
    }
  }

  @MainActor private static func delete(_ uid: Int, _ store: EntityStore) async throws {
    guard let user = try store.main.fetch(Headline.self, uid: uid) else { return }
    try store.main.delete(user)
    try await store.main.save()
  }

  @MainActor private static func undo(_ store: EntityStore) async throws -> Bool {
    try await store.main.undoManager.undo()
  }

  @MainActor private static func isThere(_ uid: Int, _ store: EntityStore) throws -> Bool {
    try store.main.fetch(Headline.self, uid: uid) != nil
  }

  private mutating func begin(
    _ name: String, _ load: @escaping @Sendable (StoredCollection<Headline>) async throws -> EntityResponse<Headline>
  ) {
    steps.append(name)
    let list = list
    // Failures of the server leave the list as it is, which the checks see.
    tasks.append(Task { _ = try? await load(list) })
  }

  private func finish() async {
    let all = Task { [tasks] in for task in tasks { await task.value } }
    let isOver = Task { await all.value }
    let pump = Task { [server] in
      while !Task.isCancelled {
        server.release()
        await Task.yield()
      }
    }
    await isOver.value
    pump.cancel()
    await pump.value
  }

  /// New users come first, and the server never changes their order. So the list is descending, and has each user of the
  /// server between its first and its last member.
  private mutating func check(_ store: EntityStore) async throws {
    let before = server.uids.filter { !deleted.contains($0) && !away.contains($0) }
    let (query, key) = (Headline.members(of: list), try list.exchange(.refresh, store).key)
    // In one read: an answer may come into the list meanwhile.
    let (listed, isComplete) = try await store.core.read { context in
      (try context.fetch(query).map(\.uid), try context.answers.collection(key)?.isComplete == true)
    }
    steps.append("list: \(listed)")
    guard Set(listed).count == listed.count else { throw Failure(description: "\(listed) has a member twice") }
    // More new users than the list has move an offset to users that the list begins before. The walk puts them in order.
    guard server.paging != .offset, !moves else { return }
    guard zip(listed, listed.dropFirst()).allSatisfy({ $0 > $1 }) else {
      throw Failure(description: "\(listed) is out of order, or has a member twice")
    }
    guard let first = listed.first, let last = listed.last else { return }
    let lost = before.filter { $0 <= first && ($0 >= last || isComplete) && !listed.contains($0) }
    guard lost.isEmpty else {
      throw Failure(description: "\(listed) lacks \(lost)\(isComplete ? ", and is said to be complete" : "")")
    }
  }
}
