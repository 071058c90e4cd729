import Foundation
import GRDB

/// JSONDecoder, and prepared statements of GRDB with the floor's SQL.
final class GRDBStatementRows: IngestedRows {
  let database: GRDBDatabase

  init(_ place: Place) throws { database = try GRDBDatabase(place) }

  func ingest(_ body: Body) throws {
    if body.isPartial {
      let payloads = try body.decoded([PartialPayload].self)
      return try database.queue.write { database in
        let upsert = try database.cachedStatement(sql: Self.upsert("User", ["uid", "email", "age"]))
        for payload in payloads {
          upsert.setUncheckedArguments([payload.id, payload.email, payload.age])
          try upsert.execute()
        }
      }
    }
    let payloads = try body.decoded([UserPayload].self)
    try database.queue.write { database in
      let address = try database.cachedStatement(
        sql: Self.upsert("Address", ["uid", "street", "city", "state", "zip"]))
      let user = try database.cachedStatement(
        sql: Self.upsert(
          "User",
          ["uid", "email", "firstName", "lastName", "age", "score", "active", "createdAt", "bio", "address"],
          address: "(SELECT _pk FROM Address WHERE uid = ?)"))
      for payload in payloads {
        if let home = payload.address {
          address.setUncheckedArguments([home.id, home.street, home.city, home.state, home.zip])
          try address.execute()
        }
        user.setUncheckedArguments([
          payload.id, payload.email, payload.first, payload.last, payload.age, payload.score, payload.active,
          payload.createdAt?.timeIntervalSince1970, payload.bio, payload.address?.id,
        ])
        try user.execute()
      }
    }
  }

  func digest() throws -> UInt64 { try database.digest() }

  /// - Parameter address: The value of the column `address`, if there is one.
  private static func upsert(_ table: String, _ columns: [String], address: String = "?") -> String {
    let values = columns.map { $0 == "address" ? address : "?" }
    let others = columns.dropFirst()
    return "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", "))) "
      + "ON CONFLICT (uid) DO UPDATE SET \(others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")) "
      + "WHERE \(others.map { "\(table).\($0) IS NOT excluded.\($0)" }.joined(separator: " OR "))"
  }
}
