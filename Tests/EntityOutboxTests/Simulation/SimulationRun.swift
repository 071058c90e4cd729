import EntityClient
import Foundation
import Synchronization
import TestSupport

@testable import EntityOutbox

/// One seed of the simulation: persons who edit at clients of their own, outboxes that send, a server that fails, and a
/// person there. The seed chooses what comes next: an edit, the arrival of a request, that of an answer, a kill.
final class SimulationRun {
  /// The purpose of a run.
  enum Kind {
    /// Stores in memory.
    case memory
    /// Stores on files, and kills at any moment.
    case files
    /// Stores on files, and power cuts at any moment.
    case power
    /// Stores on files, which are copied at commits, for kills at these.
    case commits
  }

  private(set) var world: SimulatedWorld
  private var persons: [SimulatedPerson] = []
  private let kind: Kind
  private let folder: URL?
  /// The moments of commits; `nil` where none are kept.
  private var moments: SimulatedMoments?

  init(_ seed: UInt64, _ kind: Kind) throws {
    self.kind = kind
    var random = SeededRandom(seed)
    var service = SimulatedService()
    service.recovery = SimulatedService.Recovery.allCases[Int(seed % 3)]
    service.hasVersions = random.chance(2)
    service.hasReplica = seed % 5 == 4
    folder = kind == .memory ? nil : URL.temporaryDirectory.appending(path: "simulation-\(UUID().uuidString)")
    if let folder { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    let count = random.chance(3) ? 1 : 2
    var settings: [SimulatedPerson.Settings] = []
    for number in 0..<count {
      var own = SimulatedPerson.Settings(folder: folder, losesPower: kind == .power)
      own.width = random.chance(2) ? 1 : 4
      own.skew = Double(random.below(2 * 86_400) - 86_400)
      own.isStarted = random.chance(4)
      // A power cut may take back whose changes the file has.
      if seed % 8 == 1, kind != .power { own.account = SimulatedServer.account(of: number) }
      settings.append(own)
    }
    world = SimulatedWorld(SimulatedServer(seed, service), service, random)
    // It takes its time.
    if seed % 4 == 0 { world.checkDistance = 10 }
    persons = try settings.enumerated().map { try SimulatedPerson($0, world, $1) }
    if kind == .commits { moments = SimulatedMoments(seed) }
  }

  /// Goes on from a moment: all clients were killed then.
  private init(_ moment: SimulatedMoments.Moment, _ world: SimulatedWorld) throws {
    (kind, self.world, folder) = (.files, world, moment.folder)
    persons = try moment.persons.enumerated().map { number, person in
      var settings = person.settings
      settings.folder = moment.folder
      return try SimulatedPerson(
        number, world, settings, person.memory, file: moment.folder.appending(path: "\(number).sqlite"))
    }
  }

  deinit {
    for person in persons { person.end() }
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }

  var history: String { world.server.state.withLock { $0.log.joined(separator: "\n") } }

  // MARK: The seed

  func run() async throws {
    world.log("service: \(world.service)")
    for person in persons { person.log("\(person.settings)") }
    for table in [SimulatedTable.firms, .workers, .workers] {
      var fields = SimulatedServer.empty(table)
      fields["name"] = JSONValue(world.token("s"))
      _ = world.server.make(table, code: world.token("t"), fields)
    }
    for person in persons { try await person.refresh() }
    let failsOneIn = 2 + world.random.below(6)
    world.server.state.withLock { $0.failsOneIn = failsOneIn }
    for _ in 0..<(20 + 25 * persons.count) {
      try await step()
      try world.throwFaults()
    }
    world.log("the faults end")
    world.server.state.withLock { $0.failsOneIn = 0 }
    try await finish()
  }

  private func step() async throws {
    guard let person = world.random.element(persons) else { return }
    if person.settings.account != nil, world.random.chance(person.settings.isAway ? 4 : 12) {
      return try await person.changeAccount()
    }
    let choice = world.random.below(27)
    // The person's own edits are no moments for kills: the driver does not know yet what the file has.
    if let moments, choice >= 7, let folder {
      try moments.watch(person, of: persons, world, in: folder)
    }
    defer { moments?.stop() }
    switch choice {
    case 0...6: try await person.edit()
    case 7...9: try await person.beginPass()
    case 10...18: try await person.goOn()
    case 19, 26:
      world.advance(Double(1 + world.random.below(100)))
      for person in persons { try await person.settleDown() }
    case 20, 21: thereEdits()
    case 22: try await person.refresh()
    case 23: try await person.beginRefresh()
    case 24:
      moments?.stop()
      try await person.settleOne()
    default:
      moments?.stop()
      if kind == .files || kind == .power, !world.random.chance(3) {
        try await person.kill()
      } else {
        try await person.discardOne()
      }
    }
  }

  private func thereEdits() {
    let table = world.random.element(SimulatedTable.allCases) ?? .firms
    guard let uid = world.random.element(world.server.uids(table)) else { return }
    switch world.random.below(8) {
    case 0, 1: world.server.delete(table, uid)
    case 2 where table == .workers: world.server.add(1 + world.random.below(9), uid)
    default: world.server.set(table, uid, world.random.chance(2) ? "name" : "note", world.token("s"))
    }
  }

  /// Kills all clients at each of the kept moments, and goes on from there.
  ///
  /// - Returns: The number of the moments.
  func runMoments() async throws -> Int {
    let all = try moments?.all() ?? []
    if all.isEmpty { throw SimulatedWorld.Fault(description: "kept none: \(moments?.description ?? "no moments")") }
    for moment in all {
      let server = SimulatedServer(moment.server)
      let world = world.copy(server)
      world.elapsed = moment.elapsed
      world.restorers = moment.restorers
      world.random = SeededRandom(UInt64(moment.number))
      server.state.withLock { $0.failsOneIn = 0 }
      server.log("KILL OF ALL at commit \(moment.number)")
      for call in moment.underWay { server.abandon(call.call, hasArrived: call.hasArrived) }
      let run = try SimulationRun(moment, world)
      do {
        for person in run.persons {
          try await person.check()
          try await person.look(after: .answers)
        }
        try await run.finish()
      } catch {
        throw SimulatedWorld.Fault(description: "after a kill at commit \(moment.number): \(error)\n\(run.history)")
      }
    }
    return all.count
  }

  // MARK: The end

  /// Sends until only entries are left that a person settles.
  private func drain(_ person: SimulatedPerson) async throws {
    // Two hours.
    for _ in 0..<118 {
      world.advance(61)
      try await person.beginPass()
      try await person.settleDown()
      while !person.client.line.tickets.isEmpty {
        for ticket in person.client.line.tickets { person.client.line.release(ticket) }
        try await person.settleDown()
      }
      let plan = try await person.client.outbox.plan()
      let isOver = plan.lines.allSatisfy { line in
        switch line.state {
        case .refused, .unknown, .conflict, .gone, .blocked: true
        default: false
        }
      }
      guard isOver else { continue }
      for (index, line) in plan.lines.enumerated() {
        guard case .blocked = line.state else { continue }
        let links: Set<String> = ["firm", "head", "skills", "workers"]
        // A later line of an object waits for the earlier ones, which go before a command.
        let isBehind =
          plan.lines.contains { $0.id == line.id && $0.state != line.state }
          || plan.lines[..<index].contains { $0.id == line.id }
        let isFree =
          switch line.method {
          case "POST": line.entity != "Job" && !isBehind && !line.properties.contains(Praise.name)
          case "PATCH": !isBehind && Set(line.properties).isDisjoint(with: links)
          default: false
          }
        if isFree { world.faults.append("\(person.number): a change waits without a reason: \(line)\n\(plan)") }
      }
      return try world.throwFaults()
    }
    throw SimulatedWorld.Fault(description: "\(person.number): no end: \(try await person.client.outbox.plan())")
  }

  /// Has the requests arrive that are still on their way.
  ///
  /// - Returns: Whether there were any.
  private func awaitLate() async throws -> Bool {
    guard let wait = world.server.lateness else { return false }
    world.advance(wait + 1)
    for person in persons { try await person.settleDown() }
    return true
  }

  private func nothingEnds() async throws -> SimulatedWorld.Fault {
    var text = "nothing ends"
    for person in persons {
      text += "\n\(person.number): \(try await person.client.outbox.items())\n\(try await person.client.outbox.plan())"
    }
    return SimulatedWorld.Fault(description: text)
  }

  private func finish() async throws {
    for person in persons where person.settings.isAway { try await person.changeAccount() }
    for round in 0... {
      var isOver = true
      for person in persons { try await drain(person) }
      if try await awaitLate() { continue }
      for person in persons {
        try await person.refresh()
        let items = try await person.client.outbox.items()
        let changes = try await person.client.store.pending.changes()
        guard !items.isEmpty || !changes.isEmpty else { continue }
        isOver = false
        // The refresh may have merged, so that something is to be sent.
        let plan = try await person.client.outbox.plan()
        if items.isEmpty, plan.lines.isEmpty || round > 40 {
          throw SimulatedWorld.Fault(description: "\(person.number): nothing settles \(changes); the plan: \(plan)")
        }
        for item in items { try await person.settle(item, isLast: true) }
      }
      if isOver { break }
      if round > 60 { throw try await nothingEnds() }
    }
    for person in persons { try await person.refresh() }
    try await SimulationCheck(world, persons).run()
  }
}
