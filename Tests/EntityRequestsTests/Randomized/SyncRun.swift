import EntityClient
import EntityStore
import Foundation
import TestSupport

/// One store of tallies and one server, with the test's knowledge of what was edited here and not acknowledged.
@MainActor final class SyncRun {
  struct Fault: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// A tally of the store.
  final class Item {
    let object: Tally
    var uid: Int?
    /// Made here, and not known to the server.
    var isNew: Bool
    /// Deleted here; the server may have it.
    var isDeleted = false
    /// The edits that are saved and not acknowledged.
    var pending: [TallyField: String] = [:]
    /// Those that are not saved, with the values that they are based on.
    var unsaved: [TallyField: (base: String, mine: String)] = [:]
    /// Whether it may turn out to be an object whose answer is under way: nothing is then done to it.
    var isDoubtful = false

    init(_ object: Tally, uid: Int?, isNew: Bool) {
      (self.object, self.uid, self.isNew) = (object, uid, isNew)
    }
  }

  final class Sent {
    let number: Int
    let request: ModelAdapter.Request
    let item: Item?
    let edits: [TallyField: String]
    let task: Task<(any Error)?, Never>
    var answer: ModelServer.Answer?

    init(
      _ number: Int, _ request: ModelAdapter.Request, _ item: Item?, _ edits: [TallyField: String],
      _ task: Task<(any Error)?, Never>
    ) {
      (self.number, self.request, self.item, self.edits, self.task) = (number, request, item, edits, task)
    }
  }

  enum Policy: CaseIterable {
    case standard, mine, theirs, fail, merge

    var policy: ConflictPolicy {
      switch self {
      case .standard: .standard
      case .mine: .mine
      case .theirs: .theirs
      case .fail: .fail
      case .merge:
        .byColumn(.merge(\Tally.Columns.count) { base, mine, theirs in theirs + (mine - base) }, others: .mine)
      }
    }
  }

  let client: Client
  private(set) var log: [String] = []
  let store: EntityStore
  let adapter = ModelAdapter()
  var server = SyncServer()
  var random: SeededRandom
  var items: [Item] = []
  var underWay: [Sent] = []
  /// The ids that the server has acknowledged as deleted, with the number of the request.
  var gone: [Int: Int] = [:]
  var last = 0

  var main: EntityContext { store.main }

  init(_ location: StoreLocation, _ seed: UInt64) throws {
    random = SeededRandom(seed)
    store = try EntityStore(location, entities: [Tally.self], busyTimeout: .seconds(600))
    client = try Client(adapter: adapter, store: store, baseURL: "https://api.example.com/")
  }

  func note(_ line: String) { log.append(line) }

  func text() -> String {
    last += 1
    return "t\(last)"
  }

  // MARK: Rounds

  func round() async throws {
    log = []
    for _ in 0..<2 where server.tallies.count < 4 { _ = server.create(fields()) }
    for _ in 0..<14 {
      try await step()
      try await check()
    }
    while !underWay.isEmpty { try await advance(losing: true) }
    try await settle()
  }

  func step() async throws {
    switch random.below(20) {
    case 0: try await insert()
    case 1...4: try editInMain()
    case 5, 6: try await editInUnit()
    case 7, 8: try await save(random.element(Policy.allCases) ?? .mine)
    case 9: try await delete()
    case 10, 11: changeOnServer()
    case 12...15: try await send()
    default: try await advance(losing: true)
    }
  }

  // MARK: Here

  /// Those that can be edited.
  var live: [Item] { items.filter { !$0.isDeleted && !$0.isDoubtful && !$0.object.isDeleted } }

  func insert() async throws {
    guard items.filter({ $0.isNew }).count < 3 else { return }
    let object = try main.insert(Tally.self)
    let item = Item(object, uid: nil, isNew: true)
    object.name = text()
    item.pending[.name] = object.name
    items.append(item)
    note("insert \(object.entityID.pk)")
    try await save(.mine)
  }

  func editInMain() throws {
    guard let item = random.element(live) else { return }
    let field = random.element(TallyField.allCases) ?? .count
    // Those of units are hundreds, and the server's are millions: two equal sums would be no conflict.
    let before = item.object.text(field)
    let new = field == .count ? String((Int(before) ?? 0) + 1 + 2 * random.below(3)) : text()
    item.object.set(field, new)
    item.unsaved[field] = (item.unsaved[field]?.base ?? before, new)
    note("edit \(item.object.entityID.pk) \(field): \(before) to \(new)")
  }

