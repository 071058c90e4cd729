import Foundation

/// From rows to objects, and from edited objects to rows: 100,000 users in the store.
///
/// `first` fetches all users as new objects and reads one property of each, `all-columns` reads every property, `warm`
/// fetches all users again while their objects are there. `uid` looks 10,000 users up, one after the other. `save` sets
/// one property of 10,000 users and commits. Contexts are those of units of work, or the main one. `save.history` is
/// `save` in a unit of a store that keeps a history, beside one that keeps none. `links` sets a link of each of 80,000
/// objects and commits.
let fetchGroup = Group(
  name: "fetch",
  contests: Place.allCases.flatMap { place in
    [false, true].flatMap { isMain in
      FetchWork.allCases.map { work in
        let name = "fetch.\(place).\(isMain ? "main." : "")\(work.rawValue)"
        return (name, { @Sendable scale in try fetch(name, place, work, isMain, scale) })
      }
    } + [("fetch.\(place).save.history", { @Sendable scale in saveWithHistory(place, scale) })]
  } + [("fetch.file.links", { @Sendable scale in linkSaves("fetch.file.links", scale) })])

private func saveWithHistory(_ place: Place, _ scale: Scale) -> Contest {
  let plan = FetchPlan(scale)
  func contestant(_ name: String, keepsHistory: Bool) -> Contestant {
    FetchTurns(.save, plan) { try UnitFetches(place, plan, keepsHistory: keepsHistory) }.contestant(name)
  }
  return Contest(
    name: "fetch.\(place).save.history", size: plan.size(of: .save),
    ours: contestant("ours", keepsHistory: true), rivals: [contestant("without-history", keepsHistory: false)])
}

enum FetchWork: String, Sendable, CaseIterable {
  case first = "objects.first"
  case allColumns = "objects.all-columns"
  case warm = "objects.warm"
  case uid
  case save
}

/// The users that the work is about.
struct FetchPlan: Sendable {
  let base: Body
  /// How many users `base` has.
  private let count: Int
  /// Users to be looked up, in no order.
  let uids: [Int64]
  /// Users to be edited.
  let edited: [Int64]

  init(_ scale: Scale) {
    count = scale(100_000)
    base = Body(StandardUsers.json(count: count))
    let users = Int64(count)
    var random = SplitMix(seed: 7)
    uids = (0..<scale(10_000)).map { _ in Int64.random(in: 1...users, using: &random) }
    edited = (1...Int64(scale(10_000))).map(\.self)
  }

  /// The bytes of JSON of the users that a work is about.
  func size(of work: FetchWork) -> Int {
    let users =
      switch work {
      case .uid: uids.count
      case .save: edited.count
      case .first, .allColumns, .warm: count
      }
    return base.data.count / count * users
  }

  /// Another score in each turn.
  static func score(_ uid: Int64, turn: Int) -> Double { Double(uid) + Double(turn) / 2 }
}

/// Users in one database, and ways to read and write them.
protocol FetchRows: AnyObject {
  var rows: any IngestedRows { get }
  /// Makes the rows that a run needs; it is not timed.
  func prepare(_ work: FetchWork) throws
  /// Does the work, and times the part of it that counts.
  func time(_ work: FetchWork, turn: Int) throws -> Cost
  /// `Checksum` of the columns of the users that `work` finds, found as in `time`.
  func checksum(_ work: FetchWork) throws -> Int
}

private func fetch(_ name: String, _ place: Place, _ work: FetchWork, _ isMain: Bool, _ scale: Scale) throws -> Contest
{
  let plan = FetchPlan(scale)
  return Contest(
    name: name, size: plan.size(of: work),
    ours: FetchTurns(work, plan) {
      if isMain { return try MainFetches(place, plan) }
      return try UnitFetches(place, plan)
    }.contestant("ours"),
    rivals: [
      FetchTurns(work, plan) { try FloorFetches(place, plan) }.contestant("c-floor"),
      FetchTurns(work, plan) { try GRDBRecordFetches(place, plan) }.contestant("grdb-records"),
      FetchTurns(work, plan) { try GRDBStatementFetches(place, plan) }.contestant("grdb-prepared"),
    ])
}

/// One database with all users, made when it is first needed.
private final class FetchTurns {
  private let work: FetchWork
  private let filled: Lazily<any FetchRows>
  private var turn = 0

  init(_ work: FetchWork, _ plan: FetchPlan, make: @escaping () throws -> any FetchRows) {
    self.work = work
    filled = Lazily {
      let new = try make()
      try new.rows.ingest(plan.base)
      return new
    }
  }

  func contestant(_ name: String) -> Contestant {
    Contestant(
      name: name,
      prepare: { try self.filled.value().prepare(self.work) },
      time: {
        self.turn += 1
        return try self.filled.value().time(self.work, turn: self.turn)
      },
      digest: { try self.digest() })
  }

  private func digest() throws -> UInt64 {
    let fetches = try filled.value()
    // The same one for all contestants, whichever runs came before.
    try fetches.prepare(work)
    _ = try fetches.time(work, turn: 1001)
    return Digest.array([try fetches.rows.digest(), Digest.int(Int64(try fetches.checksum(work)))])
  }
}
