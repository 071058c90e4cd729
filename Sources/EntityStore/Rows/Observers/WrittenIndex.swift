/// The rows that a unit writes, while a response asks which of its objects were written.
package final class WrittenIndex: ChangeObserver {
  private var rows: [RowIndex]

  init(_ schema: SchemaModel) { rows = Array(repeating: RowIndex(), count: schema.entities.count) }

  func didChange(_ change: ObservedChange) {
    if change.isWrite { _ = rows[change.model.number].add(change.pk) }
  }

  package func contains(_ model: EntityModel, _ pk: Int64) -> Bool { rows[model.number].position(of: pk) != nil }

  package func removeAll() { for number in rows.indices { rows[number].removeAll() } }
}
