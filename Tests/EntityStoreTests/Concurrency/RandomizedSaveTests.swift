import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Random edits of objects, links and lists: the context reads the same before and after a save, and other contexts read
/// what it reads. Changes of single objects are dropped, units and edits come in between.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@MainActor
struct RandomizedSaveTests {
  private struct Difference: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  enum Course: CaseIterable {
    /// Units of others come between the edits.
    case units
    /// Edits come while a save is under way.
    case edits
  }

  @Test(arguments: Course.allCases)
  func `a save changes nothing that is read`(_ course: Course) async throws {
    await Seeds.each(300, sanitized: 10, "\(course)") { seed, steps in
      var run = try Run(seed)
      defer { steps = run.log.joined(separator: "\n") }
      switch course {
      case .units: try await run.goWithUnits()
      case .edits: try await run.goWithEditsDuringSaves()
      }
    }
  }

  @MainActor
  private struct Run {
    let test: TestStore
    let main: EntityContext
    var random: SeededRandom
    var log: [String] = []

    init(_ seed: UInt64) throws {
      test = try TestStore(.memory, TestStore.blog)
      main = test.store.main
      random = SeededRandom(seed)
    }

    mutating func goWithUnits() async throws {
      for _ in 0..<(10 + random.below(30)) {
        if random.chance(6) {
          let seed = random.next()
          do {
            let lines = try await test.store.background { context in
              var (random, lines) = (SeededRandom(seed), [String]())
              for _ in 0..<4 { try RandomizedSaveTests.step(context, &random, &lines, drops: false) }
              return lines
            }
            log.append("unit \(lines)")
          } catch let error as StoreError {
            log.append("unit \(error)")
          }
        }
        try step()
        if random.chance(8) { try await save() }
      }
    }

    mutating func goWithEditsDuringSaves() async throws {
      for _ in 0..<8 { try step() }
      try await save()
      for _ in 0..<(1 + random.below(3)) {
        for _ in 0..<5 { try step() }
        guard main.hasChanges else { continue }
        let ticket = try await test.store.core.gate.acquire()
        let save = await test.store.beginSave()
        log.append(main.saves.isSaving ? "save begun" : "save refused")
        for _ in 0..<(1 + random.below(5)) { try step() }
        if random.chance(6) {
          main.rollback()
          log.append("rollback")
        }
        let before = try RandomizedSaveTests.snapshot(main)
        if random.chance(4) {
          save.cancel()
          log.append("cancelled")
        }
        ticket.release()
        do { try await save.value } catch { log.append("save: \(error)") }
        log.append("save over")
        try RandomizedSaveTests.same("during and after", before, RandomizedSaveTests.snapshot(main))
        try await self.save()
      }
    }

    private mutating func step() throws { try RandomizedSaveTests.step(main, &random, &log, drops: true) }

    /// Saves, without the objects that errors name first.
    private mutating func save() async throws {
      for _ in 0..<30 {
        let before = try RandomizedSaveTests.snapshot(main)
        do {
          if random.chance(2) { try await main.save() } else { try main.saveAtOnce() }
        } catch let error as StoreError {
          log.append("save: \(error)")
          guard let object = try error.objects.first.flatMap({ try main.object($0) }) else { throw error }
          try main.rollback(object)
          continue
        }
        log.append("saved")
        if main.hasChanges { throw Difference("something is unsaved after a save") }
        let after = try RandomizedSaveTests.snapshot(main)
        try RandomizedSaveTests.same("before and after", before, after)
        try RandomizedSaveTests.same(
          "here and elsewhere", after, await test.store.read { try RandomizedSaveTests.snapshot($0) })
        return try RandomizedSaveTests.checkMarks(main)
      }
      throw Difference("each save fails")
    }
  }

