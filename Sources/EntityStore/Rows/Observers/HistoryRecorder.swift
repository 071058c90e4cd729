import Foundation

/// Writes the changes of one write transaction into the log of the file, where the file keeps one; see `HistoryLog`.
///
/// The lines are of the same transaction as the rows. A savepoint that is rolled back takes its lines along, and a commit has
/// all of them or none.
final class HistoryRecorder: ChangeObserver {
  enum Kind: Int64 { case inserted, updated, deleted, forwarded }

  private let connection: Connection
  /// `nil` until the first change: a transaction that changes nothing does not ask.
  private var policy: StoreOptions.History?
  private var isRecording = true
  /// Whether commits were taken out of the history.
  private(set) var hasPruned = false
  private var insert: Statement?
  /// The number before the first line, and that of the last one.
  private var (base, last): (Int64, Int64) = (0, 0)
  /// The columns that lines of a row name already: a list to which many objects are added has one line.
  private var known: [RowKey: ColumnMask] = [:]
  /// The older columns of the rows in `known` that an attempt changed, and the rest of its state; `nil` outside of one.
  private var attempted: Attempt?
  /// Whether a row may have a line that `known` does not name.
  private var hasForgotten = false
  /// The row whose deletion is noted already, with its uid.
  private var deleted: RowKey?
  /// Objects that were deleted before they ever had a row.
  private var absent: Set<RowKey> = []
  private var names: (entity: Int, mask: ColumnMask, text: String)?
  /// The first line that could not be written. Changes are noted where nothing can be thrown: the commit throws it.
  private var failure: (any Error)?

  /// More rows than this are forgotten, and may have a second line.
  private static let knownRows = 10_000

  init(_ connection: Connection) { self.connection = connection }

  func notePruned() { hasPruned = true }

  // MARK: Changes

  func didChange(_ change: ObservedChange) { note(change.model, change.pk, change.kind, change.columns) }

  func note(_ model: EntityModel, _ pk: Int64, _ change: CommitSummary.RowChange.Kind, _ mask: ColumnMask) {
    guard isRecording, isOn() else { return }
    let key = RowKey(entity: model.number, pk: pk)
    switch change {
    case .inserted:
      know(key, model.all)
      write(.inserted, model, pk)
    case .updated:
      if !absent.isEmpty, absent.contains(key) { return }
      let known = known[key]
      if let known, mask.subtracting(known).isEmpty { return }
      know(key, known?.union(mask) ?? mask)
      write(.updated, model, pk, columns: names(model, mask))
    case .deleted:
      if deleted != key { write(.deleted, model, pk) }
    }
  }

  func didForward(_ model: EntityModel, from: Int64, to: Int64) {
    guard isRecording, isOn() else { return }
    write(.forwarded, model, from, survivor: to)
  }

  /// A deleted object never had a row: removes the lines about it. New rows that linked to it, and go with it, had
  /// caused them.
  func noteAbsent(_ model: EntityModel, _ pk: Int64) throws {
    guard isRecording, isOn() else { return }
    let key = RowKey(entity: model.number, pk: pk)
    absent.insert(key)
    guard forget(key) || hasForgotten else { return }
    try connection.prepare("DELETE FROM \(HistoryTables.changes) WHERE number > ? AND pk = ? AND entity = ?").run([
      .integer(base), .integer(pk), .text(model.name),
    ])
  }

  /// Removes the lines of changes that the unit took back.
  func retract(_ retractions: [RowKey: CommitSummary.Retraction], _ schema: SchemaModel) throws {
    guard isRecording, isOn(), !hasForgotten else { return }
    var gone: [Int64] = []
    var left: [(model: EntityModel, pk: Int64, columns: ColumnMask)] = []
    for (key, retraction) in retractions {
      if case .columns(let columns, let wasThere, let changed) = retraction {
        let model = schema.entities[key.entity]
        guard let noted = known[key] else { continue }
        // A row that the unit made again is noted with all columns.
        let rest = noted == model.all && wasThere ? changed ?? noted : noted.subtracting(columns)
        if rest == noted { continue }
        if !rest.isEmpty {
          if !wasThere { continue }
          left.append((model, key.pk, rest))
        }
      }
      forget(key)
      gone.append(key.pk)
    }
    // No two rows have the same row id, whatever their entities.
    try connection.prepare(
      "DELETE FROM \(HistoryTables.changes) WHERE number > ? AND pk IN (SELECT value FROM json_each(?))"
    ).run([.integer(base), .text("[\(gone.map(String.init).joined(separator: ","))]")])
    for (model, pk, columns) in left { note(model, pk, .updated, columns) }
  }

