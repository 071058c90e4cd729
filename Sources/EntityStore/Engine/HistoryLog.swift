/// Reads the log of commits that the file keeps, within one read transaction.
struct HistoryLog {
  let connection: Connection
  let schema: SchemaModel

  /// A commit as the log has it.
  struct Commit: Sendable {
    let generation: Int64
    let time: Double
    let author: String
    let changesNotes: Bool
    /// The changed rows, by the number of the entity.
    var entities: [Int: [Int64: Change]] = [:]
  }

  /// The changes of a row in one commit.
  struct Change: Sendable {
    var kind: CommitSummary.RowChange.Kind
    var mask: ColumnMask
    /// The uid of a deleted row.
    var uid = StoredValue.null
    /// The row that absorbed this one.
    var survivor: Int64?
  }

  /// A part of the log.
  struct Part: Sendable {
    var commits: [Commit] = []
    /// The generation up to which the log was read.
    var end: Int64
  }

  /// The identity of the file.
  ///
  /// - Throws: ``StoreError`` of kind `historyGone` where the file keeps no log.
  func identity() throws -> String {
    guard try HistoryTables.policy(connection) != .off, let id = try HistoryTables.identity(connection) else {
      throw StoreError(
        .historyGone, "The file keeps no history of its commits: open the store with `StoreOptions.history`.")
    }
    return id
  }

  /// The generation from which on the log has all commits.
  ///
  /// A process of an earlier version of the package that has the file open makes commits that the log lacks.
  func start() throws -> Int64 {
    let present = try connection.generation()
    let commits = HistoryTables.commits
    // The last commit with a gap before it. Most logs have no gap: then it is the first commit.
    let first = try connection.rows(
      "SELECT generation FROM \(commits) AS c WHERE EXISTS (SELECT 1 FROM \(commits) WHERE generation = ?) "
        + "AND NOT EXISTS (SELECT 1 FROM \(commits) WHERE generation = c.generation - 1) "
        + "ORDER BY generation DESC LIMIT 1", [.integer(present)]
    ) { $0.int64(0) }.first
    return first.map { $0 - 1 } ?? present
  }

  /// The commits after a generation.
  ///
  /// - Parameters:
  ///   - limit: The most commits.
  ///   - rows: The changed rows after which the part ends, with a whole commit.
  ///   - isWanted: Whether the commits of an author are read. Other commits count as read.
  /// - Throws: ``StoreError`` of kind `historyGone` where the log lacks one of the commits.
  func commits(
    after covered: Int64, limit: Int = .max, rows: Int = .max, _ isWanted: (String) -> Bool = { _ in true }
  ) throws -> Part {
    let present = try connection.generation()
    guard covered <= present else { throw Self.gone }
    var part = Part(end: covered)
    let statement = try connection.prepare(
      "SELECT generation, time, author, changes_notes FROM \(HistoryTables.commits) WHERE generation > ? "
        + "ORDER BY generation")
    defer { statement.reset() }
    try statement.bind(covered, at: 1)
    var count = 0
    while part.commits.count < limit, count < rows, try statement.step() {
      let generation = statement.int64(0)
      guard generation == part.end + 1 else { throw Self.gone }
      part.end = generation
      let author = statement.text(2) ?? ""
      guard isWanted(author) else { continue }
      var commit = Commit(
        generation: generation, time: statement.double(1) ?? 0, author: author, changesNotes: statement.int64(3) != 0)
      count += try readChanges(of: &commit)
      part.commits.append(commit)
    }
    let isWhole = part.commits.count < limit && count < rows
    guard !isWhole || part.end == present else { throw Self.gone }
    return part
  }

  static var gone: StoreError {
    StoreError(
      .historyGone,
      "The history lacks commits after the token: they were pruned, a migration changed rows, or the token is of another "
        + "file. Read what you need from the store anew, and go on from a new token.")
  }

