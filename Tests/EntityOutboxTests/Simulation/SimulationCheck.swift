import EntityClient
import Synchronization

@testable import EntityOutbox

/// The invariants, once all is settled and read anew.
struct SimulationCheck {
  private let world: SimulatedWorld
  private let persons: [SimulatedPerson]
  private let server: SimulatedServer.State
  /// The rows of the server by code.
  private let rows: [String: (table: SimulatedTable, uid: String, row: SimulatedServer.Row)]

  init(_ world: SimulatedWorld, _ persons: [SimulatedPerson]) {
    (self.world, self.persons) = (world, persons)
    server = world.server.state.withLock(\.self)
    let all: [(String, (table: SimulatedTable, uid: String, row: SimulatedServer.Row))] = server.tables.flatMap {
      table, rows in rows.map { ($0.value.code, (table, $0.key, $0.value)) }
    }
    rows = Dictionary(all) { first, second in
      world.faults.append("\(second.row.code) is there twice")
      return first
    }
  }

  func run() async throws {
    for person in persons {
      try await compare(person)
      for (code, thing) in person.memory.things.sorted(by: { $0.key < $1.key }) {
        checkEdits(code, thing, of: person)
        checkCommands(code, thing, of: person)
        checkLinks(code, thing, of: person)
        checkSkills(code, thing, of: person)
        checkPairs(code, thing, of: person)
      }
    }
    for code in Set(persons.flatMap(\.memory.things.keys)).sorted() {
      checkScore(code)
      checkRequests(code)
    }
    try world.throwFaults()
  }

  private func fault(_ person: SimulatedPerson, _ text: String) { world.faults.append("\(person.number): \(text)") }

  private func others(than person: SimulatedPerson, _ code: String) -> [SimulatedThing] {
    persons.filter { $0.number != person.number }.compactMap { $0.memory.things[code] }
  }

  /// The store is as the server is, and has nothing left to send.
  private func compare(_ person: SimulatedPerson) async throws {
    let plan = try await person.client.outbox.plan()
    if !plan.lines.isEmpty { fault(person, "the plan is not empty: \(plan)") }
    let (image, entries) = try await person.client.store.read { (try $0.image(), try $0.pendingEdits.outboxEntries()) }
    if !entries.isEmpty { fault(person, "entries are left: \(entries)") }
    let problems = try await person.client.store.check(.full)
    if !problems.isEmpty { fault(person, "\(problems)") }
    let truth = world.server.image()
    for key in Set(image.keys).union(truth.keys).sorted() where image[key] != truth[key] {
      fault(person, "\(key) is '\(image[key] ?? "nothing")' here, and '\(truth[key] ?? "nothing")' there")
    }
  }

  /// Each saved value came to the server, or a later one did; in the order of the saves.
  private func checkEdits(_ code: String, _ thing: SimulatedThing, of person: SimulatedPerson) {
    let others = others(than: person, code)
    let made = (server.made[code] ?? []).count { $0.client == person.number }
    let mayRepeat = world.service.recovery != .keys || thing.table == .skills
    if made > 1 + thing.restored, !mayRepeat { fault(person, "\(code) was made \(made) times") }
    let isMadeAgain =
      world.restorers[code].map { $0 != person.number } ?? false || wasMadeAgain(code)
      || (thing.table == .skills && others.contains { $0.edits > 0 })
    if thing.deletedHere, !thing.wasDropped, !isMadeAgain, rows[code] != nil {
      fault(person, "\(code) was deleted here, and is there")
    }
    let history = server.history[code] ?? []
    for (field, tokens) in thing.saves where field != "badge" {
      let applied = history.filter { $0.writer == person.number && $0.field == field }.compactMap { one in
        tokens.firstIndex(of: one.value)
      }
      if !thing.wasDropped, applied != applied.sorted() {
        fault(person, "the server has the values of \(code).\(field) in another order: \(history)")
      }
      guard !thing.deletedHere, !thing.deletedThere, rows[code] != nil else { continue }
      if tokens.count > thing.givenUp[field] ?? 0, applied.last != tokens.count - 1 {
        fault(person, "the server never got \(tokens.last ?? "") of \(code).\(field): \(history)")
      }
    }
  }

  /// Whether an object was made, deleted by somebody, and made again by its maker: the answer to its create was lost, and
  /// nothing at the server shows it any more. A server that knows the key makes no object twice.
  private func wasMadeAgain(_ code: String) -> Bool {
    world.service.recovery != .keys && (server.made[code] ?? []).count > 1
  }

  /// Each command came to the server, after the edits and the commands that were saved before it.
  private func checkCommands(_ code: String, _ thing: SimulatedThing, of person: SimulatedPerson) {
    let own = (server.history[code] ?? []).filter { $0.writer == person.number }
    // One that the person has dropped, while its end was not known, may come after all, at any time.
    let kept = thing.commands.filter { !$0.isGivenUp }.map(\.token)
    let applied = own.filter { $0.field == "praise" }.map(\.value).filter(kept.contains)
    let wanted = kept.filter(applied.contains)
    if applied != wanted { fault(person, "the commands of \(code) came as \(applied), and not as \(wanted)") }
    for command in thing.commands {
      guard let place = own.firstIndex(where: { $0.field == "praise" && $0.value == command.token }) else {
        let isGone = thing.deletedHere || thing.deletedThere || rows[code] == nil
        if !command.isGivenUp, !isGone { fault(person, "the server never got the command \(command.token) of \(code)") }
        continue
      }
      for (field, count) in command.before where count > 0 && !thing.wasDropped && field != "badge" {
        let tokens = thing.saves[field] ?? []
        let last = own[..<place].last { $0.field == field }.flatMap { tokens.firstIndex(of: $0.value) } ?? -1
        guard count > thing.givenUp[field] ?? 0 else { continue }
        // A refused edit that a later edit has answered is no longer before the command.
        if last < count - 1, !tokens[count - 1].hasPrefix("bad") {
          fault(person, "the command \(command.token) of \(code) came before \(tokens[count - 1])")
        }
        // A request that can't be made when the command is given is sent with the values that the object has then: its version
        // is yet to be read, or it names an object that is yet to be made.
        let isMadeLate =
          world.service.hasVersions || !thing.links.isEmpty || thing.skills != nil
          || server.made[code]?.contains { $0.client == person.number } == true
        if last > count - 1, !thing.wasRefused, !isMadeLate {
          fault(person, "the command \(command.token) of \(code) came after \(tokens[last])")
        }
      }
    }
  }

