/// A place among the fields of an object: behind the field that was found last.
///
/// Most code reads the fields of an object in their order. Then each field is found at the cursor, without a search.
package struct JSONFieldCursor {
  private var document: JSONDocument?
  private var object = 0
  private var next = 0
  /// Whether all keys differ. Otherwise the last one counts, which may come later.
  private var isUsable = false

  package init() {}

  /// The same as `place(for:)` of the object.
  package mutating func place(for keyPath: String, in fields: JSONObject) -> Int? {
    if document !== fields.document || object != fields.index { move(to: fields) }
    guard isUsable else { return fields.place(for: keyPath) }
    if let found = placeHere(of: keyPath, fields.document) { return found }
    let found = fields.place(for: keyPath)
    // A path leads into another object.
    if let found, !keyPath.lend(\.mayBePath) { next = fields.document.next(after: found) }
    return found
  }

  private mutating func move(to fields: JSONObject) {
    document = fields.document
    object = fields.index
    next = object + 2
    isUsable = fields.document.hasDistinctKeys(object)
  }

  /// The place of a value whose key is at the cursor or is the next one: most code skips a field now and then.
  private mutating func placeHere(of keyPath: String, _ document: JSONDocument) -> Int? {
    let end = document.word(at: object).extent
    var field = next
    for _ in 0..<2 where field < end {
      let key = document.word(at: field)
      let isKey = keyPath.lend { path in
        path.count == key.extent && document.withSource(of: key) { $0.isEqual(to: path) } && !path.mayBePath
      }
      let behind = document.next(after: field + 1)
      if isKey {
        next = behind
        return field + 1
      }
      field = behind
    }
    return nil
  }
}
