import EntityClient

// Ordered relationships of each kind, mapped by declaration and by hand.

@Entity final class Chart: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  @Relationship(ordered: true) var songs: [Song]
  @Relationship(inverse: \Review.chart, ordered: true) var reviews: [Review]
  @Relationship(inverse: \Step.chart, onDelete: .cascade, ordered: true) var steps: [Step]

  static var basePath: String { "charts" }
}

@Entity final class Song: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  @Relationship(inverse: \Chart.songs) var charts: [Chart]

  static var basePath: String { "songs" }
}

@Entity final class Review: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?
  var chart: Chart?

  static var basePath: String { "reviews" }
}

@Entity final class Step {
  var text: String?
  var chart: Chart?
}

@Entity final class HandChart: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(ordered: true) var songs: [HandSong]
  @Relationship(inverse: \HandReview.chart, ordered: true) var reviews: [HandReview]

  static var basePath: String { "handcharts" }

  func update(with response: ResponseObject) throws {
    try response.assign("id", to: &uid)
    try response.assign("songs", to: &songs)
    try response.assign("reviews", to: &reviews)
  }
}

@Entity final class HandSong: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "handsongs" }

  func update(with response: ResponseObject) throws {
    try response.assign("id", to: &uid)
    try response.assign("name", to: &name)
  }
}

@Entity final class HandReview: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?
  var chart: HandChart?

  static var basePath: String { "handreviews" }

  func update(with response: ResponseObject) throws {
    try response.assign("id", to: &uid)
    try response.assign("text", to: &text)
  }
}

extension Chart {
  static let all: [any ManagedEntity.Type] = [
    Chart.self, Song.self, Review.self, Step.self, HandChart.self, HandSong.self, HandReview.self,
  ]
}

/// The ordered lists of objects with uids, by the uids of their members.
enum ChartList: String, CaseIterable, Sendable {
  case songs, reviews, handSongs, handReviews

  var key: String { self == .songs || self == .handSongs ? "songs" : "reviews" }

  func response(_ uids: [Int]) -> JSONValue {
    let members = JSONValue(uids.map { JSONObject(fields: [("id", JSONValue($0))]).value })
    return JSONObject(fields: [("id", 1), (key, members)]).value
  }

  func receive(
    _ uids: [Int], in store: EntityStore, localEdits: LocalEdits = .keep
  ) async throws -> EntityCounts {
    switch self {
    case .songs, .reviews:
      try await store.receive(Chart.self, response(uids)) { $0.localEdits = localEdits }.counts
    case .handSongs, .handReviews:
      try await store.receive(HandChart.self, response(uids)) { $0.localEdits = localEdits }.counts
    }
  }

  func read(_ context: EntityContext) throws -> [Int] {
    switch self {
    case .songs: try context.fetch(Chart.self, uid: 1)?.songs.map(\.uid) ?? []
    case .reviews: try context.fetch(Chart.self, uid: 1)?.reviews.map(\.uid) ?? []
    case .handSongs: try context.fetch(HandChart.self, uid: 1)?.songs.map(\.uid) ?? []
    case .handReviews: try context.fetch(HandChart.self, uid: 1)?.reviews.map(\.uid) ?? []
    }
  }

  func read(_ store: EntityStore) async throws -> [Int] { try await store.read { try read($0) } }

  /// Changes the list here. New members are made, with uids.
  func edit(_ context: EntityContext, _ change: (inout [Int]) -> Void) throws {
    var uids = try read(context)
    change(&uids)
    switch self {
    case .songs: try context.fetch(Chart.self, uid: 1)?.songs = uids.map { try context.upsert(Song.self, uid: $0) }
    case .reviews:
      try context.fetch(Chart.self, uid: 1)?.reviews = uids.map { try context.upsert(Review.self, uid: $0) }
    case .handSongs:
      try context.fetch(HandChart.self, uid: 1)?.songs = uids.map { try context.upsert(HandSong.self, uid: $0) }
    case .handReviews:
      try context.fetch(HandChart.self, uid: 1)?.reviews = uids.map { try context.upsert(HandReview.self, uid: $0) }
    }
  }
}
