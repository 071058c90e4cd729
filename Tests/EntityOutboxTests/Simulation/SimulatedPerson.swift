import EntityClient
import EntityTesting
import Foundation
import Synchronization
import TestSupport

@testable import EntityOutbox

/// A person at a client: edits, sends, refreshes and settles, and knows what is to become of it.
final class SimulatedPerson {
  let number: Int
  let world: SimulatedWorld
  let screen = SimulatedScreen()
  var settings: Settings
  var memory: SimulatedMemory
  private(set) var client: SimulatedClient
  /// A pass under way.
  private(set) var pass: SimulatedOperation?
  /// A refresh under way.
  private(set) var reading: SimulatedOperation?
  /// The last request whose line in the plan was looked at.
  private var seen = 0
  /// The first request that the plan had before a pass.
  private var planned: [String]?
  private var copies = 0
  /// The generation of the last commit after which the whole file was checked.
  private var checked: Int64 = 0

  /// How a client is.
  struct Settings: Sendable {
    /// The folder of its files; `nil` for a store in memory.
    var folder: URL?
    /// Whether kills are power cuts.
    var losesPower = false
    /// The most requests that are under way at once.
    var width = 1
    /// How far its clock is from the true time, in seconds.
    var skew = 0.0
    /// Whether it sends by itself.
    var isStarted = false
    /// The account whose changes it has; `nil` where it names none.
    var account: String?
    /// Whether another account is signed in.
    var isAway = false
  }

  /// - Parameter file: The file of an earlier process; `nil` for a new store.
  init(
    _ number: Int, _ world: SimulatedWorld, _ settings: Settings, _ memory: SimulatedMemory = SimulatedMemory(),
    file: URL? = nil
  ) throws {
    (self.number, self.world, self.settings, self.memory) = (number, world, settings, memory)
    let file = file ?? settings.folder?.appending(path: "client-\(number).sqlite")
    client = try Self.open(number, world, settings, file)
    if settings.isStarted { client.outbox.start() }
    watchScreen()
  }

  private static func open(
    _ number: Int, _ world: SimulatedWorld, _ settings: Settings, _ file: URL?
  ) throws -> SimulatedClient {
    try SimulatedClient(
      number, world.server, world.service, account: settings.signedIn, file: file,
      disk: settings.losesPower ? TestDisk(losesPower: true) : nil, clock: world.clock,
      now: SimulatedWorld.start + settings.skew + world.elapsed, width: settings.width)
  }

  private func watchScreen() {
    guard client.file != nil, client.disk == nil else { return }
    // The store holds the closure, which holds no store.
    let (file, screen) = (client.file, screen)
    screen.follow(file)
    client.onCommit { screen.show((try? SimulatedClient.columns(of: file)) ?? [:], of: file) }
  }

  func log(_ line: String) { world.log("\(number): \(line)") }

  /// The time of the client's own clock, in seconds since 1970.
  var now: Double { SimulatedWorld.start + settings.skew + world.elapsed }

  // MARK: Sending

  var isBusy: Bool { pass != nil }

  /// Begins a pass, or the sending where the client sends by itself.
  func beginPass() async throws {
    log("pass")
    if settings.isStarted {
      await client.outbox.engine.start()
      return try await settleDown()
    }
    guard pass == nil else { return }
    if settings.width == 1 {
      let plan = try await client.outbox.plan()
      planned = plan.pause == nil ? plan.lines.filter { $0.state == .ready }.map { "\($0.method) \($0.path)" } : nil
    }
    let outbox = client.outbox
    pass = SimulatedOperation {
      let result = try await outbox.send()
      let pause = result.pause.map { "\($0)" } ?? "none"
      return "sent \(result.sent), refused \(result.refused), left \(result.left), pause \(pause)"
    }
    try await settleDown()
    planned = nil
  }

  /// Begins a refresh, whose requests and answers wait for the seed.
  func beginRefresh() async throws {
    guard reading == nil else { return }
    log("a slow refresh")
    client.line.setHoldsRefreshes(true)
    let (client, isWhole) = (client, world.readsWhole)
    reading = SimulatedOperation {
      try await client.refresh(isWhole: isWhole)
      return ""
    }
    try await settleDown()
  }

