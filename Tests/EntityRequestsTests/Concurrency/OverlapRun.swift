import EntityClient
import EntityStore
import Foundation
import TestSupport

/// One store and one server, and the test's knowledge of both.
@MainActor final class OverlapRun<E: AnyTicket> {
  typealias Field = ModelServer.Field

  struct Difference: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  let client: Client
  private let store: EntityStore
  private let adapter = ModelAdapter()
  private var server = ModelServer()
  private var random: SeededRandom
  private(set) var rounds = 0
  /// The events of this round.
  private(set) var log: [String] = []

  private var main: EntityContext { store.main }
  private var objects: [Int64: E] = [:]
  /// The edits that are not acknowledged.
  private var edits: [Int64: [Field: String?]] = [:]
  /// The edits that the rows know of.
  private var saved: [Int64: Set<Field>] = [:]
  /// The edits that they do not know.
  private var unsaved: [Int64: Set<Field>] = [:]
  /// Objects that were made here, and have no uid yet.
  private var unposted: Set<Int64> = []
  /// Objects that the server deleted because it was asked to.
  private var deleted: Set<Int> = []
  /// When the server took the last edit that it acknowledged: the value shown may not be older.
  private var floors: [Int: [Field: Int]] = [:]
  private var underWay: [Sent] = []
  private var texts = 0

  private final class Sent {
    let number: Int
    let name: String
    let request: ModelAdapter.Request
    let object: E?
    /// The edits that its body has.
    let edits: [Field: String?]
    let task: Task<(any Error)?, Never>
    var answer: ModelServer.Answer?
    var time = 0
    /// Writes that were under way with it.
    var together: [Sent] = []
    /// Whether a write that was sent later was answered before.
    var isOvertaken = false

    init(
      _ number: Int, _ name: String, _ request: ModelAdapter.Request, _ object: E?, _ edits: [Field: String?],
      _ task: Task<(any Error)?, Never>
    ) {
      self.number = number
      self.name = name
      self.request = request
      self.object = object
      self.edits = edits
      self.task = task
    }

    var isWrite: Bool { request.method != .get }
  }

  init(_ seed: UInt64) throws {
    random = SeededRandom(state: seed &* SeededRandom.step &+ 1)
    store = try EntityStore(.inMemory, entities: [Ticket.self, HandTicket.self], busyTimeout: .seconds(60))
    client = try Client(adapter: adapter, store: store, baseURL: "https://api.example.com/")
  }

  // MARK: Rounds

  func round() async throws {
    rounds += 1
    log = []
    if server.records.count < 2 || chance(4) { server.create(fields()) }
    if server.records.count > 4, let id = anyID() { server.delete(id) }
    for _ in 0..<(2 + below(4)) { try await step() }
    while !underWay.isEmpty { try await advance() }
    try await settle(pushing: chance(8))
  }

  private func step() async throws {
    switch below(16) {
    case 0, 1: try insert()
    case 2, 3: try await edit()
    case 4: try await save()
    case 5, 6: try await advance()
    case 7: change()
    default:
      guard underWay.count < 3 else { return try await advance() }
      try await start()
    }
  }

  /// Ends the round: the store then has the server's values.
  private func settle(pushing: Bool) async throws {
    try await refresh()
    guard pushing else { return }
    try await save()
    for object in known() where edits[object._$state.pk] != nil {
      if server.records[object.uid] == nil || unposted.contains(object._$state.pk) {
        try main.delete(object)
        (edits[object._$state.pk], objects[object._$state.pk]) = (nil, nil)
        unposted.remove(object._$state.pk)
      } else {
        try await send("patch", object, Field.allCases) { body in
          try await object.patch { try $0.setJSON(body) }
        }
        try await advance(isWhole: true)
      }
    }
    try await save()
    try await refresh()
    guard edits.isEmpty else { throw Difference("edits that were sent are still edits: \(edits)") }
  }

  private func refresh() async throws {
    try await send("list, deleting") { _ in try await E.get(options: .deleteMissing(in: E.all)) }
    try await advance(isWhole: true)
    try compare()
  }

