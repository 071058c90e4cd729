/// The rows at which a read stopped following links: it read the link, and not the row. In the tables each link has its
/// row, so these rows matter only where a deletion is not saved.
struct LinkTargets: Sendable, Equatable {
  /// The entities whose rows all matter.
  private var entities: Set<Int> = []
  /// Single rows, by entity. A thousand lists of one object each are a thousand rows here: a change of one object
  /// touches one list.
  private var rows: [Int: Set<Int64>] = [:]

  mutating func insert(_ entity: Int) { entities.insert(entity) }
  mutating func insert(_ entity: Int, _ pk: Int64) { rows[entity, default: []].insert(pk) }

  /// - Parameter pk: The row; `nil` for any row.
  func contains(_ entity: Int, _ pk: Int64?) -> Bool {
    if entities.contains(entity) { return true }
    guard let rows = rows[entity] else { return false }
    return pk.map(rows.contains) ?? true
  }

  mutating func formUnion(_ other: LinkTargets) {
    entities.formUnion(other.entities)
    rows.merge(other.rows) { $0.union($1) }
  }
}
