import Foundation

/// From the bytes of a response to committed rows: 100,000 users with their addresses, in one transaction.
///
/// `cold` begins with an empty store; the others with one that has all users. Bodies come by turns, so that each run
/// has the same to do: in `changed` another age of every user, in `sparse` of one in a hundred, in `partial` three keys
/// of each user, one of them another age. `.history` is a store that keeps a history, beside one that keeps none.
let ingestGroup = Group(
  name: "ingest",
  contests: Place.allCases.flatMap { place in
    IngestWork.allCases.flatMap { work in
      [false, true].map { isWritten in
        let name = "ingest.\(place).\(work)" + (isWritten ? ".byhand" : "")
        return (name, { @Sendable scale in try ingest(name, place, work, isWritten, count: scale(100_000)) })
      } + [
        (
          "ingest.\(place).\(work).history",
          { @Sendable scale in ingestWithHistory(place, work, count: scale(100_000)) }
        )
      ]
    }
  })

enum IngestWork: String, Sendable, CaseIterable {
  case cold, changed, unchanged, sparse, partial

  /// The bodies that are ingested by turns, after `base`.
  func bodies(count: Int, base: Body) -> [Body] {
    switch self {
    case .cold, .unchanged: [base]
    case .changed: [Body(StandardUsers.json(count: count) { _ in 1 }), base]
    case .sparse: [Body(StandardUsers.json(count: count) { $0 % 100 == 0 ? 1 : 0 }), base]
    case .partial: [100, 101].map { Body(StandardUsers.partial(count: count, age: $0), isPartial: true) }
    }
  }
}

private func ingestWithHistory(_ place: Place, _ work: IngestWork, count: Int) -> Contest {
  let base = Body(StandardUsers.json(count: count))
  let bodies = work.bodies(count: count, base: base)
  func contestant(_ name: String, keepsHistory: Bool) -> Contestant {
    .ingesting(name, work, base, bodies) { try EntityRows<DeclaredUser>(place, keepsHistory: keepsHistory) }
  }
  return Contest(
    name: "ingest.\(place).\(work).history", size: bodies[0].data.count,
    ours: contestant("ours", keepsHistory: true), rivals: [contestant("without-history", keepsHistory: false)])
}

private func ingest(_ name: String, _ place: Place, _ work: IngestWork, _ isWritten: Bool, count: Int) throws -> Contest
{
  let base = Body(StandardUsers.json(count: count))
  let bodies = work.bodies(count: count, base: base)
  func contestant(_ name: String, _ make: @escaping () throws -> any UserRows) -> Contestant {
    .ingesting(name, work, base, bodies, make)
  }
  let declared = contestant(isWritten ? "declared" : "ours") { try EntityRows<DeclaredUser>(place) }
  let others = [
    contestant("c-floor") { try FloorRows(place) },
    contestant("grdb-records") { try GRDBRecordRows(place) },
    contestant("grdb-prepared") { try GRDBStatementRows(place) },
  ]
  return Contest(
    name: name, size: bodies[0].data.count,
    ours: isWritten ? contestant("ours") { try EntityRows<WrittenUser>(place) } : declared,
    rivals: (isWritten ? [declared] : []) + others)
}

extension Contestant {
  fileprivate static func ingesting(
    _ name: String, _ work: IngestWork, _ base: Body, _ bodies: [Body], _ make: @escaping () throws -> any UserRows
  ) -> Contestant {
    work == .cold ? .cold(name, base, make) : IngestTurns(base: base, bodies: bodies, make: make).contestant(name)
  }

  /// Each run has an empty database of its own.
  fileprivate static func cold(_ name: String, _ body: Body, _ make: @escaping () throws -> any UserRows) -> Contestant
  {
    var rows: (any UserRows)?
    func fresh() throws -> any UserRows {
      // The one before is gone before the next is made.
      rows = nil
      let made = try make()
      rows = made
      return made
    }
    return Contestant(
      name: name,
      prepare: { _ = try fresh() },
      run: { try rows?.ingest(body) },
      digest: {
        let rows = try fresh()
        try rows.ingest(body)
        return try rows.digest()
      })
  }
}

/// One database, and the bodies that it takes by turns.
private final class IngestTurns {
  private let base: Body
  private let bodies: [Body]
  private let make: () throws -> any UserRows
  private var rows: (any UserRows)?
  private var turn = 0

  init(base: Body, bodies: [Body], make: @escaping () throws -> any UserRows) {
    self.base = base
    self.bodies = bodies
    self.make = make
  }

  func contestant(_ name: String) -> Contestant {
    Contestant(
      name: name,
      prepare: { _ = try self.filled() },
      run: { try self.ingest() },
      digest: {
        self.turn = 0
        return Digest.array(
          try self.bodies.map { _ in
            try self.ingest()
            return try self.filled().digest()
          })
      })
  }

  private func ingest() throws {
    try filled().ingest(bodies[turn % bodies.count])
    turn += 1
  }

  private func filled() throws -> any UserRows {
    if let rows { return rows }
    let made = try make()
    try made.ingest(base)
    rows = made
    return made
  }
}
