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
/// change all the same, so the next object of the row takes the same registrar. Observation does not say who is still
/// observed. The number of kept registrars is bounded; those of the rows that were read last stay.
struct ObservedRows {
  private struct Row: Hashable {
    let entity: Int
    let pk: Int64
  }

  /// Rows of one generation; two are kept. A registrar takes about a hundred bytes.
  private static let limit = 16_384

  private var young: [Row: RowObservers] = [:]
  private var old: [Row: RowObservers] = [:]

  func observers(_ entity: Int, _ pk: Int64) -> RowObservers? {
    // Of a unit there are none, and each row that it writes asks.
    if isEmpty { return nil }
    let row = Row(entity: entity, pk: pk)
    return young[row] ?? old[row]
  }

  mutating func keep(_ observers: RowObservers, _ entity: Int, _ pk: Int64) {
    if young.count >= Self.limit {
      old = young
      young = [:]
    }
    young[Row(entity: entity, pk: pk)] = observers
  }

  /// The rows of an entity that may be observed.
  func rows(_ entity: Int) -> [Int64] {
    (Array(young.keys) + old.keys).filter { $0.entity == entity }.map(\.pk)
  }

  var count: Int { young.count + old.count }

  var isEmpty: Bool { young.isEmpty && old.isEmpty }
}
