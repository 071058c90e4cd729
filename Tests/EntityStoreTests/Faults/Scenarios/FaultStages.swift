import Foundation

@testable import EntityStore

/// The contents that a file of an earlier version may have after an opening: each step of the migration is there as a whole,
/// or not at all.
struct FaultStages {
  private struct Stop: Error {}

  /// The contents of the file: before, after each step, and in the end.
  private let contents: [[String]]

  /// - Returns: `nil` for a scenario that does more than open the file.
  init?(_ scenario: FaultScenario, _ old: OldFolder) async throws {
    guard scenario.old != nil, scenario.steps.isEmpty else { return nil }
    let folder = try old.copy()
    var contents = [try Self.content(of: folder)]
    // A last step that fails leaves those before it.
    let stop = Migration("stop") { _ in throw Stop() }
    let partial = scenario.migrations.indices.map { Array(scenario.migrations[...$0]) + [stop] }
    for migrations in partial + [scenario.migrations] {
      let folder = try old.copy()
      do {
        let store = try EntityStore(
          .file(folder.file), entities: scenario.entities, migrations: migrations, busyTimeout: .ample,
          options: scenario.options)
        try await store.close()
      } catch let error as StoreError where error.underlying is Stop {}
      contents.append(try Self.content(of: folder))
    }
    self.contents = contents
  }

  /// Looks at a file that nobody has open.
  ///
  /// - Parameter isOpened: Whether the opening was acknowledged.
  /// - Returns: Whether the file is as in the end.
  @discardableResult
  func check(_ location: StoreLocation, isOpened: Bool) throws -> Bool {
    let content = try Self.content(location)
    guard contents.contains(content) else {
      let near = contents.map { Set(content).symmetricDifference($0) }.min { $0.count < $1.count } ?? []
      throw FaultRun.Mistake(description: "the file is between two stages: \(near.sorted())")
    }
    guard !isOpened || content == contents.last else {
      throw FaultRun.Mistake(description: "a store was opened whose file is not migrated")
    }
    return content == contents.last
  }

  private static func content(of folder: TemporaryFolder) throws -> [String] {
    try withExtendedLifetime(folder) { try content(.file(folder.file)) }
  }

  /// All of a file but the times of its commits.
  private static func content(_ location: StoreLocation) throws -> [String] {
    let connection = try Connection(location, opening: .existing, busyTimeout: .ample)
    defer { connection.close() }
    let indexes = try connection.rows("SELECT coalesce(sql, name) FROM main.sqlite_schema WHERE type = 'index'") {
      $0.text(0) ?? ""
    }
    return try connection.content().filter { !$0.hasPrefix("_entity_commits: ") } + indexes.sorted()
  }
}
