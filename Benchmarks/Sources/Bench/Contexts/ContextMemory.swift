import CRivals
import EntityClient
import Foundation
import GRDB

/// The context whose memory is counted.
enum MemoryWork: String, Sendable, CaseIterable {
  case main, unit, read
}

/// Bytes for each object: those of the objects while they are held, and those that are still taken afterwards.
private struct MemoryUse: Sendable {
  let held: Double
  let kept: Double
  let checksum: Int
}

func heldMemory(_ name: String, _ scale: Scale) -> Contest {
  let count = scale(100_000)
  let ours = MemoryTurns { try EntityMemory(.main, count: count) }
  let plain = MemoryTurns { try PlainMemory(count: count) }
  return Contest(
    name: name, size: count, quantity: .bytes, ours: ours.contestant("ours", \.held),
    rivals: [plain.contestant("plain-objects", \.held)])
}

func keptMemory(_ name: String, _ work: MemoryWork, _ scale: Scale) -> Contest {
  let count = scale(100_000)
  let ours = MemoryTurns { try EntityMemory(work, count: count) }
  return Contest(
    name: name, size: count, quantity: .bytes, ours: ours.contestant("ours", \.kept),
    rivals: [ours.contestant("held-before", \.held)])
}

private protocol MemoryRows: AnyObject {
  func use() throws -> MemoryUse
}

private final class MemoryTurns {
  private let made: Lazily<any MemoryRows>

  init(make: @escaping () throws -> any MemoryRows) { made = Lazily(make) }

  func contestant(_ name: String, _ bytes: KeyPath<MemoryUse, Double>) -> Contestant {
    Contestant(
      name: name,
      time: {
        let use = try self.made.value().use()
        return Cost(bytes: use[keyPath: bytes])
      },
      digest: { Digest.int(Int64(try self.made.value().use().checksum)) })
  }
}

private final class EntityMemory: MemoryRows {
  private let work: MemoryWork
  private let count: Int
  private let scratch: Scratch

  init(_ work: MemoryWork, count: Int) throws {
    self.work = work
    self.count = count
    scratch = try Scratch()
    let body = Body(StandardUsers.json(count: count)).data
    let store = try open()
    _ = try wait { try await DeclaredUser.upsert(from: body, in: store).counts }
  }

  private func open() throws -> EntityStore {
    try EntityStore(.file(scratch.file), entities: [DeclaredUser.self, DeclaredAddress.self])
  }

  /// In a store of its own, whose contexts have seen nothing.
  func use() throws -> MemoryUse {
    let (store, count) = (try open(), count)
    switch work {
    case .main: return try Self.useOfMain(store, count)
    case .unit: return try wait { try await store.background { try Self.use(of: $0, count) } }
    case .read: return try wait { try await store.read { try Self.use(of: $0, count) } }
    }
  }

  private static func useOfMain(_ store: EntityStore, _ count: Int) throws -> MemoryUse {
    let before = try onMain {
      try warm(store.main)
      return memory_in_use()
    }
    let (held, checksum) = try onMain { try fetch(store.main, count, before) }
    try onMain { try goOn(store.main, count) }
    // The turns that the context asked for, each of which asks for the next.
    for _ in 0..<50 { try drainMain() }
    return MemoryUse(held: held, kept: bytes(since: before, count), checksum: checksum)
  }

  private static func use(of context: EntityContext, _ count: Int) throws -> MemoryUse {
    try warm(context)
    let before = memory_in_use()
    let (held, checksum) = try fetch(context, count, before)
    try goOn(context, count)
    return MemoryUse(held: held, kept: bytes(since: before, count), checksum: checksum)
  }

  /// Fills the caches of SQLite, without an object.
  private static func warm(_ context: EntityContext) throws {
    consume(try context.count(DeclaredUser.where { $0.bio == "none" }))
    consume(try context.fetch(DeclaredUser.where { $0.uid == 1 }).count)
    consume(try context.fetch(DeclaredUser.self, uid: 1)?.score)
  }

  /// All users, of each of whom one property is read.
  @inline(never) private static func fetch(_ context: EntityContext, _ count: Int, _ before: Int64) throws -> (
    Double, Int
  ) {
    let users = try context.fetch(DeclaredUser.all)
    let checksum = UnitFetches.scores(users)
    return (withExtendedLifetime(users) { bytes(since: before, count) }, checksum)
  }

  /// Uses the context as one that has other things to do than to fetch all users again.
  private static func goOn(_ context: EntityContext, _ count: Int) throws {
    for turn in 0..<300 { consume(try context.fetch(DeclaredUser.self, uid: turn % count + 1)?.score) }
  }

  private static func bytes(since before: Int64, _ count: Int) -> Double {
    Double(max(0, memory_in_use() - before)) / Double(count)
  }
}

/// Objects with the same values, and nothing else.
private final class PlainMemory: MemoryRows {
  private let count: Int
  private let statements: GRDBStatementRows

  private final class Plain {
    let user: PlainUser

    init(_ user: PlainUser) { self.user = user }
  }

  init(count: Int) throws {
    self.count = count
    statements = try GRDBStatementRows(.file)
    try statements.ingest(Body(StandardUsers.json(count: count)))
  }

  func use() throws -> MemoryUse {
    let count = count
    return try statements.database.queue.read { database in
      let all = try database.cachedStatement(sql: PlainUser.select + " ORDER BY _pk")
      consume(try Row.fetchCursor(all).reduce(0) { sum, _ in sum + 1 })
      let before = memory_in_use()
      let (held, checksum) = try Self.fetch(all, count, before)
      return MemoryUse(held: held, kept: Double(max(0, memory_in_use() - before)) / Double(count), checksum: checksum)
    }
  }

  @inline(never) private static func fetch(_ all: Statement, _ count: Int, _ before: Int64) throws -> (Double, Int) {
    let users = try Array(Row.fetchCursor(all).map { Plain(PlainUser($0)) })
    let checksum = users.reduce(into: Checksum()) { $0.add($1.user.score) }.value
    return (withExtendedLifetime(users) { Double(max(0, memory_in_use() - before)) / Double(count) }, checksum)
  }
}
