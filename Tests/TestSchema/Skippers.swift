package import EntityMacros
package import EntityStore

/// One to one with a permit, which goes with it.
@Entity package final class Skipper {
  @UID package var code: Int?
  package var name: String
  @Relationship(inverse: \Permit.skipper, onDelete: .cascade) package var permit: Permit?
}

@Entity package final class Permit {
  @UID package var code: Int?
  package var number: Int
  package var skipper: Skipper?
}

/// One to one with a motor, which requires it.
@Entity package final class Hull {
  @UID package var code: Int?
  package var name: String
  @Relationship(inverse: \Motor.hull) package var motor: Motor?
}

@Entity package final class Motor {
  @UID package var code: Int?
  package var power: Int
  package var hull: Hull
}

/// Links to one that is one to one with another.
@Entity package final class Voyage {
  package var name: String
  package var skipper: Skipper?
}

extension Skipper {
  package static let world: [any ManagedEntity.Type] = [Skipper.self, Permit.self, Hull.self, Motor.self, Voyage.self]
}
