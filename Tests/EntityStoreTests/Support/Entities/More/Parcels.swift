import EntityMacros
import EntityStore
import Foundation

// Entities with a uid of several properties.

@Entity final class ParcelLine {
  @UID var parcel: Int
  @UID var code: String
  var article: String?
  var count: Int
  @Relationship(inverse: \ParcelScan.line) var scans: [ParcelScan]
}

/// Two texts, which a separator between them would mix up.
@Entity final class ParcelLabel {
  @UID var first: String
  @UID var second: String
  var text: String?
}

/// Has nothing but its uid; a part of it may have no value.
@Entity final class ParcelSlot {
  @UID var shelf: UUID
  @UID var number: UInt64?
}

@Entity final class ParcelScan {
  @UID var uid: Int
  var place: String?
  var line: ParcelLine?
  var slot: ParcelSlot?
}

enum Parcels {
  static let all: [any ManagedEntity.Type] = [ParcelLine.self, ParcelLabel.self, ParcelSlot.self, ParcelScan.self]

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
