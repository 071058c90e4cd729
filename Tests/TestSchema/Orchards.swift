package import EntityMacros
package import EntityStore
package import Foundation

/// Has a relationship of each kind: lists of objects with uids and of objects without, and one object of each.
@Entity package final class Orchard {
  @UID @Key("id") package var uid: Int
  package var name: String?
  package var note: String?
  package var size: Int?
  @Key("at") package var plantedAt: Date?
  package var gardener: Gardener?
  @Relationship(inverse: \OrchardTree.orchard, onDelete: .cascade) package var trees: [OrchardTree]
  @Relationship(inverse: \OrchardVisit.orchard) package var visits: [OrchardVisit]
  @Relationship(inverse: \OrchardRow.orchard, ordered: true) package var rows: [OrchardRow]
  @Relationship(inverse: \OrchardNote.orchard) package var notes: [OrchardNote]
  @Relationship(inverse: \OrchardTag.orchards) package var tags: [OrchardTag]
  /// Many to many, of one side, in an order.
  @Relationship(inverse: nil, ordered: true) package var marks: [OrchardTag]
  package var shed: OrchardShed?
}

/// Goes with its orchard.
@Entity package final class OrchardTree {
  @UID @Key("id") package var uid: Int
  package var name: String?
  package var orchard: Orchard?
  package var gardener: Gardener?
}

/// Stays without its orchard.
@Entity package final class OrchardVisit {
  @UID @Key("id") package var uid: Int
  package var name: String?
  package var orchard: Orchard?
}

@Entity package final class OrchardRow {
  @UID @Key("id") package var uid: Int
  package var orchard: Orchard?
}

/// Has no uid: a member of a list that lives in its orchard.
@Entity package final class OrchardNote {
  package var text: String?
  package var orchard: Orchard?
}

@Entity package final class OrchardTag {
  @UID @Key("id") package var uid: Int
  package var name: String?
  package var orchards: [Orchard]
}

/// Has no uid: it lives in its orchard.
@Entity package final class OrchardShed {
  package var city: String?
  package var door: ShedDoor?
}

@Entity package final class ShedDoor {
  package var color: String?
}

/// Refers to another object of its entity.
@Entity package final class Gardener {
  @UID @Key("id") package var uid: Int
  package var name: String?
  package var next: Gardener?
}

/// An orchard that tests update by hand.
@Entity package final class HandOrchard {
  @UID @Key("id") package var uid: Int
  package var name: String?
  @Relationship(inverse: \HandTree.orchard, onDelete: .cascade) package var trees: [HandTree]
  @Relationship(inverse: \HandVisit.orchard) package var visits: [HandVisit]
  package var shed: OrchardShed?
}

@Entity package final class HandTree {
  @UID @Key("id") package var uid: Int
  package var name: String?
  package var orchard: HandOrchard?
}

@Entity package final class HandVisit {
  @UID @Key("id") package var uid: Int
  package var name: String?
  package var orchard: HandOrchard?
}

extension Orchard {
  /// All entities that an orchard leads to.
  package static let world: [any ManagedEntity.Type] = [
    Orchard.self, OrchardTree.self, OrchardVisit.self, OrchardRow.self, OrchardNote.self, OrchardTag.self,
    OrchardShed.self, ShedDoor.self, Gardener.self, HandOrchard.self, HandTree.self, HandVisit.self,
  ]
}
