package import EntityMacros
package import EntityStore

/// Takes its pages along, which require it.
@Entity package final class Binder {
  package var title: String
  @Relationship(inverse: \Page.binder, onDelete: .cascade) package var pages: [Page]
  package var next: Binder?
}

/// Requires two objects; neither has a uid.
@Entity package final class Page {
  package var number: Int
  package var binder: Binder
  package var frame: Frame
  package var twin: Page?
}

/// Has no uid: it goes with the last page that has it.
@Entity package final class Frame {
  package var color: String?
}

/// Shares its tracks with other albums; a shelf holds it.
@Entity package final class Album {
  @UID @Key("id") package var uid: Int
  @Relationship(onDelete: .cascade) package var tracks: [Track]
  @Relationship(inverse: \Shelf.albums, onDelete: .deny) package var shelves: [Shelf]
}

@Entity package final class Track {
  package var title: String
  @Relationship(inverse: \Album.tracks) package var albums: [Album]
}

@Entity package final class Shelf {
  @UID @Key("id") package var uid: Int
  package var albums: [Album]
}

/// Many to many with its own kind.
@Entity package final class Loop {
  package var name: String
  package var peers: [Loop]
}

extension Binder {
  package static let world: [any ManagedEntity.Type] = [Binder.self, Page.self, Frame.self]
}

extension Album {
  package static let world: [any ManagedEntity.Type] = [Album.self, Track.self, Shelf.self]
}
