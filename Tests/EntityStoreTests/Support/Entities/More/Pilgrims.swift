import EntityMacros
import EntityStore
import Foundation

/// An object with derived and lazy properties, with one-to-one relationships to others and to its own kind.
@Entity final class Pilgrim {
  @UID var uid: Int?
  var name: String
  var nights: Int = 1
  var paid: Double?
  @Lazy var photo: Data?
  @Lazy var remarks: String
  var host: Pilgrim?
  @Relationship(inverse: \Pilgrim.host) var pilgrims: [Pilgrim]
  @Relationship(inverse: \Badge.holder) var badge: Badge?
  /// The one who shows this pilgrim the way.
  var guide: Pilgrim?
  @Relationship(inverse: \Pilgrim.guide) var guided: Pilgrim?

  @Derived @Indexed var level: Int { nights * 2 - name.utf8.count }
  @Derived var initial: String? { name.first.map(String.init) }
  @Derived var isLong: Bool { nights > 1 }
  @Derived var mean: Double? { paid.map { $0 / Double(nights + 1) } }
}

@Entity final class Badge {
  var number: Int
  @Lazy var scan: Data?
  var holder: Pilgrim?

  @Derived var code: String { "\(number % 2 == 0 ? "E" : "o")\(number)" }
}
