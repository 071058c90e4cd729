/// Objects by their keys, as decoding needs them.
extension JSONDocument {
  /// Whether the key at a place of the tape has these bytes. The key has no escapes.
  @inline(__always)
  func isKey(at field: Int, equalTo name: LentBytes) -> Bool {
    let key = word(at: field)
    guard key.extent == name.count else { return false }
    return withSource(of: key) { $0.isEqual(to: name) }
  }

  /// Whether two objects with the same number of fields have the same keys in the same order, written alike.
  func haveEqualKeys(_ left: Int, _ right: Int) -> Bool {
    if left == right { return true }
    var mine = left + 2
    var its = right + 2
    let end = word(at: left).extent
    while mine < end {
      let key = word(at: mine)
      guard key.tag == word(at: its).tag, withSource(of: key, { isKey(at: its, equalTo: $0) }) else { return false }
      mine = next(after: mine + 1)
      its = next(after: its + 1)
    }
    return true
  }

  func keys(of object: Int) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    keys.reserveCapacity(count(at: object))
    forEachField(in: object) { key, _ in keys.append(Array(key)) }
    return keys
  }

  func hasEscapedKey(_ object: Int) -> Bool {
    var field = object + 2
    let end = word(at: object).extent
    while field < end {
      if word(at: field).tag == .escapedString { return true }
      field = next(after: field + 1)
    }
    return false
  }

  /// Whether all keys are known to differ. Objects with many fields or an escaped key are not checked.
  func hasDistinctKeys(_ object: Int) -> Bool {
    guard count(at: object) <= 64 else { return false }
    let end = word(at: object).extent
    var field = object + 2
    // One bit for each sort of keys: only keys of the same sort are compared.
    var sorts: UInt64 = 0
    while field < end {
      let key = word(at: field)
      guard key.tag == .string else { return false }
      let isNew = withSource(of: key) { name in
        let sort = UInt64(1) &<< (UInt64(name.first ?? 0) &* 7 &+ UInt64(name.last ?? 0) &+ UInt64(key.extent))
        if sorts & sort != 0 {
          var other = object + 2
          while other < field {
            if isKey(at: other, equalTo: name) { return false }
            other = next(after: other + 1)
          }
        }
        sorts |= sort
        return true
      }
      guard isNew else { return false }
      field = next(after: field + 1)
    }
    return true
  }

  /// The last field of each key.
  func lastFields(of object: Int) -> [String: Int] {
    var fields: [String: Int] = [:]
    forEachField(in: object) { fields[String(decoding: $0, as: UTF8.self)] = $1 }
    return fields
  }
}
