import EntityJSON

/// Objects of one entity that were looked up by their uids before they are needed, a few hundred by one statement.
///
/// The results are valid until a row of the entity gets a uid. From then on ``find(_:)`` returns `unknown`.
package final class ObjectsAhead {
  private let model: EntityModel
  private let context: EntityContext
  private let rows: RowWriter
  private let uid: Int
  /// The uids, each once.
  private let batch: RowBatch
  /// The row in the batch of each uid.
  private let places = UIDTable()
  /// By the row in the batch.
  private var answers: [Answer] = []
  /// The batch rows of the objects that were handed out and are still held.
  // This and the next two are read or assigned in one step, so no access needs a check.
  @exclusivity(unchecked) private var handedOut: [Int] = []
  /// How often rows of the entity had got uids at the time of the look-up.
  @exclusivity(unchecked) private var namings = 0
  /// Whether `find` was asked for a uid whose result is no longer valid.
  @exclusivity(unchecked) package private(set) var isOutdated = false

  package enum Answer {
    case object(any ManagedEntity)
    /// No row has the uid.
    case nobody
    case unknown
  }

  /// - Returns: `nil` for an entity with callbacks, whose objects are looked up one by one: their callbacks run when they are
  ///   made.
  package init?(_ model: EntityModel, in context: EntityContext) {
    guard let rows = context.rows, let uid = model.uid, model.callbacks.isEmpty,
      model.properties.count < ColumnMask.mostInBatch
    else { return nil }
    self.model = model
    self.context = context
    self.rows = rows
    self.uid = uid
    batch = RowBatch(model)
  }

  /// Adds a uid for ``look()``.
  package func add(_ uid: StoredValue) {
    guard places[uid] == nil else { return }
    let row = batch.addRow()
    places.add(uid, Int64(row))
    batch.table[row, self.uid] = batch.table.cell(uid)
  }

  /// Looks up the objects, and makes them.
  ///
  /// - Throws: ``StoreError``.
  package func look() throws {
    namings = rows.uniqueness.namings[model.number]
    let count = batch.rows.count
    answers = Array(repeating: .nobody, count: count)
    guard count > 0 else { return }
    let statement = try rows.statements.batch(.load, of: model, ColumnMask(), on: rows.connection) {
      batch.loadingSQL(byColumn: uid)
    }
    batch.prepare()
    try batch.lend((0..<count).map { UInt32(truncatingIfNeeded: $0) }, source: []) { lent in
      try statement.run(&lent) {
        let row = Int(statement.int64(model.properties.count + EntityModel.resultOffset))
        answers[row] = .object(context.reading.object(model, from: statement))
      }
    }
  }

  package func find(_ uid: StoredValue) -> Answer {
    guard let row = places[uid].map(Int.init), answers.indices.contains(row) else { return .unknown }
    guard namings == rows.uniqueness.namings[model.number], rows.uniqueness.displaced.isEmpty else {
      isOutdated = true
      return .unknown
    }
    guard case .object(let object) = answers[row] else { return answers[row] }
    if object.isGone { return .unknown }
    handedOut.append(row)
    return .object(object)
  }

  /// Lets go of the objects that were handed out. If one is needed again, it is looked up alone.
  package func release() {
    for row in handedOut { answers[row] = .unknown }
    handedOut.removeAll(keepingCapacity: true)
  }

  package func removeAll() {
    places.removeAll()
    answers.removeAll(keepingCapacity: true)
    handedOut.removeAll(keepingCapacity: true)
    batch.removeAll()
    isOutdated = false
  }
}
