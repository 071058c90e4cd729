import EntityMacros
import EntityStore
import Foundation
import TestSchema

// Entities with a uid of several properties.

enum Parcels {
  static let all: [any ManagedEntity.Type] = ParcelLine.world

  /// Versions of an entity with another uid.
  @Entity final class Swapped {
    @UID var code: String
    @UID var parcel: Int
    var article: String?
    var count: Int

    static let entityName = "ParcelCrate"
  }

  @Entity final class Original {
    @UID var parcel: Int
    @UID var code: String
    var article: String?
    var count: Int

    static let entityName = "ParcelCrate"
  }

  @Entity final class Renamed {
    @UID @Renamed(from: "parcel") var box: Int
    @UID var code: String
    var article: String?
    var count: Int

    static let entityName = "ParcelCrate"
  }

  @Entity final class Single {
    @UID var parcel: Int
    var code: String
    var article: String?
    var count: Int

    static let entityName = "ParcelCrate"
  }

  @Entity final class Converted {
    @UID var parcel: String
    @UID var code: String
    var article: String?
    var count: Int

    static let entityName = "ParcelCrate"
  }
}