  /// Notes the deletion of a row that is still there, with its uid.
  func willDelete(_ model: EntityModel, _ pk: Int64, ends: RowValues?, in rows: RowWriter) throws {
    guard isRecording, isOn() else { return }
    let key = RowKey(entity: model.number, pk: pk)
    let statement = try rows.statements.statement(
      .init(entity: model.number, mask: ColumnMask(), kind: 11), on: connection
    ) { Self.copy(model, .deleted, number: "?1") + " WHERE _pk = ?2" }
    defer { statement.reset() }
    let number = try next(1)
    try statement.bind(number, at: 1)
    try statement.bind(pk, at: 2)
    try statement.run()
    // The row may have lost its uid to another one in the same transaction.
    if let lostUID = rows.deletion.lostUID(model, key) {
      try connection.prepare("UPDATE \(HistoryTables.changes) SET uid = ? WHERE number = ?").run([
        lostUID, .integer(number),
      ])
    }
    deleted = key
  }

  /// Notes that all rows of an entity came or are about to go. The rows must be there.
  func noteAll(_ model: EntityModel, _ kind: Kind) throws {
    guard isRecording, isOn() else { return }
    let count = try connection.rows("SELECT count(*) FROM \(model.table)") { $0.int64(0) }.first ?? 0
    let first = try next(count)
    try connection.prepare(Self.copy(model, kind, number: "?1 + row_number() OVER (ORDER BY _pk)"))
      .run([.integer(first - 1)])
  }

  private static func copy(_ model: EntityModel, _ kind: Kind, number: String) -> String {
    let uid = model.uid.map { model.properties[$0].name.quoted }
    return "INSERT INTO \(HistoryTables.changes) (number, entity, pk, kind, uid) "
      + "SELECT \(number), \(model.name.literal), _pk, \(kind.rawValue), \(kind == .deleted ? uid ?? "NULL" : "NULL") "
      + "FROM \(model.table)"
  }

  /// The lines of the changes were undone with them.
  func didUndo() {
    if let attempted {
      for (key, columns) in attempted.replaced.reversed() { known[key] = columns }
      (absent, deleted) = (attempted.absent, attempted.deleted)
      self.attempted?.replaced = []
    } else {
      forget()
      absent = []
      deleted = nil
    }
  }

  /// The state before changes that may be undone as a whole.
  private struct Attempt {
    var replaced: [(key: RowKey, columns: ColumnMask?)] = []
    let absent: Set<RowKey>
    let deleted: RowKey?
  }

  /// Runs `body`, whose changes are undone where it throws. The recorder then still knows which rows have a line.
  func attempt<T>(_ body: () throws -> T) rethrows -> T {
    attempted = Attempt(absent: absent, deleted: deleted)
    defer { attempted = nil }
    return try body()
  }

  // MARK: The end of the transaction

  /// Writes the line of the commit, and removes lines that are older than the file is to keep.
  func commit(_ generation: Int64, author: String, changesNotes: Bool, _ care: inout HistoryCare) throws {
    guard isOn() else { return try check() }
    try check()
    let now = Date().timeIntervalSince1970
    try connection.prepare(
      "INSERT INTO \(HistoryTables.commits) (generation, time, author, changes_notes) VALUES (?, ?, ?, ?)"
    ).run([.integer(generation), .real(now), .text(author), .integer(changesNotes ? 1 : 0)])
    try care.prune(policy ?? .off, at: generation, now, connection)
  }

  /// Removes the lines of a transaction without a generation: they would count as lines of the next one.
  func discard() throws {
    try check()
    guard last > base else { return }
    try connection.prepare("DELETE FROM \(HistoryTables.changes) WHERE number > ?").run([.integer(base)])
  }

  private func check() throws {
    if let failure { throw failure }
  }

  // MARK: Lines

  private func isOn() -> Bool {
    if policy == nil { look() }
    return isRecording
  }

