/// An object that is being decoded: finds its fields by their keys.
///
/// Types mostly ask for keys in the order in which they were written, so the search goes on behind the field that was
/// found last.
final class ObjectCursor {
  let state: DecodingState
  let path: CodingPathNode?
  let shape: ObjectShape
  let index: Int
  let document: JSONDocument
  private let end: Int
  private var next: Place

  private struct Place {
    var field: Int
    var ordinal: Int
  }

  init(state: DecodingState, index: Int, path: CodingPathNode?) throws {
    guard state.tag(at: index) == .object else { throw state.mismatch([String: Any].self, at: index, path) }
    self.state = state
    self.path = path
    self.index = index
    document = state.document
    end = document.word(at: index).extent
    next = Place(field: index + 2, ordinal: 0)
    shape = state.shape(of: index, path: path)
  }

  /// The tape index of the key's value; of several, the last one. Nil where there is none.
  @inline(__always)
  func place(of key: some CodingKey) -> Int? {
    key.stringValue.lend { place(named: $0) }
  }

  private func place(named name: LentBytes) -> Int? {
    if let table = shape.table { return table.field(named: name, in: document).map { $0 + 1 } }
    let start = next
    var found = search(name, from: start, to: end)
    if found == nil, start.ordinal > 0 {
      found = search(name, from: Place(field: index + 2, ordinal: 0), to: start.field)
    }
    guard let found else { return nil }
    next = Place(field: document.next(after: found.field + 1), ordinal: found.ordinal + 1)
    return found.field + 1
  }

  @inline(__always)
  private func search(_ name: LentBytes, from start: Place, to end: Int) -> Place? {
    var found: Place?
    var place = start
    while place.field < end {
      let isEqual =
        shape.names.map { name.isEqual(to: $0[place.ordinal]) } ?? document.isKey(at: place.field, equalTo: name)
      if isEqual {
        if shape.isDistinct { return place }
        found = place
      }
      place.field = document.next(after: place.field + 1)
      place.ordinal += 1
    }
    return found
  }

  /// The keys, each once, in their order.
  func keys<Key: CodingKey>(as type: Key.Type) -> [Key] {
    var keys: [Key] = []
    var seen: Set<String> = []
    var ordinal = 0
    document.forEachField(in: index) { source, _ in
      let name =
        shape.names.map { String(decoding: $0[ordinal], as: UTF8.self) } ?? String(decoding: source, as: UTF8.self)
      ordinal += 1
      guard shape.isDistinct || seen.insert(name).inserted else { return }
      if let key = Key(stringValue: name) { keys.append(key) }
    }
    return keys
  }
}
