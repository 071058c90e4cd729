public import EntityClient

/// What a store of the sample schema is opened with.
public let sampleEntities: [any ManagedEntity.Type] = [
  User.self, Address.self, Post.self, Comment.self, Tag.self,
]
