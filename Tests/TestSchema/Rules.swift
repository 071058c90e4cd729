package import EntityMacros
package import EntityStore

/// A delete rule of each kind.
@Entity package final class Owner {
  package var name: String
  package var detail: Detail?
  @Relationship(inverse: \Nullified.owner, onDelete: .nullify) package var nullified: [Nullified]
  @Relationship(inverse: \Cascaded.owner, onDelete: .cascade) package var cascaded: [Cascaded]
  @Relationship(inverse: \Denied.owner, onDelete: .deny) package var denied: [Denied]
}

@Entity package final class Nullified {
  package var owner: Owner?
}

/// Takes its detail along.
@Entity package final class Cascaded {
  package var owner: Owner?
  @Relationship(onDelete: .cascade) package var detail: Detail?
}

/// Is held by its detail.
@Entity package final class Denied {
  package var owner: Owner?
  @Relationship(onDelete: .deny) package var held: Detail?
}

@Entity package final class Detail {
  package var name: String?
}

extension Owner {
  package static let world: [any ManagedEntity.Type] = [
    Owner.self, Nullified.self, Cascaded.self, Denied.self, Detail.self,
  ]
}