  func editInUnit() async throws {
    guard let item = random.element(live) else { return }
    let (id, isCount, name, step) = (item.object.entityID, random.chance(2), text(), 100 + 100 * random.below(3))
    let new = try await store.background { context -> String? in
      guard let tally = try context.object(id) else { return nil }
      if isCount { tally.count += step } else { tally.name = name }
      return tally.text(isCount ? .count : .name)
    }
    guard let new else { throw Fault("row \(id.pk) is not there for a unit") }
    item.pending[isCount ? .count : .name] = new
    note("unit \(id.pk): \(new)")
    try store.mergeMain()
  }

  func rows() async throws -> [Int64: [TallyField: String]] {
    try await store.read { context in
      Dictionary(
        uniqueKeysWithValues: try context.fetch(Tally.self).map { tally in
          (tally.entityID.pk, Dictionary(uniqueKeysWithValues: TallyField.allCases.map { ($0, tally.text($0)) }))
        })
    }
  }

  /// Saves all, and expects what the policy says.
  func save(_ policy: Policy) async throws {
    for item in items where item.object.isDeleted && !item.isDeleted && item.object.hasChanges {
      try main.rollback(item.object)
      item.unsaved = [:]
    }
    let rows = try await rows()
    var results: [(item: Item, field: TallyField, value: String?)] = []
    var conflicts = 0
    for item in items where !item.isDeleted {
      guard let row = rows[item.object.entityID.pk] else { continue }
      for (field, edit) in item.unsaved {
        let theirs = row[field] ?? ""
        let isSame = theirs == edit.base || theirs == edit.mine
        switch policy {
        case .merge where field == .count && theirs != edit.base:
          let sum = (Int(theirs) ?? 0) + (Int(edit.mine) ?? 0) - (Int(edit.base) ?? 0)
          results.append((item, field, String(sum)))
        case .standard where !isSame && item.pending[field] != nil, .fail where !isSame: conflicts += 1
        case .theirs where !isSame: results.append((item, field, nil))
        default: results.append((item, field, edit.mine))
        }
      }
    }
    note("save \(policy), \(conflicts) conflicts")
    do {
      if random.chance(2) { try saveAtOnce(policy.policy) } else { try await main.save(conflicts: policy.policy) }
      guard conflicts == 0 else { throw Fault("saved by \(policy) over \(conflicts) conflicts") }
      for (item, field, value) in results { if let value { item.pending[field] = value } }
      for item in items where !item.isDeleted { item.unsaved = [:] }
      try await expect(results)
    } catch let error as StoreError where error.kind == .conflict {
      guard error.conflicts.count == conflicts, conflicts > 0 else { throw Fault("\(error), not \(conflicts)") }
      try await resolve()
    }
  }

  func saveAtOnce(_ policy: ConflictPolicy) throws { try main.save(conflicts: policy) }

  func expect(_ results: [(item: Item, field: TallyField, value: String?)]) async throws {
    let rows = try await rows()
    for (item, field, value) in results {
      guard let value else { continue }
      let found = rows[item.object.entityID.pk]?[field]
      guard found == value, item.object.text(field) == value else {
        throw Fault(
          "row \(item.object.entityID.pk) \(field) is saved as \(found ?? "nothing"), reads \(item.object.text(field)), "
            + "not \(value)")
      }
    }
  }

  /// The app looks at the conflicts: it takes its edits back, or saves them on top.
  func resolve() async throws {
    if random.chance(2) {
      note("rollback")
      main.rollback()
      for item in items { item.unsaved = [:] }
      return
    }
    let rows = try await rows()
    for item in items where !item.unsaved.isEmpty {
      try main.refresh(item.object)
      for field in item.unsaved.keys {
        if let theirs = rows[item.object.entityID.pk]?[field] { item.unsaved[field]?.base = theirs }
      }
    }
    try await save(.fail)
  }

  func delete() async throws {
    guard
      let item = random.element(
        live.filter { item in
          !item.isNew && !underWay.contains { $0.item === item && $0.request.method == .delete }
        })
    else { return }
    note("delete \(item.object.entityID.pk), \(item.uid ?? 0)")
    try main.delete(item.object)
    item.isDeleted = true
    (item.pending, item.unsaved) = ([:], [:])
    try await save(.mine)
  }

  // MARK: Elsewhere

  func fields() -> JSONObject {
    var fields: [(String, JSONValue)] = []
    if random.chance(2) { fields.append(("name", JSONValue(text()))) }
    if random.chance(3) { fields.append(("note", JSONValue(text()))) }
    if random.chance(2) {
      last += 1
      fields.append(("count", JSONValue(1_000_000 * last)))
    }
    return JSONObject(fields: fields)
  }