  nonisolated private static func snapshot(_ context: EntityContext) throws -> [String: String] {
    var all: [String: String] = [:]
    func ids<E: ManagedEntity>(_ objects: [E]) -> String { "\(objects.map(\.entityID.pk).sorted())" }
    func id<E: ManagedEntity>(_ object: E?) -> String { object.map { "\($0.entityID.pk)" } ?? "-" }
    for w in try context.fetch(Writer.all.including(.placeholders)) {
      all["W\(w.entityID.pk)"] =
        "\(w.name) \(w.age) home \(id(w.home)) articles \(ids(w.articles)) reviews \(ids(w.reviews)) friends \(ids(w.friends)) "
        + "following \(ids(w.following)) followers \(ids(w.followers))"
    }
    for a in try context.fetch(Article.all.including(.placeholders)) {
      all["A\(a.entityID.pk)"] =
        "\(a.title) author \(a.author.isDeleted ? "-" : id(a.author)) reviewer \(id(a.reviewer)) tags \(ids(a.tags)) parent \(id(a.parent)) children \(ids(a.children))"
    }
    for t in try context.fetch(Tag.all.including(.placeholders)) {
      all["T\(t.entityID.pk)"] = "\(t.name ?? "-") articles \(ids(t.articles))"
    }
    for t in try context.fetch(Town.all.including(.placeholders)) { all["O\(t.entityID.pk)"] = t.city }
    return all
  }

  nonisolated private static func same(_ what: String, _ left: [String: String], _ right: [String: String]) throws {
    for key in Set(left.keys).union(right.keys).sorted() where left[key] != right[key] {
      throw Difference("\(what), \(key): \(left[key] ?? "none") | \(right[key] ?? "none")")
    }
  }

  nonisolated private static let writerLists = ["friends", "following", "followers"]

