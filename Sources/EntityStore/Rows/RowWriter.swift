import Foundation

/// Writes rows within one write transaction: only columns that are present, only where they differ.
///
/// Every change of a row, on every path, goes through it; it keeps the count and the summary of the written rows.
package final class RowWriter {
  let connection: Connection
  package let schema: SchemaModel
  let origin: ContextID?
  /// The context whose changes these are; told at once of the rows that changed.
  var context: EntityContext?
  let writer: WriterMemory
  /// Rows inserted, changed and deleted, in all entities.
  package var rowsWritten: Int { storedRowsWritten }
  /// The rows that took others in, since it was emptied.
  var absorbers: Set<RowKey> = []
  /// The lists of which pairs were marked as edited here, since it was emptied.
  var markedLists: Set<NamedList> = []
  /// The lists of which the server's changes ended marked pairs, since it was emptied.
  var endedLists: Set<NamedList> = []
  /// The rows written since it was emptied, by the entity's number, while somebody asks.
  private var written: [RowIndex]?
  /// Whether the changes of the unit are the server's: they are no local edits, and its deletions none that the server
  /// must hear of.
  var marksNothing = false
  /// Whether rows are written whose objects do not have the values; see ``write(_:_:)``.
  var isOfQuery = false
  /// Whether there are any notes of local edits, and of deletions, by the entity's number, as far as this transaction
  /// knows; see `EditNotes` and `Tombstones`.
  var hasNotes: [Bool?]
  var hasTombstones: [Bool?]
  /// How often notes of local edits, or of deletions, changed.
  var noteChanges = 0
  var areNotesChanged: Bool { noteChanges > 0 }
  /// The rows that are written more than once; `nil` where nobody asks.
  var repeats: RepeatedWrites?
  /// By the number of an entity: the state that its copy of displaced rows is of.
  var displacedStates: [Int: DisplacedState] = [:]
  /// Whether commits were taken out of the history.
  var hasPruned = false
  /// Whether the notes of all answers were ended; see `AnswerNote`.
  var areAnswersEnded = false
  /// When the transaction took place, in seconds since 1970.
  private(set) lazy var now = Date().timeIntervalSince1970
  let statements: RowStatements
  /// The unique values that rows gave up to other rows of the same unit.
  var displaced = UniqueValues()
  /// Notes the changes in the log that the file may keep.
  let history: HistoryRecorder
  /// Whose commit it is in the history; `nil` for the store's own author.
  var author: String?
  /// Takes the image of a save that can be undone.
  var recorder: SaveRecorder?
  /// The rows that may be like another one in values that are unique together.
  var suspects = RowSuspects()
  /// The targets of one-to-one relationships that rows got in this unit; see ``settleClaims(_:)``.
  var claims = RowClaims()
  /// Notes the changes that the answer being taken in leaves out; `nil` where no answer is taken in.
  package var skips: SkipLog? {
    get { storedSkips }
    set { storedSkips = newValue }
  }
  /// Whether a change that was left out is noted, and values that are taken may say otherwise.
  var notesTaken: Bool { storedSkips.map { !$0.isEmpty } ?? false }
  /// The edits that the request of the answer being taken in carried; `nil` where it carried none.
  package var sent: SentEdits.Marker? {
    get { storedSent }
    set { storedSent = newValue }
  }
  /// Told of each row that took a unique value from another one, or may be like another one in several.
  package var valueTaken: ((AnyEntityID) -> Void)?
  /// Asked, where a response is taken in, whether an object with a uid may have another value of a property from now on, or
  /// none, as the response gives its unique value, or its partner, to another object; `nil` where none is taken in. The uid
  /// is read where other requests are under way.
  package var mayGiveUp: ((EntityModel, _ uid: () throws -> StoredValue, _ property: Int) throws -> Bool)? {
    get { storedMayGiveUp }
    set { storedMayGiveUp = newValue }
  }
  /// Notes the objects that are deleted; `nil` where nobody asks.
  package var deletions: DeletionLog? {
    get { storedDeletions }
    set { storedDeletions = newValue }
  }
  /// The unique columns that the response has, by row, but for uids.
  private(set) var answered: [RowKey: ColumnMask] = [:]
  /// Whether pairs of many-to-many relationships were taken out here, by the number of their entity; see `PairMarks`.
  var removals: [Int: Bool] = [:]
  /// Whether the changes are sent for a query: a row may lack a relationship that it requires until ``checkPostponed()``, and
  /// have the uid of another one until ``settleUniqueValues()``.
  var postponesRequired = false
  var incomplete: [RowKey: ColumnMask] = [:]
  /// The rows without uid that were inserted for a query: until the unit ends they are as new as their objects.
  var insertedForQuery: Set<RowKey> = []
  /// A lazy value that was to be compared could not be read; see ``checkLazies()``.
  var lazyFailure: (any Error)?
  /// How often rows of an entity got uids or may have, by its number: who has looked for rows by their uids asks.
  private(set) var namings: [Int]
  private var changes: CommitSummary?
  private var isOpen = true
  /// Why a change that failed could not be undone: the transaction has a part of it.
  private var tear: StoreError?
  // The variables of what other modules see are the module's: the compiler then proves that their accesses are exclusive,
  // and leaves out the checks.
  private var storedRowsWritten = 0
  private var storedSkips: SkipLog?
  private var storedSent: SentEdits.Marker?
  private var storedDeletions: DeletionLog?
  private var storedMayGiveUp: ((EntityModel, _ uid: () throws -> StoredValue, _ property: Int) throws -> Bool)?

  package struct Outcome {
    package var pk: Int64
    /// The columns that were written.
    package var changed: ColumnMask
    /// Whether the row is new, or was a placeholder until now.
    package var isInserted: Bool
  }

  init(_ writer: WriterMemory, origin: ContextID?, collects: Bool) {
    self.writer = writer
    connection = writer.connection
    schema = writer.schema
    statements = writer.statements
    self.origin = origin
    history = HistoryRecorder(writer.connection)
    hasNotes = Array(repeating: nil, count: schema.entities.count)
    hasTombstones = hasNotes
    namings = Array(repeating: 0, count: schema.entities.count)
    if collects { changes = CommitSummary(first: 0, last: 0, origin: origin) }
  }

  var answers: AnswerMemory { writer.answers }

  private var commitActions: [() -> Void] = []

  /// Runs `action` after the commit, before the next unit of work begins; not at all if there is none.
  package func afterCommit(_ action: @escaping () -> Void) { commitActions.append(action) }

  func runCommitActions() {
    for action in commitActions { action() }
    commitActions = []
  }

  /// Ends the use of the writer: the transaction is over.
  func close() {
    isOpen = false
    recorder?.stop()
  }

  func checkOpen() throws {
    guard isOpen else {
      throw StoreError(.wrongContext, "The unit of work is over; its context can't be used any more.")
    }
    try connection.checkTransaction()
    if let tear {
      throw StoreError(
        tear.kind,
        "A change of the unit failed and could not be undone: nothing of the unit is written. Let the unit end with that "
          + "error, and run it again once the cause is gone. The cause: \(tear.message)",
        sqliteCode: tear.sqliteCode, sql: tear.sql)
    }
  }

  func summary(generation: Int64, schema: SchemaModel) -> CommitSummary {
    var summary =
      changes
      ?? CommitSummary(
        first: generation, last: generation, origin: nil,
        entities: Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.number, .all) }))
    summary.first = generation
    summary.last = generation
    summary.changesNotes = areNotesChanged || changes == nil
    return summary
  }

  /// The changes by entity; `nil` where no context follows the commits.
  var namedChanges: [Int: CommitSummary.EntityChanges]? { changes?.entities }

  package func newPrimaryKey() throws -> Int64 {
    try checkOpen()
    let pk = try writer.newPrimaryKey()
    repeats?.noteNew(pk)
    return pk
  }

  func lease() throws -> PrimaryKeys.Lease { try writer.lease() }

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
        // After a full disk SQLite may have ended the whole transaction: then there is nothing to go back to. Else whoever
        // catches the error of `body` must not commit the rest.
        tear = error as? StoreError ?? StoreError(.sqlite, "\(error)")
      }
      displacedStates = [:]
      try? undone(to: mark)
      throw error
    }
  }

  /// Which rows had turned out to be others, and which had given up values.
  struct Mark {
    fileprivate var forwards = 0
    fileprivate var survivors: [RowKey: Int64] = [:]
    fileprivate var displaced = UniqueValues()
    fileprivate var suspects = RowSuspects.Mark()
    fileprivate var claims = RowClaims.Mark()
  }

  var mark: Mark {
    Mark(
      forwards: changes?.forwards.count ?? 0, survivors: writer.survivors, displaced: displaced,
      suspects: suspects.mark,
      claims: claims.mark)
  }

  /// Rows went back to an earlier state: which ones is not known, so the summary names none of them. Row ids that were
  /// leased stay leased.
  func undone(to mark: Mark) throws {
    removals = [:]
    areAnswersEnded = false
    hasNotes = Array(repeating: nil, count: schema.entities.count)
    hasTombstones = hasNotes
    writer.survivors = mark.survivors
    displaced = mark.displaced
    repeats = nil
    for model in schema.entities { noteNaming(model) }
    suspects.goBack(to: mark.suspects)
    claims.goBack(to: mark.claims)
    changes?.blur(keeping: mark.forwards)
    history.undone()
    try writer.changesUndone()
  }

  // MARK: Keeping count

  /// Rows that are written are known from now on, until ``forgetWritten()``.
  package func noteWritten() {
    if written == nil { written = Array(repeating: RowIndex(), count: schema.entities.count) }
  }

  /// Whether a row was written since ``forgetWritten()``.
  package func hasWritten(_ model: EntityModel, _ pk: Int64) -> Bool {
    written?[model.number].position(of: pk) != nil
  }

  package func forgetWritten() {
    for number in schema.entities.indices { written?[number].removeAll() }
  }

  /// A response has columns of a row, with whatever values.
  func noteAnswered(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask) {
    let unique = mask.intersection(model.handedOver)
    guard !unique.isEmpty, storedMayGiveUp != nil else { return }
    answered[RowKey(entity: model.number, pk: pk), default: ColumnMask()].formUnion(unique)
  }

  /// - Parameter isMade: Whether the row was inserted, and was no placeholder before.
  func note(
    _ model: EntityModel, _ pk: Int64, _ kind: CommitSummary.RowChange.Kind, _ mask: ColumnMask, _ source: RowSource,
    isMade: Bool = false
  ) {
    storedRowsWritten += 1
    if kind == .inserted || !mask.intersection(model.identity).isEmpty { noteNaming(model) }
    if repeats != nil {
      let key = RowKey(entity: model.number, pk: pk)
      if isMade { repeats?.noteMade(key) } else { repeats?.noteWritten(key, isDeleted: kind == .deleted) }
    }
    if written != nil { _ = written?[model.number].add(pk) }
    if kind == .inserted { storedDeletions?.noteMade(pk) }
    if !model.together.isEmpty { noteSuspect(model, pk, kind, mask) }
    tell(model, pk, kind, mask, isDirect: source.isDirect)
  }

  func noteNaming(_ model: EntityModel) { namings[model.number] &+= 1 }

  func tell(
    _ model: EntityModel, _ pk: Int64, _ kind: CommitSummary.RowChange.Kind, _ mask: ColumnMask, isDirect: Bool
  ) {
    let isDirect = isDirect && !isOfQuery
    changes?.note(model.number, pk, kind, mask, isDirect: isDirect)
    history.note(model, pk, kind, mask)
    context?.rowChanged(model, pk, kind, mask, isDirect: isDirect)
  }

  /// Changes that the unit took back are none: they don't count, and no context is told.
  ///
  /// - Parameter writes: How many writes don't count.
  func retract(_ retractions: [RowKey: CommitSummary.Retraction], writes: Int) {
    storedRowsWritten -= writes
    for (key, retraction) in retractions { changes?.retract(key, retraction) }
  }

  /// Whether the summary names a row; `nil` where it does not say.
  func isTold(_ key: RowKey) -> Bool? { changes?.names(key) }

  /// All rows of an entity went.
  func noteEmptied(_ model: EntityModel, _ count: Int) {
    repeats = nil
    storedRowsWritten += count
    changes?.entities[model.number] = .all
  }

  func noteForward(_ model: EntityModel, from: Int64, to: Int64) {
    repeats = nil
    changes?.forwards.append(.init(entity: model.number, from: from, to: to))
    // A pair that was made elsewhere too has no row.
    if !model.isLinks {
      recorder?.isLost = true
      let keys = [from, to].map { RowKey(entity: model.number, pk: $0) }
      if !writer.underWay.isEmpty { afterCommit { [writer] in writer.underWay.move(from: keys[0], to: keys[1]) } }
    }
    history.noteForward(model, from: from, to: to)
    context?.rowForwarded(model, from: from, to: to)
  }

  /// The to-many relationships that a link leaves and enters change with it.
  func noteLink(
    _ model: EntityModel, _ property: Int, pk: Int64, from old: Int64, to new: Int64, _ source: RowSource
  ) throws {
    guard case .toOne(let target, let inverse?, _) = model.properties[property].kind else { return }
    noteClaim(model, property, pk: pk, target: new, source)
    if repeats != nil {
      func list(_ pk: Int64) -> RepeatedWrites.List? {
        pk == 0 ? nil : RepeatedWrites.List(entity: target, pk: pk, property: inverse)
      }
      repeats?.noteLink(RowKey(entity: model.number, pk: pk), left: list(old), entered: list(new))
    }
    if case .edit(let fromResponse, _) = source, model.uid == nil, !model.isLinks, old != 0, old != new,
      !fromResponse.contains(property)
    {
      try markEdited(schema.entities[target], old, inverse)
    }
    for parent in [old, new] where parent != 0 && old != new {
      // The context that set the link has told of it.
      tell(schema.entities[target], parent, .updated, ColumnMask(inverse), isDirect: source.isDirect)
    }
  }
}
