import EntityClient
import Foundation

// The entities of random histories that other tests lack: plain ones, and such with a column of each rare kind.

@Entity final class BatchUser: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var email: String
  var age: Int?
  var score: Double
  var isActive: Bool
  var isAdmin: Bool?
  var bornAt: Date?
  var changedAt: Date
  var balance: Decimal?
  var site: URL?
  var token: UUID?
  @Key("place.city") var city: String?
  var company: BatchCompany?
  var address: BatchAddress?
  var boss: BatchUser?

  static var basePath: String { "users" }
}

@Entity final class BatchCompany: RemoteEntity {
  @UID @Key("id") var uid: String
  var name: String?
  var employees: Int
  var owner: BatchUser?
  var parent: BatchCompany?

  static var basePath: String { "companies" }
}

@Entity final class BatchAddress: RemoteEntity {
  @UID @Key("id") var uid: Int64
  var street: String?
  var zip: String
  var user: BatchUser?

  static var basePath: String { "addresses" }
}

/// Requires its user.
@Entity final class BatchNote: RemoteEntity {
  @UID @Key("id") var uid: UUID
  var text: String?
  var user: BatchUser

  static var basePath: String { "notes" }
}

/// Has only a uid.
@Entity final class BatchTag: RemoteEntity {
  @UID @Key("id") var uid: String

  static var basePath: String { "tags" }
}

/// Is updated by hand, and nests declared objects and others of its own kind.
@Entity final class BatchClerk: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var company: BatchCompany?
  var desk: BatchDesk?
  var deputy: BatchClerk?
  var tag: BatchTag?

  static var basePath: String { "clerks" }

  func update(with response: ResponseObject) throws {
    try response.assign("company", to: &company)
    try response.assign("name", to: &name)
    try response.assign("desk", to: &desk)
    try response.assign("deputy", to: &deputy)
    if response.contains("tag") { tag = try response.upsert(BatchTag.self, from: "tag") }
  }
}

/// Is declared, and nests clerks.
@Entity final class BatchDesk: RemoteEntity {
  @UID @Key("id") var uid: Int
  var label: String?
  var clerk: BatchClerk?
  var company: BatchCompany?

  static var basePath: String { "desks" }
}

/// Has columns that the store fills, lazy ones, a searched text, and values of which no two rows have the same.
@Entity final class BatchEntry: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var text: String?
  @Unique var code: String?
  @Unique var number: Int?
  var place: Int?
  var shelf: BatchShelf?
  @Lazy var scan: Data?
  @Lazy var notes: [String]
  @Derived @Indexed var shout: String { (title ?? "").uppercased() }

  static var basePath: String { "entries" }
  static var fullTextSearch: FullTextSearch<BatchEntry>? { FullTextSearch(\.title, \.text) }
  static var indexes: [EntityIndex<BatchEntry>] { [.unique(\.shelf, \.place)] }
}

/// Has lazy and derived columns, and lists of both kinds that are no columns.
@Entity final class BatchScan: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var pages: Int
  var shelf: BatchShelf?
  var tags: [BatchTag]
  @Relationship(ordered: true) var marks: [BatchTag]
  @Lazy var scan: Data?
  @Lazy var notes: [String]
  @Derived var label: String { "\(title ?? "-") \(pages)" }

  static var basePath: String { "scans" }
}

@Entity final class BatchShelf: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Unique var name: String?
  @Relationship(inverse: \BatchEntry.shelf) var entries: [BatchEntry]

  static var basePath: String { "shelves" }
}
