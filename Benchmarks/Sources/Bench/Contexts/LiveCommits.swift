import EntityClient
import Foundation
import GRDB

/// What the commit changes.
enum LiveWork: String, Sendable, CaseIterable {
  /// A column that the order of the query depends on.
  case touched
  /// A column that the query does not name.
  case untouched
  /// A column that the condition of a query with a limit depends on, while the context has an unsaved change.
  case edited

  var column: String { self == .untouched ? "bio" : "age" }
}

/// A query of 20 users, and commits of one of them.
protocol LiveRows: AnyObject {
  /// Sets the age of each user that the query finds to its uid.
  func reset() throws
  /// From before the commit to the result after it.
  func time(_ change: LiveChange) throws -> Cost
  /// The users that the query finds, in its order.
  func result() throws -> [LiveUser]
}

struct LiveChange: Sendable {
  static let found = 20

  let uid: Int
  let age: Int

  init(turn: Int) {
    uid = turn % Self.found + 1
    age = 1_000 + turn
  }
}

struct LiveUser: Sendable {
  let uid: Int
  let age: Int
}

func liveCommits(_ name: String, _ work: LiveWork, _ scale: Scale) -> Contest {
  func ours(_ name: String, _ count: Int) -> Contestant {
    LiveTurns { try EntityLive(work, count: scale(count)) }.contestant(name)
  }
  return Contest(
    name: name, size: 1, ours: ours("ours", 100_000),
    rivals: [
      ours("ours-10,000-rows", 10_000), ours("ours-1,000-rows", 1_000),
      LiveTurns { try GRDBLive(work, count: scale(100_000), isObserved: true) }.contestant("grdb-observation"),
      LiveTurns { try GRDBLive(work, count: scale(100_000), isObserved: false) }.contestant("grdb-prepared"),
    ])
}

private final class LiveTurns {
  private let made: Lazily<any LiveRows>
  private var turn = 0

  init(make: @escaping () throws -> any LiveRows) { made = Lazily(make) }

  func contestant(_ name: String) -> Contestant {
    Contestant(
      name: name,
      prepare: {
        _ = try self.made.value().result()
        try drainMain()
      },
      time: {
        self.turn += 1
        return try self.made.value().time(LiveChange(turn: self.turn))
      },
      digest: {
        let rows = try self.made.value()
        try rows.reset()
        _ = try rows.time(LiveChange(turn: 1_007))
        return Digest.array(
          try rows.result().lazy.map { Digest.array([Digest.int(Int64($0.uid)), Digest.int(Int64($0.age))]) })
      })
  }
}

/// Ours: a live query of the main context, and units of work.
private final class EntityLive: LiveRows {
  private let work: LiveWork
  private let entities: EntityRows<DeclaredUser>
  private let held: Held

  @MainActor private final class Held {
    let live: LiveQuery<DeclaredUser>

    var edited: DeclaredUser?

    init(_ work: LiveWork, _ store: EntityStore) throws {
      let found = LiveChange.found
      live = LiveQuery(
        work == .edited
          ? DeclaredUser.where { $0.age >= 0 }.sorted(by: \.uid).limited(to: found)
          : DeclaredUser.where { $0.uid <= found && $0.age >= 0 }.sorted(by: \.age), in: store)
      guard work == .edited else { return }
      edited = try store.main.fetch(DeclaredUser.self, uid: found + 1)
      edited?.score = -1
    }
  }

  init(_ work: LiveWork, count: Int) throws {
    self.work = work
    entities = try EntityRows(.file)
    try entities.ingest(Body(StandardUsers.json(count: max(count, LiveChange.found + 1))))
    let store = entities.store
    held = try onMain { try Held(work, store) }
  }

  func reset() throws {
    let store = entities.store
    try wait {
      try await store.background(as: .server) { context in
        for uid in 1...LiveChange.found { try context.fetch(DeclaredUser.self, uid: uid)?.age = uid }
      }
    }
  }

  func time(_ change: LiveChange) throws -> Cost {
    let (store, held, work) = (entities.store, held, work)
    return try onMain {
      try Cost.of {
        try wait {
          try await store.background(as: .server) { context in
            let user = try context.fetch(DeclaredUser.self, uid: change.uid)
            if work == .untouched { user?.bio = "\(change.age)" } else { user?.age = change.age }
          }
        }
        consume(held.live.objects.count)
      }
    }
  }

  func result() throws -> [LiveUser] {
    let held = held
    return onMain { held.live.objects.map { LiveUser(uid: $0.uid, age: $0.age) } }
  }
}

/// GRDB's observation of the same query, or the same statements one after the other, with no observation.
private final class GRDBLive: LiveRows {
  private let work: LiveWork
  private let statements: GRDBStatementRows
  private var observation: AnyDatabaseCancellable?
  private let last = onMain { Last() }
  private var queue: DatabaseQueue { statements.database.queue }

  @MainActor private final class Last {
    var users: [LiveUser] = []
    var count = 0
  }

  init(_ work: LiveWork, count: Int, isObserved: Bool) throws {
    self.work = work
    statements = try GRDBStatementRows(.file)
    try statements.ingest(Body(StandardUsers.json(count: max(count, LiveChange.found + 1))))
    guard isObserved else { return }
    let (queue, last) = (queue, last)
    observation = onMain {
      ValueObservation.tracking { try Self.fetch($0, work) }.start(in: queue, scheduling: .immediate) { _ in
      } onChange: { users in
        last.users = users
        last.count += 1
      }
    }
  }

  private static func fetch(_ database: Database, _ work: LiveWork) throws -> [LiveUser] {
    let columns = work == .edited ? "age >= 0 ORDER BY uid LIMIT ?" : "uid <= ? AND age >= 0 ORDER BY age"
    let statement = try database.cachedStatement(sql: "SELECT uid, age FROM User WHERE \(columns)")
    return try Array(
      Row.fetchCursor(statement, arguments: [LiveChange.found]).map { LiveUser(uid: $0[0], age: $0[1]) })
  }

  func reset() throws {
    try queue.write { try $0.execute(sql: "UPDATE User SET age = uid WHERE uid <= ?", arguments: [LiveChange.found]) }
  }

  func time(_ change: LiveChange) throws -> Cost {
    let (queue, last, work, isObserved) = (queue, last, work, observation != nil)
    let before = onMain { last.count }
    return try Cost.of {
      try queue.write { database in
        let update = try database.cachedStatement(sql: "UPDATE User SET \(work.column) = ? WHERE uid = ?")
        update.setUncheckedArguments([change.age, change.uid])
        try update.execute()
      }
      guard work != .untouched else { return }
      if isObserved {
        try runMain { while last.count == before { await Task.yield() } }
      } else {
        consume(try queue.read { try Self.fetch($0, work) }.count)
      }
    }
  }

  func result() throws -> [LiveUser] {
    if observation != nil { try drainMain() }
    let work = work
    return try queue.read { try Self.fetch($0, work) }
  }
}
