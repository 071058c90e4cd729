import EntityClient
import Foundation
import TestSupport
import Testing

@testable import EntityRequests
@testable import EntityStore

/// A conversation with pages before its first one, and with messages that are made here, while the server gets and deletes
/// messages, and fails.
///
/// After each step:
///
/// - No message is in the list twice.
/// - The messages that the server has stand in its order, and none between two of them is lost.
/// - A complete list has all messages up to its last one.
/// - A message that is made here is in the list, behind all others, until the server has named it.
///
/// Once the server is quiet, a load and a walk to the first message give a complete list, which lacks no message.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=1000` runs so many.
@MainActor struct RandomizedTalkTests {
  @Test func `no message of a conversation is lost, out of order or there twice`() async {
    await Seeds.each(8, sanitized: 6, "conversation") { seed, steps in
      let run = try TalkRun(SeededRandom(seed))
      defer { steps = run.steps.joined(separator: "\n") }
      let client = try Client(adapter: run.server, store: run.store, baseURL: "https://api.example.com/")
      try await Client.withClient(client) { @MainActor in try await run.run() }
    }
  }
}

@MainActor private final class TalkRun {
  struct Failure: Error, CustomStringConvertible { let description: String }

  /// A message that is made here.
  private struct Own {
    let message: Headline
    var isPosting = false
    /// Whether the answer to a POST has come.
    var isNamed = false
    /// The uid that the server gave.
    var uid: Int?
  }

  let server: TalkServer
  let store: EntityStore
  private(set) var steps: [String] = []
  private var random: SeededRandom
  private let tasks = HeldTasks()
  private var own: [Own] = []

  private var list: StoredCollection<Headline> { server.list }

  init(_ random: SeededRandom) throws {
    var random = random
    server = TalkServer(size: 1 + random.below(4), messages: random.below(12))
    store = try EntityStore(.inMemory, entities: [Headline.self])
    self.random = random
  }

  func run() async throws {
    server.answers.hold(true)
    // Objects are placed from the first use of the list on.
    _ = try await list.status()
    for _ in 0..<50 {
      try await step()
      await rest()
      try await check()
    }
    server.answers.hold(false)
    await tasks.end { server.answers.release() }
    try await check()
    server.heal()
    try await walk()
    let messages = server.messages
    let uids = try await check()
    guard Set(uids).isSuperset(of: messages) else { throw Failure(description: "\(uids) has not all of \(messages)") }
    // A message that was deleted before the first page is seen once the list is walked anew.
    steps.append("remove the list")
    try await list.remove()
    try await walk()
    guard try named() == messages else { throw Failure(description: "the list is not \(messages)") }
    guard try await store.check(.full).isEmpty else { throw Failure(description: "the file has a member too many") }
  }

  private func rest() async { await tasks.rest { server.answers.count } }

  private func walk() async throws {
    steps.append("load, and walk to the first message")
    try await list.load()
    var count = 0
    while try await list.status()?.hasEarlier == true {
      try await list.loadEarlier()
      count += 1
      if count > 200 { throw Failure(description: "the walk does not end") }
    }
    guard try await list.status()?.isComplete == true else {
      throw Failure(description: "the walk has ended, and is not complete")
    }
  }

  // MARK: Steps

  private func step() async throws {
    let list = list
    switch random.below(17) {
    case 0, 1:
      server.add()
      steps.append("server: \(server.messages)")
    case 2:
      // The answer to a POST would name a message that is gone.
      let posting = own.filter(\.isPosting).compactMap(\.uid)
      guard let message = random.element(server.messages.filter { !posting.contains($0) }) else { return }
      server.delete(message)
      steps.append("server: \(server.messages)")
    case 3: server.failNext()
    case 4, 5, 6:
      steps.append("load")
      tasks.begin { _ = try? await list.load() }
    case 7, 8, 9:
      steps.append("loadEarlier")
      tasks.begin { _ = try? await list.loadEarlier() }
    case 10:
      let message = try store.main.insert(Headline.self)
      message.email = "mine"
      try await store.main.save()
      own.append(Own(message: message))
      steps.append("make message \(own.count - 1)")
    case 11: await post()
    default:
      let held = server.answers.count
      guard held > 0 else { return }
      steps.append("answer, of \(held)")
      server.answers.release(random.below(held))
    }
  }

  private func post() async {
    guard !own.contains(where: \.isPosting), let index = own.firstIndex(where: { !$0.isNamed }) else { return }
    steps.append("post message \(index)")
    let count = server.posted.count
    own[index].isPosting = true
    tasks.begin { [self] in await post(index) }
    await rest()
    guard server.posted.count > count else { return }
    own[index].uid = server.posted.last
    steps.append("server: \(server.messages)")
  }

  private func post(_ index: Int) async {
    let response = try? await own[index].message.post()
    own[index].isNamed = response != nil
    own[index].isPosting = false
  }

  // MARK: Checks

  private func isUnnamed(_ message: Headline) -> Bool { own.contains { !$0.isNamed && $0.message === message } }

  /// The uids of the members that the server has named.
  private func named() throws -> [Int] {
    try store.main.fetch(Headline.members(of: list)).filter { !isUnnamed($0) }.map(\.uid)
  }

  @discardableResult private func check() async throws -> [Int] {
    let (uids, messages) = (try named(), server.messages)
    let isComplete = try await list.status()?.isComplete == true
    steps.append("list: \(uids)\(isComplete ? ", complete" : "")")
    guard Set(uids).count == uids.count else { throw Failure(description: "\(uids) has a message twice") }
    try checkOwn()
    // A message that was made here stands at the end until an answer of the list has it.
    let made = Set(own.compactMap(\.uid))
    let others = uids.filter { messages.contains($0) && !made.contains($0) }
    guard zip(others, others.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw Failure(description: "\(uids) is out of order")
    }
    guard let first = others.first, let last = others.last else { return uids }
    let lost = messages.filter { (isComplete || $0 >= first) && $0 <= last && !uids.contains($0) }
    guard lost.isEmpty else {
      throw Failure(description: "\(uids) lacks \(lost)\(isComplete ? ", and is said to be complete" : "")")
    }
    return uids
  }

  private func checkOwn() throws {
    let members = try store.main.fetch(Headline.members(of: list))
    for (index, own) in own.enumerated() where !own.isNamed {
      let count = members.count { $0 === own.message }
      guard count == 1 else { throw Failure(description: "message \(index) is in the list \(count) times") }
    }
    let made = own.map(\.message)
    guard members.drop(while: { !isUnnamed($0) }).allSatisfy({ message in made.contains { $0 === message } }) else {
      throw Failure(description: "a message that is made here is not behind the others")
    }
  }
}
