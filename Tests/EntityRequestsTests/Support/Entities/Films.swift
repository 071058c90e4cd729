import EntityClient
import Foundation

// Required and many-to-many relationships, once mapped by declaration and once by hand.

@Entity final class Film: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var studio: Studio
  var cast: [Player]
  var sequels: [Film]

  static var basePath: String { "films" }
}

@Entity final class Player: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  @Relationship(inverse: \Film.cast) var films: [Film]

  static var basePath: String { "players" }
}

@Entity final class Studio: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  @Relationship(inverse: \Film.studio) var films: [Film]

  static var basePath: String { "studios" }
}

@Entity final class HandFilm: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var studio: HandStudio
  var cast: [HandPlayer]
  var sequels: [HandFilm]

  static var basePath: String { "handfilms" }

  func update(with response: ResponseObject) throws {
    try response.assign("id", to: &uid)
    try response.assign("studio", to: &studio)
    try response.assign("title", to: &title)
    try response.assign("cast", to: &cast)
    try response.assign("sequels", to: &sequels)
  }
}

@Entity final class HandPlayer: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  @Relationship(inverse: \HandFilm.cast) var films: [HandFilm]

  static var basePath: String { "handplayers" }

  func update(with response: ResponseObject) throws {
    try response.assign("id", to: &uid)
    try response.assign("name", to: &name)
    try response.assign("films", to: &films)
  }
}

@Entity final class HandStudio: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  @Relationship(inverse: \HandFilm.studio) var films: [HandFilm]

  static var basePath: String { "handstudios" }

  func update(with response: ResponseObject) throws {
    try response.assign("id", to: &uid)
    try response.assign("name", to: &name)
    try response.assign("films", to: &films)
  }
}

/// A store of films.
func films() throws -> EntityStore {
  try EntityStore(
    .inMemory,
    entities: [Film.self, Player.self, Studio.self, HandFilm.self, HandPlayer.self, HandStudio.self])
}
