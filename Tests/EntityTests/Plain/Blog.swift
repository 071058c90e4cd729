import EntityClient
import Foundation

// Each kind of relationship, as a user declares it.

@Entity final class User: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String
  var age: Int
  @Relationship(onDelete: .cascade) var address: Address?
  @Relationship(inverse: \Post.author, onDelete: .cascade) var posts: [Post]
  @Relationship(inverse: \Post.reviewer) var reviews: [Post] = []
  var following: [User]
  @Relationship(inverse: \User.following) var followers: [User]

  convenience init(name: String, posts: [Post] = []) {
    self.init()
    self.name = name
    self.posts = posts
  }

  static var basePath: String { "users" }
}

/// Without uid: it lives in its user.
@Entity final class Address {
  var city: String?
  @Relationship var country: Country?
}

@Entity final class Country: RemoteEntity {
  @UID @Key("code") var uid: String
  @Relationship(inverse: \Address.country, onDelete: .deny) var addresses: [Address]

  static var basePath: String { "countries" }
}

@Entity final class Post: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var author: User
  var reviewer: User? = nil
  @Key("labels") var tags: [Tag] = []
  /// Nobody else sees it.
  @Relationship(onDelete: .cascade) var drafts: [Draft] = []
  @Relationship(onDelete: .cascade) var cover: Cover?

  static var basePath: String { "posts" }
  static var fullTextSearch: FullTextSearch<Post>? { FullTextSearch(\.title) }
}

@Entity final class Tag: RemoteEntity {
  @UID @Key("name") var uid: String
  @Relationship(inverse: \Post.tags) var posts: [Post]

  static var basePath: String { "tags" }
}

@Entity final class Draft {
  var text: String
}

@Entity final class Cover {
  var link: URL?
}

enum Outline {
  @Entity final class Section: RemoteEntity {
    @UID @Key("id") var uid: Int
    var parent: Section?
    @Relationship(inverse: \Section.parent, onDelete: .cascade) var children: [Section] = []

    static var basePath: String { "sections" }
  }
}
