import EntityClient
@testable import EntityRequests
@testable import EntityStore
import EntityTesting
import Foundation
import TestSupport
import Testing

/// Messages and answers in random orders, against a server that changes. The messages and answers of one row are an order of
/// their own. It counts where they crossed: a message was taken in while a request was under way whose answer had the row.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=1000` runs so many.
struct RandomizedPushTests {
  /// With a version no row ever goes back, however late messages are, except by a deletion, which has no version.
  @Test func `by version an older message never replaces a newer answer, in 10,000 orders`() async {
    let orders = await run(Beacon.self, 320, .lateByVersion, "version")
    if Seeds.one == nil, !Seeds.isLong, !Seeds.isSanitized { #expect(orders >= 10_000) }
  }

  @Test func `by version and in time a deletion takes no row back either`() async {
    await run(Beacon.self, 40, .prompt, "version, prompt")
  }

  /// Without a version, where a message is here before the answer to a request that the server read after it, and is taken
  /// in at once.
  @Test func `while messages are in time no row goes back`() async {
    await run(Buoy.self, 60, .prompt, "prompt")
  }

  @Test func `an update by hand agrees`() async { await run(HandBuoy.self, 20, .prompt, "by hand") }

  /// Messages come as late as they like, and wait: the last one counts in the end.
  @Test func `however late messages are, the rows are right in the end`() async {
    await run(Buoy.self, 60, .late, "late")
  }

  /// Answers that count as sent when they come are out of order: the model sees it soon.
  @Test func `a wrong order is found`() async throws {
    var isFound = false
    for seed in 0..<20 where !isFound {
      var run = try PushRun<Buoy>(UInt64(seed), .prompt)
      run.sendsLate = true
      do { for _ in 0..<160 { try await run.step() } } catch is Wrong { isFound = true }
    }
    #expect(isFound)
  }

  /// - Returns: The number of orders.
  @discardableResult
  private func run<E: AnyBuoy>(
    _ type: E.Type, _ seeds: Int, _ mode: PushRun<E>.Mode, _ name: String
  ) async -> Int {
    var orders = 0
    await Seeds.each(seeds, sanitized: 4, name) { seed, steps in
      var run = try PushRun<E>(seed, mode)
      defer { steps = run.log.suffix(60).joined(separator: "\n") }
      for _ in 0..<160 { try await run.step() }
      try await run.end()
      orders += run.crossed.count
    }
    return orders
  }
}

/// A server with rows, the stream of its messages, and requests under way.
private struct PushRun<E: AnyBuoy> {
  enum Mode { case prompt, late, lateByVersion }

  struct Message {
    let row: Int
    let version: Int
    let isDeletion: Bool
  }

  struct Reading {
    let number: RequestNumber
    /// The value that the server read, and how many messages it had sent by then.
    var read: (rows: [Int: Int], sent: Int)?
    /// The rows of the messages that were taken in since the request was sent.
    var crossing: Set<Int> = []
  }

  static var rowCount: Int { 50 }

  private let mode: Mode
  private let store: EntityStore
  private let receiver: PushReceiver
  private var random: SeededRandom
  private var server: [Int: Int] = [:]
  private var version = 0
  private var sent: [Message] = []
  /// How many messages have arrived, and those that were not taken in.
  private var arrived = 0
  private var inbox: [(Message, HeldNumber)] = []
  private var readings: [Reading] = []
  /// The newest version that each row had here.
  private var floor: [Int: Int] = [:]
  /// The rows with an answer that a message crossed.
  private(set) var crossed: Set<Int> = []
  var log: [String] = []
  /// Whether a request gets its number with its answer, which is wrong.
  var sendsLate = false

  init(_ seed: UInt64, _ mode: Mode) throws {
    self.mode = mode
    random = SeededRandom(seed)
    store = try EntityStore(.inMemory, entities: [E.self])
    let client = try Client(adapter: StubAdapter(), store: store, baseURL: "https://api.example.com/")
    receiver = PushReceiver(client, [.on("set", do: .upsert(E.self)), .on("end", do: .delete(E.self))], nil)
  }

  mutating func step() async throws {
    switch random.below(10) {
    case 0...3: change()
    case 4: if random.chance(2) { try await arrive() }
    case 5: begin()
    case 6: read()
    case 7: try await answer()
    default:
      if mode == .prompt {
        try await arrive()
      } else if random.chance(2) {
        try await arrive()
      } else {
        for _ in 0..<1 + random.below(12) { try await take() }
      }
    }
  }

