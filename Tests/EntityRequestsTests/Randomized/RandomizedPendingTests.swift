import EntityClient
import EntityStore
import Foundation
import TestSupport
import Testing

/// Random edits, inserts, deletions, answers, acknowledgements, changes that are taken back, and rows that turn out to be
/// one: the pending changes are those of a plain model after each step, and so are the rows.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@Suite struct RandomizedPendingTests {
  @Test(arguments: [true, false]) func `the pending changes agree with a model`(isInMemory: Bool) async throws {
    try await run(Ticket.self, \.title, isInMemory)
  }

  @Test(arguments: [true, false]) func `the pending changes of updates by hand agree with a model`(isInMemory: Bool)
    async throws
  {
    try await run(HandTicket.self, \.title, isInMemory)
  }

  private func run<E: AnyTicket>(
    _ type: E.Type, _ title: KeyPath<E.Columns, Column<E, String>>, _ isInMemory: Bool
  ) async throws {
    await Seeds.each(isInMemory ? 60 : 12, sanitized: 3, isInMemory ? "memory" : "file") { seed, steps in
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pending-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let location: StoreLocation = isInMemory ? .inMemory : .file(folder.appendingPathComponent("store.sqlite"))
      var run = try PendingRun<E>(location, isInMemory, title, seed)
      defer { steps = run.log.joined(separator: "; ") }
      for _ in 0..<40 { try await run.next() }
    }
  }
}

private struct PendingDifference: Error, CustomStringConvertible { let description: String }

/// A row of the model.
private struct ModelTicket {
  /// The values before edits; `nil` where they are not known.
  var marks: [String: String?] = [:]
  var values = ["title": "", "note": "-"]
  var uid: Int?
  var isNew = false
}

private struct PendingRun<E: AnyTicket> {
  private let location: StoreLocation
  private let isInMemory: Bool
  private let title: KeyPath<E.Columns, Column<E, String>>
  private var store: EntityStore
  private var random: SeededRandom
  private(set) var log: [String] = []
  private var rows: [EntityID<E>: ModelTicket] = [:]
  private var deleted: Set<Int> = []

  init(
    _ location: StoreLocation, _ isInMemory: Bool, _ title: KeyPath<E.Columns, Column<E, String>>, _ seed: UInt64
  ) throws {
    (self.location, self.isInMemory, self.title) = (location, isInMemory, title)
    store = try EntityStore(location, entities: [Ticket.self, HandTicket.self], busyTimeout: .seconds(600))
    random = SeededRandom(seed)
  }

  private var ids: [EntityID<E>] { rows.keys.sorted { $0.untyped.description < $1.untyped.description } }

  private func id(of uid: Int) -> EntityID<E>? { rows.first { $0.value.uid == uid }?.key }

  mutating func next() async throws {
    switch random.below(11) {
    case 0...2: try await receive()
    case 3, 4: try await edit()
    case 5: try await insert()
    case 6: try await delete()
    case 7: try await discard()
    case 8: try await acknowledge()
    case 9: try await collide()
    default: try await settleDeletion()
    }
    if !isInMemory, random.chance(10) {
      store = try EntityStore(location, entities: [Ticket.self, HandTicket.self], busyTimeout: .seconds(600))
    }
    try await compare()
  }

  private mutating func fields() -> [String: String] {
    var fields: [String: String] = [:]
    for name in ["title", "note"] where !random.chance(3) {
      fields[name] = name == "note" && random.chance(4) ? "-" : String(random.below(4))
    }
    return fields
  }

  private mutating func receive() async throws {
    var objects: [JSONValue] = []
    let overwrites = random.chance(5)
    for _ in 0...random.below(3) {
      let uid = random.below(5)
      let fields = fields()
      log.append("receive \(uid) \(fields)\(overwrites ? " overwriting" : "")")
      var json: [String: JSONValue] = fields.mapValues { $0 == "-" ? .null : JSONValue($0) }
      json["id"] = JSONValue(uid)
      objects.append(JSONObject(json).value)
      if deleted.contains(uid) {
        guard overwrites else { continue }
        deleted.remove(uid)
      }
      guard let id = id(of: uid) else {
        missing.append((uid, fields))
        continue
      }
      rows[id]?.receive(fields, overwrites: overwrites, endsUID: E.self == Ticket.self)
    }
    let new = missing
    missing = []
    _ = try await store.receive(E.self, JSONValue(objects)) { $0.localEdits = overwrites ? .overwrite : .keep }
    for (uid, fields) in new {
      if id(of: uid) == nil {
        let id = try await store.read { try $0.fetch(E.self, uid: uid)?.entityID }
        guard let id else { throw PendingDifference(description: "ticket \(uid) was not made") }
        rows[id] = ModelTicket(uid: uid)
      }
      if let id = id(of: uid) { rows[id]?.receive(fields, overwrites: overwrites, endsUID: E.self == Ticket.self) }
    }
  }