  nonisolated private static func step(
    _ context: EntityContext, _ random: inout SeededRandom, _ log: inout [String], drops: Bool
  ) throws {
    var picks = random
    defer { random = picks }
    func pick<E: ManagedEntity>(_ type: E.Type) throws -> E? {
      let all = try context.fetch(EntityQuery<E>())
      return picks.element(all)
    }
    func some<E: ManagedEntity>(_ type: E.Type) throws -> [E] {
      try context.fetch(EntityQuery<E>()).filter { _ in picks.chance(2) }
    }
    func n<E: ManagedEntity>(_ o: E?) -> String { o.map { "\(E.entityName)\($0.entityID.pk)" } ?? "nil" }
    switch picks.below(22) {
    case 0:
      let w = try context.insert(Writer.self)
      log.append("insert \(n(w))")
    case 1:
      guard let w = try pick(Writer.self) else { return }
      let a = try context.insert(Article.self)
      a.author = w
      log.append("insert \(n(a)) author \(n(w))")
    case 2:
      let t = try context.insert(Tag.self)
      log.append("insert \(n(t))")
    case 3:
      let t = try context.insert(Town.self)
      t.city = "c\(picks.below(3))"
      log.append("insert \(n(t))")
    case 4:
      guard let w = try pick(Writer.self) else { return }
      w.home = picks.chance(4) ? nil : try pick(Town.self)
      log.append("\(n(w)).home = \(n(w.home))")
    case 5:
      guard let w = try pick(Writer.self) else { return }
      w.age = picks.below(3)
      log.append("\(n(w)).age = \(w.age)")
    case 6:
      guard let a = try pick(Article.self), let w = try pick(Writer.self) else { return }
      a.author = w
      log.append("\(n(a)).author = \(n(w))")
    case 7:
      guard let a = try pick(Article.self) else { return }
      let p = picks.chance(4) ? nil : try pick(Article.self)
      a.parent = p
      log.append("\(n(a)).parent = \(n(p))")
    case 8:
      guard let a = try pick(Article.self) else { return }
      let c = try some(Article.self)
      a.children = c
      log.append("\(n(a)).children = \(c.map { n($0) })")
    case 9:
      guard let a = try pick(Article.self) else { return }
      let c = try some(Tag.self)
      a.tags = c
      log.append("\(n(a)).tags = \(c.map { n($0) })")
    case 10:
      guard let t = try pick(Tag.self) else { return }
      let c = try some(Article.self)
      t.articles = c
      log.append("\(n(t)).articles = \(c.map { n($0) })")
    case 11:
      guard let a = try pick(Article.self), let t = try pick(Tag.self) else { return }
      if picks.chance(2) {
        try a.add(t, to: \.tags)
        log.append("\(n(a)).tags add \(n(t))")
      } else {
        try a.remove(t, from: \.tags)
        log.append("\(n(a)).tags remove \(n(t))")
      }
    case 12:
      guard let a = try pick(Article.self), let t = try pick(Tag.self) else { return }
      if picks.chance(2) {
        try t.add(a, to: \.articles)
        log.append("\(n(t)).articles add \(n(a))")
      } else {
        try t.remove(a, from: \.articles)
        log.append("\(n(t)).articles remove \(n(a))")
      }
    case 13:
      guard let w = try pick(Writer.self) else { return }
      let c = try some(Writer.self)
      let list = picks.below(3)
      switch list {
      case 0: w.friends = c
      case 1: w.following = c
      default: w.followers = c
      }
      log.append("\(n(w)).\(writerLists[list]) = \(c.map { n($0) })")
    case 14:
      guard let w = try pick(Writer.self), let v = try pick(Writer.self) else { return }
      let list = picks.below(3)
      let path = [\Writer.friends, \.following, \.followers][list]
      let isAdding = picks.chance(2)
      if isAdding { try w.add(v, to: path) } else { try w.remove(v, from: path) }
      log.append("\(n(w)).\(writerLists[list]) \(isAdding ? "add" : "remove") \(n(v))")
    case 15:
      guard let a = try pick(Article.self) else { return }
      log.append("delete \(n(a))")
      try context.delete(a)
    case 16:
      guard let t = try pick(Tag.self) else { return }
      log.append("delete \(n(t))")
      try context.delete(t)
    case 17:
      guard let t = try pick(Town.self) else { return }
      log.append("delete \(n(t))")
      try context.delete(t)
    case 18:
      guard let w = try pick(Writer.self), w.articles.isEmpty else { return }
      log.append("delete \(n(w))")
      try context.delete(w)
    default:
      guard drops else { return }
      let changes = context.changes
      let all = changes.inserted + changes.changed + changes.deleted
      guard let object = picks.element(all) else { return }
      log.append("rollback \(object._$state.id)")
      try context.rollback(object)
    }
  }

  /// A row names a list as edited where one of its pairs is marked, and only there.
  nonisolated private static func checkMarks(_ context: EntityContext) throws {
    let schema = context.core.schema
    for model in schema.entities where !model.isLinks {
      for property in model.properties {
        guard case .manyToMany(let membership, _) = property.kind else { continue }
        let links = schema.entities[membership.links]
        let side = links.properties[membership.side].name
        let named = try context.connection.rows(
          "SELECT _pk FROM \(model.table) WHERE instr(',' || _edited || ',', ',\(property.name),') > 0"
        ) { $0.int64(0) }
        let marked = try context.connection.rows(
          "SELECT \(side) FROM \(links.table) WHERE instr(_edited, '\(side)') > 0 UNION SELECT \(side) FROM \(links.removedTable) WHERE instr(_edited, '\(side)') > 0"
        ) { $0.int64(0) }
        if Set(named) != Set(marked) {
          throw Difference("\(model.name).\(property.name): named \(named.sorted()), marked \(marked.sorted())")
        }
        let both = try context.connection.rows(
          "SELECT 1 FROM \(links.table) JOIN \(links.removedTable) USING (owner, member)"
        ) { _ in 0 }
        if !both.isEmpty { throw Difference("\(links.name): in and removed") }
      }
    }
  }
}
