import EntityClient

// Lists of several entities, told apart by a discriminator; by declaration, by hand, and without uids.

@Entity final class Snapshot: RemoteEntity {
  @UID @Key("id") var uid: Int
  var caption: String?
  var place: Int?
  var post: FeedPost?

  static var basePath: String { "snapshots" }
  static var discriminator: Discriminator? { Discriminator("type", "image", "photo") }
  static var origins: [ValueOrigin<Snapshot>] { [.position(\.place)] }
}

@Entity final class Movie: RemoteEntity {
  @UID @Key("id") var uid: Int
  var caption: String?
  var place: Int?
  var post: FeedPost?

  static var basePath: String { "movies" }
  static var discriminator: Discriminator? { Discriminator("type", "video") }
  static var origins: [ValueOrigin<Movie>] { [.position(\.place)] }
}

/// As `Movie`, updated by hand, and told by a number in another key.
@Entity final class HandMovie: RemoteEntity {
  @UID @Key("id") var uid: Int
  var caption: String?

  static var basePath: String { "handmovies" }
  static var discriminator: Discriminator? { Discriminator("meta.kind", "7") }

  func update(with response: ResponseObject) throws { try response.assign("caption", to: &caption) }
}

@Entity final class TextBlock: RemoteEntity {
  var text: String?
  var post: FeedPost?

  static var basePath: String { "texts" }
  static var discriminator: Discriminator? { Discriminator("kind", "text") }
}

@Entity final class QuoteBlock: RemoteEntity {
  var quote: String?
  var post: FeedPost?

  static var basePath: String { "quotes" }
  static var discriminator: Discriminator? { Discriminator("kind", "quote") }
}

@Entity final class FeedPost: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  @Relationship(inverse: \Snapshot.post) @Key("attachments") var snapshots: [Snapshot]
  @Relationship(inverse: \Movie.post) @Key("attachments") var movies: [Movie]
  @Relationship @Key("lead") var leadSnapshot: Snapshot?
  @Relationship @Key("lead") var leadMovie: Movie?
  var thumb: Snapshot?
  @Key("stills") var stills: [Snapshot]
  @Relationship(inverse: \TextBlock.post) @Key("blocks") var texts: [TextBlock]
  @Relationship(inverse: \QuoteBlock.post) @Key("blocks") var quotes: [QuoteBlock]

  static var basePath: String { "posts" }
}

/// As `FeedPost`, updated by hand.
@Entity final class HandPost: RemoteEntity {
  @UID @Key("id") var uid: Int
  var snapshots: [Snapshot]
  var movies: [Movie]
  var lead: Snapshot?
  var cover: Snapshot

  static var basePath: String { "handposts" }

  func update(with response: ResponseObject) throws {
    snapshots = try response.upsert([Snapshot].self, from: "attachments") ?? snapshots
    movies = try response.upsert([Movie].self, from: "attachments") ?? movies
    try response.assign("lead", to: &lead)
    try response.assign("cover", to: &cover)
  }
}

let feedEntities: [any ManagedEntity.Type] = [
  Snapshot.self, Movie.self, HandMovie.self, TextBlock.self, QuoteBlock.self, FeedPost.self, HandPost.self,
]
