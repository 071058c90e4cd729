import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// One run of random steps.
@MainActor final class OneToOneRun {
  var random: SeededRandom
  let test: TestStore
  let main: EntityContext
  /// As the rows have it, and with the unsaved changes of the main context.
  private var saved = OneToOneLinks()
  var here = OneToOneLinks()
  var permits: [Int: EntityID<Permit>] = [:]
  var skippers: [Int: EntityID<Skipper>] = [:]
  /// The deletions that are not saved.
  private var isDeleting = false
  var hasMistakes = false
  var lastCode = 0
  var log: [String] = []
  /// A store that no object can be linked to.
  let other: TestStore

  struct Difference: Error { let text: String }

  init(_ place: Place, _ seed: UInt64) throws {
    random = SeededRandom(seed)
    test = try TestStore(place, OneToOneTests.entities)
    other = try TestStore(.memory, OneToOneTests.entities)
    main = test.store.main
    for _ in 0..<4 { try insert(main) }
    try main.saveAtOnce()
    saved = here
  }

  private func insert(_ context: EntityContext) throws {
    lastCode += 1
    let (skipper, permit) = (try context.insert(Skipper.self), try context.insert(Permit.self))
    (skipper.code, permit.code) = (lastCode, lastCode)
    (skippers[lastCode], permits[lastCode]) = (skipper.entityID, permit.entityID)
    here.skippers.insert(lastCode)
    here.permits[lastCode] = .some(nil)
  }

  // MARK: Steps

  func step() async throws {
    switch random.below(16) {
    case 0...3: try change(main)
    case 4: try await save()
    case 5:
      log.append("rollback")
      main.rollback()
      (here, isDeleting, hasMistakes) = (saved, false, false)
    case 6, 7: try rollBackOne(main)
    case 8:
      log.append("insert")
      try insert(main)
    case 9: try delete()
    case 10: try await unit(as: random.chance(2) ? .server : .app)
    case 11: try child()
    case 12: try draft()
    case 13: try loose()
    case 14: try mistake()
    default: try checkQueries()
    }
  }

  func end() async throws {
    try await save()
    try check()
  }

  func some(_ links: OneToOneLinks) -> (permit: Int, skipper: Int?)? {
    guard let permit = random.element(links.permits.keys.sorted()) else { return nil }
    return (permit, random.chance(4) ? nil : random.element(links.skippers.sorted()))
  }

  /// Sets a link by either side.
  private func change(_ context: EntityContext) throws {
    guard let (code, partner) = some(here) else { return }
    let permit = try object(permits, code, context)
    if let partner {
      let skipper = try object(skippers, partner, context)
      let byLink = random.chance(2)
      if byLink { permit.skipper = skipper } else { skipper.permit = permit }
      here.link(code, partner)
      log.append("\(byLink ? "link" : "counterpart") \(code) \(partner)")
    } else if random.chance(2) {
      permit.skipper = nil
      here.link(code, nil)
      log.append("link \(code) nil")
    } else if let owner = random.element(here.skippers.sorted()) {
      try object(skippers, owner, context).permit = nil
      here.free(owner)
      log.append("counterpart nil of \(owner)")
    }
  }

  func object<E: ManagedEntity>(
    _ ids: [Int: EntityID<E>], _ code: Int, _ context: EntityContext
  ) throws -> E {
    guard let id = ids[code], let object = try context.object(id) else {
      throw Difference(text: "\(E.entityName) \(code) is not there")
    }
    return object
  }

  private func save() async throws {
    log.append("save")
    if hasMistakes {
      // A rollback of the object may have forgotten it.
      let kind = errorKind { try main.saveAtOnce() }
      guard kind == nil || kind == .wrongContext else { throw Difference(text: "the save throws \(kind as Any)") }
      hasMistakes = false
    }
    if random.chance(2) { try main.saveAtOnce() } else { try await main.save() }
    (saved, isDeleting) = (here, false)
    let problems = try await test.store.check()
    guard problems.isEmpty else { throw Difference(text: "\(problems)") }
  }

  private func rollBackOne(_ context: EntityContext) throws {
    guard !isDeleting, let (code, _) = some(here) else { return }
    log.append("rollback of \(code)")
    try context.rollback(try object(permits, code, context))
    here.rollBack(code, to: saved)
    if saved.permits[code] == nil { permits[code] = nil }
  }

  private func delete() throws {
    isDeleting = true
    if random.chance(2), let code = random.element(here.permits.keys.sorted()) {
      log.append("delete permit \(code)")
      try main.delete(try object(permits, code, main))
      here.permits[code] = nil
    } else if let code = random.element(here.skippers.sorted()) {
      // With its permit, as the save would.
      log.append("delete skipper \(code)")
      if let permit = here.permit(of: code) { try main.delete(try object(permits, permit, main)) }
      try main.delete(try object(skippers, code, main))
      here.delete(skipper: code)
    }
  }

  /// A unit of work of the server or of the app, which changes some links.
  private func unit(as author: ChangeAuthor) async throws {
    try await save()
    let changes = (0...random.below(3)).compactMap { _ in some(here) }
    let (permits, skippers) = (permits, skippers)
    log.append("unit \(changes)")
    try await test.store.background(as: author) { context in
      for (code, partner) in changes {
        let permit = try #require(try permits[code].flatMap { try context.object($0) })
        guard let partner else {
          permit.skipper = nil
          continue
        }
        let skipper = try #require(try skippers[partner].flatMap { try context.object($0) })
        if code % 2 == 0 { permit.skipper = skipper } else { skipper.permit = permit }
      }
    }
    for (code, partner) in changes { here.link(code, partner) }
    saved = here
    try main.merging.merge()
  }

  private func child() throws {
    let child = try main.child()
    let before = here
    log.append("child")
    for _ in 0...random.below(3) { try change(child) }
    if random.chance(2), let (code, _) = some(here) {
      log.append("rollback of \(code) there")
      try child.rollback(try object(permits, code, child))
      here.rollBack(code, to: before)
    }
    guard random.chance(3) else { return try child.saveAtOnce() }
    log.append("dropped")
    here = before
  }

  private func draft() throws {
    guard let (code, partner) = some(here) else { return }
    log.append("draft \(code) \(partner ?? 0)")
    let draft = try main.edit(try object(permits, code, main))
    draft.object.skipper = try partner.map { try object(skippers, $0, draft.context) }
    guard random.chance(3) else {
      here.link(code, partner)
      return try draft.save()
    }
    draft.rollback()
  }
}
