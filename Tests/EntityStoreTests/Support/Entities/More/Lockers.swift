import EntityMacros
import EntityStore
import struct Foundation.Data

/// An entity with a uid, a unique value that may be missing, and ones that may not.
@Entity final class Locker {
  @UID @Key("id") var uid: Int
  @Unique var code: String?
  @Unique var number: Int
  @Unique var seal: Data = Data()
  var note: String?
  var hall: Hall?
}

/// Has lockers that go with it.
@Entity final class Hall {
  var name: String
  @Relationship(inverse: \Locker.hall, onDelete: .cascade) var lockers: [Locker]
}
