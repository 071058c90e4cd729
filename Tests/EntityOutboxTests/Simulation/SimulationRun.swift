import EntityClient
import EntityTesting
import Foundation
import Synchronization
import TestSupport

@testable import EntityOutbox

/// One seed of the simulation: a person who edits, an outbox that sends, a server that fails, and a person there.
actor SimulationRun {
  struct Fault: Error, CustomStringConvertible { let description: String }

  /// The knowledge of one object that does not come from the store.
  struct Thing {
    let table: SimulatedTable
    /// The tokens of each field in the order of the saves.
    var saves: [String: [String]] = [:]
    /// The number of tokens of each field that need not come to the server: they were given up.
    var givenUp: [String: Int] = [:]
    var wasDropped = false
    /// The last target of each link that was set here; an empty text for none.
    var links: [String: String] = [:]
    /// The number of saves that concern the object.
    var edits = 0
    var deletedHere = false
    /// Whether a response deleted it here.
    var deletedThere = false
    var restored = 0
  }

  let server: SimulatedServer
  let service: SimulatedService
  private let folder: URL?
  private let clock = VirtualClock()
  private var elapsed = 0.0
  private(set) var random: SeededRandom
  private(set) var client: SimulatedClient
  private(set) var things: [String: Thing] = [:]
  /// The codes of all objects that were ever seen.
  private var codes: [AnyEntityID: String] = [:]
  private var last = 0
  private var kills = 0
  /// The copy of the file at the moment of a kill.
  private var killed: URL?
  private var planned: [String]?
  /// What goes on while requests are under way.
  private var nestedOneIn = 3
  var faults: [String] = []

  private static let start = 1_800_000_000.0

  init(_ seed: UInt64, onFile: Bool) throws {
    random = SeededRandom(seed)
    server = SimulatedServer(seed)
    service = SimulatedService.allCases[Int(seed % 3)]
    folder = onFile ? URL.temporaryDirectory.appending(path: "simulation-\(UUID().uuidString)") : nil
    if let folder { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    client = try SimulatedClient(
      server, service, file: folder?.appending(path: "0.sqlite"), clock: clock, now: Self.start)
  }

  deinit { if let folder { try? FileManager.default.removeItem(at: folder) } }

  var history: String { server.state.withLock { $0.log.joined(separator: "\n") } }

  // MARK: The seed

  func run() async throws {
    server.log("service: \(service)")
    for table in [SimulatedTable.firms, .workers, .workers] {
      let code = token("t")
      _ = server.make(table, code: code, Self.empty(table, name: token("s")))
      things[code] = Thing(table: table)
    }
    try await client.refresh()
    try await noteDeletions(here: true)
    let failsOneIn = 2 + random.below(5)
    server.state.withLock { $0.failsOneIn = failsOneIn }
    for _ in 0..<14 {
      try await step()
      try throwFaults()
    }
    server.log("the faults end")
    server.state.withLock { $0.failsOneIn = 0 }
    try await finish()
  }

  private static func empty(_ table: SimulatedTable, name: String) -> [String: JSONValue] {
    var fields: [String: JSONValue] = ["name": JSONValue(name), "note": nil]
    for link in table.links.keys { fields[link] = nil as JSONValue }
    if table == .workers { fields.merge(["badge": nil, "count": 0, "home": nil, "skills": []]) { $1 } }
    return fields
  }

  private func throwFaults() throws {
    faults += server.state.withLock(\.violations)
    if !faults.isEmpty { throw Fault(description: faults.joined(separator: "; ")) }
  }

  private func token(_ prefix: String) -> String {
    last += 1
    return "\(prefix)\(last)"
  }

  private func step() async throws {
    switch random.below(20) {
    case 0...6: try await edit()
    case 7...13: try await pass()
    case 14: advance(Double(1 + random.below(100)))
    case 15, 16: try await thereEdits()
    case 17: try await refresh()
    case 18: try await settleOne(isLast: false)
    default: if folder != nil { try await kill() } else { try await discardOne() }
    }
  }

  func advance(_ seconds: Double) {
    elapsed += seconds
    server.log("\(Int(seconds)) s pass")
    clock.advance(by: .seconds(seconds))
    server.advance(to: elapsed)
  }

  // MARK: Edits

  private func existing(_ tables: [SimulatedTable]) -> String? {
    random.element(
      things.filter { tables.contains($0.value.table) && !$0.value.deletedHere && !$0.value.deletedThere }
        .keys.sorted())
  }

  private func draw() -> SimulatedEdit? {
    switch random.below(14) {
    case 0...3:
      let table = random.element(SimulatedTable.allCases) ?? .firms
      var links: [String: String] = [:]
      if table == .jobs || random.chance(2) { links["firm"] = existing([.firms]) }
      return .make(table, code: token("t"), name: token(random.chance(8) ? "bad" : "c"), links: links)
    case 4...8:
      guard let code = existing(SimulatedTable.allCases), let table = things[code]?.table else { return nil }
      let fields = table == .workers ? table.fields + ["home"] : table.fields
      let field = random.element(fields) ?? "name"
      var text = token(random.chance(12) ? "bad" : "c")
      if field == "badge" { text = "b\(random.below(4))" }
      if field == "count" {
        last += 1
        text = String(last)
      }
      return .set(table, code: code, field: field, token: text)
    case 9, 10:
      guard let code = existing([.firms, .workers, .jobs]), let table = things[code]?.table,
        let (field, target) = table.links.first
      else { return nil }
      return .link(table, code: code, field: field, to: table != .jobs && random.chance(4) ? nil : existing([target]))
    case 11:
      guard let code = existing([.workers]) else { return nil }
      return .skills(code: code, (0..<random.below(3)).compactMap { _ in existing([.skills]) })
    case 12:
      guard let code = existing(SimulatedTable.allCases), let table = things[code]?.table, random.chance(2) else {
        return nil
      }
      return .delete(table, code: code)
    default: return nil
    }
  }

  private func edit() async throws {
    for _ in 0...random.below(2) {
      guard let edit = draw() else { continue }
      try await save(edit)
    }
  }

  private func save(_ edit: SimulatedEdit) async throws {
    let done: Bool
    do {
      done = try await client.store.background { try edit.apply(in: $0) }
    } catch {
      server.log("here: \(edit) failed: \(error)")
      return
    }
    guard done else { return }
    server.log("here: \(edit)")
    switch edit {
    case .make(let table, let code, let name, let links):
      things[code] = Thing(table: table)
      things[code]?.saves["name"] = [name]
      things[code]?.links = links.filter { table.links[$0.key] != nil }
      things[code]?.edits = 1
      try await noteDeletions(here: true)
    case .set(_, let code, let field, let token):
      things[code]?.saves[field, default: []].append(token)
      things[code]?.edits += 1
    case .link(_, let code, let field, let target):
      things[code]?.links[field] = target ?? ""
      things[code]?.edits += 1
    case .skills(let code, _):
      things[code]?.edits += 1
    case .delete(_, let code):
      things[code]?.edits += 1
      try await noteDeletions(here: true)
    }
  }

  /// Notes which objects are gone since the last look.
  private func noteDeletions(here: Bool) async throws {
    let found = try await client.store.read { try $0.allCodes() }
    codes.merge(found) { $1 }
    let present = Set(found.values)
    for (code, thing) in things where !thing.deletedHere && !present.contains(code) && !thing.deletedThere {
      if here {
        things[code]?.deletedHere = true
        things[code]?.edits += 1
      } else {
        things[code]?.deletedThere = true
        let isThere = server.state.withLock { $0.tables.values.contains { $0.values.contains { $0.code == code } } }
        if isThere { faults.append("\(code) went by a response, and the server has it") }
      }
    }
    for (code, thing) in things where present.contains(code) {
      if thing.deletedThere { things[code]?.deletedThere = false }
      // A deletion that was given up brings its object back with a later response. Where the answer to the create was
      // lost, the object comes back until its end is known; then the deletion follows.
      if thing.deletedHere, thing.wasDropped { things[code]?.deletedHere = false }
    }
    for code in present where things[code] == nil { faults.append("'\(code)' is here and was never made") }
  }

  // MARK: Sending

  private func pass() async throws {
    server.log("pass")
    let before = try await client.outbox.plan()
    planned = before.pause == nil ? before.lines.filter { $0.state == .ready }.map { "\($0.method) \($0.path)" } : nil
    let outbox = client.outbox
    client.line.onRequest { [weak self] moment, name, keys in await self?.requesting(moment, name, keys, outbox) }
    let result = try await outbox.send()
    client.line.onRequest(nil)
    server.log(
      "  sent \(result.sent), refused \(result.refused), left \(result.left), pause \(result.pause.map { "\($0)" } ?? "none")"
    )
    if killed != nil { try await reopen() }
    try await noteDeletions(here: true)
    let problems = try await client.store.check(.full)
    if !problems.isEmpty { faults.append("\(problems)") }
  }

  private func requesting(_ moment: SimulatedLine.Moment, _ name: String, _ keys: [String], _ outbox: Outbox) async {
    do {
      if moment == .before { try await checkPlan(name, keys, outbox) }
      if random.chance(nestedOneIn) {
        switch random.below(8) {
        case 0...3: try await edit()
        case 4: try await thereEdits()
        case 5, 6: try await refresh()
        default: if folder != nil, killed == nil { try copy() }
        }
      }
    } catch {
      faults.append("during \(name): \(error)")
    }
  }

  private func checkPlan(_ name: String, _ keys: [String], _ outbox: Outbox) async throws {
    let plan = try await outbox.plan()
    let sending = plan.lines.filter { $0.state == .sending }
    guard sending.count == 1, "\(sending[0].method) \(sending[0].path)" == name else {
      faults.append("\(name) is sent, and the plan has \(sending):\n\(plan)")
      return
    }
    // A question that can't be asked any more ends with its claim.
    if let planned, planned.first.map({ $0 != name && !$0.contains("(row") && !$0.hasPrefix("GET") }) ?? true {
      faults.append("\(name) is sent first, and the plan had \(planned)")
    }
    planned = nil
    let line = sending[0]
    guard line.method == "POST" || line.method == "PATCH" else { return }
    let extra = Set(keys).subtracting(line.properties)
    if !extra.isEmpty { faults.append("\(name) has \(extra.sorted()), which its line has not: \(line)") }
  }

  // MARK: Kills

  private func copy() throws {
    guard let folder, let file = client.file else { return }
    kills += 1
    server.log("  KILL")
    let copy = folder.appending(path: "\(kills).sqlite")
    for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: file.path + ending) {
      try FileManager.default.copyItem(atPath: file.path + ending, toPath: copy.path + ending)
    }
    killed = copy
    client.line.end()
  }

  private func kill() async throws {
    try copy()
    try await reopen()
  }

  private func reopen() async throws {
    guard let file = killed else { return }
    killed = nil
    client = try SimulatedClient(server, service, file: file, clock: clock, now: Self.start + elapsed)
  }

  // MARK: The persons

  private func thereEdits() async throws {
    let table = random.element(SimulatedTable.allCases) ?? .firms
    guard let uid = random.element(server.uids(table)) else { return }
    if random.chance(4) {
      server.delete(table, uid)
    } else {
      server.set(table, uid, random.chance(2) ? "name" : "note", JSONValue(token("s")))
    }
  }

  private func refresh() async throws {
    server.log("refresh")
    let pending = Set(try await client.store.pending.changes().map(\.id))
    let codes = try await client.store.read { context in try pending.compactMap { try context.code(of: $0) } }
    try await client.refresh()
    let before = things
    try await noteDeletions(here: false)
    for code in codes where before[code]?.deletedThere == false && things[code]?.deletedThere == true {
      server.log("\(code) had pending changes and went")
    }
  }

  private func discardOne() async throws {
    let changes = try await client.store.pending.changes()
    guard let change = random.element(changes) else { return }
    let code = codes[change.id]
    server.log("discard \(change.id) \(code ?? "")")
    do {
      try await client.store.pending.discard(change)
    } catch {
      return server.log("  failed: \(error)")
    }
    if let code {
      giveUp(code)
    } else {
      // An embedded object.
      for (code, thing) in things { things[code]?.givenUp["home"] = thing.saves["home"]?.count }
    }
    try await noteDeletions(here: true)
  }

  private func giveUp(_ code: String) {
    if things[code]?.deletedHere == true, things[code]?.table == .firms {
      // Its jobs went with it, and come back with it.
      for (job, thing) in things where thing.table == .jobs && thing.deletedHere { things[job]?.wasDropped = true }
    }
    things[code]?.wasDropped = true
    things[code]?.links = [:]
    for (field, tokens) in things[code]?.saves ?? [:] { things[code]?.givenUp[field] = tokens.count }
  }

  private func settleOne(isLast: Bool) async throws {
    guard let item = random.element(try await client.outbox.items()) else { return }
    try await settle(item, isLast: isLast)
  }

  private func settle(_ item: OutboxItem, isLast: Bool) async throws {
    let outbox = client.outbox
    let code = codes[item.object]
    let isHere = try await client.store.read { try $0.code(of: item.object) } != nil
    func log(_ action: String) { server.log("settle: \(action) \(item) \(code ?? "deleted"): \(item.problem ?? "")") }
    do {
      switch item.state {
      case .refused where item.action != .deletion && isHere && random.chance(2):
        guard let code, let thing = things[code] else { return }
        log("edit")
        for (field, tokens) in thing.saves.sorted(by: { $0.key < $1.key }) {
          if tokens.last?.hasPrefix("bad") == true {
            try await save(.set(thing.table, code: code, field: field, token: token("c")))
          }
          if field == "badge" { try await save(.set(thing.table, code: code, field: field, token: token("b"))) }
        }
      case .refused where random.chance(isLast ? 3 : 2):
        log("retry")
        try await outbox.retry(item)
      case .unknown where !random.chance(8):
        guard item.time.timeIntervalSince1970 + 30 < Self.start + elapsed else { return }
        let (made, uid) = server.state.withLock { state in
          let made = code.flatMap { state.made[$0] } ?? []
          return (made.count, made.last.flatMap(Int.init))
        }
        if let code, let thing = things[code], made > thing.restored, let uid {
          log("confirm \(uid)")
          try await outbox.confirm(item, .happened(uid: uid))
        } else if code != nil {
          log("deny")
          try await outbox.confirm(item, .didNotHappen)
        } else {
          log("drop")
          try await outbox.drop(item)
        }
      case .gone where random.chance(2):
        log("restore")
        try await outbox.restore(item)
        if let code { things[code]?.restored += 1 }
      default:
        log("drop")
        try await outbox.drop(item)
        if let code { giveUp(code) }
      }
    } catch {
      server.log("  failed: \(error)")
    }
    try await noteDeletions(here: true)
  }

  // MARK: The end

  /// Sends until only entries are left that a person settles.
  private func drain() async throws {
    for _ in 0..<40 {
      advance(61)
      try await pass()
      try throwFaults()
      let plan = try await client.outbox.plan()
      let isOver = plan.lines.allSatisfy { line in
        switch line.state {
        case .refused, .unknown, .conflict, .gone, .blocked: true
        default: false
        }
      }
      guard isOver else { continue }
      for line in plan.lines {
        guard case .blocked = line.state else { continue }
        let links: Set<String> = ["firm", "head", "skills", "workers"]
        let isSame = plan.lines.contains { $0.id == line.id && $0.state != line.state }
        let isFree =
          switch line.method {
          case "POST": line.entity != "Job" && !isSame
          case "PATCH": !isSame && Set(line.properties).isDisjoint(with: links)
          default: false
          }
        if isFree { faults.append("a change waits without a reason: \(line)\n\(plan)") }
      }
      return try throwFaults()
    }
    throw Fault(description: "no end: \(try await client.outbox.plan())")
  }

  private func finish() async throws {
    nestedOneIn = 1_000_000
    var rounds = 0
    while true {
      try await drain()
      try await refresh()
      try throwFaults()
      let items = try await client.outbox.items()
      let changes = try await client.store.pending.changes()
      guard !items.isEmpty || !changes.isEmpty else { break }
      rounds += 1
      if items.isEmpty || rounds > 40 {
        throw Fault(description: "nothing settles \(changes); the plan: \(try await client.outbox.plan())")
      }
      for item in items { try await settle(item, isLast: true) }
    }
    try await check()
  }

  private func check() async throws {
    let plan = try await client.outbox.plan()
    if !plan.lines.isEmpty { faults.append("the plan is not empty: \(plan)") }
    let (image, entries) = try await client.store.read { (try $0.image(), try $0.outboxEntries()) }
    if !entries.isEmpty { faults.append("entries are left: \(entries)") }
    let truth = server.image()
    for key in Set(image.keys).union(truth.keys).sorted() where image[key] != truth[key] {
      faults.append("\(key) is '\(image[key] ?? "nothing")' here, and '\(truth[key] ?? "nothing")' there")
    }
    let state = server.state.withLock(\.self)
    let there = Dictionary(
      state.tables.flatMap { table, rows in rows.map { ($0.value.code, (table, $0.key, $0.value)) } }
    ) { first, second in
      faults.append("\(second.2.code) is there twice")
      return first
    }
    for (code, thing) in things.sorted(by: { $0.key < $1.key }) {
      let made = state.made[code]?.count ?? 0
      if made > 1 + thing.restored { faults.append("\(code) was made \(made) times") }
      if thing.deletedHere, !thing.wasDropped, there[code] != nil {
        faults.append("\(code) was deleted here, and is there")
      }
      let history = state.history[code] ?? [:]
      for (field, tokens) in thing.saves where field != "badge" {
        let applied = (history[field] ?? []).compactMap { tokens.firstIndex(of: $0) }
        if !thing.wasDropped, applied != applied.sorted() {
          faults.append("the server has the values of \(code).\(field) in another order: \(history[field] ?? [])")
        }
        guard !thing.deletedHere, !thing.deletedThere, there[code] != nil else { continue }
        if tokens.count > thing.givenUp[field] ?? 0, applied.last != tokens.count - 1 {
          faults.append("the server never got \(tokens.last ?? "") of \(code).\(field): \(history[field] ?? [])")
        }
      }
      if let row = there[code]?.2, !thing.wasDropped, !thing.deletedHere, thing.restored == 0 {
        for (link, target) in thing.links {
          let value = row.fields[link]?.int.map(String.init) ?? ""
          if target.isEmpty, !value.isEmpty { faults.append("\(code).\(link) is \(value), and none here") }
          guard let found = there[target], things[target]?.restored == 0, things[target]?.wasDropped == false else {
            continue
          }
          if value != found.1 { faults.append("\(code).\(link) is '\(value)', and not \(found.1) of \(target)") }
        }
      }
      let (requests, failures) = (state.requests[code] ?? 0, state.failures[code] ?? 0)
      if requests > 3 * (1 + thing.edits + thing.restored) + 2 * failures {
        faults.append("\(requests) requests about \(code) with \(thing.edits) edits and \(failures) failures")
      }
    }
    try throwFaults()
  }
}
