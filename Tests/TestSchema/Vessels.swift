package import EntityMacros
package import EntityStore

@Entity package final class Harbor {
  @UID package var uid: Int
  package var name: String
  @Relationship(inverse: \Vessel.harbor) package var vessels: [Vessel]
}

/// Lists that are sorted by an attribute, and one in an order of its own.
@Entity package final class Vessel {
  @UID package var uid: Int
  package var name: String
  package var harbor: Harbor?
  @Relationship(inverse: \Barrel.vessel, sortedBy: \Barrel.weight) package var barrels: [Barrel]
  @Relationship(sortedBy: \Signal.name) package var signals: [Signal]
  @Relationship(ordered: true) package var stops: [Harbor]

  package static let world: [any ManagedEntity.Type] = [Harbor.self, Vessel.self, Barrel.self, Signal.self]
}

@Entity package final class Barrel {
  @UID package var uid: Int
  package var weight: Int
  package var vessel: Vessel?
}

@Entity package final class Signal {
  @UID package var uid: Int
  package var name: String
  @Relationship(inverse: \Vessel.signals) package var vessels: [Vessel]
}
