/// The notes that the taker of a response wants of its changes. All are `nil` for a unit that takes none.
package final class ResponseNotes {
  private let schema: SchemaModel
  private let observers: ChangeObservers
  /// The rows that are written more than once.
  package private(set) var repeats: RepeatedWrites?
  /// The rows written since it was emptied.
  package private(set) var written: WrittenIndex?
  /// The changes that the answer being taken in leaves out.
  package var skips: SkipLog? {
    get { storedSkips }
    set { storedSkips = newValue }
  }
  /// Whether a change that was left out is noted, and values that are taken may say otherwise.
  var areTakenNoted: Bool { storedSkips.map { !$0.isEmpty } ?? false }
  /// The edits that the request of the answer being taken in carried; `nil` where it carried none.
  package var sent: SentEdits.Marker? {
    get { storedSent }
    set { storedSent = newValue }
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
  // The variables of what other modules see are the module's: the compiler then proves that their accesses are exclusive,
  // and leaves out the checks.
  private var storedSkips: SkipLog?
  private var storedSent: SentEdits.Marker?
  private var storedDeletions: DeletionLog?

  init(_ schema: SchemaModel, _ observers: ChangeObservers) { (self.schema, self.observers) = (schema, observers) }

  /// The rows that are written more than once are known from now on; see ``repeats``.
  package func noteRepeats() {
    if let repeats { observers.remove(repeats) }
    let noted = RepeatedWrites()
    repeats = noted
    observers.add(noted)
  }

  /// Rows that are written are known from now on; see ``written``.
  package func noteWritten() {
    guard written == nil else { return }
    let index = WrittenIndex(schema)
    written = index
    observers.add(index)
  }
}
