import EntityClient
import Foundation
import Synchronization
import TestSupport

@testable import EntityOutbox

// The edits of a person at a client.

extension SimulatedPerson {
  private func existing(_ tables: [SimulatedTable]) -> String? {
    world.random.element(
      memory.things.filter { tables.contains($0.value.table) && !$0.value.deletedHere && !$0.value.deletedThere }
        .keys.sorted())
  }

  private func draw() -> SimulatedEdit? {
    let random = { (count: Int) in self.world.random.below(count) }
    switch random(16) {
    case 0...3:
      let table = world.random.element(SimulatedTable.allCases) ?? .firms
      var links: [String: String] = [:]
      if table == .jobs || world.random.chance(2) { links["firm"] = existing([.firms]) }
      let name = world.token(world.random.chance(8) ? "bad" : "c")
      return .make(table, code: world.token("t"), name: name, links: links)
    case 4...8:
      guard let code = existing(SimulatedTable.allCases), let table = memory.things[code]?.table else { return nil }
      let fields = table == .workers ? table.fields + ["home"] : table.fields
      let field = world.random.element(fields) ?? "name"
      var text = world.token(world.random.chance(12) ? "bad" : "c")
      if field == "badge" { text = "b\(random(4))" }
      if field == "count" { text = String(world.number()) }
      return .set(table, code: code, field: field, token: text)
    case 9, 10:
      guard let code = existing([.firms, .workers, .jobs]), let table = memory.things[code]?.table,
        let (field, target) = table.links.first
      else { return nil }
      let isNone = table != .jobs && world.random.chance(4)
      return .link(table, code: code, field: field, to: isNone ? nil : existing([target]))
    case 11:
      guard let code = existing([.workers]) else { return nil }
      return .skills(code: code, (0..<random(3)).compactMap { _ in existing([.skills]) })
    case 12, 13:
      return existing([.workers]).map { .add(code: $0, 1 + random(9)) }
    case 14:
      guard let code = existing(SimulatedTable.allCases), let table = memory.things[code]?.table,
        world.random.chance(2)
      else { return nil }
      return .delete(table, code: code)
    default: return nil
    }
  }

  func edit() async throws {
    for _ in 0...world.random.below(2) {
      if world.random.chance(10) {
        try await praise()
      } else if let edit = draw() {
        try await save(edit)
      }
    }
    try await settleDown()
  }

  func save(_ edit: SimulatedEdit) async throws {
    do {
      guard try await client.store.background({ try edit.apply(in: $0) }) else { return }
    } catch {
      return log("\(edit) failed: \(error)")
    }
    log("\(edit)")
    switch edit {
    case .make(let table, let code, let name, let links):
      var thing = SimulatedThing(table: table)
      thing.saves["name"] = [name]
      thing.links = links.filter { table.links[$0.key] != nil }
      thing.edits = 1
      memory.things[code] = thing
    case .set(_, let code, let field, let token):
      memory.things[code]?.saves[field, default: []].append(token)
      memory.things[code]?.edits += 1
      screen.save("\(code).\(field)", token)
    case .link(_, let code, let field, let target):
      memory.things[code]?.links[field] = target ?? ""
      memory.things[code]?.edits += 1
    case .skills(let code, let skills):
      memory.things[code]?.setSkills(skills, since: world.server.state.withLock(\.lists.count))
      memory.things[code]?.edits += 1
    case .add(let code, let count):
      memory.things[code]?.added += count
      memory.things[code]?.edits += 1
    case .delete(_, let code):
      memory.things[code]?.edits += 1
    }
    try await look(after: .edit)
  }

  private func praise() async throws {
    guard let code = existing([.workers]), let thing = memory.things[code] else { return }
    let token = world.token(world.random.chance(8) ? "bad" : "p")
    guard let id = try await client.store.read({ try $0.worker(code) }) else { return }
    log("praise \(code) \(token)")
    try await client.outbox.enqueue(Praise(token: token), on: id)
    let before = thing.saves.mapValues(\.count)
    memory.things[code]?.commands.append(.init(token: token, before: before, number: thing.commands.count))
    memory.things[code]?.edits += 1
  }

  // MARK: Giving up

  func discardOne() async throws {
    let changes = try await client.store.pending.changes()
    guard let change = world.random.element(changes) else { return }
    let code = memory.codes[change.id]
    log("discard \(change.id) \(code ?? "")")
    do {
      try await client.store.pending.discard(change)
    } catch {
      return log("  failed: \(error)")
    }
    if let code {
      if change.kind == .edit { try await checkDiscarded(code) }
      giveUp(code)
    } else {
      // An embedded object.
      for (code, thing) in memory.things { memory.things[code]?.givenUp["home"] = thing.saves["home"]?.count }
    }
    try await look(after: .givingUp)
    try await settleDown()
  }

  /// An object without requests under way has the server's last values again, as far as this client set them: the base of
  /// an edit is what the last request sent.
  private func checkDiscarded(_ code: String) async throws {
    guard pass == nil, reading == nil, client.line.tickets.isEmpty, memory.things[code]?.wasDropped == false else {
      return
    }
    let (columns, entries) = try await client.store.read { (try $0.columns(), try $0.pendingEdits.outboxEntries()) }
    guard entries.isEmpty else { return }
    let history = world.server.state.withLock { $0.history[code] ?? [] }
    for field in ["name", "note"] {
      guard let last = history.last(where: { $0.field == field }), last.writer == number,
        let value = columns["\(code).\(field)"], value != last.value
      else { continue }
      world.faults.append("\(number): \(code).\(field) is '\(value)' once its edit is discarded, and was sent: \(last)")
    }
  }

