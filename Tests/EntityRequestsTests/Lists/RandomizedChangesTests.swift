import EntityClient
import Foundation
import TestSupport
import Testing

@testable import EntityRequests
@testable import EntityStore

/// Lists that follow the changes of their server, with objects that are made here, while the server changes, forgets its log, and
/// fails.
///
/// After each step, the list holds to what its documentation promises:
///
/// - No memo is in the list twice.
/// - An object that is made here is in the list until the server's list lacks it.
/// - A list that was complete stays complete, also while it is walked anew.
/// - It loses no member that the server had in its list when the loads that are under way began.
/// - Its members keep their order, unless the server's list was walked anew.
/// - One load after the server is quiet, the list has the memos of the server's list, with their texts, and no others.
/// - A memo that the server deleted is not here then, unless its deletion came between a token that the server forgot and the walk
///   in place of that token: no answer names it. Such a memo leaves the list, and its row stays, as that of any object that leaves.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=1000` runs so many.
@MainActor struct RandomizedChangesTests {
  @Test(arguments: MemoServer.Style.allCases)
  func `no member of a list that follows changes is lost, and nobody is in it twice`(_ style: MemoServer.Style) async {
    await Seeds.each(6, sanitized: 4, style.rawValue) { seed, steps in
      let run = try ChangesRun(style, SeededRandom(seed))
      defer { steps = run.steps.joined(separator: "\n") }
      let client = try Client(adapter: run.server, store: run.store, baseURL: "https://api.example.com/")
      try await Client.withClient(client) { @MainActor in try await run.run() }
    }
  }
}

@MainActor private final class ChangesRun {
  struct Failure: Error, CustomStringConvertible { let description: String }

  /// An object that is made here.
  private struct Own {
    let memo: Memo
    /// Whether a POST is under way.
    var isPosting = false
    /// Whether the answer to a POST has come.
    var isNamed = false
    /// The uid that the server gave, and the version in which the memo came into the server's list.
    var uid: Int?
    var version: Int?
  }

  /// The list at the last check.
  private struct Seen {
    var uids: [Int] = []
    var isComplete = false
    /// The number of pages of the list that were asked for when no load was under way.
    var listPages = 0
  }

  let server: MemoServer
  let store: EntityStore
  private(set) var steps: [String] = []
  private var random: SeededRandom
  private let tasks = HeldTasks()
  private var own: [Own] = []
  private var seen = Seen()
  /// The version of the server at which each load began that was under way since the last check.
  private var loads: [Int: Int] = [:]
  private var ended: Set<Int> = []

  private var list: StoredCollection<Memo> { server.list }

  init(_ style: MemoServer.Style, _ random: SeededRandom) throws {
    var random = random
    server = MemoServer(style, size: 1 + random.below(3), memos: random.below(8))
    store = try EntityStore(.inMemory, entities: [Memo.self])
    self.random = random
  }

  func run() async throws {
    server.answers.hold(true)
    // Objects are placed from the first use of the list on.
    _ = try await list.status()
    for _ in 0..<60 {
      try await step()
      await rest()
      try await check()
    }
    server.answers.hold(false)
    await tasks.end { server.answers.release() }
    try await check()
    server.heal()
    steps.append("load at the end")
    try await list.load()
    try await check()
    try await checkEnd()
  }

  private func rest() async { await tasks.rest { server.answers.count } }

  // MARK: Steps

  private func step() async throws {
    switch random.below(20) {
    case 0, 1:
      server.add()
      steps.append("server: + \(server.members.count)")
    case 2: change("edits", .member, among: .member)
    case 3: change("deletes", .deleted, among: .member)
    case 4: change("takes out", .left, among: .member)
    case 5: change("puts back", .member, among: .left)
    case 6 where random.chance(2):
      server.expire()
      steps.append("server: forgets its log")
    case 7:
      server.failNext()
      steps.append("server: fails next")
    case 8...10: load()
    case 11:
      let memo = try store.main.insert(Memo.self)
      memo.isMine = true
      try await store.main.save()
      own.append(Own(memo: memo))
      steps.append("make object \(own.count - 1)")
    case 12: await post()
    default:
      let held = server.answers.count
      guard held > 0 else { return }
      steps.append("answer, of \(held)")
      server.answers.release(random.below(held))
    }
  }

  private func change(_ name: String, _ kind: MemoServer.Kind, among old: MemoServer.Kind) {
    // The answer to a POST would name an object that is gone.
    let posting = own.filter(\.isPosting).compactMap(\.uid)
    let memos = server.log.filter { $0.value.kind == old && !posting.contains($0.key) }
    guard let uid = random.element(memos.keys.sorted()) else { return }
    server.note(uid, kind)
    steps.append("server: \(name) \(uid)")
  }

