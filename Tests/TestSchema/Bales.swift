package import EntityMacros
package import EntityStore

package enum Tint: String, AttributeValue, Sendable {
  case red, blue
}

/// An object with derived properties of several kinds.
@Entity package final class Bale {
  @UID package var uid: Int?
  @Indexed package var title: String
  package var price: Int
  package var count: Int = 1
  package var tint: Tint = .blue
  @Unique package var code: String?
  package var guild: Guild?

  @Derived @Indexed package var total: Int { price * count }

  /// The section of a list.
  @Derived package var letter: String {
    guard let first = title.first else { return "#" }
    return String(first).uppercased()
  }

  @Derived package var isLarge: Bool { price * count > 1000 }

  @Derived package var codeLength: Int? { code.map(\.count) }

  @Derived package var shade: Tint {
    get { price < 0 ? .red : self.tint }
  }

  @Derived(version: 2) package var mean: Double { Double(price) / Double(count) }

  package static var indexes: [EntityIndex<Bale>] { [.index(\.letter, \.total)] }
  package static var fullTextSearch: FullTextSearch<Bale>? { FullTextSearch(\.letter) }
}

@Entity package final class Guild {
  @UID package var uid: Int?
  package var name: String
  @Relationship(inverse: \Bale.guild, sortedBy: \Bale.total) package var bales: [Bale]
}

extension Bale {
  package static let world: [any ManagedEntity.Type] = [Bale.self, Guild.self]
}