  private var missing: [(uid: Int, fields: [String: String])] = []

  private mutating func edit() async throws {
    guard let id = random.element(ids) else { return }
    let fields = fields()
    log.append("edit \(id.untyped) \(fields)")
    try await store.background { context in
      guard let ticket = try context.object(id) else { return }
      ticket.set(fields)
    }
    rows[id]?.edit(fields)
  }

  private mutating func insert() async throws {
    let fields = fields()
    let uid = random.chance(2) ? random.below(5) : nil
    if let uid, self.id(of: uid) != nil { return }
    log.append("insert \(uid.map(String.init) ?? "-") \(fields)")
    let id = try await store.background { context in
      let ticket = try context.insert(E.self)
      if let uid { ticket.uid = uid }
      ticket.set(fields)
      return ticket.entityID
    }
    var row = ModelTicket(uid: uid, isNew: true)
    row.edit(fields)
    if let uid {
      row.marks["uid"] = .some(nil)
      // The server has it still.
      if deleted.remove(uid) != nil { row.isNew = false }
    }
    rows[id] = row
  }

  private mutating func delete() async throws {
    guard let id = random.element(ids) else { return }
    log.append("delete \(id.untyped)")
    let isOfServer = random.chance(4)
    try await store.background(as: isOfServer ? .server : .app) { context in
      if let ticket = try context.object(id) { try context.delete(ticket) }
    }
    if let row = rows.removeValue(forKey: id), !row.isNew, !isOfServer, let uid = row.uid { deleted.insert(uid) }
  }

  private mutating func discard() async throws {
    guard let id = random.element(ids) else { return }
    log.append("discard \(id.untyped)")
    if random.chance(2), rows[id]?.isNew == false {
      try await store.pending.discard(id, title)
      rows[id]?.discard(["title"])
      return
    }
    try await store.pending.discard(id)
    if rows[id]?.isNew == true { rows[id] = nil } else { rows[id]?.discard(["title", "note", "uid"]) }
  }

  private mutating func acknowledge() async throws {
    guard let id = random.element(ids) else { return }
    log.append("acknowledge \(id.untyped)")
    try await store.pending.acknowledge(id)
    rows[id]?.marks = [:]
    rows[id]?.isNew = false
  }

  /// A row without uid gets that of another one.
  private mutating func collide() async throws {
    guard let id = random.element(ids.filter { rows[$0]?.uid == nil }), var row = rows[id] else { return }
    let uid = random.below(5)
    let title = random.chance(2) ? String(random.below(4)) : nil
    log.append("collide \(id.untyped) \(uid) \(title ?? "")")
    try await store.background { context in
      guard let ticket = try context.object(id) else { return }
      ticket.uid = uid
      if let title { ticket.title = title }
    }
    let wasNew = row.isNew
    if let title { row.edit(["title": title]) }
    let own = row.marks
    if row.marks["uid"] == nil { row.marks.updateValue(row.isNew ? nil : "-", forKey: "uid") }
    if let other = self.id(of: uid), let loser = rows.removeValue(forKey: other) {
      row.isNew = row.isNew && loser.isNew
      if wasNew, !loser.isNew {
        // The server's values of the object that it turned out to be.
        for name in own.keys where name != "uid" {
          row.marks.updateValue(loser.marks[name] ?? loser.values[name], forKey: name)
        }
      }
      for (name, value) in loser.values where row.marks[name] == nil {
        if let base = loser.marks[name] {
          row.values[name] = value
          row.marks.updateValue(row.isNew ? nil : base, forKey: name)
        } else if row.values[name] == (name == "title" ? "" : "-") {
          row.values[name] = value
        }
      }
    } else if deleted.remove(uid) != nil {
      // It is that object of the server again.
      row.isNew = false
    }
    row.uid = uid
    rows[id] = row
  }

