import Foundation
import GRDB

/// JSONDecoder, and Codable records of GRDB.
final class GRDBRecordRows: IngestedRows {
  let database: GRDBDatabase

  init(_ place: Place) throws { database = try GRDBDatabase(place) }

  func ingest(_ body: Body) throws {
    if body.isPartial {
      let payloads = try body.decoded([PartialPayload].self)
      return try database.queue.write { database in
        for payload in payloads {
          var record = PartialRecord(uid: payload.id, email: payload.email, age: payload.age)
          try record.upsert(database)
        }
      }
    }
    let payloads = try body.decoded([UserPayload].self)
    try database.queue.write { database in
      for payload in payloads {
        var address = payload.address.map(AddressRecord.init)
        try address?.upsert(database)
        var user = UserRecord(payload, address: address?.pk)
        try user.upsert(database)
      }
    }
  }

  func digest() throws -> UInt64 { try database.digest() }
}

struct UserRecord: Codable, FetchableRecord, MutablePersistableRecord {
  var pk: Int64?
  var uid: Int64
  var email: String?
  var firstName: String?
  var lastName: String?
  var age: Int
  var score: Double
  var active: Bool
  var createdAt: Date?
  var bio: String?
  var address: Int64?

  enum CodingKeys: String, CodingKey {
    case uid, email, firstName, lastName, age, score, active, createdAt, bio, address
    case pk = "_pk"
  }

  static let databaseTableName = "User"

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .timeIntervalSince1970
  }
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .timeIntervalSince1970
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { pk = inserted.rowID }

  init(_ payload: UserPayload, address: Int64?) {
    uid = payload.id
    email = payload.email
    firstName = payload.first
    lastName = payload.last
    age = payload.age
    score = payload.score
    active = payload.active
    createdAt = payload.createdAt
    bio = payload.bio
    self.address = address
  }
}

struct AddressRecord: Codable, FetchableRecord, MutablePersistableRecord {
  var pk: Int64?
  var uid: Int64
  var street: String?
  var city: String?
  var state: String?
  var zip: String?

  enum CodingKeys: String, CodingKey {
    case uid, street, city, state, zip
    case pk = "_pk"
  }

  static let databaseTableName = "Address"

  mutating func didInsert(_ inserted: InsertionSuccess) { pk = inserted.rowID }

  init(_ payload: AddressPayload) {
    uid = payload.id
    street = payload.street
    city = payload.city
    state = payload.state
    zip = payload.zip
  }
}

/// A user of whom three columns are known.
struct PartialRecord: Codable, MutablePersistableRecord {
  var uid: Int64
  var email: String?
  var age: Int

  static let databaseTableName = "User"
}
