import Foundation
import TestSchema
import Testing

@testable import EntityStore

extension TestStore {
  /// Writes an entry about an object.
  @discardableResult
  func addEntry<E: ManagedEntity>(
    of id: EntityID<E>, _ kind: OutboxEntry.Kind, _ state: OutboxEntry.State,
    _ change: (inout OutboxEntry) -> Void = { _ in }
  ) async throws -> Int64 {
    var entry = OutboxEntry(key: try key(id), kind: kind, state: state, time: 1)
    change(&entry)
    let added = entry
    return try await store.core.unit { try $0.outbox.insert(added) }
  }

  func key<E: ManagedEntity>(_ id: EntityID<E>) throws -> RowKey {
    RowKey(entity: try store.core.schema.model(E.self).number, pk: id.pk)
  }

  func entries() async throws -> [OutboxEntry] { try await store.read { try $0.pendingEdits.outboxEntries() } }
}
