public import Foundation

extension Migration {
  /// The changes that opening a store would make to its file.
  ///
  /// ```swift
  /// let plan = try EntityStore.migrationPlan(for: .file(url), entities: [User.self], migrations: migrations)
  /// print(plan)  // 'User.fullName' becomes 'User.name' …
  /// ```
  public struct Plan: Sendable, CustomStringConvertible {
    /// One change.
    public struct Change: Sendable, CustomStringConvertible {
      /// The change in words.
      public let summary: String
      /// The step that makes the change; `nil` for a change that the store makes by itself.
      public let step: String?
      /// The statements that the change runs, without the values of parameters.
      public let sql: [String]
      /// The number of rows with a value that the change writes, moves or drops.
      public let rows: Int

      public var description: String {
        let what = rows == 0 ? summary : "\(summary) (\(rows) \(rows == 1 ? "row" : "rows"))"
        return step.map { "step '\($0)': \(what)" } ?? what
      }
    }

    /// A property with values that do not have its type, such as JSON that was written for another declaration of the
    /// type.
    public struct Unreadable: Sendable, Hashable, CustomStringConvertible {
      public let entity: String
      public let property: String
      /// The number of rows with such a value.
      public let rows: Int

      public var description: String {
        "'\(entity).\(property)' can't be read in \(rows) \(rows == 1 ? "row" : "rows")"
      }
    }

    /// Whether there is no file yet, or an empty one. A new file is then made, without steps.
    public let isNewFile: Bool
    /// The steps that run.
    public let steps: [String]
    public let changes: [Change]
    /// The properties that have values of another type after the changes, with the number of rows. The values stay in
    /// their rows, and the properties read as their defaults.
    public let unreadable: [Unreadable]
    /// The copy that is made before the changes; `nil` for none.
    public let backup: URL?
    /// The error that opening the store throws. The changes are those before the error.
    public let error: StoreError?

    /// Whether the file is as the app declares it.
    public var isEmpty: Bool { !isNewFile && steps.isEmpty && changes.isEmpty && error == nil }

    public var description: String {
      if isNewFile { return "A new file is made." }
      var lines = changes.map { "\($0)" }
      lines += steps.filter { step in !changes.contains { $0.step == step } }.map { "step '\($0)': no change" }
      lines += unreadable.map { "\($0)" }
      if let backup { lines.append("before it a copy is made: \(backup.path)") }
      if let error { lines.append("error: \(error.message)") }
      return lines.isEmpty ? "There is nothing to change." : lines.joined(separator: "\n")
    }

    init(isNewFile: Bool = false, _ update: StoreUpdate? = nil, error: StoreError? = nil) {
      self.isNewFile = isNewFile
      self.error = error
      steps = update?.steps ?? []
      backup = update?.backup
      unreadable = update?.unreadable ?? []
      changes = (update?.changes ?? []).map { step, change in
        Change(summary: change.summary, step: step, sql: change.sql, rows: Int(clamping: change.rows ?? 0))
      }
    }

    static func of(
      _ location: StoreLocation, _ declaration: StoreDeclaration, busyTimeout: Duration, log: StoreLog?
    ) throws -> Migration.Plan {
      try location.prepare()
      if let file = location.fileURL, !FileManager.default.fileExists(atPath: file.path) {
        return Migration.Plan(isNewFile: true)
      }
      var update: StoreUpdate?
      do {
        return try plan(location, declaration, busyTimeout, log) { update = $0 }
      } catch let error as StoreError {
        guard let frozen = try? location.frozen(after: error), update == nil else {
          return Migration.Plan(update, error: error)
        }
        do {
          return try plan(frozen, declaration, busyTimeout, log) { update = $0 }
        } catch let error as StoreError {
          return Migration.Plan(update, error: error)
        }
      }
    }

    private static func plan(
      _ location: StoreLocation, _ declaration: StoreDeclaration, _ busyTimeout: Duration, _ log: StoreLog?,
      begun: (StoreUpdate) -> Void
    ) throws -> Migration.Plan {
      let connection = try Connection(
        location, opening: location.fileURL == nil ? .making : .existing, busyTimeout: busyTimeout, log: log)
      let setup = StoreSetup(
        declaration: declaration, connection: connection, location: location, busyTimeout: busyTimeout)
      if try setup.check() { return Migration.Plan(isNewFile: true) }
      let update = StoreUpdate(declaration, connection, location, busyTimeout: busyTimeout, isRehearsal: true)
      begun(update)
      try update.rehearse()
      return Migration.Plan(update)
    }
  }
}
