import Foundation
import Testing

@testable import EntityStore

/// All values of a store's rows.
struct RowDump: Sendable {
  /// By entity, row and property.
  private(set) var rows: [Int: [Int64: [String: StoredValue]]] = [:]

  init() {}

  init(_ context: EntityContext) throws {
    for model in context.core.schema.entities {
      let names = model.stored.indices.map { model.properties[$0].name }
      let columns = (["_pk", "_placeholder"] + names).map(\.quoted).joined(separator: ", ")
      let found = try context.connection.rows("SELECT \(columns) FROM \(model.table)") { row in
        (
          row.int64(0),
          Dictionary(
            uniqueKeysWithValues: (["_placeholder"] + names).enumerated().map {
              ($0.element, row.value($0.offset + 1))
            })
        )
      }
      rows[model.number] = Dictionary(uniqueKeysWithValues: found)
    }
  }
}

/// Takes the commits of a history to what was there before, and compares it with what is there after.
struct HistoryReplay: Sendable {
  /// By entity and row; `nil` for one that is gone.
  private var changes: [Int: [Int64: HistoryLog.Change]] = [:]
  private(set) var mistakes: [String] = []
  let before: RowDump

  init(before: RowDump = RowDump()) { self.before = before }

  mutating func take(_ commit: HistoryLog.Commit) {
    for (entity, rows) in commit.entities {
      for (pk, change) in rows {
        var merged = changes[entity]?[pk] ?? change
        if change.kind != .updated { merged.kind = change.kind }
        merged.mask.formUnion(change.mask)
        if !change.uid.isNull { merged.uid = change.uid }
        changes[entity, default: [:]][pk] = merged
      }
    }
  }

  mutating func check(_ after: RowDump, _ schema: SchemaModel) throws {
    for entity in Set(before.rows.keys).union(after.rows.keys) {
      let (old, new) = (before.rows[entity] ?? [:], after.rows[entity] ?? [:])
      let changed = changes[entity] ?? [:]
      for pk in Set(old.keys).union(new.keys).union(changed.keys) {
        if let text = mistake(schema.entities[entity], old[pk], new[pk], changed[pk]) {
          mistakes.append("\(schema.entities[entity].name) \(pk): \(text)")
        }
      }
    }
  }

  private func mistake(
    _ model: EntityModel, _ old: [String: StoredValue]?, _ new: [String: StoredValue]?, _ change: HistoryLog.Change?
  ) -> String? {
    switch (old, new, change?.kind) {
    case (nil, nil, .deleted), (nil, nil, nil), (nil, .some, .inserted), (.some, nil, .deleted): return nil
    case (.some(let old), .some(let new), let kind):
      let isFilled = old["_placeholder"] != new["_placeholder"]
      if kind == .deleted || kind == .inserted && !isFilled {
        return "it was there, and is: \(kind.map { "\($0)" } ?? "")"
      }
      let names = Set(new.keys.filter { old[$0] != new[$0] }).subtracting(["_placeholder"])
      let told = Set((change?.mask ?? ColumnMask()).indices.map { model.properties[$0].name })
      return names.isSubset(of: told) ? nil : "\(names.subtracting(told)) changed too"
    default: return "\(String(describing: change?.kind)), was there: \(old != nil), is there: \(new != nil)"
    }
  }
}
