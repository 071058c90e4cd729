import EntityJSON
import EntityRequests
import EntityStore
import Foundation

// The settling of entries by a person, and the plan for a person.

extension OutboxEngine {
  /// Runs `work` on the entry of an item, unless it was settled meanwhile or is being sent.
  ///
  /// - Parameter states: The states that the entry may have; `nil` for any in which it waits for a person.
  func act(
    on item: OutboxItem, in states: Set<OutboxEntry.State>? = nil,
    _ work: @Sendable (OutboxEntry, RowWriter) throws -> Void
  ) async throws {
    let key = core.schema.entity(of: item.object)?.number ?? -1
    // A request about the object may be under way.
    let turn = try await core.turns.turn(of: RowKey(entity: key, pk: item.object.pk))
    defer { turn.end() }
    try await core.unit { rows in
      guard let entry = try rows.outbox.entry(number: item.id), states?.contains(entry.state) ?? true else { return }
      try work(entry, rows)
    }
    bell.ring()
  }

  func enqueue<Command: OutboxCommand>(_ command: Command, on id: EntityID<Command.Entity>) async throws {
    let model = try core.schema.model(Command.Entity.self)
    guard let changes = handlers[model.number] as? EntityChanges<Command.Entity> else { return }
    try await changes.enqueue(command, on: id, now: time.now())
    bell.ring()
  }

  func attach<E: OutboxEntity>(
    _ file: URL, as name: String, to id: EntityID<E>, filename: String, contentType: String
  ) async throws {
    let model = try core.schema.model(E.self)
    guard let changes = handlers[model.number] as? EntityChanges<E> else { return }
    try changes.checkAttachment(name, contentType)
    let copy = try await changes.desk.folder.copy(file, filename: filename, contentType: contentType)
    do {
      try await changes.attach(copy.file, as: name, to: id, now: time.now())
    } catch {
      copy.discard()
      throw error
    }
    withExtendedLifetime(copy) {}
    bell.ring()
  }

  /// Gives an upload up. Its request under way is cancelled.
  func drop(_ upload: OutboxUpload) async throws {
    let key = RowKey(entity: core.schema.entity(of: upload.object)?.number ?? -1, pk: upload.object.pk)
    if underWay[key]?.entry.number == upload.id { senders[key]?.cancel() }
    let turn = try await core.turns.turn(of: key)
    defer { turn.end() }
    try await core.unit { try $0.outbox.remove(numbers: [upload.id]) }
    bell.ring()
  }

  func retry(_ item: OutboxItem) async throws {
    try await act(on: item, in: [.refused, .conflict, .sending]) { entry, rows in
      var entry = entry
      guard entry.state != .sending else {
        // An earlier try may have arrived: the same bytes go again, with their key.
        guard entry.isRefusedClaim else { return }
        entry.next = nil
        return try rows.outbox.update(entry)
      }
      // The request is made anew, with a key of its own, and keeps its place before later commands.
      let effects = entry.kind == .command ? entry.sent : nil
      (entry.state, entry.next, entry.attempts) = (.waiting, nil, 0)
      entry.forgetRequest()
      entry.sent = effects
      try rows.outbox.update(entry)
    }
  }

  func drop(_ item: OutboxItem) async throws {
    try await act(on: item) { entry, rows in
      try rows.outbox.remove(numbers: [entry.number])
      if entry.kind == .command {
        try rows.outbox.discardEffects(of: entry)
      } else if entry.state == .gone {
        try rows.deletion.delete([entry.key])
      } else {
        try rows.outbox.discardChanges(of: entry.key)
      }
    }
  }

  func restore(_ item: OutboxItem) async throws {
    try await act(on: item, in: [.gone]) { entry, rows in
      // The create carries what other updates would have brought to the object that is gone.
      let over = try rows.outbox.entries(of: entry.key).filter { $0.kind == .update || $0.number == entry.number }
      try rows.outbox.remove(numbers: over.map(\.number))
      try rows.outbox.makeNew(entry.key)
    }
  }

  func conflicts(of item: OutboxItem) async throws -> [Conflict] {
    try await core.unit { rows in
      try rows.outbox.entry(number: item.id).map { try rows.outbox.conflicts(of: $0) } ?? []
    }
  }

  func settle(_ conflict: Conflict, _ resolution: Conflict.Resolution) async throws {
    guard let model = core.schema.entity(of: conflict.id) else { return }
    let turn = try await core.turns.turn(of: RowKey(entity: model.number, pk: conflict.id.pk))
    defer { turn.end() }
    try await core.unit { try $0.outbox.settle(conflict, resolution) }
    bell.ring()
  }

