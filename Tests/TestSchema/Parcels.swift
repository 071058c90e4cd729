package import EntityMacros
package import EntityStore
package import Foundation

/// A uid of two properties, of two types.
@Entity package final class ParcelLine {
  @UID package var parcel: Int
  @UID package var code: String
  package var article: String?
  package var count: Int
  @Relationship(inverse: \ParcelScan.line) package var scans: [ParcelScan]
}

/// Two texts, which a separator between them would mix up.
@Entity package final class ParcelLabel {
  @UID package var first: String
  @UID package var second: String
  package var text: String?
}

/// Has nothing but its uid; a part of it may have no value.
@Entity package final class ParcelSlot {
  @UID package var shelf: UUID
  @UID package var number: UInt64?
}

/// Links to objects with a uid of several properties.
@Entity package final class ParcelScan {
  @UID package var uid: Int
  package var place: String?
  package var line: ParcelLine?
  package var slot: ParcelSlot?
}

extension ParcelLine {
  package static let world: [any ManagedEntity.Type] = [
    ParcelLine.self, ParcelLabel.self, ParcelSlot.self, ParcelScan.self,
  ]
}
