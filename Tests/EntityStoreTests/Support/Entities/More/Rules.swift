import EntityMacros
import EntityStore

@Entity final class Owner {
  var name: String
  @Relationship(inverse: \Nullified.owner, onDelete: .nullify) var nullified: [Nullified]
  @Relationship(inverse: \Cascaded.owner, onDelete: .cascade) var cascaded: [Cascaded]
  @Relationship(inverse: \Denied.owner, onDelete: .deny) var denied: [Denied]
}

@Entity final class Nullified {
  var owner: Owner?
}

@Entity final class Cascaded {
  var owner: Owner?
  @Relationship(onDelete: .cascade) var detail: Detail?
}

@Entity final class Denied {
  var owner: Owner?
  @Relationship(onDelete: .deny) var held: Detail?
}

@Entity final class Detail {
  var name: String?
}

/// Has an object without uid that nothing but the host refers to.
@Entity final class Host {
  @UID var uid: Int
  var room: Room?
}

@Entity final class Room {
  var city: String
}

/// Takes objects with uids along.
@Entity final class Cellar {
  @UID var uid: Int
  @Relationship(inverse: \Bottle.cellar, onDelete: .cascade) var bottles: [Bottle]
}

@Entity final class Bottle {
  @UID var uid: Int
  var cellar: Cellar?
}
