/// The memory of the one connection that writes, which outlives the row writers of its transactions.
final class WriterMemory {
  let connection: Connection
  let schema: SchemaModel
  let shared: Shared
  var answers: AnswerMemory { shared.answers }
  var underWay: EditsUnderWay { shared.underWay }
  var merging: AnswerMerging { shared.merging }
  /// The prepared statements of the row writers.
  let statements: RowStatements
  /// The rows that others absorbed since the store was opened: a link to such a row that is saved later goes to the
  /// absorbing row. There are few: only objects made here that a list already had.
  var survivors: [RowKey: Int64] = [:] {
    didSet { hasSurvivors = !survivors.isEmpty }
  }
  /// Whether there are any. Each row that is written asks.
  private(set) var hasSurvivors = false
  /// The most rows that go to the file together; 0 for none.
  let rowsInBatch: Int
  /// The images of undos, for acknowledgements that come later.
  var undone = UndoneSaves()
  private let leases = RowLeases()
  private let open: () throws -> Connection
  private var opened: Connection?

  /// The memory of a store that its contexts and requests use, too.
  struct Shared {
    let answers: AnswerMemory
    let underWay: EditsUnderWay
    let merging: AnswerMerging
  }

  /// - Parameter open: Opens one more connection to the file.
  init(
    _ connection: Connection, schema: SchemaModel, _ shared: Shared, rowsInBatch: Int,
    open: @escaping () throws -> Connection
  ) {
    self.connection = connection
    self.schema = schema
    self.shared = shared
    self.rowsInBatch = rowsInBatch
    self.open = open
    statements = RowStatements(schema)
  }

  /// A connection that sees the file as it was before the transaction that runs. The first call opens it.
  func earlier() throws -> Connection {
    if let opened { return opened }
    let connection = try open()
    opened = connection
    return connection
  }

  func close() {
    opened?.close()
    connection.close()
  }

  /// The state to which a transaction that fails goes back.
  struct Mark {
    fileprivate let survivors: [RowKey: Int64]
  }

  /// A transaction begins.
  func begin() -> Mark {
    leases.begin()
    return Mark(survivors: survivors)
  }

  /// The transaction was rolled back.
  func goBack(to mark: Mark) {
    survivors = mark.survivors
    leases.rolledBack()
  }

  // MARK: Row ids

  /// Whether the current transaction leased a range.
  var hasLeased: Bool { leases.hasLeased }

  func newPrimaryKey() throws -> Int64 { try leases.newPrimaryKey(on: connection) }

  /// Leases a range within the current transaction.
  func lease() throws -> PrimaryKeys.Lease { try leases.lease(on: connection) }

  /// Takes row ids out of the file for rows that come all at once.
  ///
  /// - Returns: The first one.
  func reserve(_ count: Int64) throws -> Int64 { try leases.lease(count, on: connection).next }

  /// Some changes of the transaction were undone. The transaction still holds the file, so that a range it leased is nobody
  /// else's, and is leased again.
  func changesUndone() throws { try leases.undone(on: connection) }

  /// Leases a lost range again, before the commit.
  func keepLeases() throws { try leases.keep(on: connection) }
}
