import Foundation
import GRDB

/// Prepared statements of GRDB, and structs that are made from their rows by hand.
final class GRDBStatementFetches: FetchRows {
  private let statements: GRDBStatementRows
  private let plan: FetchPlan
  private var keys: [Int64] = []
  private var queue: DatabaseQueue { statements.database.queue }
  var rows: any IngestedRows { statements }

  init(_ place: Place, _ plan: FetchPlan) throws {
    statements = try GRDBStatementRows(place)
    self.plan = plan
  }

  func prepare(_ work: FetchWork) throws {
    if work == .save, keys.isEmpty { keys = try statements.database.keys(of: plan.edited) }
  }

  func time(_ work: FetchWork, turn: Int) throws -> Cost {
    try Cost.of {
      switch work {
      case .first, .warm: consume(try fetch().reduce(into: Checksum()) { $0.add($1.score) })
      case .allColumns: consume(try checksum(work))
      case .uid: consume(try find().reduce(into: Checksum()) { $0.add($1.score) })
      case .save:
        try queue.write { database in
          let update = try database.cachedStatement(sql: "UPDATE User SET score = ? WHERE _pk = ?")
          for (uid, key) in zip(plan.edited, keys) {
            update.setUncheckedArguments([FetchPlan.score(uid, turn: turn), key])
            try update.execute()
          }
        }
      }
    }
  }

  func checksum(_ work: FetchWork) throws -> Int {
    (work == .uid ? try find() : try fetch()).reduce(into: Checksum()) { $1.add(to: &$0) }.value
  }

  private func fetch() throws -> [PlainUser] {
    try queue.read { database in
      let statement = try database.cachedStatement(sql: PlainUser.select + " ORDER BY _pk")
      return try Array(Row.fetchCursor(statement).map(PlainUser.init))
    }
  }

  private func find() throws -> [PlainUser] {
    try queue.read { database in
      let statement = try database.cachedStatement(sql: PlainUser.select + " WHERE uid = ?")
      return try plan.uids.compactMap { try Row.fetchOne(statement, arguments: [$0]).map(PlainUser.init) }
    }
  }
}

struct PlainUser {
  static let select =
    "SELECT _pk, uid, email, firstName, lastName, age, score, active, createdAt, bio, address FROM User"

  let pk: Int64
  let uid: Int64
  let email: String?
  let firstName: String?
  let lastName: String?
  let age: Int
  let score: Double
  let active: Bool
  let createdAt: Date?
  let bio: String?
  let address: Int64?

  init(_ row: Row) {
    pk = row[0]
    uid = row[1]
    email = row[2]
    firstName = row[3]
    lastName = row[4]
    age = row[5]
    score = row[6]
    active = row[7]
    createdAt = (row[8] as Double?).map { Date(timeIntervalSince1970: $0) }
    bio = row[9]
    address = row[10]
  }
}