  /// - Returns: The number of lines.
  private func readChanges(of commit: inout Commit) throws -> Int {
    let statement = try connection.prepare(
      "SELECT entity, pk, kind, columns, uid, survivor FROM \(HistoryTables.changes) WHERE number > ? AND number < ? "
        + "ORDER BY number")
    defer { statement.reset() }
    try statement.bind(commit.generation << HistoryTables.bits, at: 1)
    try statement.bind((commit.generation + 1) << HistoryTables.bits, at: 2)
    var count = 0
    var masks = Masks()
    while try statement.step() {
      count += 1
      guard let model = masks.model(statement.text(0) ?? "", schema) else { continue }
      let pk = statement.int64(1)
      var rows = commit.entities.removeValue(forKey: model.number) ?? [:]
      defer { commit.entities[model.number] = rows }
      switch statement.int64(2) {
      case 0: rows[pk, default: .new].add(.inserted, model.all)
      case 1: rows[pk, default: .new].add(.updated, masks.mask(statement.text(3), model))
      case 2:
        rows[pk, default: .new].add(.deleted, ColumnMask())
        rows[pk]?.uid = statement.value(4)
      case 3: rows[pk, default: Change(kind: .deleted, mask: ColumnMask())].survivor = statement.optionalInt64(5)
      default: break
      }
    }
    return count
  }

  /// The entities and columns that lines name. Most lines name the same as the line before.
  private struct Masks {
    private var model: (name: String, model: EntityModel?)?
    private var mask: (entity: Int, names: String, mask: ColumnMask)?

    /// - Returns: `nil` for an entity that the app does not declare.
    mutating func model(_ name: String, _ schema: SchemaModel) -> EntityModel? {
      if let model, model.name == name { return model.model }
      let found = schema.entities.first { $0.name == name }
      model = (name, found)
      return found
    }

    /// - Parameter names: `nil` for all.
    mutating func mask(_ names: String?, _ model: EntityModel) -> ColumnMask {
      guard let names else { return model.all }
      if let mask, mask.entity == model.number, mask.names == names { return mask.mask }
      var found = ColumnMask()
      for name in names.split(separator: ",") {
        if let index = model.index(of: String(name)) { found.insert(index) }
      }
      mask = (model.number, names, found)
      return found
    }
  }
}

extension HistoryLog.Change {
  fileprivate static let new = HistoryLog.Change(kind: .updated, mask: ColumnMask())

  /// A row that was inserted and then updated in one commit is new. A row that was then deleted is gone.
  fileprivate mutating func add(_ later: CommitSummary.RowChange.Kind, _ changed: ColumnMask) {
    if later != .updated { kind = later }
    mask.formUnion(changed)
  }
}

extension HistoryLog {
  /// The commits of other writers as summaries, for a merge.
  ///
  /// - Parameters:
  ///   - covered: The generation that they come after.
  ///   - last: The last generation.
  /// - Returns: `nil` where the commits name more rows than a merge goes through.
  /// - Throws: ``StoreError`` of kind `historyGone` where the log lacks a commit.
  func summaries(after covered: Int64, upTo last: Int64) throws -> [CommitSummary]? {
    let lines = try connection.rows(
      "SELECT count(*) FROM (SELECT 1 FROM \(HistoryTables.changes) WHERE number > ? AND number < ? LIMIT ?)",
      [
        .integer((covered + 1) << HistoryTables.bits), .integer((last + 1) << HistoryTables.bits),
        .integer(Int64(CommitSummary.namedRows) + 1),
      ]
    ) { $0.int64(0) }.first
    guard let lines, lines <= CommitSummary.namedRows, covered < last else { return nil }
    return try commits(after: covered, limit: Int(last - covered)).commits.map(\.summary)
  }
}

extension HistoryLog.Commit {
  fileprivate var summary: CommitSummary {
    var summary = CommitSummary(first: generation, last: generation, origin: nil)
    summary.changesNotes = changesNotes
    // The log has no lines of collections.
    summary.collections = .any
    for (entity, rows) in entities {
      for (pk, change) in rows.sorted(by: { $0.key < $1.key }) {
        summary.note(entity, pk, change.kind, change.mask, isDirect: false)
        if let survivor = change.survivor { summary.forwards.append(.init(entity: entity, from: pk, to: survivor)) }
      }
    }
    return summary
  }
}