  // MARK: Events here and on the server

  private func insert() throws {
    guard unposted.count < 3 else { return }
    let object = try main.insert(E.self)
    let pk = object._$state.pk
    objects[pk] = object
    unposted.insert(pk)
    try set(object, .title)
    if chance(2) { try set(object, .note) }
  }

  private func set(_ object: E, _ field: Field) throws {
    let text = self.text()
    note("edit \(object._$state.pk) \(field) = \(text)")
    if field == .title { object.title = text } else { object.note = text }
    edits[object._$state.pk, default: [:]][field] = .some(text)
    unsaved[object._$state.pk, default: []].insert(field)
  }

  private func edit() async throws {
    guard let object = known().randomElement(using: &random) else { return }
    let field: Field = chance(2) ? .title : .note
    guard chance(3), !object.isInserted, !object.hasChanges, object.uid != 0 else { return try set(object, field) }
    // From another context, saved at once.
    let (id, text) = (object.entityID, self.text())
    note("edit \(object._$state.pk) \(field) = \(text), elsewhere")
    try await store.background { context in
      guard let object = try context.object(id) else { return }
      if field == .title { object.title = text } else { object.note = text }
    }
    try store.mergeMain()
    edits[object._$state.pk, default: [:]][field] = .some(text)
    saved[object._$state.pk, default: []].insert(field)
  }

  private func save() async throws {
    note("save")
    for object in objects.values where object.isDeleted && object.hasChanges { try main.rollback(object) }
    try await main.save()
    saved = edits.mapValues { Set($0.keys) }
    unsaved = [:]
  }

  /// The edits of objects that turned out to be others are those objects'. One that is not saved counts more than one that
  /// is, and then that of the object which stays.
  private func followForwards() {
    for (pk, object) in objects {
      guard object.isDeleted, let survivor = object.forwardedTo?.pk else { continue }
      note("row \(pk) is \(survivor)")
      for (field, text) in edits[pk] ?? [:] {
        let isOwn = edits[survivor]?[field] != nil
        let isUnsaved = unsaved[pk]?.contains(field) == true
        if isOwn, !isUnsaved || unsaved[survivor]?.contains(field) == true { continue }
        edits[survivor, default: [:]][field] = text
        if isUnsaved { unsaved[survivor, default: []].insert(field) }
      }
      if let fields = saved[pk] { saved[survivor, default: []].formUnion(fields) }
      (edits[pk], saved[pk], unsaved[pk], objects[pk]) = (nil, nil, nil, nil)
    }
  }

  /// Another client changes something.
  private func change() {
    switch (below(6), anyID()) {
    case (0, _), (_, nil): note("others create \(server.create(fields()))")
    case (1, let id?):
      note("others delete \(id)")
      server.delete(id)
    case (_, let id?):
      server.set(id, fields())
      note("others set \(id): \(String(describing: server.records[id]))")
    }
  }

  /// Sends a request.
  private func start() async throws {
    let all = known()
    switch below(10) {
    case 0, 1: try await send("list") { _ in try await E.get() }
    case 2: try await send("list, deleting") { _ in try await E.get(options: .deleteMissing(in: E.all)) }
    case 3:
      let fields = fields().value
      try await send("bulk") { _ in try await E.post { try $0.setJSON([fields] as JSONValue) } }
    case 4, 5:
      let posting = Set(underWay.compactMap(\.object?._$state.pk))
      guard let object = all.first(where: { unposted.contains($0._$state.pk) && !posting.contains($0._$state.pk) })
      else { return }
      try await send("post", object, [.title] + (chance(2) ? [.note] : [])) { body in
        try await object.post { try $0.setJSON(body) }
      }
    default:
      let busy = underWay.compactMap(\.object).last { !$0.isDeleted }
      let sendable = all.filter { !unposted.contains($0._$state.pk) && (busy == nil || below(2) == 0 || $0 === busy) }
      guard let object = sendable.randomElement(using: &random) else { return }
      let field: Field = chance(2) ? .title : .note
      if chance(2) { try set(object, field) }
      switch below(8) {
      case 0: try await send("get", object) { _ in try await object.get() }
      case 1: try await send("delete", object) { _ in try await object.delete() }
      case 2, 3:
        try await send("put", object, Field.allCases) { body in try await object.put { try $0.setJSON(body) } }
      default:
        try await send("patch", object, chance(3) ? Field.allCases : [field]) { body in
          try await object.patch { try $0.setJSON(body) }
        }
      }
    }
  }

