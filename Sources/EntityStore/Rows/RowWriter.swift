/// Writes rows within one write transaction: only columns that are present, only where they differ.
///
/// Every change of a row, on every path, goes through it; it keeps the count and the summary of the written rows.
package final class RowWriter {
  let connection: Connection
  package let schema: SchemaModel
  let origin: ContextID?
  /// The observers of each change of a row.
  let observers = ChangeObservers()
  let writer: WriterMemory
  /// Rows inserted, changed and deleted, in all entities.
  package var rowsWritten: Int { storedRowsWritten }
  /// Whether the changes of the unit are the server's: they are no local edits, and the server need not hear of its
  /// deletions.
  let isOfServer: Bool
  /// The local edits of rows, and the deletions that the server is yet to hear of.
  package var edits: RowEdits {
    if let madeEdits { return madeEdits }
    let edits = RowEdits(self)
    madeEdits = edits
    return edits
  }
  /// The pairs of many-to-many relationships.
  package private(set) lazy var pairs = RowPairs(self)
  /// The values that no two rows may share at the end of the unit.
  package var uniqueness: RowUniqueness {
    if let madeUniqueness { return madeUniqueness }
    let uniqueness = RowUniqueness(self)
    madeUniqueness = uniqueness
    return uniqueness
  }
  /// Rows that turn out to be one.
  package private(set) lazy var collisions = UIDCollisions(self)
  package var deletion: RowDeletion { RowDeletion(rows: self) }
  package var order: RowOrder { RowOrder(rows: self) }
  package var batches: RowBatchWriter { RowBatchWriter(rows: self) }
  package private(set) lazy var answerNotes = AnswerNoteWriter(self)
  /// The stored collections, and their members.
  package private(set) lazy var collections = CollectionWriter(self)
  /// The entries of the outbox.
  package private(set) lazy var outbox = RowOutbox(self)
  package let notes: ResponseNotes
  private(set) lazy var checks = RowChecks(self)
  var pending: PendingSettlement { PendingSettlement(rows: self) }
  package private(set) lazy var stamp = CommitStamp(self)
  package var knowledge: RowKnowledge { RowKnowledge(rows: self) }
  let statements: RowStatements
  let execution: RowExecution
  /// Notes the changes in the log that the file may keep.
  let history: HistoryRecorder
  /// The author of the commit in the history; `nil` for the store's own author.
  var author: String?
  /// Takes the image of a save that can be undone.
  private(set) var recorder: SaveRecorder?
  /// Makes the summary of the commit; `nil` where no follower needs the names of the rows.
  let changes: SummaryRecorder?
  private var state = State.open
  // Variables behind the properties that other modules see are private: the compiler then proves that their accesses
  // are exclusive, and leaves out the checks.
  @exclusivity(unchecked) private var storedRowsWritten = 0
  // Each row reads these. The checks of exclusive access can be left out: a unit runs on one thread, and each is set
  // once.
  @exclusivity(unchecked) private var madeEdits: RowEdits?
  @exclusivity(unchecked) private var madeUniqueness: RowUniqueness?

  package struct Outcome {
    package var pk: Int64
    /// The columns that were written.
    package var changed: ColumnMask
    /// Whether the row is new, or was a placeholder until now.
    package var isInserted: Bool
  }

  init(_ writer: WriterMemory, origin: ContextID?, isOfServer: Bool, collects: Bool) {
    self.isOfServer = isOfServer
    self.writer = writer
    connection = writer.connection
    schema = writer.schema
    statements = writer.statements
    execution = RowExecution(connection: writer.connection, statements: writer.statements)
    self.origin = origin
    history = HistoryRecorder(writer.connection)
    changes = collects ? SummaryRecorder(origin: origin) : nil
    notes = ResponseNotes(schema, observers)
    if let changes { observers.add(changes) }
    observers.add(history)
  }

  /// Takes the image of the changes from now on.
  func record(into image: SaveImageBox) {
    let recorder = SaveRecorder(self, into: image)
    self.recorder = recorder
    observers.add(recorder)
  }

  private var commitActions: [() -> Void] = []

  /// Runs `action` after the commit, before the next unit of work begins; never where the unit does not commit.
  package func afterCommit(_ action: @escaping () -> Void) { commitActions.append(action) }

  func runCommitActions() {
    for action in commitActions { action() }
    commitActions = []
  }

  /// Ends the use of the writer: the transaction is over.
  func close() {
    state = .over
    recorder?.stop()
  }

  private enum State {
    case open
    /// A failed change could not be undone, for this reason: the transaction has a part of the change.
    case torn(StoreError)
    case over
  }

  func checkOpen() throws {
    if case .over = state {
      throw StoreError(.wrongContext, "The unit of work is over; its context can't be used any more.")
    }
    try connection.checkTransaction()
    if case .torn(let cause) = state {
      throw StoreError(
        cause.kind,
        "A change of the unit failed and could not be undone: nothing of the unit is written. Let the unit end with that "
          + "error, and run it again once the cause is gone. The cause: \(cause.message)",
        sqliteCode: cause.sqliteCode, sql: cause.sql)
    }
  }

  func summary(generation: Int64, schema: SchemaModel) -> CommitSummary {
    var summary =
      changes?.summary
      ?? CommitSummary(
        first: generation, last: generation, origin: nil,
        entities: Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.number, .all) }))
    summary.first = generation
    summary.last = generation
    summary.changesNotes = edits.areNotesChanged
    summary.collections = changes == nil ? .any : collections.changes
    return summary
  }

  package func newPrimaryKey() throws -> Int64 {
    try checkOpen()
    let pk = try writer.newPrimaryKey()
    notes.repeats?.noteNew(pk)
    return pk
  }

  // MARK: Changes that can be undone

  /// Runs `body`; its changes are undone when it throws.
  package func atomically<T>(_ body: () throws -> T) throws -> T {
    try checkOpen()
    let mark = mark
    try connection.prepare("SAVEPOINT changes").run()
    do {
      let value = try body()
      try connection.prepare("RELEASE changes").run()
      return value
    } catch {
      do {
        try connection.prepare("ROLLBACK TO changes").run()
        try connection.prepare("RELEASE changes").run()
      } catch {
        // After a full disk SQLite may have ended the whole transaction: then there is nothing to go back to. Else a
        // caller that catches the error of `body` must not commit the rest.
        state = .torn(error as? StoreError ?? StoreError(.sqlite, "\(error)"))
      }
      try? undone(to: mark)
      throw error
    }
  }

  /// A state of the unit that it may go back to.
  struct Mark {
    fileprivate var rowsWritten = 0
    fileprivate var noteChanges = 0
    fileprivate var commitActions = 0
    fileprivate var forwards = 0
    fileprivate var survivors: [RowKey: Int64] = [:]
    fileprivate var displaced = UniqueValues()
    fileprivate var suspects = RowSuspects.Mark()
    fileprivate var claims = RowClaims.Mark()
  }

  var mark: Mark {
    Mark(
      rowsWritten: storedRowsWritten, noteChanges: edits.noteChanges, commitActions: commitActions.count,
      forwards: changes?.summary.forwards.count ?? 0, survivors: writer.survivors, displaced: uniqueness.displaced,
      suspects: uniqueness.suspects.mark,
      claims: uniqueness.claims.mark)
  }

  /// Rows went back to an earlier state: which ones is not known, so the summary names none of them. Row ids that were
  /// leased stay leased.
  func undone(to mark: Mark) throws {
    storedRowsWritten = mark.rowsWritten
    edits.noteChanges = mark.noteChanges
    commitActions.removeLast(max(0, commitActions.count - mark.commitActions))
    pairs.removals = [:]
    answerNotes.forget()
    edits.forget()
    outbox.forget()
    collections.forget()
    writer.survivors = mark.survivors
    uniqueness.displaced = mark.displaced
    uniqueness.displacedStates = [:]
    for model in schema.entities { uniqueness.noteNaming(model) }
    uniqueness.suspects.goBack(to: mark.suspects)
    uniqueness.claims.goBack(to: mark.claims)
    observers.tell { $0.didUndo() }
    changes?.blur(keeping: mark.forwards)
    try writer.changesUndone()
  }

  // MARK: Keeping count

  /// - Parameter isMade: Whether the row was inserted, and was no placeholder before.
  func note(
    _ model: EntityModel, _ pk: Int64, _ kind: CommitSummary.RowChange.Kind, _ mask: ColumnMask, _ source: RowSource,
    isMade: Bool = false
  ) {
    storedRowsWritten += 1
    if kind == .inserted || !mask.intersection(model.identity).isEmpty { uniqueness.noteNaming(model) }
    if !model.together.isEmpty { uniqueness.noteSuspect(model, pk, kind, mask) }
    let change = ObservedChange(
      model: model, pk: pk, kind: kind, columns: mask, isDirect: source.isDirect, isWrite: true, isMade: isMade)
    observers.tell { $0.didChange(change) }
  }

  /// The values of a row were evicted, or the row itself. The history does not say so, for nothing of the data changed.
  func noteEvicted(_ model: EntityModel, _ pk: Int64, isGone: Bool) {
    storedRowsWritten += 1
    // For queries a placeholder is no object: the row comes or goes.
    changes?.didChange(
      ObservedChange(
        model: model, pk: pk, kind: isGone ? .deleted : .inserted, columns: isGone ? ColumnMask() : model.all,
        isDirect: false, isWrite: true, isMade: false))
  }

  func tell(
    _ model: EntityModel, _ pk: Int64, _ kind: CommitSummary.RowChange.Kind, _ mask: ColumnMask, isDirect: Bool
  ) {
    let change = ObservedChange(
      model: model, pk: pk, kind: kind, columns: mask, isDirect: isDirect, isWrite: false, isMade: false)
    observers.tell { $0.didChange(change) }
  }

  /// Changes that the unit took back don't count, and no context is told of them.
  ///
  /// - Parameter writes: How many writes don't count.
  func retract(_ retractions: [RowKey: CommitSummary.Retraction], writes: Int) {
    storedRowsWritten -= writes
    changes?.retract(retractions)
  }

  /// All rows of an entity went.
  func noteEmptied(_ model: EntityModel, _ count: Int) {
    notes.repeats?.isVoid = true
    storedRowsWritten += count
    changes?.noteAll(model)
  }

  /// The to-many relationships that a link leaves and enters change with it.
  func noteLink(
    _ model: EntityModel, _ property: Int, pk: Int64, from old: Int64, to new: Int64, _ source: RowSource
  ) throws {
    guard case .toOne(let target, let inverse?, _) = model.properties[property].kind else { return }
    uniqueness.noteClaim(model, property, pk: pk, target: new, source)
    if notes.repeats != nil {
      func list(_ pk: Int64) -> RepeatedWrites.List? {
        pk == 0 ? nil : RepeatedWrites.List(entity: target, pk: pk, property: inverse)
      }
      notes.repeats?.noteLink(RowKey(entity: model.number, pk: pk), left: list(old), entered: list(new))
    }
    if case .edit(let edit) = source, model.uid == nil, !model.isLinks, old != 0, old != new,
      !edit.fromResponse.contains(property)
    {
      try edits.markEdited(schema.entities[target], old, inverse)
    }
    for parent in [old, new] where parent != 0 && old != new {
      // The context that set the link has told of it.
      tell(schema.entities[target], parent, .updated, ColumnMask(inverse), isDirect: source.isDirect)
    }
  }
}
