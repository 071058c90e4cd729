import EntityClient
import TestSchema
import TestSupport
import Testing

/// Responses that nest objects in themselves, have embedded objects, come to units and contexts, and delete parents, while work
/// of every kind is unsent: all of it stays, and nothing else is pending.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=10000` is the long form.
@MainActor struct RandomizedUnsentTests {
  @Test func `no answer takes work that the server does not have`() async throws { await run(Orchard.self) }
  @Test func `no update by hand takes work that the server does not have`() async throws { await run(HandOrchard.self) }

  private func run<O: AnyOrchard>(_ type: O.Type) async {
    await Seeds.each(200, sanitized: 10, O.entityName) { seed, steps in
      let run = try UnsentRun<O>(seed)
      defer { steps = run.log.joined(separator: "\n") }
      for _ in 0..<14 {
        try await run.step()
        try await run.check()
      }
    }
  }
}

/// A store of orchards, with the test's knowledge of the work in it that is not sent.
@MainActor private final class UnsentRun<O: AnyOrchard> {
  struct Fault: Error, CustomStringConvertible { let description: String }

  /// A value that was set here; a made object has one, too.
  private struct Work {
    let id: AnyEntityID
    let value: @Sendable (EntityContext) throws -> String?
    let text: String
  }

  let store: EntityStore
  private(set) var log: [String] = []
  private var random: SeededRandom
  private var work: [AnyEntityID: Work] = [:]
  private var last = 0

  init(_ seed: UInt64) throws {
    random = SeededRandom(seed)
    store = try EntityStore(
      .inMemory,
      entities: Orchard.world)
  }

  private func text() -> String {
    last += 1
    return "t\(last)"
  }

  func step() async throws {
    switch random.below(12) {
    case 0...3: try await receive()
    case 4, 5: try await deleteThere()
    case 6, 7: try await make()
    case 8...10: try await edit()
    default: try await acknowledge()
    }
  }

  // MARK: The server

  private func orchard(_ id: Int) -> JSONObject {
    var fields: [(String, JSONValue)] = [("id", JSONValue(id))]
    if random.chance(2) { fields.append(("name", JSONValue("s\(random.below(3))"))) }
    switch random.below(5) {
    case 0: fields.append(("shed", nil))
    case 1: fields.append(("shed", ["city": nil, "door": random.chance(2) ? nil : ["color": nil]]))
    case 2: fields.append(("shed", ["city": JSONValue("c\(random.below(3))"), "door": ["color": "red"]]))
    default: break
    }
    if random.chance(2) {
      let trees = (0..<random.below(3)).map { _ in
        let tree = 10 + random.below(4)
        let inner: JSONValue =
          random.chance(2) ? ["id": JSONValue(id)] : ["id": JSONValue(id), "trees": [JSONValue(tree)]]
        return random.chance(2)
          ? ["id": JSONValue(tree), "orchard": inner] as JSONValue : ["id": JSONValue(tree), "name": "s"] as JSONValue
      }
      fields.append(("trees", JSONValue(trees)))
    }
    return JSONObject(fields: fields)
  }

  private func receive() async throws {
    let value = orchard(1 + random.below(3))
    // An update by hand can't be one of `.replace`.
    let way = random.element(O.self == Orchard.self ? [0, 1, 2, 3] : [0, 2, 3]) ?? 0
    log.append("\(["answer", "replace", "unit", "context"][way]) \(value)")
    switch way {
    case 0: try await O.upsert(from: value.value, in: store)
    case 1: try await O.upsert(from: value.value, in: store, options: .upserting(.replace))
    case 2: try await store.background { _ = try $0.upsert(O.self, from: value) }
    default:
      try store.main.upsert(O.self, from: value)
      try await store.main.save()
    }
  }

