/// A place among the fields of an object: the one behind the field that was found last.
///
/// Code mostly reads the fields of an object in their order. Then each is found at the cursor, and none is searched for.
package struct JSONFieldCursor {
  private var document: JSONDocument?
  private var object = 0
  private var next = 0
  /// Whether each key stands once: else the last one counts, which may come later.
  private var isUsable = false

  package init() {}

  /// As `place(for:)` of the object.
  package mutating func place(for keyPath: String, in fields: JSONObject) -> Int? {
    if document !== fields.document || object != fields.index { move(to: fields) }
    guard isUsable else { return fields.place(for: keyPath) }
    if let found = placeHere(of: keyPath, fields.document) { return found }
    let found = fields.place(for: keyPath)
    // A path leads into another object.
    if let found, !keyPath.utf8.contains(UInt8(ascii: ".")) { next = fields.document.next(after: found) }
    return found
  }

  private mutating func move(to fields: JSONObject) {
    document = fields.document
    object = fields.index
    next = object + 2
    isUsable = fields.document.hasDistinctKeys(object)
  }

  /// The place of a value whose key is the one at the cursor.
  private mutating func placeHere(of keyPath: String, _ document: JSONDocument) -> Int? {
    guard next < document.word(at: object).extent else { return nil }
    let key = document.word(at: next)
    let isKey = keyPath.lend { path in
      path.count == key.extent && document.withSource(of: key) { $0.isEqual(to: path) }
        && !path.contains(UInt8(ascii: ".")) && !path.contains(UInt8(ascii: "\\"))
    }
    guard isKey else { return nil }
    defer { next = document.next(after: next + 1) }
    return next + 1
  }
}