  /// Reads all collections at once.
  func refresh() async throws {
    guard reading == nil else { return }
    log("refresh")
    client.line.setHoldsRefreshes(false)
    try await client.refresh(isWhole: world.readsWhole)
    try await look(after: .refresh)
    try await settleDown()
  }

  /// Has one request arrive, or its answer.
  func goOn() async throws {
    guard let ticket = world.random.element(client.line.tickets) else { return }
    client.line.release(ticket)
    try await settleDown()
  }

  /// Waits until nothing goes on but requests that wait for the seed.
  func settleDown() async throws {
    let start = ContinuousClock.now
    while true {
      guard start.duration(to: .now) < .seconds(30) else {
        let plan = try await client.outbox.plan()
        throw SimulatedWorld.Fault(description: "\(number): the work never rests: \(plan)")
      }
      await Task.yield()
      if let result = reading?.result {
        reading = nil
        log("  the refresh is over")
        _ = try result.get()
        try await look(after: .answers)
      }
      if let result = pass?.result {
        pass = nil
        log("  \(try result.get())")
        try await check()
      }
      let tickets = client.line.tickets
      if reading != nil, !tickets.contains(where: \.call.isRefresh) { continue }
      guard pass != nil || settings.isStarted else { break }
      let sends = tickets.count { !$0.call.isRefresh }
      if pass != nil, sends == 0 { continue }
      guard await client.outbox.engine.senders.count == sends else { continue }
      let plan = try await client.outbox.plan()
      guard !plan.lines.contains(where: { $0.state == .ready }), client.line.tickets.map(\.id) == tickets.map(\.id),
        await client.outbox.engine.senders.count == sends
      else { continue }
      checkTickets(tickets, plan)
      break
    }
    try await look(after: .answers)
    try world.throwFaults()
  }

  /// Each request was a line of the plan, with its properties.
  private func checkTickets(_ tickets: [SimulatedLine.Ticket], _ plan: OutboxPlan) {
    let sending = plan.lines.filter { $0.state == .sending }
    for ticket in tickets where !ticket.isAnswer && !ticket.call.isRefresh && ticket.id > seen {
      let call = ticket.call
      // An object is read where the server has another version of it, or its version is not known.
      let isRead = call.method == "GET" && call.parts.count == 2
      let name = "\(call.method) \(call.path)"
      if isRead { continue }
      guard let line = sending.first(where: { "\($0.method) \($0.path)" == name }) else {
        world.faults.append("\(number): \(call.name) is sent, and the plan has \(sending):\n\(plan)")
        continue
      }
      // A question that can't be asked any more ends with its claim, and a command whose object is gone has no request.
      let ends = { (first: String) in
        first.contains("(row") || ["GET", "POST workers/"].contains { first.hasPrefix($0) }
      }
      if let planned, planned.first.map({ $0 != name && !ends($0) }) ?? true {
        world.faults.append("\(number): \(name) is sent first, and the plan had \(planned)")
      }
      planned = nil
      // A create is sent again byte for byte, whatever its object has by now.
      guard call.method == "PATCH" else { continue }
      let extra = Set(call.fields.keys).subtracting(line.properties)
      if !extra.isEmpty { world.faults.append("\(number): \(name) has \(extra.sorted()), and its line is \(line)") }
    }
    seen = max(seen, tickets.map(\.id).max() ?? 0)
  }

  /// Rows, marks and entries fit together.
  func check() async throws {
    let problems = try await client.store.check(.full)
    if !problems.isEmpty { world.faults.append("\(number): \(problems)") }
  }

  // MARK: Looking

  enum Reason {
    /// The person's own edit.
    case edit
    /// The person gave a change up. The server does not hear of what goes here with a new object, by a delete rule.
    case givingUp
    /// A refresh that nothing overlapped.
    case refresh
    case answers
  }

