import EntityMacros
import EntityStore

// Entities with each kind of relationship.

@Entity final class Writer {
  @UID @Key("id") var uid: Int
  var name: String
  var age: Int
  var nick: String?
  var isActive: Bool
  var home: Town?
  @Relationship(inverse: \Article.author) var articles: [Article]
  @Relationship(inverse: \Article.reviewer) var reviews: [Article]
  var friends: [Writer]
  var following: [Writer]
  @Relationship(inverse: \Writer.following) var followers: [Writer]
}

/// Always has an author.
@Entity final class Article {
  @UID @Key("id") var uid: Int
  var title: String
  var length: Int
  var rating: Double?
  var author: Writer
  var reviewer: Writer?
  var tags: [Tag]
  var parent: Article?
  @Relationship(inverse: \Article.parent) var children: [Article]
}

@Entity final class Tag {
  @UID @Key("id") var uid: String
  var name: String?
  @Relationship(inverse: \Article.tags) var articles: [Article]
}

@Entity final class Town {
  @UID @Key("id") var uid: Int
  var city: String
  var country: String?
}

/// A version of an entity before it had a required link.
@Entity final class LooseNote {
  var text: String

  static let entityName = "Memo"
}

@Entity final class BoundNote {
  var text: String
  var writer: Writer

  static let entityName = "Memo"
}

extension TestStore {
  /// The entities of the blog.
  static let blog: [any ManagedEntity.Type] = [Writer.self, Article.self, Tag.self, Town.self]
}
