import EntityClient
import EntityStore
import Foundation
import TestSupport
import Testing

/// Random edits, and random answers to requests that are under way together: an answer skips exactly the properties in
/// which the rows differ from its last word afterwards.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@Suite struct RandomizedSkipTests {
  @Test(arguments: [true, false]) func `the rows differ from an answer only where the answer skipped`(isInMemory: Bool)
    async throws
  {
    try await run(Ticket.self, isInMemory)
  }

  @Test(arguments: [true, false]) func `the rows differ from an update by hand only where the update skipped`(
    isInMemory: Bool
  ) async throws {
    try await run(HandTicket.self, isInMemory)
  }

  private func run<E: AnyTicket>(_ type: E.Type, _ isInMemory: Bool) async throws {
    await Seeds.each(isInMemory ? 40 : 10, sanitized: 3, isInMemory ? "memory" : "file") { seed, steps in
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("skips-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      var run = try SkipRun<E>(isInMemory ? .inMemory : .file(folder.appendingPathComponent("store.sqlite")), seed)
      defer { steps = run.log.joined(separator: "; ") }
      for _ in 0..<30 { try await run.next() }
    }
  }
}

private struct SkipDifference: Error, CustomStringConvertible { let description: String }

private struct SkipRun<E: AnyTicket> {
  /// The values of one ticket, in an answer or in a row; as text, `nil` for null.
  typealias Fields = [String: String?]

  let store: EntityStore
  var random: SeededRandom
  var log: [String] = []
  var underWay: [RequestNumber] = []

  init(_ location: StoreLocation, _ seed: UInt64) throws {
    store = try EntityStore(location, entities: [Ticket.self, HandTicket.self], busyTimeout: .seconds(600))
    random = SeededRandom(seed)
  }

  mutating func next() async throws {
    switch random.below(6) {
    case 0: try await edit()
    case 1, 2: if underWay.count < 4 { underWay.append(store.core.requests.begin(isWrite: random.below(4) == 0)) }
    default: try await answer()
    }
  }

  private mutating func edit() async throws {
    let (uid, text, property) = (1 + random.below(3), "\(random.below(3))", random.below(3))
    log.append("edit \(uid) \(["title", "note", "version"][property]): \(text)")
    try await store.background { context in
      guard let ticket = try context.fetch(E.self, uid: uid) else { return }
      switch property {
      case 0: ticket.title = text
      case 1: ticket.note = text
      default: ticket.version = Int(text) ?? 0
      }
    }
  }

  private mutating func answer() async throws {
    let number = underWay.isEmpty ? store.core.requests.begin() : underWay.remove(at: random.below(underWay.count))
    defer { store.core.requests.end(number) }
    var lastWord: [Int: Fields] = [:]
    var objects: [JSONValue] = []
    for _ in 0...random.below(3) {
      let uid = 1 + random.below(3)
      var fields: [(String, JSONValue)] = [("id", JSONValue(uid))]
      func say(_ key: String, _ text: String?, _ value: JSONValue) {
        fields.append((key, value))
        lastWord[uid, default: [:]][key] = .some(text)
      }
      let texts = (0..<4).map { _ in random.below(3) }
      if random.below(3) > 0 { say("title", "\(texts[0])", JSONValue("\(texts[0])")) }
      if random.below(3) > 0 {
        if texts[1] == 0 { say("note", nil, nil) } else { say("note", "\(texts[1])", JSONValue("\(texts[1])")) }
      }
      if random.below(3) > 0 { say("version", "\(texts[2])", JSONValue(texts[2])) }
      if random.below(3) == 0 {
        if texts[3] == 0 { say("parent", nil, nil) } else { say("parent", "\(texts[3])", JSONValue(texts[3])) }
      }
      objects.append(JSONObject(fields: fields).value)
    }
    var upsert = ResponseUpsert<E>(JSONValue(objects), sequence: number)
    upsert.localEdits = random.below(4) == 0 ? .overwrite : .keep
    log.append("answer \(number)\(upsert.localEdits == .overwrite ? ", overwriting" : ""): \(objects)")
    let skipped = try await store.upsert(upsert).skipped
    let rows = try await rows()
    var expected: Set<String> = []
    for (uid, fields) in lastWord {
      for (key, text) in fields where rows[uid]?[key] != .some(text) { expected.insert("\(uid).\(key)") }
    }
    let told = Set(skipped.flatMap { change in change.properties.map { "\(change.uid ?? "-").\($0)" } })
    guard told == expected else {
      throw SkipDifference(description: "\(expected.sorted()) differ, and skipped was: \(skipped)")
    }
  }

  private func rows() async throws -> [Int: Fields] {
    try await store.read { context in
      var rows: [Int: Fields] = [:]
      for ticket in try context.fetch(E.all) {
        rows[ticket.uid] = [
          "title": ticket.title, "note": ticket.note, "version": "\(ticket.version)",
          "parent": ticket.parentUID.map(String.init),
        ]
      }
      return rows
    }
  }
}
