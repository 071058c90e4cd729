public import EntityClient

/// The entities that a store of the sample schema is opened with.
public let sampleEntities: [any ManagedEntity.Type] = [
  User.self, Address.self, Post.self, Comment.self, Tag.self,
]
