import GRDB

/// Codable records of GRDB.
final class GRDBRecordFetches: FetchRows {
  private let records: GRDBRecordRows
  private let plan: FetchPlan
  private var edited: [UserRecord] = []
  private var queue: DatabaseQueue { records.database.queue }
  var rows: any IngestedRows { records }

  init(_ place: Place, _ plan: FetchPlan) throws {
    records = try GRDBRecordRows(place)
    self.plan = plan
  }

  func prepare(_ work: FetchWork) throws {
    guard work == .save, edited.isEmpty else { return }
    edited = try queue.read { database in
      try UserRecord.filter(Column("uid") <= plan.edited.count).fetchAll(database)
    }
  }

  func time(_ work: FetchWork, turn: Int) throws -> Cost {
    try Cost.of {
      switch work {
      case .first, .warm:
        consume(try queue.read { try UserRecord.fetchAll($0) }.reduce(into: Checksum()) { $0.add($1.score) })
      case .allColumns: consume(try checksum(work))
      case .uid: consume(try find().reduce(into: Checksum()) { $0.add($1.score) })
      case .save:
        try queue.write { database in
          for index in edited.indices {
            edited[index].score = FetchPlan.score(edited[index].uid, turn: turn)
            try edited[index].update(database, columns: ["score"])
          }
        }
      }
    }
  }

  func checksum(_ work: FetchWork) throws -> Int {
    let users = work == .uid ? try find() : try queue.read { try UserRecord.fetchAll($0) }
    return users.reduce(into: Checksum()) { $1.add(to: &$0) }.value
  }

  private func find() throws -> [UserRecord] {
    try queue.read { database in
      try plan.uids.compactMap { try UserRecord.fetchOne(database, key: ["uid": $0]) }
    }
  }
}
