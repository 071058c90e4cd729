package import EntityMacros
package import EntityStore
package import Foundation

/// An object with derived and lazy properties, with one-to-one relationships to others and to its own kind.
@Entity package final class Pilgrim {
  @UID package var uid: Int?
  package var name: String
  package var nights: Int = 1
  package var paid: Double?
  @Lazy package var photo: Data?
  @Lazy package var remarks: String
  package var host: Pilgrim?
  @Relationship(inverse: \Pilgrim.host) package var pilgrims: [Pilgrim]
  @Relationship(inverse: \Badge.holder) package var badge: Badge?
  /// The one who shows this pilgrim the way.
  package var guide: Pilgrim?
  @Relationship(inverse: \Pilgrim.guide) package var guided: Pilgrim?

  @Derived @Indexed package var level: Int { nights * 2 - name.utf8.count }
  @Derived package var initial: String? { name.first.map(String.init) }
  @Derived package var isLong: Bool { nights > 1 }
  @Derived package var mean: Double? { paid.map { $0 / Double(nights + 1) } }
}

@Entity package final class Badge {
  package var number: Int
  @Lazy package var scan: Data?
  package var holder: Pilgrim?

  @Derived package var code: String { "\(number % 2 == 0 ? "E" : "o")\(number)" }
}

extension Pilgrim {
  package static let world: [any ManagedEntity.Type] = [Pilgrim.self, Badge.self]
}
