import EntityStore
import TestSchema

/// The columns of all bales, as the file has them, and as they should be.
struct BaleColumns: Equatable {
  var total: Int
  var letter: String
  var codeLength: Int?
  var shade: Tint

  /// The stored ones.
  static func stored(_ context: EntityContext) throws -> [BaleColumns] {
    try context.fetch(Bale.all.select { ($0.total, $0.letter, $0.codeLength, $0.shade) }).map {
      BaleColumns(total: $0.0, letter: $0.1, codeLength: $0.2, shade: $0.3)
    }
  }

  /// Those that follow from the attributes.
  static func computed(_ context: EntityContext) throws -> [BaleColumns] {
    try context.fetch(Bale.all.select { ($0.price, $0.count, $0.title, $0.code, $0.tint) }).map {
      BaleColumns(
        total: $0.0 * $0.1, letter: $0.2.first.map { String($0).uppercased() } ?? "#", codeLength: $0.3?.count,
        shade: $0.0 < 0 ? .red : $0.4)
    }
  }
}

extension EntityStore {
  /// The totals in the file, after a check of all derived columns there.
  func totals() async throws -> [Int] {
    try await read { context in
      let stored = try BaleColumns.stored(context)
      guard try stored == BaleColumns.computed(context) else { return [] }
      return stored.map(\.total)
    }
  }
}
