package import EntityMacros
package import EntityStore
package import Foundation

/// An entity with a uid, a unique value that may be missing, and ones that may not.
@Entity package final class Locker {
  @UID @Key("id") package var uid: Int
  @Unique package var code: String?
  @Unique package var number: Int
  @Unique package var seal: Data = Data()
  package var note: String?
  package var hall: Hall?
}

/// Has lockers that go with it.
@Entity package final class Hall {
  package var name: String
  @Relationship(inverse: \Locker.hall, onDelete: .cascade) package var lockers: [Locker]
}

extension Locker {
  package static let world: [any ManagedEntity.Type] = [Locker.self, Hall.self]
}
