import EntityClient

// Entities that track their coverage, each with another way from a response to its rows.

/// Goes by batch.
@Entity final class TourSinger: RemoteEntity {
  @UID var id: Int
  var name: String?
  var bio: String?
  var age: Int = 0
  var hall: TourHall?
  @Relationship(inverse: \TourTrack.singer) var tracks: [TourTrack]
  static var tracksCoverage: Bool { true }
  static var basePath: String { "singers" }
}

/// Is read by hand.
@Entity final class TourTrack: RemoteEntity {
  @UID var id: Int
  var title: String?
  var words: String?
  var singer: TourSinger?
  static var tracksCoverage: Bool { true }
  static var basePath: String { "tracks" }
  func update(with response: ResponseObject) throws {
    try response.assign("title", to: &title)
    try response.assign("words", to: &words)
    try response.assign("singer", to: &singer)
  }
}

/// Goes one by one, because its list has an order of its own. Several come in one request.
@Entity final class TourHall: RemoteEntity {
  @UID var id: Int
  var place: String?
  var rent: Double?
  @Relationship(ordered: true) var rooms: [TourRoom]
  static var tracksCoverage: Bool { true }
  static var basePath: String { "halls" }
  static var fetchesByID: FetchesByID? { .query("ids", limit: 3) }
}

@Entity final class TourRoom: RemoteEntity {
  @UID var id: Int
  var size: Int?
  static var tracksCoverage: Bool { true }
  static var basePath: String { "rooms" }
}

/// Has uids of text.
@Entity final class TourVenue: RemoteEntity {
  @UID var id: String
  var place: String?
  static var tracksCoverage: Bool { true }
  static var basePath: String { "venues" }
  static var fetchesByID: FetchesByID? { .query("ids", limit: 3) }
}

enum Tour {
  static let all: [any ManagedEntity.Type] = [
    TourSinger.self, TourTrack.self, TourHall.self, TourRoom.self, TourVenue.self,
  ]

  static func store(_ location: StoreLocation = .inMemory) throws -> EntityStore {
    try EntityStore(location, entities: all)
  }
}

/// An entity whose objects are compared by their uids.
protocol TourEntity: RemoteEntity { var id: Int { get } }
extension TourSinger: TourEntity {}
extension TourTrack: TourEntity {}
extension TourHall: TourEntity {}
extension TourRoom: TourEntity {}

extension EntityStore {
  /// The properties that no response had, by uid; of placeholders too.
  func missing<E: TourEntity>(_ type: E.Type) async throws -> [Int: [String]] {
    try await read { context in
      Dictionary(
        uniqueKeysWithValues: try context.fetch(E.all.including(.placeholders)).map { ($0.id, $0.loaded.missingNames) })
    }
  }
}
