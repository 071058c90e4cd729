import TestSchema

@testable import EntityStore

/// A store whose rows get uids and values as a response gives them.
@MainActor
struct UIDRows {
  let test: TestStore
  var store: EntityStore { test.store }
  var main: EntityContext { test.store.main }

  init(_ place: Place, _ entities: [any ManagedEntity.Type] = TestStore.people) throws {
    test = try TestStore(place, entities)
  }

  /// Writes values as a response does.
  func respond<E: ManagedEntity>(
    _ type: E.Type, pk: Int64? = nil, keepsEdits: Bool = true, _ values: [Int: StoredValue]
  ) async throws -> EntityID<E> {
    let pk = try await store.core.unit { rows in
      let model = try rows.schema.model(type)
      var row = RowValues(count: model.properties.count)
      for (index, value) in values { row[index] = value }
      let policy = MergePolicy(keepsEdits: keepsEdits)
      if let pk { return try rows.write(model, pk: pk, row, .response(policy, newer: ColumnMask())).pk }
      if let uid = model.uid, let found = try rows.find(model, uid: row[uid]) {
        return try rows.update(model, found, row, .response(policy, newer: ColumnMask())).pk
      }
      return try rows.insert(model, pk: rows.newPrimaryKey(), row, .response(policy, newer: ColumnMask())).pk
    }
    return EntityID(pk: pk)
  }

  /// The properties that a row names as edited.
  func edited<E: ManagedEntity>(_ id: EntityID<E>) throws -> Set<String> {
    let names = try main.connection.rows(
      "SELECT _edited FROM main.\"\(E.entityName)\" WHERE _pk = ?", [.integer(id.pk)]
    ) { $0.text(0) ?? "" }
    return Set(names.joined(separator: ",").split(separator: ",").map(String.init))
  }

  func count(_ entity: String) throws -> Int64 {
    try main.connection.rows("SELECT count(*) FROM main.\"\(entity)\"") { $0.int64(0) }.first ?? -1
  }
}