  /// The first walk shows each page as it comes, and another one would begin the list anew.
  private func load() {
    guard seen.isComplete || loads.isEmpty else { return }
    let list = list
    let id = steps.count
    steps.append("load")
    loads[id] = server.version
    tasks.begin { [self] in
      _ = try? await list.load()
      await end(id)
    }
  }

  private func end(_ load: Int) { ended.insert(load) }

  private func post() async {
    guard !own.contains(where: \.isPosting), let index = own.firstIndex(where: { !$0.isNamed }) else { return }
    steps.append("post object \(index)")
    let count = server.posted.count
    own[index].isPosting = true
    tasks.begin { [self] in await post(index) }
    await rest()
    guard server.posted.count > count, let uid = server.posted.last else { return }
    (own[index].uid, own[index].version) = (uid, server.members[uid])
    steps.append("server: + \(uid)")
  }

  private func post(_ index: Int) async {
    // A POST without the edit would leave it pending, and the row of a memo with a pending edit outlives the server's deletion.
    let response = try? await own[index].memo.post(\.isMine)
    own[index].isNamed = response != nil
    own[index].isPosting = false
  }

  // MARK: Checks

  private func check() async throws {
    let members = try store.main.fetch(Memo.members(of: list))
    let isComplete = try await list.status()?.isComplete == true
    let unnamed = own.filter { !$0.isNamed }.map(\.memo)
    let uids = members.filter { memo in !unnamed.contains { $0 === memo } }.map(\.uid)
    steps.append("list: \(uids), and \(members.count - uids.count)\(isComplete ? ", complete" : "")")
    guard Set(uids).count == uids.count else { throw Failure(description: "\(uids) has a member twice") }
    guard isComplete || !seen.isComplete else { throw Failure(description: "\(uids) is not complete any more") }
    try checkOwn(members)
    if seen.isComplete { try checkMembers(uids) }
    for id in ended { loads[id] = nil }
    ended = []
    seen.uids = uids
    seen.isComplete = isComplete
    if loads.isEmpty { seen.listPages = server.listPages }
  }

  private func checkOwn(_ members: [Memo]) throws {
    for (index, own) in own.enumerated() {
      if own.isNamed {
        // A list that is not complete may begin anew. A memo that left the server's list comes back with a load.
        guard seen.isComplete, let uid = own.uid, let version = own.version, server.members[uid] == version else {
          continue
        }
        // Of two loads at the same time, one may walk a list that the other one has changed since.
        guard loads.count < 2 || version <= start else { continue }
      }
      let count = members.count { $0 === own.memo }
      guard count == 1 else { throw Failure(description: "object \(index) is in the list \(count) times") }
    }
  }

  /// The version of the server when the first load began that is under way.
  private var start: Int { loads.values.min() ?? server.version }

  private func checkMembers(_ uids: [Int]) throws {
    let (there, start) = (server.members, start)
    let stays = seen.uids.filter { uid in there[uid].map { $0 <= start } ?? false }
    let lost = stays.filter { !uids.contains($0) }
    guard lost.isEmpty else { throw Failure(description: "\(uids) has lost \(lost)") }
    guard server.listPages == seen.listPages else { return }
    guard uids.filter(Set(stays).contains) == stays else {
      throw Failure(description: "\(uids) has \(stays) in another order")
    }
  }

  /// The list has all changes of the server.
  private func checkEnd() async throws {
    let there = server.members
    guard seen.isComplete, Set(seen.uids) == Set(there.keys) else {
      throw Failure(description: "\(seen.uids) is not \(there.keys.sorted()), or not complete")
    }
    for (uid, change) in server.log.sorted(by: { $0.key < $1.key }) {
      let memo = try store.main.fetch(Memo.self, uid: uid)
      switch change.kind {
      case .member where own.contains { $0.uid == uid }: continue
      case .member:
        guard memo?.text == change.text else {
          throw Failure(description: "\(uid) has the text \(memo?.text ?? "-"), not \(change.text)")
        }
      case .deleted where server.unnamed.contains { $0.contains(change.version) }: continue
      case .deleted:
        guard memo == nil else { throw Failure(description: "\(uid) is deleted, and is still here") }
      case .left: continue
      }
    }
    guard try await store.check(.full).isEmpty else { throw Failure(description: "the file has a member too many") }
  }
}