  /// Notes which objects are gone since the last look, and what the screen shows.
  func look(after reason: Reason) async throws {
    let (found, columns, generation) = try await client.store.read {
      (try $0.allCodes(), try $0.columns(), $0.generation)
    }
    if generation - checked >= world.checkDistance {
      checked = generation
      try await check()
    }
    screen.show(columns)
    world.faults += screen.faults.map { "\(number): \($0)" }
    memory.codes.merge(found) { $1 }
    let present = Set(found.values)
    for (code, thing) in memory.things where !thing.deletedHere && !present.contains(code) && !thing.deletedThere {
      if reason == .edit || reason == .givingUp {
        memory.things[code]?.deletedHere = true
        memory.things[code]?.edits += 1
        if reason == .givingUp { memory.things[code]?.giveUp() }
      } else {
        memory.things[code]?.deletedThere = true
        let isThere = world.server.state.withLock {
          $0.tables.values.contains { $0.values.contains { $0.code == code } }
        }
        if isThere, reason == .refresh {
          world.faults.append("\(number): \(code) went by a response, and the server has it")
        }
      }
    }
    for code in present {
      guard let thing = memory.things[code] else {
        // Another person made it.
        guard let table = found.first(where: { $0.value == code }).flatMap({ SimulatedTable($0.key.entityName) }) else {
          continue
        }
        memory.things[code] = SimulatedThing(table: table)
        continue
      }
      memory.things[code]?.deletedThere = false
      // A deletion that was given up brings its object back with a later response, and so does another person, who
      // makes it again. Where the answer to the create was lost, the object comes back until its end is known; then the
      // deletion follows.
      let isMadeAgain = thing.table == .skills || world.restorers[code] != nil
      if thing.deletedHere, thing.wasDropped || isMadeAgain {
        memory.things[code]?.deletedHere = false
        // The values from before the deletion are those of the earlier object.
        if isMadeAgain { memory.things[code]?.giveUpValues() }
      }
    }
  }

  // MARK: Kills

  /// Copies the files at this moment, kills the process, and begins another one with the copy.
  func kill() async throws {
    guard let folder = settings.folder, let file = client.file else { return }
    copies += 1
    log(settings.losesPower ? "POWER CUT" : "KILL")
    let place = folder.appending(path: "client-\(number)-\(copies)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    var copy = place.appending(path: "a.sqlite")
    if let disk = client.disk {
      try disk.cut(world.random.next(), into: place)
      copy = place.appending(path: file.lastPathComponent)
    } else {
      try client.copy(to: copy)
    }
    for ticket in client.line.end() { world.server.abandon(ticket.call, hasArrived: ticket.isAnswer) }
    (pass, reading, seen) = (nil, nil, 0)
    client = try Self.open(number, world, settings, copy)
    if settings.losesPower { try await rebase() }
    if settings.isStarted { await client.outbox.engine.start() }
    watchScreen()
    try await settleDown()
  }

  /// A power cut may take the last commits. What the file has not, and the server neither, is given up.
  private func rebase() async throws {
    let (found, columns) = try await client.store.read { (try $0.allCodes(), try $0.columns()) }
    let present = Set(found.values)
    let deletions = try await client.store.pending.changes().filter { $0.kind == .deletion }
    let server = world.server.state.withLock(\.self)
    let deleted = Set(
      deletions.compactMap { change in
        SimulatedTable(change.entity).flatMap { server.ever["\($0.rawValue)/\(change.uid ?? "")"] }
      })
    let there = Set(server.tables.values.flatMap { $0.values.map(\.code) })
    for (code, var thing) in memory.things {
      let applied = server.history[code] ?? []
      for (field, tokens) in thing.saves where tokens.last != nil {
        let last = SimulatedServer.Applied(writer: number, field: field, value: tokens.last ?? "")
        if columns["\(code).\(field)"] != last.value, !applied.contains(last) { thing.givenUp[field] = tokens.count }
      }
      for index in thing.commands.indices { thing.commands[index].isGivenUp = true }
      thing.hasLostLinks = thing.hasLostLinks || !thing.links.isEmpty || thing.skills != nil
      thing.links = [:]
      thing.forgetSkills()
      let hasLostDeletion = thing.deletedHere && there.contains(code) && !deleted.contains(code)
      if present.contains(code) {
        thing.deletedHere = false
      } else if !thing.deletedHere || hasLostDeletion {
        thing.giveUp()
      }
      memory.things[code] = thing
      world.server.state.withLock { _ = $0.uncertain.insert(code) }
      screen.forget(code)
    }
  }

  /// Ends the client: it sends nothing more.
  func end() { _ = client.line.end() }
}
