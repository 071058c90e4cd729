import Observation

/// The registrar of a row.
///
/// A class of its own: the compiler does not know the size of a registrar. An object with a registrar inside would need
/// its layout looked up at run time.
final class RowObservers {
  let registrar = ObservationRegistrar()
}

/// The registrars of rows that were read where somebody may observe them. A registrar is kept longer than the object
/// that the row was read through.
///
/// Objects are held weakly: after `user.address?.city` nobody holds the address. An observer of the address must still
/// hear of a change, so the next object of the row gets the same registrar. A round drops registrars whose objects are
/// gone and that nobody observes. The number of registrars is also limited; the rows that were read last keep theirs.
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

  /// The number of rows in one generation; two generations are kept. A registrar takes about a hundred bytes.
  private static let limit = 16_384

  private var young = Generation()
  private var old = Generation()
  /// The rows that the current round has yet to look at; empty where no round runs.
  private var round: [RowKey] = []
  /// How often the context was used since the last round began.
  private var uses = 0

  func observers(_ entity: Int, _ pk: Int64) -> RowObservers? {
    // A unit has no registrars, and each row that it writes calls this.
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

  /// The smallest number of registrars for which a round is worth while.
  private static let fewest = 128

  var isInRound: Bool { !round.isEmpty }

  /// Begins a round if the context was used enough since the last one to pay for it, or if objects are gone.
  ///
  /// - Parameter uses: How often the context was used since the last call.
  mutating func beginRound(uses new: Int, areObjectsGone: Bool) {
    uses += new
    guard !isInRound, count >= Self.fewest, areObjectsGone || uses > count / 4 else { return }
    uses = 0
    round = young.rows + old.rows
  }

  /// Continues the round.
  ///
  /// - Parameters:
  ///   - most: The largest number of rows to look at.
  ///   - isNeeded: Returns whether the registrar of a row is still needed.
  /// - Returns: How many rows were looked at.
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
