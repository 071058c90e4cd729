import EntityMacros
import EntityStore

// Delete rules over required links and many-to-many relationships, and entities without uid in them.

@Entity final class Binder {
  var title: String
  @Relationship(inverse: \Page.binder, onDelete: .cascade) var pages: [Page]
  var next: Binder?
}

/// Requires two objects; neither has a uid.
@Entity final class Page {
  var number: Int
  var binder: Binder
  var frame: Frame
  var twin: Page?
}

@Entity final class Frame {
  var color: String?
}

@Entity final class Album {
  @UID @Key("id") var uid: Int
  @Relationship(onDelete: .cascade) var tracks: [Track]
  @Relationship(inverse: \Shelf.albums, onDelete: .deny) var shelves: [Shelf]
}

@Entity final class Track {
  var title: String
  @Relationship(inverse: \Album.tracks) var albums: [Album]
}

@Entity final class Shelf {
  @UID @Key("id") var uid: Int
  var albums: [Album]
}

@Entity final class Loop {
  var name: String
  var peers: [Loop]
}

/// `Loop` without its many-to-many relationship.
@Entity final class BareLoop {
  var name: String

  static let entityName = "Loop"
}
