package import EntityMacros
package import EntityStore

/// Has each kind of relationship, to articles and to its own kind.
@Entity package final class Writer {
  @UID @Key("id") package var uid: Int
  package var name: String
  package var age: Int
  package var nick: String?
  package var isActive: Bool
  package var home: Town?
  @Relationship(inverse: \Article.author) package var articles: [Article]
  @Relationship(inverse: \Article.reviewer) package var reviews: [Article]
  package var friends: [Writer]
  package var following: [Writer]
  @Relationship(inverse: \Writer.following) package var followers: [Writer]
}

/// Always has an author.
@Entity package final class Article {
  @UID @Key("id") package var uid: Int
  package var title: String
  package var length: Int
  package var rating: Double?
  package var author: Writer
  package var reviewer: Writer?
  package var tags: [Tag]
  package var parent: Article?
  @Relationship(inverse: \Article.parent) package var children: [Article]
}

/// A uid that is a text, and many to many with articles.
@Entity package final class Tag {
  @UID @Key("id") package var uid: String
  package var name: String?
  @Relationship(inverse: \Article.tags) package var articles: [Article]
}

@Entity package final class Town {
  @UID @Key("id") package var uid: Int
  package var city: String
  package var country: String?
}

extension Writer {
  package static let world: [any ManagedEntity.Type] = [Writer.self, Article.self, Tag.self, Town.self]
}