  private func checkLinks(_ code: String, _ thing: SimulatedThing, of person: SimulatedPerson) {
    guard let row = rows[code]?.row, !thing.wasDropped, !thing.deletedHere, world.restorers[code] == nil,
      others(than: person, code).allSatisfy({ $0.links.isEmpty && !$0.hasLostLinks && !$0.wasDropped })
    else { return }
    for (link, target) in thing.links {
      let value = row.fields[link]?.int.map(String.init) ?? ""
      if target.isEmpty, !value.isEmpty { fault(person, "\(code).\(link) is \(value), and none here") }
      guard let found = rows[target], world.restorers[target] == nil, !wasMadeAgain(target),
        persons.allSatisfy({
          $0.memory.things[target]?.wasDropped != true && $0.memory.things[target]?.deletedHere != true
        })
      else { continue }
      if value != found.uid { fault(person, "\(code).\(link) is '\(value)', and not \(found.uid) of \(target)") }
    }
  }

  /// The last list of skills came to the server. A request about a skill carries its workers, too, so that a pair is known where
  /// nobody else has edited an end of it.
  private func checkSkills(_ code: String, _ thing: SimulatedThing, of person: SimulatedPerson) {
    guard let list = thing.skills, let row = rows[code]?.row, isOnlyOf(person, code),
      others(than: person, code).allSatisfy({ $0.skills == nil && !$0.hasLostLinks })
    else { return }
    let there = Set((row.fields["skills"]?.array ?? []).compactMap(\.string))
    for (skill, known) in person.memory.things.sorted(by: { $0.key < $1.key }) where known.table == .skills {
      // It was made here, and not edited since.
      guard let found = rows[skill], known.edits == 1, isOnlyOf(person, skill),
        others(than: person, skill).allSatisfy({ $0.edits == 0 })
      else { continue }
      let (isHere, isThere) = (list.contains(skill), there.contains(found.uid))
      if isHere != isThere { fault(person, "\(skill) is \(isThere ? "" : "not ")among the skills of \(code) there") }
    }
  }

  /// Each pair that an edit of a list made or took out is so on the server, or a request had it so since: a later one may have
  /// been slower than another one about the other end. Where another client has sent a list of one of the ends, its pairs count.
  private func checkPairs(_ code: String, _ thing: SimulatedThing, of person: SimulatedPerson) {
    guard let row = rows[code]?.row, isOnlyOf(person, code) else { return }
    let there = Set((row.fields["skills"]?.array ?? []).compactMap(\.string))
    for (skill, pair) in thing.pairs.sorted(by: { $0.key < $1.key }) {
      guard let found = rows[skill], isOnlyOf(person, skill), there.contains(found.uid) != pair.isMember else {
        continue
      }
      let writes = server.lists.enumerated().filter { $0.element.owner == code || $0.element.owner == skill }
      guard writes.allSatisfy({ $0.element.writer == person.number }) else { continue }
      let wasSent = writes.contains { place, list in
        place >= pair.since && list.members.contains(list.owner == code ? skill : code) == pair.isMember
      }
      if !wasSent {
        fault(
          person, "the server never heard that \(skill) is \(pair.isMember ? "" : "not ")among the skills of \(code)")
      }
    }
  }

  /// Whether an object was there all the time, and no change of it was given up.
  private func isOnlyOf(_ person: SimulatedPerson, _ code: String) -> Bool {
    guard let found = rows[code], server.gone["\(found.table.rawValue)/\(found.uid)"] == nil,
      world.restorers[code] == nil
    else { return false }
    return persons.compactMap { $0.memory.things[code] }.allSatisfy { !$0.wasDropped && !$0.deletedHere }
  }

  /// With versions, additions that met each other are all in the sum.
  private func checkScore(_ code: String) {
    guard world.service.hasVersions, !server.uncertain.contains(code), let row = rows[code], row.table == .workers
    else {
      return
    }
    let sum = persons.reduce(server.added[code] ?? 0) { $0 + ($1.memory.things[code]?.added ?? 0) }
    let score = row.row.fields["score"]?.int
    if score != sum { world.faults.append("the score of \(code) is \(score ?? 0), and the sum is \(sum)") }
  }

  private func checkRequests(_ code: String) {
    let things = persons.compactMap { $0.memory.things[code] }
    let edits = things.reduce(0) { $0 + $1.edits + $1.restored + 1 }
    let (requests, failures) = (server.requests[code] ?? 0, server.failures[code] ?? 0)
    if requests > 3 * edits + 2 * failures {
      world.faults.append("\(requests) requests about \(code) with \(edits) edits and \(failures) failures")
    }
  }
}