  private func giveUp(_ code: String) {
    if memory.things[code]?.deletedHere == true, memory.things[code]?.table == .firms {
      // Its jobs went with it, and come back with it.
      for (job, thing) in memory.things where thing.table == .jobs && thing.deletedHere {
        memory.things[job]?.wasDropped = true
      }
    }
    memory.things[code]?.giveUp()
    world.server.state.withLock { _ = $0.uncertain.insert(code) }
    screen.forget(code)
  }

  // MARK: Settling

  func settleOne() async throws {
    guard let item = world.random.element(try await client.outbox.items()) else { return }
    try await settle(item, isLast: false)
  }

  func settle(_ item: OutboxItem, isLast: Bool) async throws {
    // The person waits for the requests about the object, which wait for the seed.
    guard await !client.outbox.engine.senders.keys.contains(where: { $0.pk == item.object.pk }) else { return }
    let code = memory.codes[item.object]
    let isHere = try await client.store.read { try $0.code(of: item.object) } != nil
    do {
      switch item.state {
      case .conflict: try await decide(item, code)
      case .unknown: try await confirm(item, code)
      case .refused: try await answer(item, code, isHere: isHere, isLast: isLast)
      case .gone:
        if let code, world.random.chance(2), world.restorers[code] ?? number == number {
          note("restore", item, code)
          world.restorers[code] = number
          world.server.state.withLock { _ = $0.uncertain.insert(code) }
          try await client.outbox.restore(item)
          memory.things[code]?.restored += 1
        } else {
          try await drop(item, code)
        }
      }
    } catch {
      log("  failed: \(error)")
    }
    try await look(after: .givingUp)
    try await settleDown()
  }

  private func note(_ action: String, _ item: OutboxItem, _ code: String?) {
    log("settle: \(action) \(item) \(code ?? "deleted"): \(item.reason ?? "")")
  }

  private func drop(_ item: OutboxItem, _ code: String?) async throws {
    note("drop", item, code)
    let token = try await token(of: item)
    try await client.outbox.drop(item)
    guard let code else { return }
    if item.action != .command { giveUp(code) }
    for index in memory.things[code]?.commands.indices ?? 0..<0
    where item.action != .command || memory.things[code]?.commands[index].token == token {
      memory.things[code]?.commands[index].isGivenUp = true
    }
    screen.forget(code)
  }

  /// The token of an entry's command.
  private func token(of item: OutboxItem) async throws -> String? {
    let entries = try await client.store.read { try $0.pendingEdits.outboxEntries() }
    let arguments = entries.first { $0.number == item.id }?.kept
    return try arguments.flatMap { try JSONObject(parsing: Data($0.utf8)).value["token"]?.string }
  }

  private func answer(_ item: OutboxItem, _ code: String?, isHere: Bool, isLast: Bool) async throws {
    if let code { memory.things[code]?.wasRefused = true }
    if let code, let thing = memory.things[code], isHere, item.action != .deletion, item.action != .command,
      world.random.chance(2)
    {
      note("edit", item, code)
      for (field, tokens) in thing.saves.sorted(by: { $0.key < $1.key }) {
        if tokens.last?.hasPrefix("bad") == true {
          try await save(.set(thing.table, code: code, field: field, token: world.token("c")))
        }
        if field == "badge" { try await save(.set(thing.table, code: code, field: field, token: world.token("b"))) }
      }
    } else if world.random.chance(isLast ? 3 : 2) {
      note("retry", item, code)
      try await client.outbox.retry(item)
    } else {
      try await drop(item, code)
    }
  }

  /// The person looks at the server, once no request can still arrive there but one whose key it knows.
  private func confirm(_ item: OutboxItem, _ code: String?) async throws {
    guard item.time.timeIntervalSince1970 + 30 < now else { return }
    guard let code, let thing = memory.things[code], !world.random.chance(8) else { return try await drop(item, code) }
    let server = world.server.state.withLock(\.self)
    // The clock of the client may have been set since.
    guard !server.delayed.contains(where: { $0.call.client == number }) else { return }
    if item.action == .command {
      let token = try await token(of: item)
      let happened =
        server.history[code]?.contains(.init(writer: number, field: "praise", value: token ?? "")) == true
      note(happened ? "confirm" : "deny", item, code)
      return try await client.outbox.confirm(item, happened ? .happened : .didNotHappen)
    }
    let made = (server.made[code] ?? []).filter { $0.client == number }
    if made.count > thing.restored, let uid = made.last.flatMap({ Int($0.uid) }) {
      note("confirm \(uid)", item, code)
      try await client.outbox.confirm(item, .happened(uid: uid))
    } else {
      note("deny", item, code)
      try await client.outbox.confirm(item, .didNotHappen)
    }
  }

  /// The person takes a value of each conflict.
  private func decide(_ item: OutboxItem, _ code: String?) async throws {
    guard let code else { return try await drop(item, code) }
    memory.things[code]?.wasRefused = true
    for conflict in try await client.outbox.conflicts(of: item) {
      let field = conflict.property
      switch world.random.below(4) {
      case 0, 1:
        note("mine", item, code)
        try await client.outbox.settle(conflict, .mine)
      case 2:
        note("theirs", item, code)
        let count = memory.things[code]?.saves[field]?.count
        memory.things[code]?.givenUp[field] = count
        try await client.outbox.settle(conflict, .theirs)
      default:
        let token = world.token("c")
        note("\(token)", item, code)
        try await client.outbox.settle(conflict, .value(token))
        memory.things[code]?.saves[field, default: []].append(token)
      }
      memory.things[code]?.edits += 1
      screen.forget(code)
    }
  }
}