  /// All that is under way comes to its end.
  mutating func end() async throws {
    while arrived < sent.count || !inbox.isEmpty || !readings.isEmpty {
      switch random.below(4) {
      case 0: try await arrive()
      case 1: try await take()
      case 2: read()
      default: try await answer()
      }
    }
    let rows = try await rows()
    for row in 0..<Self.rowCount {
      guard rows[row] == server[row] else {
        throw Wrong("row \(row) is \(rows[row] ?? -1), and the server has \(server[row] ?? -1)")
      }
    }
  }

  private mutating func change() {
    for _ in 0..<1 + random.below(4) {
      let row = random.below(Self.rowCount)
      version += 1
      let isDeletion = random.chance(5)
      server[row] = isDeletion ? nil : version
      sent.append(Message(row: row, version: version, isDeletion: isDeletion))
      log.append("the server: \(row) \(isDeletion ? "deleted by" : "is") \(version)")
    }
  }

  private mutating func arrive() async throws {
    guard arrived < sent.count else { return }
    let arrival = receiver.arrival()
    for _ in 0..<min(sent.count - arrived, 1 + random.below(12)) {
      inbox.append((sent[arrived], arrival))
      log.append("arrives: \(sent[arrived].row) \(sent[arrived].version)")
      arrived += 1
    }
    if mode == .prompt { while !inbox.isEmpty { try await take() } }
  }

  private mutating func take() async throws {
    guard !inbox.isEmpty else { return }
    let (message, arrival) = inbox.removeFirst()
    log.append("is taken in: \(message.row) \(message.version)")
    let text = message.isDeletion ? "[\(message.row)]" : #"{"id": \#(message.row), "revision": \#(message.version)}"#
    let pushed = PushedMessage(kind: message.isDeletion ? "end" : "set", data: Data(text.utf8))
    let received = try await receiver.take(pushed, arrival)
    if let error = received.error { throw error }
    for index in readings.indices { readings[index].crossing.insert(message.row) }
    try await check(message)
  }

  private mutating func begin() {
    guard readings.count < 4 else { return }
    readings.append(Reading(number: store.core.requests.begin()))
    log.append("a request is sent")
  }

  private mutating func read() {
    guard let index = readings.indices.filter({ readings[$0].read == nil }).randomElement(using: &random) else {
      return
    }
    readings[index].read = (server, sent.count)
    log.append("the server reads for request \(index)")
  }

  private mutating func answer() async throws {
    guard let index = readings.indices.filter({ readings[$0].read != nil }).randomElement(using: &random),
      let read = readings[index].read
    else { return }
    if mode == .prompt { while arrived < read.sent { try await arrive() } }
    log.append("request \(index) is answered")
    let list = read.rows.map { ["id": JSONValue($0.key), "revision": JSONValue($0.value)] as JSONValue }
    let reading = readings.remove(at: index)
    crossed.formUnion(reading.crossing.intersection(read.rows.keys))
    var number = reading.number
    if sendsLate {
      store.core.requests.end(number)
      number = store.core.requests.begin()
    }
    _ = try await store.upsert(ResponseUpsert<E>(JSONValue(list), sequence: number))
    store.core.requests.end(number)
    try await check(nil)
  }

  private mutating func check(_ message: Message?) async throws {
    let rows = try await rows(message?.row)
    // A deletion that was taken in is the newest state of its row, unless a newer answer has the row. One that comes late
    // takes a newer version away, and the messages behind it bring that back.
    if let message, message.isDeletion, rows[message.row] == nil {
      floor[message.row] = mode == .prompt ? max(floor[message.row] ?? 0, message.version) : message.version
    }
    guard mode != .late else { return }
    for (row, version) in rows {
      guard version >= floor[row] ?? 0 else {
        throw Wrong("row \(row) went back from \(floor[row] ?? 0) to \(version)")
      }
      floor[row] = version
    }
  }

  /// The versions of all rows, or of one: a message is about one row.
  private func rows(_ row: Int? = nil) async throws -> [Int: Int] {
    try await store.read { context in
      let found: [E]
      if let row {
        found = try [context.fetch(E.self, uid: row)].compactMap(\.self)
      } else {
        found = try context.fetch(E.all)
      }
      return Dictionary(uniqueKeysWithValues: found.map { ($0.uid, $0.revision ?? -1) })
    }
  }
}

private struct Wrong: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
