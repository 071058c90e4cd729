import Foundation
import GRDB

/// A database that GRDB has open as ours is open, with ours' tables.
final class GRDBDatabase {
  let queue: DatabaseQueue
  private let scratch: Scratch

  init(_ place: Place) throws {
    scratch = try Scratch()
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      for pragma in Tables.pragmas { try database.execute(sql: "PRAGMA \(pragma)") }
    }
    queue =
      place == .file
      ? try DatabaseQueue(path: scratch.file.path, configuration: configuration)
      : try DatabaseQueue(configuration: configuration)
    try queue.write { database in
      for sql in try Tables.standard.statements() { try database.execute(sql: sql) }
    }
  }

  func digest() throws -> UInt64 { try queue.read { try $0.digest(of: .standard) } }

  func keys(of uids: [Int64]) throws -> [Int64] {
    try queue.read { database in
      let statement = try database.cachedStatement(sql: "SELECT _pk FROM User WHERE uid = ?")
      return try uids.compactMap { try Int64.fetchOne(statement, arguments: [$0]) }
    }
  }
}

/// A response as JSONDecoder reads it for both of GRDB's ways.
struct UserPayload: Decodable {
  let id: Int64
  let email: String?
  let first: String?
  let last: String?
  let age: Int
  let score: Double
  let active: Bool
  let createdAt: Date?
  let bio: String?
  let address: AddressPayload?

  enum CodingKeys: String, CodingKey {
    case id, email, first, last, age, score, active, bio, address
    case createdAt = "created_at"
  }
}

struct AddressPayload: Decodable {
  let id: Int64
  let street: String?
  let city: String?
  let state: String?
  let zip: String?
}

struct PartialPayload: Decodable {
  let id: Int64
  let email: String?
  let age: Int
}

extension Body {
  func decoded<T: Decodable>(_ type: T.Type) throws -> T {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(type, from: data)
  }
}