  private func look() {
    do {
      let policy = try HistoryTables.policy(connection)
      self.policy = policy
      isRecording = policy != .off
      guard isRecording else { return }
      base = (try connection.generation() + 1) << HistoryTables.bits
      last = base
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: any Error) {
    failure = failure ?? error
    policy = policy ?? .off
    isRecording = false
  }

  private func know(_ key: RowKey, _ mask: ColumnMask) {
    if known.count >= Self.knownRows { forget() }
    let older = known.updateValue(mask, forKey: key)
    attempted?.replaced.append((key, older))
  }

  /// - Returns: Whether it was known.
  @discardableResult private func forget(_ key: RowKey) -> Bool {
    let older = known.removeValue(forKey: key)
    attempted?.replaced.append((key, older))
    return older != nil
  }

  private func forget() {
    guard !known.isEmpty else { return }
    known.removeAll(keepingCapacity: true)
    attempted?.replaced = []
    hasForgotten = true
  }

  private func names(_ model: EntityModel, _ mask: ColumnMask) -> String {
    if let names, names.entity == model.number, names.mask == mask { return names.text }
    let text = mask.indices.map { model.properties[$0].name }.joined(separator: ",")
    names = (model.number, mask, text)
    return text
  }

  /// - Returns: The first of the next `count` numbers.
  private func next(_ count: Int64) throws -> Int64 {
    let first = last + 1
    guard count <= (base | (1 << HistoryTables.bits - 1)) - last else {
      throw StoreError(.tooLarge, "The unit changes more rows than the history can take in one commit. Divide it.")
    }
    last += count
    return first
  }

  private func write(
    _ kind: Kind, _ model: EntityModel, _ pk: Int64, columns: String? = nil, survivor: Int64? = nil
  ) {
    // SQLite has ended the transaction: nothing of the unit is committed, but a line written now would be.
    guard !connection.hasLostTransaction else { return }
    do {
      let statement =
        try insert
        ?? connection.prepare(
          "INSERT INTO \(HistoryTables.changes) (number, entity, pk, kind, columns, survivor) VALUES (?, ?, ?, ?, ?, ?)"
        )
      insert = statement
      try statement.bind(try next(1), at: 1)
      try statement.bind(.text(model.name), at: 2)
      try statement.bind(pk, at: 3)
      try statement.bind(kind.rawValue, at: 4)
      try statement.bind(columns.map { .text($0) } ?? .null, at: 5)
      try statement.bind(survivor.map { .integer($0) } ?? .null, at: 6)
      try statement.run()
    } catch {
      fail(error)
    }
  }
}

/// Removes what is older than the file is to keep, a part with each commit.
struct HistoryCare {
  /// Whether lines without a commit may be left.
  private var hasRest = true
  private var hasLooked = false

  /// The most lines that one commit removes, because a save of the main context waits for that.
  private static let lines: Int64 = 5_000
  /// Commits from one look for old ones to the next.
  private static let interval: Int64 = 64

  mutating func prune(_ policy: StoreOptions.History, at generation: Int64, _ now: Double, _ connection: Connection)
    throws
  {
    guard case .keeping = policy, case .real(let seconds) = policy.stored else { return }
    if !hasLooked || generation % Self.interval == 0 {
      hasLooked = true
      hasRest = try Self.removeCommits(before: now - seconds, connection) || hasRest
    }
    guard hasRest else { return }
    try connection.prepare(
      "DELETE FROM \(HistoryTables.changes) WHERE number IN (SELECT number FROM \(HistoryTables.changes) "
        + "WHERE number < coalesce((SELECT min(generation) FROM \(HistoryTables.commits)), ?) << \(HistoryTables.bits) "
        + "ORDER BY number LIMIT \(Self.lines))"
    ).run([.integer(generation + 1)])
    hasRest = connection.changedRows == Self.lines
  }

  /// Removes commits from the first one on, so that the remaining commits have no gap.
  ///
  /// - Returns: Whether there were any.
  static func removeCommits(before time: Double, _ connection: Connection) throws -> Bool {
    try connection.prepare(
      "DELETE FROM \(HistoryTables.commits) WHERE generation < coalesce((SELECT min(generation) "
        + "FROM \(HistoryTables.commits) WHERE time >= ?), (SELECT max(generation) + 1 FROM \(HistoryTables.commits)))"
    ).run([.real(time)])
    return connection.changedRows > 0
  }

  /// Removes the lines whose commits are gone.
  static func removeRest(_ connection: Connection) throws {
    try connection.prepare(
      "DELETE FROM \(HistoryTables.changes) WHERE number < coalesce("
        + "(SELECT min(generation) FROM \(HistoryTables.commits)), ?) << \(HistoryTables.bits)"
    ).run([.integer(try connection.generation() + 1)])
  }
}
