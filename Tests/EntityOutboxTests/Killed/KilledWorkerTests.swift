import EntityClient
import EntityTesting
import Foundation
import TestSupport
import Testing

@testable import EntityOutbox

/// The process of an app that ``KilledProcessTests`` kills: no test by itself.
@Suite(.enabled(if: KilledWorker.job != nil, "this process is no worker"), .timeLimit(.minutes(10)))
struct KilledWorkerTests {
  @Test func work() async throws {
    let job = try #require(KilledWorker.job)
    let number = try #require(Int(job[0]))
    let adapter = PipeAdapter()
    let store = try EntityStore(.file(URL(filePath: job[2])), entities: killedEntities)
    let client = try Client(adapter: adapter, store: store, baseURL: "https://api.example.com/")
    // The processes follow one another with a time between them that no pause outlasts.
    let now = 1_800_000_000 + 10_000 * Double(number)
    let clock = VirtualClock(advancesByItself: true)
    let outbox = try Outbox(client, time: OutboxTime(clock, base: now))
    guard Int(job[1]) != number else { return try await finish(outbox, store, adapter) }
    outbox.start()
    var random = SeededRandom(UInt64(number))
    // It goes on until it is killed.
    for step in 0... {
      let token = "\(number)-\(step)"
      switch random.below(3) {
      case 0: try await make(Receipt.self, token, store)
      case 1: try await make(Bill.self, token, store)
      default: try await make(Slip.self, token, store)
      }
      if random.chance(2) { try await edit(store, "\(token)-note", &random) }
    }
  }

  private func make<E: KilledEntity>(_ type: E.Type, _ token: String, _ store: EntityStore) async throws {
    try await store.background { try $0.insert(E.self).token = token }
    try PipeAdapter.say(["made": JSONValue(token)])
  }

  private func edit(_ store: EntityStore, _ note: String, _ random: inout SeededRandom) async throws {
    let choice = random.next()
    let token = try await store.background { context in
      func edit<E: KilledEntity>(_ type: E.Type) throws -> String? {
        let all = try context.fetch(E.all)
        guard !all.isEmpty else { return nil }
        let object = all[Int(choice >> 8) % all.count]
        object.note = note
        return object.token
      }
      return switch choice % 3 {
      case 0: try edit(Receipt.self)
      case 1: try edit(Bill.self)
      default: try edit(Slip.self)
      }
    }
    if let token { try PipeAdapter.say(["edited": JSONValue(token), "note": JSONValue(note)]) }
  }

  /// Sends all that is left. A person looks at the server for what is unknown.
  private func finish(_ outbox: Outbox, _ store: EntityStore, _ adapter: PipeAdapter) async throws {
    for _ in 0..<1_000 {
      try await outbox.send()
      for item in try await outbox.items() {
        guard item.state == .unknown else {
          try PipeAdapter.say(["problem": JSONValue("\(item): \(item.reason ?? "")")])
          return
        }
        let token = try await store.read { context in
          try context.fetch(Slip.all).first { $0.entityID.untyped == item.object }?.token
        }
        let answer = try await adapter.ask(["find": JSONValue(token ?? "")])
        if let uid = answer["uid"]?.int {
          try await outbox.confirm(item, .happened(uid: uid))
        } else {
          try await outbox.confirm(item, .didNotHappen)
        }
      }
      if try await outbox.plan().lines.isEmpty { break }
    }
    try PipeAdapter.say(["left": JSONValue(try await outbox.plan().lines.count)])
  }
}

/// How a process becomes a worker.
enum KilledWorker {
  /// The name of the variable that tells a worker its number, how many come, and its file.
  static let variable = "ENTITYCLIENT_OUTBOX_WORKER"
  static let job = ProcessInfo.processInfo.environment[variable]?.split(separator: "\t").map(String.init)
  /// The path of this program; `nil` where tests are not a program.
  static let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
}
