import Observation

/// The registrar of a row.
///
/// In an object of its own: the compiler does not know the size of a registrar, and would look up at run time how an object
/// that has one inside is laid out.
final class RowObservers {
  let registrar = ObservationRegistrar()
}

/// The registrars of rows that were read where somebody may observe, kept beyond the objects that they were read
/// through.
///
/// Objects are held weakly: `user.address?.city` leaves nobody who holds the address. An observer of it must hear of a
/// change all the same, so the next object of the row takes the same registrar. A round lets go of registrars whose objects
/// are gone and which nobody observes. Their number is bounded besides; those of the rows that were read last stay.
struct ObservedRows {
  /// The registrars of one generation, by entity and row.
  private struct Generation {
    private var tables: [RowTable<RowObservers>] = []
    private(set) var count = 0

    subscript(row: RowKey) -> RowObservers? {
      get { row.entity < tables.count ? tables[row.entity][row.pk] : nil }
      set {
        while tables.count <= row.entity { tables.append(RowTable()) }
        let old = tables[row.entity].count
        tables[row.entity][row.pk] = newValue
        count += tables[row.entity].count - old
      }
    }

    /// The rows of an entity.
    func rows(_ entity: Int) -> [Int64] { entity < tables.count ? tables[entity].map(\.key) : [] }

    var rows: [RowKey] { tables.indices.flatMap { entity in rows(entity).map { RowKey(entity: entity, pk: $0) } } }
  }

  /// Rows of one generation; two are kept. A registrar takes about a hundred bytes.
  private static let limit = 16_384

  private var young = Generation()
  private var old = Generation()
  /// The rows that the round is to look at which runs; none where none does.
  private var round: [RowKey] = []
  /// How often the context was used since the last round began.
  private var uses = 0

  func observers(_ entity: Int, _ pk: Int64) -> RowObservers? {
    // A unit has none, and each row that it writes asks.
    if isEmpty { return nil }
    let row = RowKey(entity: entity, pk: pk)
    return young[row] ?? old[row]
  }

  mutating func keep(_ observers: RowObservers, _ entity: Int, _ pk: Int64) {
    if young.count >= Self.limit {
      old = young
      young = Generation()
    }
    young[RowKey(entity: entity, pk: pk)] = observers
  }

  /// The rows of an entity that may be observed.
  func rows(_ entity: Int) -> [Int64] { young.rows(entity) + old.rows(entity) }

  var count: Int { young.count + old.count }

  var isEmpty: Bool { count == 0 }

  // MARK: Rounds

  /// How many registrars there are at least where a round is worth while.
  private static let fewest = 128

  var isInRound: Bool { !round.isEmpty }

  /// Begins a round where the context was used enough since the last one to pay for it, or where objects are gone.
  ///
  /// - Parameter uses: How often the context was used since it was last asked.
  mutating func beginRound(uses new: Int, areObjectsGone: Bool) {
    uses += new
    guard !isInRound, count >= Self.fewest, areObjectsGone || uses > count / 4 else { return }
    uses = 0
    round = young.rows + old.rows
  }

  /// Goes on with the round.
  ///
  /// - Parameters:
  ///   - most: How many rows are looked at, at most.
  ///   - isNeeded: Whether the registrar of a row is.
  /// - Returns: How many were.
  mutating func goOn(_ most: Int, _ isNeeded: (_ entity: Int, _ pk: Int64, RowObservers) -> Bool) -> Int {
    var seen = 0
    while seen < most, let row = round.popLast() {
      seen += 1
      if let observers = young[row], !isNeeded(row.entity, row.pk, observers) { young[row] = nil }
      if let observers = old[row], !isNeeded(row.entity, row.pk, observers) { old[row] = nil }
    }
    guard !isInRound, seen > 0 else { return seen }
    round = []
    return seen
  }
}
