import Foundation

/// Objects by their keys, as decoding asks for them.
extension JSONDocument {
  /// Whether the key at a place of the tape, one without escapes, has these bytes.
  @inline(__always)
  func isKey(at field: Int, equalTo name: UnsafeBufferPointer<UInt8>) -> Bool {
    let key = word(at: field)
    guard key.extent == name.count else { return false }
    return bytes.withUnsafeBufferPointer { Self.equal($0[key.offset..<key.offset + key.extent], name) }
  }

  @inline(__always)
  private static func equal(_ left: Slice<UnsafeBufferPointer<UInt8>>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    let left = UnsafeBufferPointer(rebasing: left)
    guard left.count == right.count else { return false }
    guard let mine = left.baseAddress, let its = right.baseAddress, left.count > 0 else { return true }
    return mine.pointee == its.pointee && memcmp(mine, its, left.count) == 0
  }

  /// Whether two objects with the same number of fields have the same keys in the same order, written alike.
  func haveEqualKeys(_ left: Int, _ right: Int) -> Bool {
    if left == right { return true }
    return bytes.withUnsafeBufferPointer { source in
      var mine = left + 2
      var its = right + 2
      let end = word(at: left).extent
      while mine < end {
        let (key, other) = (word(at: mine), word(at: its))
        guard key.tag == other.tag,
          Self.equal(
            source[key.offset..<key.offset + key.extent],
            UnsafeBufferPointer(rebasing: source[other.offset..<other.offset + other.extent]))
        else { return false }
        mine = next(after: mine + 1)
        its = next(after: its + 1)
      }
      return true
    }
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

  /// For objects of few fields: each key is held against each.
  func hasDistinctKeys(_ object: Int, names: [[UInt8]]?) -> Bool {
    let keys = names ?? keys(of: object)
    for (position, key) in keys.enumerated() where keys[..<position].contains(key) { return false }
    return true
  }

  /// The last field of each key.
  func lastFields(of object: Int) -> [String: Int] {
    var fields: [String: Int] = [:]
    forEachField(in: object) { fields[String(decoding: $0, as: UTF8.self)] = $1 }
    return fields
  }
}
