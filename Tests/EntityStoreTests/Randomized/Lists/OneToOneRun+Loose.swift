import TestSchema
import TestSupport

@testable import EntityStore

extension OneToOneRun {
  /// Loose objects that are linked with one another, with one of the context, and with one of another store, in vain.
  func loose() throws {
    let (loose, free) = ((0..<2).map { _ in Skipper() }, (0..<2).map { _ in Permit() })
    var holders: [Int?] = [nil, nil]
    for _ in 0..<random.below(6) {
      let (permit, skipper) = (random.below(2), random.below(2))
      if random.chance(4) {
        free[permit].skipper = nil
        holders[permit] = nil
        continue
      }
      if random.chance(2) { free[permit].skipper = loose[skipper] } else { loose[skipper].permit = free[permit] }
      for other in 0..<2 where holders[other] == skipper { holders[other] = nil }
      holders[permit] = skipper
    }
    let codes = [lastCode + 1, lastCode + 2]
    for index in 0..<2 { (loose[index].code, free[index].code) = (codes[index], codes[index]) }
    func check(_ moment: String) throws {
      for index in 0..<2 {
        let owner = holders[index].map { loose[$0] }
        let permit = holders.firstIndex(of: index).map { free[$0] }
        guard free[index].skipper === owner, loose[index].permit === permit else {
          throw Difference(text: "\(moment): the loose objects are linked otherwise than \(holders)")
        }
      }
    }
    try check("loose")
    let partner = random.element(here.skippers.sorted())
    log.append("loose \(holders) \(partner ?? 0)")
    guard random.chance(2) else { return }
    lastCode += 3
    // A link inserts it into the context, so that it can't be linked to another store.
    let anchor = Permit()
    anchor.code = lastCode
    if let partner {
      let skipper = try object(skippers, partner, main)
      anchor.skipper = skipper
      anchor.skipper = try other.store.main.insert(Skipper.self)
      hasMistakes = true
      guard anchor.skipper === skipper, anchor.isInserted else {
        throw Difference(text: "a skipper of another store was linked")
      }
    }
    for object: any ManagedEntity in [loose[0], free[0], loose[1], free[1], anchor] { try Self.insert(object, main) }
    try check("inserted")
    for index in 0..<2 {
      (skippers[codes[index]], permits[codes[index]]) = (loose[index].entityID, free[index].entityID)
      here.skippers.insert(codes[index])
    }
    for index in 0..<2 { here.permits[codes[index]] = .some(holders[index].map { codes[$0] }) }
    permits[lastCode] = anchor.entityID
    here.permits[lastCode] = .some(nil)
    if let partner { here.link(lastCode, partner) }
  }

  private static func insert<E: ManagedEntity>(_ object: E, _ context: EntityContext) throws {
    try context.insert(object)
  }

  /// A setter that fails, and changes nothing.
  func mistake() throws {
    guard let (code, partner) = some(here) else { return }
    log.append("mistake \(code) \(partner ?? 0)")
    let foreign = Permit()
    foreign.skipper = try other.store.main.insert(Skipper.self)
    if let partner {
      try object(skippers, partner, main).permit = foreign
    } else {
      try object(permits, code, main).skipper = foreign.skipper
    }
    hasMistakes = true
    guard foreign.skipper?.entityContext === other.store.main else {
      throw Difference(text: "the object of another store was linked")
    }
  }
}