  func confirm(_ item: OutboxItem, _ confirmation: OutboxConfirmation) async throws {
    switch confirmation {
    case .didNotHappen:
      try await act(on: item, in: [.sending]) { entry, rows in
        var entry = entry
        (entry.state, entry.next, entry.attempts) = (.waiting, nil, 0)
        try rows.outbox.update(entry)
      }
    case .happened(let uid):
      guard let model = core.schema.entity(of: item.object), let handler = handlers[model.number] else { return }
      let turn = try await core.turns.turn(of: RowKey(entity: model.number, pk: item.object.pk))
      defer { turn.end() }
      try await handler.confirm(item.id, uid)
      bell.ring()
    }
  }

  /// The plan of this moment for a person.
  ///
  /// - Parameter key: An object: then the plan has its lines, and those that they wait for. `nil` for all lines.
  func shownPlan(of key: RowKey?) async throws -> OutboxPlan {
    var (situation, plan) = try await refreshed()
    if let key { plan.lines = plan.about(key, situation) }
    let names = PlanNames(
      schema: core.schema, handlers: handlers, situation: situation, versions: try await versions(of: plan.lines))
    return OutboxPlan(
      plan, of: situation, names: names, pause: pause.text(time.now(), triesAgain: isSending), isSending: isSending)
  }

  /// The versions that requests hold for.
  private func versions(of lines: [PlannedLine]) async throws -> [RowKey: String] {
    let lines = lines.filter { handlers[$0.key.entity]?.condition.isSet == true }
    guard !lines.isEmpty else { return [:] }
    return try await core.read { [handlers, entries = situation.entries] context in
      var versions: [RowKey: String] = [:]
      for line in lines {
        let known = line.entry.flatMap { entries[$0] }
        guard let version = try handlers[line.key.entity]?.version(of: line, known, in: context) else { continue }
        versions[line.key] = version
      }
      return versions
    }
  }

  func items() async throws -> [OutboxItem] {
    let (situation, plan) = try await refreshed()
    return OutboxSnapshot(plan, situation, nil, core.schema).items
  }
}

extension SchemaModel {
  fileprivate func entity(of id: AnyEntityID) -> EntityModel? { entity(ofTable: id.entityName) }
}

/// The names of entities, properties and requests in a plan for people.
private struct PlanNames: OutboxNames {
  let schema: SchemaModel
  let handlers: [Int: any ChangeHandler]
  let situation: OutboxSituation
  let versions: [RowKey: String]

  func id(_ key: RowKey) -> AnyEntityID { schema.entities[key.entity].id(key.pk) }

  func property(_ index: Int, of key: RowKey) -> String { schema.entities[key.entity].properties[index].name }

  func request(_ line: PlannedLine) -> (method: String, path: String?) {
    let entry = line.entry.flatMap { situation.entries[$0] }
    let uid = situation.pending[line.key]?.uid ?? entry?.uid
    return handlers[line.key.entity]?.shown(line, command: entry?.name, uid: uid) ?? ("", nil)
  }

  func note(_ line: PlannedLine) -> String? {
    let entry = line.entry.flatMap { situation.entries[$0] }
    if let file = entry.flatMap({ AttachedFile($0) }), file.furthest > 0 {
      return "\(file.furthest) of \(file.size) bytes are sent"
    }
    if line.isFrozen, let key = entry?.idempotencyKey { return "key \(key.prefix(4).lowercased())…" }
    guard line.action == .update || line.action == .deletion else { return nil }
    return versions[line.key].map { "If-Match \($0)" }
  }
}

extension PlannedOutbox {
  /// The lines about an object, and those that they wait for.
  fileprivate func about(_ key: RowKey, _ situation: OutboxSituation) -> [PlannedLine] {
    var wanted: Set<RowKey> = [key]
    var open = [key]
    let byKey = Dictionary(grouping: lines, by: \.key)
    while let next = open.popLast() {
      for line in byKey[next] ?? [] {
        let others: [RowKey] =
          switch line.state {
          case .after(let keys), .cycle(let keys): keys
          case .blocked(let entries): entries.compactMap { situation.entries[$0]?.key }
          default: []
          }
        for other in others where wanted.insert(other).inserted { open.append(other) }
      }
    }
    return lines.filter { wanted.contains($0.key) }
  }
}
