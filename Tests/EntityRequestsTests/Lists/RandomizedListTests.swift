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

/// Lists that are walked and refreshed, by several tasks, while the server's list changes, and objects are deleted or evicted
/// here.
///
/// After each step, the list holds to what its documentation promises. *Fixed* users have never moved on the server:
///
/// - No user is in the list twice.
/// - Fixed users have the order of the server: always where a page begins behind an object, and in a complete list where it
///   begins behind a number of objects.
/// - A complete list has all fixed users of the server that are not newer than it. Where a page begins behind an object, no list
///   lacks one between its first and its last user.
/// - Once the server is quiet, two loads and walks to the end give a complete list. It has the users of the server, and no
///   others where the pages say a total.
///
/// Exceptions are the cases that the article *Lists that live* names: a list without a total can't tell users that moved from
/// new ones, and a list with a total can't where users were deleted, too.
struct RandomizedListTests {
  @Test(arguments: ListServer.Paging.allCases)
  func `no member is there twice, out of order or lost`(_ paging: ListServer.Paging) async {
    await run(paging) { _ in ListRun.Changes(moves: false, deletions: true) }
  }

  @Test(arguments: ListServer.Paging.allCases)
  func `no member is there twice, or lost for ever, while the server changes the order`(
    _ paging: ListServer.Paging
  ) async {
    await run(paging) { ListRun.Changes(moves: true, deletions: $0 % 2 == 0) }
  }

  /// Without a total, nothing tells of the users that a deletion moves to a page that came already.
  @Test(arguments: [ListServer.Paging.offset, .number])
  func `no member of counted pages without a total is lost while the server deletes none`(
    _ paging: ListServer.Paging
  ) async {
    await run(paging, hasTotal: false) { _ in ListRun.Changes(moves: false, deletions: false) }
  }

  private func run(
    _ paging: ListServer.Paging, hasTotal: Bool = true, _ changes: (_ seed: UInt64) -> ListRun.Changes
  ) async {
    await Seeds.each(4, sanitized: 3, "\(paging)") { seed, steps in
      var run = ListRun(paging, hasTotal: hasTotal, changes(seed), SeededRandom(seed))
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

  /// The changes of the server's list besides new users.
  struct Changes {
    let moves: Bool
    let deletions: Bool
  }

  let server: ListServer
  let changes: Changes
  var random: SeededRandom
  var steps: [String] = []
  private let tasks = HeldTasks()
  /// The users that are deleted here, and that the server has.
  private var deleted: Set<Int> = []
  /// Those whose deletion was discarded since, so that they come again with the list.
  private var away: Set<Int> = []

  private var list: StoredCollection<Headline> { server.list(of: Headline.self) }
  private var saysTotal: Bool { server.hasTotal && !server.paging.isBehindObject }

  init(_ paging: ListServer.Paging, hasTotal: Bool, _ changes: Changes, _ random: SeededRandom) {
    self.changes = changes
    self.random = random
    server = ListServer(paging, size: 1 + self.random.below(4), users: self.random.below(12), hasTotal: hasTotal)
  }

  mutating func run(_ store: EntityStore) async throws {
    server.hold(true)
    await MainActor.run { store.main.undoManager.limit = .saves(50) }
    for _ in 0..<40 {
      try await step(store)
      await tasks.rest { server.held }
      try await check(store)
    }
    server.hold(false)
    await tasks.end { server.release() }
    try await check(store)
    server.heal()
    try await walk()
    // A walk that found a deletion is honest, and the next one is whole.
    if saysTotal { try await walk() }
    try await check(store)
    try await checkEnd(store)
    // An object that left the middle of the list, or moved there, is seen once the list is walked anew.
    steps.append("remove the list")
    try await list.remove()
    try await walk()
    try await check(store)
    let (listed, there) = (try await store.uids(of: list), server.uids.filter { !deleted.contains($0) })
    guard listed == there else { throw Failure(description: "\(listed) is not \(there)") }
    guard try await store.check(.full).isEmpty else { throw Failure(description: "the file has a member too many") }
  }

  /// The server was quiet during the last walks.
  private func checkEnd(_ store: EntityStore) async throws {
    let (listed, there) = (try await store.uids(of: list), server.uids.filter { !deleted.contains($0) })
    guard Set(listed).isDisjoint(with: deleted) else { throw Failure(description: "\(listed) has a deleted member") }
    guard try await list.status()?.isComplete == true else {
      throw Failure(description: "the walk has ended, and is not complete")
    }
    if changes.moves, !saysTotal { return }
    guard Set(listed).isSuperset(of: there) else { throw Failure(description: "\(listed) has not all of \(there)") }
    if changes.deletions, !saysTotal { return }
    guard changes.moves ? listed.count == there.count : listed == there else {
      throw Failure(description: "\(listed) is not \(there)")
    }
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
    case 16 where changes.moves:
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
      } else if changes.deletions {
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
    case 2 where changes.deletions:
      guard let uid = random.element(server.uids) else { return }
      server.delete(uid)
      steps.append("server: -\(uid), \(server.uids)")
    case 3: server.failNext()
    case 4, 5: begin("load") { try await $0.load() }
    case 6, 7: begin("loadMore") { try await $0.loadMore() }
    default:
      let held = server.held
      guard held > 0 else { return }
      steps.append("answer, of \(held)")
      server.release(random.below(held))
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
    tasks.begin { _ = try? await load(list) }
  }

  private mutating func check(_ store: EntityStore) async throws {
    let (query, key) = (Headline.members(of: list), try list.exchange(.refresh, store).key)
    let (listed, isComplete) = try await store.core.read { context in
      (try context.fetch(query).map(\.uid), try context.answers.collection(key)?.isComplete == true)
    }
    steps.append("list: \(listed)\(isComplete ? ", complete" : "")")
    guard Set(listed).count == listed.count else { throw Failure(description: "\(listed) has a member twice") }
    try checkOrder(listed, isComplete: isComplete)
    try checkLoss(listed, isComplete: isComplete)
  }

  /// New users come first, so that the numbers of fixed users descend.
  private func checkOrder(_ listed: [Int], isComplete: Bool) throws {
    // More new users than the list has move an offset to users that the list begins before. The walk puts them in order.
    guard server.paging.isBehindObject || isComplete else { return }
    let there = Set(server.uids).subtracting(server.moved)
    let fixed = listed.filter { there.contains($0) }
    guard zip(fixed, fixed.dropFirst()).allSatisfy({ $0 > $1 }) else {
      throw Failure(description: "\(listed) is out of order\(isComplete ? ", and is said to be complete" : "")")
    }
  }

  private func checkLoss(_ listed: [Int], isComplete: Bool) throws {
    let isBehindObject = server.paging.isBehindObject
    guard !changes.moves || !isBehindObject && !changes.deletions, isBehindObject || isComplete else { return }
    // A user that the server has deleted may stand at an end of the list, and says nothing of the pages of the others.
    let there = server.uids.filter { !server.moved.contains($0) }
    let known = isBehindObject ? listed : listed.filter(Set(there).contains)
    guard let first = known.max(), let last = known.min() else { return }
    let lost = there.filter {
      !deleted.contains($0) && !away.contains($0) && $0 <= first && ($0 >= last || isComplete) && !listed.contains($0)
    }
    guard lost.isEmpty else {
      throw Failure(description: "\(listed) lacks \(lost)\(isComplete ? ", and is said to be complete" : "")")
    }
  }
}