  private func send(
    _ name: String, _ object: E? = nil, _ sent: [Field] = [],
    _ run: @escaping @MainActor (JSONValue) async throws -> some Sendable
  ) async throws {
    let number = adapter.arrived
    let body = JSONObject(
      fields: sent.map { field in
        let text: String? = object.flatMap { self.text(of: $0, field) }
        return ("\(field)", text.map { JSONValue($0) } ?? nil)
      }
    ).value
    let edits: [Field: String?] = object.flatMap { self.edits[$0._$state.pk] } ?? [:]
    let adapter = adapter
    let task = Task { @MainActor () -> (any Error)? in
      do {
        // Requests about one object overlap here, as those of two apps do.
        _ = try await ObjectTurns.$isServing.withValue(true) { try await run(body) }
        return nil
      } catch {
        adapter.fail(number + 1)
        return error
      }
    }
    guard let request = await adapter.arrival() else {
      throw Difference("\(name) was not sent: \(String(describing: await task.value))")
    }
    let new = Sent(number, name, request, object, edits.filter { sent.contains($0.key) }, task)
    note("send \(number): \(name) \(object?._$state.pk ?? 0) \(request.body?.description ?? "")")
    for other in underWay where other.isWrite && new.isWrite {
      new.together.append(other)
      other.together.append(new)
    }
    underWay.append(new)
  }

  /// Has the server work off a request, or hands out an answer.
  private func advance(isWhole: Bool = false) async throws {
    repeat {
      guard let index = underWay.indices.randomElement(using: &random) else { return }
      let sent = underWay[index]
      if sent.answer == nil {
        sent.answer = server.serve(
          sent.request.method, sent.request.id, sent.request.body, style: isWhole ? 0 : below(6))
        sent.time = server.time
        note("serve \(sent.number): \(sent.answer?.status ?? 0) \(sent.answer?.body?.description ?? "")")
      } else {
        underWay.remove(at: index)
        try await deliver(sent)
        try check()
      }
    } while isWhole && !underWay.isEmpty
  }

  private func deliver(_ sent: Sent) async throws {
    guard let answer = sent.answer else { return }
    note("deliver \(sent.number)")
    adapter.answer(sent.number, answer)
    let error = await sent.task.value
    guard (error == nil) == (answer.status < 300) else {
      throw Difference("\(sent.name) \(sent.number): \(String(describing: error))")
    }
    try store.mergeMain()
    guard error == nil, sent.isWrite else { return }
    for other in underWay where other.isWrite && other.number < sent.number { other.isOvertaken = true }
    guard let id = answer.id, let object = sent.object else { return }
    if sent.request.method == .delete { return _ = deleted.insert(id) }
    let pk = object.forwardedTo?.pk ?? object._$state.pk
    if unposted.remove(pk) != nil, !object.isDeleted, object.uid != id {
      throw Difference("the object of \(sent.number) has no uid after its answer")
    }
    for (field, text) in sent.edits where edits[pk]?[field] == .some(text) {
      edits[pk]?[field] = nil
      saved[pk]?.remove(field)
      unsaved[pk]?.remove(field)
      let times = sent.together.filter { $0.answer?.id == id && $0.edits[field] != nil }.map(\.time)
      let time = min(sent.time, times.min() ?? sent.time)
      floors[id, default: [:]][field] = max(floors[id]?[field] ?? 0, time)
    }
    followForwards()
    if edits[pk]?.isEmpty == true { edits[pk] = nil }
    guard answer.isWhole, !sent.isOvertaken, !object.isDeleted, let body = answer.body?.object else { return }
    guard object.version == body["version"]?.int64.map(Int.init) else {
      throw Difference("the answer \(sent.number) was not taken: version \(object.version)")
    }
    for field in Field.allCases where edits[pk]?[field] == nil {
      guard !sent.together.contains(where: { $0.object === object && $0.edits[field] != nil }) else { continue }
      guard text(of: object, field) == body["\(field)"]?.string else {
        throw Difference("the answer \(sent.number) was not taken: \(field) \(text(of: object, field) ?? "nil")")
      }
    }
  }

