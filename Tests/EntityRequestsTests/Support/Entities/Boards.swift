import EntityClient

// Lists of objects that have no uid, mapped by declared properties and by hand.

@Entity final class Board: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  /// Many to many, of one side.
  var pins: [Pin]
  @Relationship(inverse: \Card.board) var cards: [Card]
  var cover: Pin?

  static var basePath: String { "boards" }
}

@Entity final class Card {
  var text: String?
  var size: Int
  var board: Board?
}

@Entity final class Pin {
  var text: String?
  var size: Int
}

/// Mapped by hand: in the words of the relationships, or in lists that are set.
@Entity final class HandBoard: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var pins: [Pin]
  @Relationship(inverse: \HandCard.board) var cards: [HandCard]
  var cover: Pin?

  static var basePath: String { "handboards" }

  func update(with response: ResponseObject) throws {
    try response.assign("title", to: &title)
    if response.contains("cover") { cover = try response.upsert(Pin.self, from: "cover") }
    if response.contains("sets") {
      pins = try response.upsert([Pin].self, from: "pins") ?? pins
      cards = try response.upsert([HandCard].self, from: "cards") ?? cards
    } else {
      try response.assign("pins", to: &pins)
      try response.assign("cards", to: &cards)
    }
  }
}

@Entity final class HandCard {
  var text: String?
  var size: Int
  var board: HandBoard?
}

/// The object that it requires has no uid.
@Entity final class Picture: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var mount: Pin

  static var basePath: String { "pictures" }
}

@Entity final class HandPicture: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var mount: Pin

  static var basePath: String { "handpictures" }

  func update(with response: ResponseObject) throws {
    try response.assign("title", to: &title)
    try response.assign("mount", to: &mount)
  }
}

/// Reads its values into variables of its own first.
@Entity final class Ranked: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var rank: Rank = Rank.member

  static var basePath: String { "ranked" }

  func update(with response: ResponseObject) throws {
    var found = Rank.member
    try response.assign("level", to: &found)
    try response.assign("title", to: &title)
    if response.contains("resets") { rank = .member } else { try response.assign("rank", to: &rank) }
  }
}

func boards() throws -> EntityStore {
  try EntityStore(
    .inMemory,
    entities: [
      Board.self, Card.self, Pin.self, HandBoard.self, HandCard.self, Picture.self, HandPicture.self, Ranked.self,
    ], busyTimeout: .seconds(60))
}
