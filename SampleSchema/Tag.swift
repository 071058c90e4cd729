public import EntityClient

/// A word that posts are found by.
@Entity public final class Tag {
  @UID @Key("id") public var uid: Int
  @Indexed public var name: String
  public var postCount: Int
  @Relationship(inverse: \Post.tags) public var posts: [Post]
}