  private func deleteThere() async throws {
    let id = 1 + random.below(3)
    let isKey = random.chance(2)
    log.append(isKey ? "deleted \(id)" : "only \(id)")
    if isKey {
      try await O.upsert(from: [["id": JSONValue(id), "deleted": true]], in: store)
    } else {
      try await O.upsert(from: [["id": JSONValue(id)]], in: store, options: .deleteMissing(in: O.all))
    }
  }

  // MARK: Here

  private func note<E: ManagedEntity>(
    _ object: E, _ text: String, _ value: @escaping @Sendable (E) -> String?
  ) {
    let id = object.entityID
    log.append("\(E.entityName) \(id.pk) = \(text)")
    work[id.untyped] = Work(id: id.untyped, value: { try $0.object(id).flatMap(value) }, text: text)
  }

  private func make() async throws {
    guard let orchard = random.element(try store.main.fetch(O.all)) else { return }
    let text = text()
    if random.chance(2) {
      let tree = try store.main.insert(O.Tree.self)
      tree.name = text
      tree.orchard = orchard
      note(tree, text) { $0.name }
    } else {
      let visit = try store.main.insert(O.Visit.self)
      visit.name = text
      visit.orchard = orchard
      note(visit, text) { $0.name }
    }
    try await store.main.save()
  }

  private func edit() async throws {
    let text = text()
    switch random.below(4) {
    case 0:
      guard let orchard = random.element(try store.main.fetch(O.all)) else { return }
      orchard.name = text
      note(orchard, text) { $0.name }
      try await store.main.save()
    case 1:
      guard let tree = random.element(try store.main.fetch(O.Tree.all)) else { return }
      try await inUnit(tree) { $0.name = text }
      note(tree, text) { $0.name }
    case 2:
      guard let shed = random.element(try store.main.fetch(OrchardShed.all)) else { return }
      try await inUnit(shed) { $0.city = text }
      note(shed, text) { $0.city }
    default:
      guard let door = random.element(try store.main.fetch(ShedDoor.all)) else { return }
      door.color = text
      note(door, text) { $0.color }
      try await store.main.save()
    }
  }

  private func inUnit<E: ManagedEntity>(_ object: E, _ change: @escaping @Sendable (E) -> Void) async throws {
    let id = object.entityID
    try await store.background { context in try context.object(id).map(change) }
  }

  private func acknowledge() async throws {
    guard let change = random.element(try await store.pending.changes()) else { return }
    log.append("acknowledge \(change.id)")
    try await store.pending.acknowledge(change)
    work[change.id] = nil
  }

  // MARK: The rule

  func check() async throws {
    let all = Array(work.values)
    let faults = try await store.read { context in
      try all.compactMap { work in
        let value = try work.value(context)
        return value == work.text ? nil : "\(work.id) is \(value ?? "gone") and not \(work.text)"
      }
    }
    if let fault = faults.first { throw Fault(description: fault) }
    let pending = Set(try await store.pending.changes().map(\.id))
    let known = Set(work.keys)
    guard pending == known else {
      throw Fault(
        description: "pending, and not known: \(pending.subtracting(known)); lost: \(known.subtracting(pending))")
    }
    let problems = try await store.check(.full)
    guard problems.isEmpty else { throw Fault(description: "\(problems)") }
  }
}

/// An orchard, whose mapping is declared or by hand.
protocol AnyOrchard: RemoteEntity {
  associatedtype Tree: OrchardPart where Tree.Owner == Self
  associatedtype Visit: OrchardPart where Visit.Owner == Self
  var name: String? { get set }
  var trees: [Tree] { get set }
}

/// An object of an orchard.
protocol OrchardPart: RemoteEntity {
  associatedtype Owner: RemoteEntity
  var name: String? { get set }
  var orchard: Owner? { get set }
}

extension Orchard: AnyOrchard { typealias Visit = OrchardVisit }
extension OrchardTree: OrchardPart {}
extension OrchardVisit: OrchardPart {}
extension HandOrchard: AnyOrchard { typealias Visit = HandVisit }
extension HandTree: OrchardPart {}
extension HandVisit: OrchardPart {}
