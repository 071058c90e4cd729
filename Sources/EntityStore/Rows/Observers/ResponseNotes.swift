/// The changes that a unit records for a response that it takes in. All are `nil` for a unit that takes none.
package final class ResponseNotes {
  private let schema: SchemaModel
  private let observers: ChangeObservers
  /// The rows that are written more than once.
  package private(set) var repeats: RepeatedWrites?
  /// The rows written since the index was emptied.
  package private(set) var written: WrittenIndex?
  /// The changes that the answer being taken in leaves out.
  package var skips: SkipLog? {
    get { storedSkips }
    set { storedSkips = newValue }
  }
  /// Whether a skipped change is noted: values that are taken later may contradict it.
  var areTakenNoted: Bool { storedSkips.map { !$0.isEmpty } ?? false }
  /// The edits that the request of the answer being taken in carried; `nil` where it carried none.
  package var sent: SentEdits.Marker? {
    get { storedSent }
    set { storedSent = newValue }
  }
  /// The entry of the outbox whose request the answer being taken in belongs to; `nil` for any other request.
  package var sentEntry: Int64? {
    get { storedSentEntry }
    set { storedSentEntry = newValue }
  }
  /// Whether the server's values may come from an earlier request of this device, whose answer was lost.
  package var mayHaveOwnValues: Bool {
    get { storedMayHaveOwnValues }
    set { storedMayHaveOwnValues = newValue }
  }
  /// The objects that are deleted.
  package var deletions: DeletionLog? {
    get { storedDeletions }
    set {
      if let old = storedDeletions { observers.remove(old) }
      storedDeletions = newValue
      if let newValue { observers.add(newValue) }
    }
  }
  // Variables behind the properties that other modules see are private: the compiler then proves that their accesses
  // are exclusive, and leaves out the checks.
  private var storedSkips: SkipLog?
  private var storedSent: SentEdits.Marker?
  private var storedSentEntry: Int64?
  private var storedMayHaveOwnValues = false
  private var storedDeletions: DeletionLog?

  init(_ schema: SchemaModel, _ observers: ChangeObservers) { (self.schema, self.observers) = (schema, observers) }

  /// The objects that `body` deletes, with its result.
  package func gone<T>(in body: () throws -> T) rethrows -> (result: T, objects: [GoneObject]) {
    let log = GoneLog()
    observers.add(log)
    defer { observers.remove(log) }
    return (try body(), log.objects)
  }

  /// Records from now on which rows are written more than once; see ``repeats``.
  package func noteRepeats() {
    if let repeats { observers.remove(repeats) }
    let noted = RepeatedWrites()
    repeats = noted
    observers.add(noted)
  }

  /// Records from now on which rows are written; see ``written``.
  package func noteWritten() {
    guard written == nil else { return }
    let index = WrittenIndex(schema)
    written = index
    observers.add(index)
  }
}
