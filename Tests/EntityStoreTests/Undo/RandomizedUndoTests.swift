import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Random saves, taken back and made again: the file is byte by byte as it was, marks and notes too.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=1000` runs so many.
@MainActor struct RandomizedUndoTests {
  private struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  @Test(arguments: Place.usual)
  func `undoing all is the first content and redoing all the last`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 20 : 6, sanitized: 2, "undo \(place)") { seed, steps in
      let world = try await UndoWorld(place, seed)
      let main = world.main
      var contents = [try await world.content()]
      var random = SeededRandom(seed &+ 99)
      for step in 1...12 {
        // One save is a step, and so is a group of some.
        let saves = random.chance(4) ? 2 + random.below(2) : 1
        if saves > 1 { main.undoManager.beginGroup() }
        var before = contents[contents.count - 1]
        var isStep = false
        for _ in 0..<saves {
          try world.change(step, &steps)
          try await main.save()
          let content = try await world.content()
          isStep = isStep || content != before
          before = content
        }
        if saves > 1 { main.undoManager.endGroup() }
        if isStep { contents.append(before) }
      }
      for _ in 0..<2 {
        var place = contents.count - 1
        while try main.undoManager.undoAtOnce() {
          place -= 1
          try Self.compare(try await world.content(), contents[place], "undo to \(place)")
          try world.compareObjects()
        }
        try #require(place == 0)
        while try await main.undoManager.redo() {
          place += 1
          try Self.compare(try await world.content(), contents[place], "redo to \(place)")
          try world.compareObjects()
        }
        try #require(place == contents.count - 1)
      }
      try #require(try await world.test.store.check(.full).isEmpty)
    }
  }

  /// Units of others and acknowledgements between: an undo takes place as a whole or not at all, and the objects are as the rows.
  @Test(arguments: Place.usual)
  func `an undo that runs or is refused leaves a sound store`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 20 : 6, sanitized: 2, "undo among others \(place)") { seed, steps in
      let world = try await UndoWorld(place, seed)
      let main = world.main
      var random = SeededRandom(seed &+ 77)
      var sent: [PendingChange] = []
      for step in 1...40 {
        switch random.below(7) {
        case 0, 1:
          try world.change(step, &steps)
          do { try await main.save() } catch { main.rollback() }
        case 2:
          steps += "other "
          try await world.changeElsewhere(step, random.next())
        case 3:
          steps += "acknowledge "
          let changes = try await world.test.store.pending.changes()
          if let change = random.element(changes) { try await world.test.store.pending.acknowledge(change) }
        case 4:
          // Some are sent, and acknowledged at another time.
          sent = try await world.test.store.pending.changes()
          steps += "send "
        case 5:
          steps += "acknowledge sent "
          for change in sent where random.chance(2) { try await world.test.store.pending.acknowledge(change) }
        case 6 where random.chance(2):
          let isGrouping = main.undoManager.isGrouping
          steps += isGrouping ? "end " : "begin "
          if isGrouping { main.undoManager.endGroup() } else { main.undoManager.beginGroup() }
        default:
          if main.undoManager.isGrouping { main.undoManager.endGroup() }
          let before = try await world.content()
          let isUndo = random.below(3) > 0
          steps += isUndo ? "undo " : "redo "
          do {
            _ = try isUndo ? main.undoManager.undoAtOnce() : main.undoManager.redoAtOnce()
          } catch let error as StoreError where [.conflict, .objectDeleted].contains(error.kind) {
            steps += "(\(error.kind) \(error.objects)) "
            try #require(!error.objects.isEmpty)
            try Self.compare(try await world.content(), before, "refused")
          }
        }
        try world.compareObjects()
      }
      try #require(try await world.test.store.check(.full).isEmpty)
    }
  }

  private static func compare(_ content: [String], _ wanted: [String], _ text: String) throws {
    guard content != wanted else { return }
    let extra = Set(content).subtracting(wanted).sorted()
    let missing = Set(wanted).subtracting(content).sorted()
    throw Difference(description: "\(text): has \(extra), lacks \(missing)")
  }
}

/// Entities with links, lists of each kind, orders, unique values, cascades, derived and lazy properties, one-to-one links and objects
/// without uid.
@MainActor private final class UndoWorld {
  let test: TestStore
  let main: EntityContext
  private var random: SeededRandom
  private var next = 1000
  /// Held, so that objects live through their deletions.
  private var held: [ObjectIdentifier: any ManagedEntity] = [:]

  init(_ place: Place, _ seed: UInt64) async throws {
    test = try TestStore(place, CommitSequence.entities + Mix.world + Self.others)
    random = SeededRandom(seed)
    main = test.store.main
    main.undoManager.limit = .saves(100)
    // Some of it is the server's.
    try await test.store.background(as: .server) { try Self.fill($0, 1) }
    try await test.store.background { try Self.fill($0, 10) }
  }

  private static let others: [any ManagedEntity.Type] = [
    Locker.self, Hall.self, Pilgrim.self, Badge.self, Portrait.self, Atelier.self, Skipper.self, Permit.self,
  ]

  func content() async throws -> [String] { try await test.store.fileContent() }

  nonisolated private static func fill(_ context: EntityContext, _ first: Int) throws {
    let team = try context.insert(Team.self)
    team.uid = "\(first)"
    let writer = try context.insert(Writer.self)
    writer.uid = first
    let mix = try context.insert(Mix.self)
    mix.number = first
    let hall = try context.insert(Hall.self)
    for uid in first..<first + 4 {
      let person = try context.insert(Person.self)
      (person.uid, person.name, person.team) = (uid, "p\(uid)", uid % 2 == 0 ? team : nil)
      try context.insert(Note.self).person = person
      let article = try context.insert(Article.self)
      (article.uid, article.author) = (uid, writer)
      let tag = try context.insert(Tag.self)
      tag.uid = "\(uid)"
      article.tags = [tag]
      let tune = try context.insert(Tune.self)
      tune.number = uid
      let remark = try context.insert(Remark.self)
      (remark.number, remark.mix) = (uid, mix)
      let verse = try context.insert(Verse.self)
      (verse.number, verse.mix) = (uid, mix)
      let locker = try context.insert(Locker.self)
      (locker.uid, locker.number, locker.code, locker.seal, locker.hall) = (
        uid, uid, "\(uid)", Data([UInt8(uid)]), hall
      )
      let pilgrim = try context.insert(Pilgrim.self)
      (pilgrim.uid, pilgrim.nights, pilgrim.name) = (uid, uid * 10, "b\(uid)")
      let portrait = try context.insert(Portrait.self)
      (portrait.uid, portrait.picture, portrait.story) = (uid, Data([UInt8(uid)]), "s\(uid)")
      let skipper = try context.insert(Skipper.self)
      (skipper.code, skipper.name) = (uid, "k\(uid)")
      let permit = try context.insert(Permit.self)
      (permit.code, permit.number, permit.skipper) = (uid, uid, uid % 2 == 0 ? skipper : nil)
    }
    mix.tunes = try context.fetch(Tune.all.sorted(by: \.number)).suffix(4)
  }

  /// Changes of the main context, not saved.
  func change(_ step: Int, _ steps: inout String) throws {
    for _ in 0...random.below(4) {
      next += 1
      steps += "\(step):\(try Self.change(main, next, &random)) "
    }
    try hold()
  }

  func changeElsewhere(_ step: Int, _ seed: UInt64) async throws {
    next += 1
    let next = next
    let isServer = seed % 2 == 0
    // One that a rule refuses changes nothing.
    try? await test.store.background(as: isServer ? .server : .app) { context in
      var random = SeededRandom(seed)
      for _ in 0...random.below(2) { _ = try Self.change(context, next, &random) }
    }
  }

  nonisolated private static func change(_ context: EntityContext, _ next: Int, _ random: inout SeededRandom) throws
    -> String
  {
    func any<E: ManagedEntity>(_ type: E.Type, _ random: inout SeededRandom) throws -> E? {
      random.element(try context.fetch(EntityQuery<E>()))
    }
    let kind = random.below(23)
    switch kind {
    case 0: try any(Person.self, &random)?.name = "n\(next)"
    case 1: try any(Person.self, &random)?.boss = try any(Person.self, &random)
    case 2: try any(Person.self, &random).map { try context.delete($0) }
    case 3:
      let person = try context.insert(Person.self)
      (person.uid, person.name, person.team) = (next, "n\(next)", try any(Team.self, &random))
    case 4:
      let note = try context.insert(Note.self)
      note.person = try any(Person.self, &random)
    case 5: try any(Note.self, &random).map { try context.delete($0) }
    case 6:
      let article = try any(Article.self, &random)
      let tags = try context.fetch(Tag.all)
      article?.tags = tags.filter { _ in random.chance(2) }
    case 7:
      guard let tag = try any(Tag.self, &random), let article = try any(Article.self, &random) else { break }
      if tag.articles.contains(where: { $0 === article }) {
        try tag.remove(article, from: \.articles)
      } else {
        try tag.add(article, to: \.articles)
      }
    case 8: try any(Tag.self, &random).map { try context.delete($0) }
    case 9:
      let mix = try any(Mix.self, &random)
      mix?.tunes = try context.fetch(Tune.all).shuffled(using: &random).filter { _ in random.below(3) > 0 }
    case 10:
      let mix = try any(Mix.self, &random)
      mix?.remarks = try context.fetch(Remark.all).shuffled(using: &random)
    case 11:
      let mix = try any(Mix.self, &random)
      mix?.verses.reverse()
    case 12: try any(Mix.self, &random).map { try context.delete($0) }
    case 13:
      // Unique values change hands.
      guard let one = try any(Locker.self, &random), let other = try any(Locker.self, &random), one !== other else {
        break
      }
      (one.number, other.number) = (other.number, one.number)
      (one.code, other.code) = (other.code, random.chance(2) ? one.code : nil)
    case 14: try any(Locker.self, &random)?.uid = next
    case 15:
      let tag = try context.insert(Tag.self)
      tag.uid = "\(next)"
      try any(Article.self, &random)?.tags.append(tag)
      let mix = try context.insert(Mix.self)
      mix.number = next
    case 16:
      // A derived property has two sources, which a save and a unit may change.
      let pilgrim = try any(Pilgrim.self, &random)
      if random.chance(2) { pilgrim?.nights = next } else { pilgrim?.name = "b\(next)" }
    case 17:
      let pilgrim = try any(Pilgrim.self, &random)
      pilgrim?.paid = random.chance(2) ? Double(next) : nil
    case 18: try any(Portrait.self, &random)?.picture = random.chance(3) ? nil : Data([UInt8(next % 256)])
    case 19:
      let portrait = try any(Portrait.self, &random)
      if random.chance(3) {
        try portrait.map { try context.delete($0) }
      } else {
        portrait?.title = "p\(next)"
      }
    case 20:
      // One-to-one targets change hands, by either side.
      let permit = try any(Permit.self, &random)
      if random.chance(2) {
        permit?.skipper = random.chance(3) ? nil : try any(Skipper.self, &random)
      } else {
        try any(Skipper.self, &random)?.permit = permit
      }
    case 21:
      if random.chance(2) {
        try any(Permit.self, &random).map { try context.delete($0) }
      } else {
        try any(Skipper.self, &random).map { try context.delete($0) }
      }
    default:
      try any(Article.self, &random).map { try context.delete($0) }
      try any(Hall.self, &random).map { try context.delete($0) }
    }
    return "\(kind)"
  }

  private func hold() throws {
    func keep(_ objects: [any ManagedEntity]) { for object in objects { held[ObjectIdentifier(object)] = object } }
    keep(try main.fetch(Person.all))
    keep(try main.fetch(Note.all))
    keep(try main.fetch(Article.all))
    keep(try main.fetch(Tag.all))
    keep(try main.fetch(EntityQuery<Mix>()))
    keep(try main.fetch(Remark.all))
    keep(try main.fetch(Locker.all))
    keep(try main.fetch(Pilgrim.all))
    keep(try main.fetch(Portrait.all))
    keep(try main.fetch(Skipper.all))
    keep(try main.fetch(Permit.all))
  }

  /// Each object has the values of its row, and is deleted where that is gone.
  func compareObjects() throws {
    try main.merging.merge()
    for object in held.values { try compare(object) }
  }

  private func compare<E: ManagedEntity>(_ object: E) throws {
    let state = object._$state
    let model = state.model
    main.fulfil(object)
    let columns = model.stored.subtracting(model.lazy)
    let row = try main.connection.rows(model.selectByPK, [.integer(state.pk)]) { statement in
      columns.indices.map { statement.value($0 + EntityModel.resultOffset) }
    }.first
    try #require(object.isDeleted == (row == nil), "\(model.name) \(state.pk)")
    guard let row else { return }
    let values = object.values(columns)
    try #require(columns.indices.map { values[$0] } == row, "\(model.name) \(state.pk)")
    if let pilgrim = object as? Pilgrim {
      let level = try main.connection.rows("SELECT level FROM main.Pilgrim WHERE _pk = ?", [.integer(state.pk)]) {
        Int($0.int64(0))
      }
      try #require(level == [pilgrim.nights * 2 - pilgrim.name.utf8.count], "derived \(state.pk)")
    }
    if let portrait = object as? Portrait {
      let picture = try main.connection.rows(
        "SELECT picture FROM main.Portrait WHERE _pk = ?", [.integer(state.pk)]
      ) { $0.value(0) }
      try #require(picture == [portrait.picture.map { .blob($0) } ?? .null], "lazy \(state.pk)")
    }
    if let skipper = object as? Skipper {
      let permits = try main.connection.rows(
        "SELECT _pk FROM main.Permit WHERE skipper = ?", [.integer(state.pk)]
      ) { $0.int64(0) }
      try #require(permits == (skipper.permit.map { [$0._$state.pk] } ?? []), "one-to-one \(state.pk)")
    }
    if let article = object as? Article {
      let pairs = try main.connection.rows(
        "SELECT member FROM main.\"Article,tags\" WHERE owner = ? ORDER BY member", [.integer(state.pk)]
      ) { $0.int64(0) }
      try #require(article.tags.map(\._$state.pk).sorted() == pairs)
    }
  }
}