  func changeOnServer() {
    guard let id = random.element(server.tallies.keys.sorted()) else { return }
    if random.chance(5) {
      note("others delete \(id)")
      server.delete(id)
    } else {
      server.set(id, fields())
      note("others set \(id): \(server.tallies[id] ?? [:])")
    }
  }

  // MARK: Requests

  func send() async throws {
    guard underWay.count < 4 else { return try await advance(losing: true) }
    switch random.below(10) {
    case 0, 1: return try await begin { _ = try await Tally.get() }
    case 2: return try await begin { _ = try await Tally.get(options: .deleteMissing(in: Tally.all)) }
    default: break
    }
    let free = items.filter { item in
      item.unsaved.isEmpty && !item.isDoubtful && !underWay.contains { $0.item === item }
    }
    guard let item = random.element(free) else { return }
    try await send(item, isPatch: random.chance(2), deletes: random.chance(6))
  }

  /// Sends what the server does not know of a tally.
  func send(_ item: Item, isPatch: Bool, deletes: Bool) async throws {
    let object = item.object
    if item.isDeleted { return try await begin(item) { _ = try await object.delete() } }
    guard !object.isDeleted else { return }
    if item.isNew { return try await begin(item, item.pending) { _ = try await object.postPending() } }
    if deletes { return try await begin(item) { _ = try await object.delete() } }
    guard !item.pending.isEmpty else { return try await begin(item) { _ = try await object.get() } }
    try await begin(item, item.pending) {
      if isPatch {
        _ = try await object.patchPending()
      } else {
        _ = try await object.put(\.name, \.note, \.count)
      }
    }
  }

  func begin(
    _ item: Item? = nil, _ edits: [TallyField: String] = [:], _ run: @escaping @MainActor () async throws -> Void
  ) async throws {
    let (number, adapter) = (adapter.arrived, adapter)
    let task = Task { @MainActor () -> (any Error)? in
      do {
        // Requests about one object overlap here, as those of two apps do.
        try await ObjectTurns.$isServing.withValue(true) { try await run() }
        return nil
      } catch {
        adapter.fail(number + 1)
        return error
      }
    }
    guard let request = await adapter.arrival() else {
      throw Fault("nothing was sent: \(await task.value.map { "\($0)" } ?? "")")
    }
    note("send \(number): \(request.method) \(request.id ?? 0) \(request.body?.description ?? "")")
    underWay.append(Sent(number, request, item, edits, task))
  }

  /// Has the server work off a request, hands out an answer, or loses it.
  func advance(losing: Bool) async throws {
    guard let sent = random.element(underWay) else { return }
    guard let answer = sent.answer else {
      sent.answer = server.serve(sent.request, style: random.below(6))
      // A second time: something on the way repeated it.
      if losing, sent.request.method != .post, random.chance(8) {
        let again = server.serve(sent.request, style: random.below(6))
        if sent.request.method != .delete { sent.answer = again }
      }
      return note("serve \(sent.number): \(sent.answer?.status ?? 0) \(sent.answer?.body?.description ?? "")")
    }
    underWay.removeAll { $0 === sent }
    if losing, random.chance(5) {
      note("lose \(sent.number)")
      adapter.lose(sent.number)
      guard await sent.task.value != nil else { throw Fault("the lost answer \(sent.number) is a success") }
    } else {
      note("deliver \(sent.number)")
      adapter.answer(sent.number, answer)
      try acknowledge(sent, answer, await sent.task.value)
    }
    try store.mergeMain()
    settleDoubts()
    try await check(after: sent)
  }

  func acknowledge(_ sent: Sent, _ answer: ModelServer.Answer, _ error: (any Error)?) throws {
    let isDeletion = sent.request.method == .delete
    let wasDeletedHere = isDeletion && sent.item?.isDeleted == true
    let isSuccess = answer.status < 300 || (isDeletion && (answer.status == 410 || wasDeletedHere))
    guard (error == nil) == isSuccess else {
      throw Fault("answer \(answer.status) of \(sent.number): \(error.map { "\($0)" } ?? "a success")")
    }
    guard isSuccess, let item = sent.item else { return }
    if isDeletion {
      if let uid = item.uid { gone[uid] = sent.number }
      return items.removeAll { $0 === item }
    }
    if sent.request.method == .post {
      (item.isNew, item.uid) = (false, answer.id)
      guard item.object.hasUID, item.object.uid == answer.id else { throw Fault("no uid from \(sent.number)") }
    }
    for (field, value) in sent.edits where item.pending[field] == value { item.pending[field] = nil }
  }

  func settleDoubts() {
    guard !underWay.contains(where: { $0.request.method == .post }) else { return }
    for item in items { item.isDoubtful = false }
  }
}
