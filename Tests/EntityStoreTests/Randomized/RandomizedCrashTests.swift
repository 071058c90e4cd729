import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EntityStore

/// Files of earlier versions with local edits that processes bring to the next version: some die on the way, at any write,
/// and some come at once.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100` runs so many.
@Suite(
  .enabled(if: WorkerProcess.isPossible, WorkerProcess.reason), .timeLimit(.minutes(Seeds.isLong ? 120 : 10)))
struct RandomizedCrashTests {
  @Test(arguments: OldFile.Kind.allCases)
  fileprivate func `a process that dies leaves a file of one version`(_ kind: OldFile.Kind) async throws {
    await Seeds.each(1, sanitized: 1, "\(kind)") { seed, steps in
      var random = SeededRandom(seed)
      let old = try await OldFile(kind, seed)
      let count = try await old.countWrites()
      for _ in 0..<(Seeds.isSanitized ? 1 : 3) {
        let last = 1 + random.below(count)
        steps += "dies at write \(last) of \(count)\n"
        try await old.migrate(endingAt: last)
      }
    }
  }

  @Test(arguments: OldFile.Kind.allCases)
  fileprivate func `processes that come at once migrate the file once`(_ kind: OldFile.Kind) async throws {
    await Seeds.each(1, sanitized: 1, "\(kind)") { seed, _ in
      let old = try await OldFile(kind, seed)
      let workers = try (0..<2).map { _ in try old.worker() }
      for _ in 0..<(Seeds.isSanitized ? 2 : 5) { try await old.migrateAtOnce(workers) }
    }
  }
}

/// A file of an earlier version, and what becomes of it where nothing comes between.
private final class OldFile: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    /// Random changes that the store makes by itself.
    case shapes
    /// Steps.
    case hotel
  }

  private struct Mistake: Error, CustomStringConvertible { let description: String }

  private let kind: Kind
  private let seed: UInt64
  private let version: OldVersion
  private let folder: TemporaryFolder
  private let before: [String]
  private let after: [String]

  init(_ kind: Kind, _ seed: UInt64) async throws {
    (self.kind, self.seed) = (kind, seed)
    folder = try TemporaryFolder()
    version = try await OldVersion(kind.rawValue, seed, writingTo: folder.file)
    before = try Self.content(folder.file)
    let copy = try TemporaryFolder()
    try FileManager.default.copyItem(at: folder.file, to: copy.file)
    try version.open(copy.file)
    after = try Self.content(copy.file)
    guard before != after else { throw Mistake(description: "nothing is to be changed") }
  }

  func worker() throws -> WorkerProcess {
    try WorkerProcess("migrate", kind.rawValue, "\(seed)", suite: MigrationWorkerTests.self)
  }

  private func copy() throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    try FileManager.default.copyItem(at: folder.file, to: copy.file)
    return copy
  }

  func countWrites() async throws -> Int {
    let copy = try copy()
    let answer = try await worker().ask("0 \(copy.file.path)")
    guard let answer, let count = Int(answer), count > 0 else { throw Mistake(description: "\(answer ?? "it ended")") }
    return count
  }

  /// Another process opens the file and dies. The file is then of one version or the other, or took some steps; and it
  /// comes to the same in the end.
  func migrate(endingAt last: Int) async throws {
    let copy = try copy()
    let worker = try worker()
    if let answer = try await worker.ask("\(last) \(copy.file.path)") { throw Mistake(description: answer) }
    guard try await worker.end() == SIGKILL else { throw Mistake(description: "the worker ended otherwise") }
    let left = try Self.content(copy.file)
    guard left == before || left == after || kind == .hotel else {
      throw Mistake(description: "neither version: \(Self.difference(left, before)) \(Self.difference(left, after))")
    }
    for file in try Self.files(copy, ".backup-") where !file.lastPathComponent.contains(".new") {
      guard try Self.content(file) == before else { throw Mistake(description: "the backup is another file") }
    }
    if left == before {
      let other = try self.copy(of: copy.file)
      try withExtendedLifetime(other) { try version.openOld(other.file) }
    }
    try version.open(copy.file)
    try compare(copy.file)
    let halves = try Self.files(copy, ".new")
    guard halves.isEmpty else { throw Mistake(description: "a half copy is left: \(halves)") }
  }

  private static func files(_ folder: TemporaryFolder, _ part: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.contains(part) }
  }

  private func copy(of file: URL) throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: file.path + suffix) {
      try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.file.path + suffix)
    }
    return copy
  }

  /// Two processes and this one open the file.
  func migrateAtOnce(_ workers: [WorkerProcess]) async throws {
    let copy = try copy()
    let path = copy.file.path
    try await withThrowingTaskGroup { group in
      for worker in workers {
        group.addTask {
          let answer = try await worker.ask("0 \(path)")
          guard answer.flatMap({ Int($0) }) != nil else { throw Mistake(description: answer ?? "it ended") }
        }
      }
      let version = version
      group.addTask { try await onThread { try version.open(URL(fileURLWithPath: path)) } }
      try await group.waitForAll()
    }
    try compare(copy.file)
  }

  private func compare(_ file: URL) throws {
    let found = try Self.content(file)
    guard found == after else { throw Mistake(description: "another content: \(Self.difference(found, after))") }
    try version.check(file)
  }

  private static func difference(_ found: [String], _ expected: [String]) -> String {
    "\(found.filter { !expected.contains($0) }) and not \(expected.filter { !found.contains($0) })"
  }

  /// The text of all tables, but for numbers that each process takes, or counts up, and the identity of the file.
  private static func content(_ file: URL) throws -> [String] {
    try Connection(.file(file), busyTimeout: .ample).content().filter { row in
      !row.hasPrefix("_entity_store: [") || !["next_pk", "generation", "id"].contains { row.contains("\"\($0)\"") }
    }
  }
}