  // MARK: Comparing

  /// Checks the rules that hold at any time.
  private func check() throws {
    let rows = try main.fetch(E.all)
    for object in rows { objects[object._$state.pk] = object }
    let pks = Set(rows.map(\._$state.pk))
    for (pk, object) in objects where !pks.contains(pk) {
      guard object.isDeleted else { throw Difference("row \(pk) is not found") }
      let isGone = deleted.contains(object.uid) || object.forwardedTo != nil || saved[pk]?.isEmpty != false
      if edits[pk] != nil, !isGone { throw Difference("row \(pk) was edited, and is deleted") }
      if object.hasChanges { try main.rollback(object) }
      (objects[pk], edits[pk]) = (nil, nil)
      unposted.remove(pk)
    }
    var seen: Set<Int> = []
    for object in rows {
      let pk = object._$state.pk
      for field in Field.allCases {
        let text = text(of: object, field)
        if let edit = edits[pk]?[field] {
          guard text == edit else { throw Difference("row \(pk): the edit of the \(field) is lost: \(text ?? "nil")") }
        } else if !unposted.contains(pk) {
          let possible = server.texts(object.uid, field, since: floors[object.uid]?[field] ?? 0)
          guard possible.contains(text?.lowercased()) else {
            throw Difference("row \(pk): an acknowledged \(field) is lost: \(text ?? "nil")")
          }
        }
      }
      guard unposted.contains(pk) || seen.insert(object.uid).inserted else {
        throw Difference("two rows of \(object.uid)")
      }
    }
  }

  /// Checks the rules that hold after a read of everything, with no other request under way.
  private func compare() throws {
    var missing = Set(server.records.keys)
    for object in try main.fetch(E.all) where !unposted.contains(object._$state.pk) {
      let pk = object._$state.pk
      missing.remove(object.uid)
      guard let record = server.records[object.uid] else {
        if saved[pk]?.isEmpty != false { throw Difference("row \(pk) is not on the server") }
        continue
      }
      let isSame =
        (edits[pk]?[.title] != nil || object.title == record.title)
        && (edits[pk]?[.note] != nil || object.note == record.note)
        && object.version == record.version && object.parentUID == record.parent
      guard isSame else {
        throw Difference("row \(pk): \(object.title), \(object.note ?? "nil"), \(object.version) for \(record)")
      }
    }
    guard missing.isEmpty else { throw Difference("\(missing) are not in the store") }
  }

  // MARK: Random values

  private func below(_ count: Int) -> Int { random.below(count) }
  private func chance(_ count: Int) -> Bool { random.chance(count) }
  private func anyID() -> Int? { server.records.keys.sorted().randomElement(using: &random) }
  private func note(_ line: String) { log.append(line) }

  private func known() -> [E] {
    objects.values.filter { !$0.isDeleted }.sorted { $0._$state.pk < $1._$state.pk }
  }

  /// A text that there was none of before, in the case that the server does not keep.
  private func text() -> String {
    texts += 1
    return "T\(texts)"
  }

  private func text(of object: E, _ field: Field) -> String? { field == .title ? object.title : object.note }

  private func fields() -> JSONObject {
    var fields: [(String, JSONValue)] = [("title", JSONValue(text()))]
    if chance(2) { fields.append(("note", JSONValue(text()))) }
    if chance(3) { fields.append(("parent", anyID().map { JSONValue($0) } ?? nil)) }
    return JSONObject(fields: fields)
  }
}