  private mutating func settleDeletion() async throws {
    let changes = try await store.pending.changes().filter { $0.kind == .deletion }
    guard let change = random.element(changes), let uid = change.uid.flatMap({ Int($0) }) else { return }
    log.append("settle \(uid)")
    if random.chance(2) {
      try await store.pending.discard(change)
    } else {
      try await store.pending.acknowledge(change)
    }
    deleted.remove(uid)
  }

  private func compare() async throws {
    let expected =
      rows.filter { $0.value.isNew || !$0.value.marks.isEmpty }.map { id, row in
        let edits = row.marks.keys.sorted().map { name in
          let base = row.isNew ? nil : row.marks[name] ?? nil
          return "\(name)(\(base ?? "?") \(name == "uid" ? row.uid.map(String.init) ?? "-" : row.values[name] ?? ""))"
        }
        return "\(row.isNew ? "insert" : "edit") \(id.untyped) \(edits)"
      }
      .sorted() + deleted.sorted().map { "deletion \($0)" }
    let changes = try await store.pending.changes(of: E.self)
    func text(_ value: PendingValue?) -> String {
      switch value {
      case .attribute(.text(let text)): text
      case .attribute(.integer(let integer)): String(integer)
      case .attribute(.null): "-"
      case nil: "?"
      default: "!"
      }
    }
    let found = changes.filter { $0.kind != .deletion }.map { change in
      let edits = change.edits.sorted { $0.property < $1.property }
        .map { "\($0.property)(\(text($0.base)) \(text($0.value)))" }
      return "\(change.kind.rawValue) \(change.id) \(edits)"
    }
    .sorted()
    let uids = changes.filter { $0.kind == .deletion }.compactMap { $0.uid.flatMap { Int($0) } }
    guard found + uids.sorted().map({ "deletion \($0)" }) == expected else {
      throw PendingDifference(description: "pending:\n  \(found) \(uids)\nexpected:\n  \(expected)")
    }
    guard try await store.pending.count() == expected.count else {
      throw PendingDifference(description: "another count")
    }
    let stored = try await store.read { context in
      try context.fetch(E.all).map { "\($0.entityID.untyped) \($0.hasUID ? $0.uid : -1) \($0.title) \($0.note ?? "-")" }
    }
    let modelled = rows.map { id, row in
      "\(id.untyped) \(row.uid ?? -1) \(row.values["title"] ?? "") \(row.values["note"] ?? "")"
    }
    guard stored.sorted() == modelled.sorted() else {
      throw PendingDifference(description: "rows:\n  \(stored.sorted())\nexpected:\n  \(modelled.sorted())")
    }
  }
}

extension ModelTicket {
  mutating func receive(_ fields: [String: String], overwrites: Bool, endsUID: Bool) {
    if overwrites {
      for name in fields.keys { marks[name] = nil }
      marks["uid"] = nil
    }
    if isNew {
      marks = marks.mapValues { _ in nil }
      // The server has the object under the uid that it was given here. An update by hand does not say so.
      if endsUID { marks["uid"] = nil }
    }
    isNew = false
    for (name, value) in fields {
      // The value that the server has already is no edit, and another one is what the edit is made on.
      if marks[name] == nil {
        values[name] = value
      } else if values[name] == value {
        marks[name] = nil
      } else {
        marks.updateValue(value, forKey: name)
      }
    }
  }

  mutating func edit(_ fields: [String: String]) {
    for (name, value) in fields where values[name] != value {
      if marks[name] == nil { marks.updateValue(isNew ? nil : values[name], forKey: name) }
      values[name] = value
    }
  }

  mutating func discard(_ names: [String]) {
    for name in names {
      if let base = marks[name] ?? nil { if name == "uid" { uid = nil } else { values[name] = base } }
      marks[name] = nil
    }
  }
}

extension AnyTicket {
  fileprivate func set(_ fields: [String: String]) {
    if let title = fields["title"] { self.title = title }
    if let note = fields["note"] { self.note = note == "-" ? nil : note }
  }
}
