import EntityClient
import Foundation
import GRDB

/// What sets the live queries apart.
enum ManyWork: String, Sendable, CaseIterable {
  /// The commit changes a column that one query alone depends on.
  case columns
  /// All depend on the column that the commit changes, and each on a user of its own.
  case values
}

func manyQueries(_ name: String, _ work: ManyWork, _ scale: Scale) -> Contest {
  let count = max(2, scale(1_000))
  let ours = ManyTurns { try EntityMany(work, count: count, rows: scale(10_000)) }
  let observation = ManyTurns { try GRDBMany(work, count: count, rows: scale(10_000)) }
  return Contest(
    name: name, size: 1, ours: ours.contestant("ours"),
    rivals: [
      observation.contestant("grdb-observation"), .budget(seconds: 0.001) { ManyTurns.digest(ManyTurns.last) },
    ])
}

/// Many queries of one user each, and commits that touch the result of the last.
private protocol ManyRows: AnyObject {
  /// From before the commit to the result after it, and the end of all that it asked the main actor for.
  func time(_ value: Int) throws -> Cost
  /// The value in the result of the last query.
  func result() throws -> Int
}

private final class ManyTurns {
  /// The value in the turn that is compared.
  static let last = 5_000
  private let made: Lazily<any ManyRows>
  private var turn = 0

  init(make: @escaping () throws -> any ManyRows) { made = Lazily(make) }

  static func digest(_ value: Int) -> UInt64 { Digest.int(Int64(value)) }

  func contestant(_ name: String) -> Contestant {
    Contestant(
      name: name,
      prepare: {
        _ = try self.made.value().result()
        try drainMain()
      },
      time: {
        self.turn += 1
        return try self.made.value().time(self.turn)
      },
      digest: {
        _ = try self.made.value().time(Self.last)
        return Self.digest(try self.made.value().result())
      })
  }
}

private final class EntityMany: ManyRows {
  private let work: ManyWork
  private let count: Int
  private let entities: EntityRows<DeclaredUser>
  private let held: Held

  @MainActor private final class Held {
    var queries: [LiveQuery<DeclaredUser>] = []
  }

  init(_ work: ManyWork, count: Int, rows: Int) throws {
    self.work = work
    self.count = count
    entities = try EntityRows(.file)
    try entities.ingest(Body(StandardUsers.json(count: max(rows, count))))
    let store = entities.store
    held = onMain {
      let held = Held()
      held.queries = (1...count).map { uid in
        let query =
          work == .columns && uid == count
          ? DeclaredUser.where { $0.uid == uid && $0.score >= 0 } : DeclaredUser.where { $0.uid == uid && $0.age >= 0 }
        return LiveQuery(query, in: store)
      }
      for query in held.queries { consume(query.objects) }
      return held
    }
  }

  func time(_ value: Int) throws -> Cost {
    let (store, held, work, count) = (entities.store, held, work, count)
    return try Cost.of {
      try wait {
        try await store.background(as: .server) { context in
          let user = try context.fetch(DeclaredUser.self, uid: count)
          if work == .columns { user?.score = Double(value) } else { user?.age = value }
        }
      }
      onMain { consume(held.queries[count - 1].objects) }
      try drainMain()
    }
  }

  func result() throws -> Int {
    let (held, work, count) = (held, work, count)
    return onMain {
      guard let user = held.queries[count - 1].objects.first else { return 0 }
      return work == .columns ? Int(user.score) : user.age
    }
  }
}

private final class GRDBMany: ManyRows {
  private let column: String
  private let count: Int
  private let statements: GRDBStatementRows
  private var observations: [AnyDatabaseCancellable] = []
  private let last = onMain { Last() }
  private var queue: DatabaseQueue { statements.database.queue }

  @MainActor private final class Last {
    var value = 0
    var count = 0
  }

  init(_ work: ManyWork, count: Int, rows: Int) throws {
    column = work == .columns ? "score" : "age"
    self.count = count
    statements = try GRDBStatementRows(.file)
    try statements.ingest(Body(StandardUsers.json(count: max(rows, count))))
    let (queue, last, column) = (queue, last, column)
    observations = onMain {
      (1...count).map { uid in
        let watched = uid == count ? column : "age"
        return ValueObservation.tracking { database in
          try Int.fetchOne(
            database.cachedStatement(sql: "SELECT \(watched) FROM User WHERE uid = ? AND \(watched) >= 0"),
            arguments: [uid])
            ?? 0
        }
        .removeDuplicates()
        .start(in: queue, scheduling: .immediate) { _ in
        } onChange: { value in
          guard uid == count else { return }
          last.value = value
          last.count += 1
        }
      }
    }
  }

  func time(_ value: Int) throws -> Cost {
    let (queue, last, column, count) = (queue, last, column, count)
    let before = onMain { last.count }
    return try Cost.of {
      try queue.write { database in
        let update = try database.cachedStatement(sql: "UPDATE User SET \(column) = ? WHERE uid = ?")
        update.setUncheckedArguments([value, count])
        try update.execute()
      }
      try runMain { while last.count == before { await Task.yield() } }
    }
  }

  func result() throws -> Int {
    let last = last
    return onMain { last.value }
  }
}
