import EntityMacros
import EntityStore

enum Tint: String, AttributeValue {
  case red, blue
}

/// An object with derived properties of several kinds.
@Entity final class Bale {
  @UID var uid: Int?
  @Indexed var title: String
  var price: Int
  var count: Int = 1
  var tint: Tint = .blue
  @Unique var code: String?
  var guild: Guild?

  @Derived @Indexed var total: Int { price * count }

  /// The section of a list.
  @Derived var letter: String {
    guard let first = title.first else { return "#" }
    return String(first).uppercased()
  }

  @Derived var codeLength: Int? { code.map(\.count) }

  @Derived var shade: Tint {
    get { price < 0 ? .red : self.tint }
  }

  @Derived(version: 2) var mean: Double { Double(price) / Double(count) }

  static var indexes: [EntityIndex<Bale>] { [.index(\.letter, \.total)] }
  static var fullTextSearch: FullTextSearch<Bale>? { FullTextSearch(\.letter) }
}

@Entity final class Guild {
  @UID var uid: Int?
  var name: String
  @Relationship(inverse: \Bale.guild, sortedBy: \Bale.total) var bales: [Bale]
}

/// What the columns of all bales have, as the file has them, and what they should have.
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
