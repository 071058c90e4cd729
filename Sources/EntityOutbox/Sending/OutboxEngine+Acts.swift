import EntityJSON
import EntityRequests
import EntityStore

// The settling of entries by a person, and the plan for a person.

extension OutboxEngine {
  /// Runs `work` on the entry of an item, unless it was settled meanwhile or is being sent.
  ///
  /// - Parameter states: The states that the entry may have; `nil` for any in which it waits for a person.
  func act(
    on item: OutboxItem, in states: Set<OutboxEntry.State>? = nil,
    _ work: @Sendable (OutboxEntry, RowWriter) throws -> Void
  ) async throws {
    let key = core.schema.entity(named: item.object)?.number ?? -1
    // A request about the object may be under way.
    let turn = try await core.turns.turn(of: RowKey(entity: key, pk: item.object.pk))
    defer { turn.end() }
    try await core.unit { rows in
      guard let entry = try rows.outbox.entry(number: item.id), states?.contains(entry.state) ?? true else { return }
      try work(entry, rows)
    }
    bell.ring()
  }

  /// The server has the change of an entry whose answer was lost.
  func confirm(_ item: OutboxItem, _ uid: (any ResourceUID)?) async throws {
    guard let model = core.schema.entity(named: item.object), let handler = handlers[model.number] else { return }
    let turn = try await core.turns.turn(of: RowKey(entity: model.number, pk: item.object.pk))
    defer { turn.end() }
    try await handler.confirm(item.id, uid)
    bell.ring()
  }

  func items() async throws -> [OutboxItem] {
    let (situation, plan) = try await refreshed()
    return OutboxSnapshot(plan, situation, nil, core.schema).items
  }
}

extension SchemaModel {
  func entity(named id: AnyEntityID) -> EntityModel? { entity(ofTable: id.entityName) }
}
