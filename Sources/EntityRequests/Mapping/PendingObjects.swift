import EntityStore

/// The objects that were made or changed by hand and are not written yet, by uid: the next objects of the response find
/// them here.
final class PendingObjects {
  /// How many objects are written at once.
  static let batch = 256

  /// By the entity's number.
  private let rows: [UIDTable]
  private var flushes = 0

  init(entities: Int) { rows = (0..<entities).map { _ in UIDTable() } }

  subscript(entity: Int, uid: StoredValue) -> Int64? { rows[entity][uid] }

  func count(_ entity: Int) -> Int { rows[entity].count }

  func add(_ entity: Int, _ uid: StoredValue, _ pk: Int64) { rows[entity].add(uid, pk) }

  func remove(_ entity: Int, _ uid: StoredValue, _ pk: Int64) { rows[entity].remove(uid, pk) }

  /// The rows have them.
  ///
  /// - Parameter count: How often the context sent its changes to the rows.
  func forget(ifFlushed count: Int) {
    guard flushes != count else { return }
    flushes = count
    for entity in rows.indices { rows[entity].removeAll() }
  }
}