/// The versions of one file, in each process the same.
final class OldVersion: Sendable {
  private let shapes: (old: ShapeVersion, oldRemoved: [String], new: ShapeVersion, removed: [String])?

  /// - Parameter file: Where the file of the old version is to be; `nil` where it is there.
  init(_ kind: String, _ seed: UInt64, writingTo file: URL? = nil) async throws {
    guard kind == "shapes" else {
      shapes = nil
      if let file { try await Self.fillHotel(file, seed) }
      return
    }
    var life = try FileLife(.file, SeededRandom(seed))
    var steps = ""
    try life.create()
    while true {
      let (old, removed) = (life.version, life.removed)
      if let file {
        try life.connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
        try? FileManager.default.removeItem(at: file)
        try FileManager.default.copyItem(at: life.folder.file, to: file)
      }
      try life.change(&steps)
      // Not each change of the declaration is one of the file.
      let plan = try life.version.run {
        try EntityStore.migrationPlan(for: life.location, entities: life.version.types, removed: life.removed)
      }
      guard plan.isEmpty else {
        shapes = (old, removed, life.version, life.removed)
        return
      }
      try life.open()
    }
  }

  private static func fillHotel(_ file: URL, _ seed: UInt64) async throws {
    try await Hotel.fill(.file(file))
    let store = try EntityStore(.file(file), entities: V1.all, busyTimeout: .ample)
    try await store.background { context in
      var random = SeededRandom(seed)
      for number in 10..<(12 + random.below(60)) {
        let guest = try context.insert(V1.Guest.self)
        guest.uid = number
        guest.fullName = "New Guest\(random.below(100))"
        guest.nickname = "n\(number)"
        guest.room = try context.fetch(V1.Room.self, uid: 1 + random.below(3))
      }
      try context.fetch(V1.Room.self, uid: 1 + random.below(3)).map { try context.delete($0) }
      for guest in try context.fetch(V1.Guest.all) where random.chance(3) { guest.age = Int32(random.below(90)) }
    }
    // The file alone is copied.
    let connection = try Connection(.file(file), busyTimeout: .ample)
    try connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
  }

  /// The first one is seen in the rows if it runs twice.
  private static let steps =
    [Migration("count") { try $0.execute("UPDATE Guest SET nickname = coalesce(nickname, '') || '+'") }]
    + MigrationStepTests.splitting

  func open(_ file: URL) throws {
    guard let shapes else {
      return _ = try EntityStore(.file(file), entities: V5.all, migrations: Self.steps, busyTimeout: .ample)
    }
    try shapes.new.run {
      _ = try EntityStore(
        .file(file), entities: shapes.new.types, removed: shapes.removed, busyTimeout: .ample)
    }
  }

  func openOld(_ file: URL) throws {
    guard let shapes else { return _ = try EntityStore(.file(file), entities: V1.all, busyTimeout: .ample) }
    try shapes.old.run {
      _ = try EntityStore(.file(file), entities: shapes.old.types, removed: shapes.oldRemoved, busyTimeout: .ample)
    }
  }

  func check(_ file: URL) throws {
    guard let shapes else { return try Hotel.check(.file(file), V5.all, migrations: Self.steps) }
    try shapes.new.run { try Hotel.check(.file(file), shapes.new.types, removed: shapes.removed) }
  }
}

/// The process that opens files, and dies where it is told to.
enum MigrationWorker {
  static func run(_ job: [String]) async throws {
    guard job.count == 3, let seed = UInt64(job[2]) else { return }
    let version = try await OldVersion(job[1], seed)
    try SystemCalls.install()
    try await WorkerProcess.serve { line in
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let last = Int(words[0]) else { return "no command: \(line)" }
      SystemCalls.start(endingAt: last == 0 ? nil : last)
      try version.open(URL(fileURLWithPath: String(words[1])))
      return "\(SystemCalls.made.load(ordering: .sequentiallyConsistent))"
    }
  }
}
