import EntityStore

/// The objects of the server that have a request under way, each with the row that the request is about.
///
/// Where a person gives a deletion up while a request is under way, the object comes back as another row, with a turn of its own.
struct ObjectsUnderWay {
  private struct Object: Hashable {
    let entity: Int
    let uid: String
  }

  private var rows: [Object: RowKey] = [:]
  private var objects: [RowKey: Object] = [:]
  /// The rows that wait for the request about another one.
  private var waiting: [Object: Set<RowKey>] = [:]

  /// - Parameter uid: The uid by which the server knows the object; `nil` for an object that it does not know.
  /// - Returns: Whether a request about the row may begin. Otherwise the row waits until that about another one has ended.
  mutating func begin(_ row: RowKey, uid: String?) -> Bool {
    guard let object = uid.map({ Object(entity: row.entity, uid: $0) }) else { return true }
    guard rows[object, default: row] == row else {
      waiting[object, default: []].insert(row)
      return false
    }
    (rows[object], objects[row]) = (row, object)
    return true
  }

  /// The request about a row has ended.
  ///
  /// - Returns: The rows that have waited for it.
  mutating func end(_ row: RowKey) -> Set<RowKey> {
    guard let object = objects.removeValue(forKey: row) else { return [] }
    rows[object] = nil
    return waiting.removeValue(forKey: object) ?? []
  }
}
