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

  /// Whether no key stands twice, as far as that is found out soon: of objects with many fields or an escaped key it is not.
  func hasDistinctKeys(_ object: Int) -> Bool {
    guard count(at: object) <= 64 else { return false }
    return bytes.withUnsafeBufferPointer { source in
      let end = word(at: object).extent
      var field = object + 2
      // A bit for each sort of keys: only those of one sort are held against each other.
      var sorts: UInt64 = 0
      while field < end {
        let key = word(at: field)
        guard key.tag == .string else { return false }
        let name = source[key.offset..<key.offset + key.extent]
        let sort = UInt64(1) &<< (UInt64(name.first ?? 0) &* 7 &+ UInt64(name.last ?? 0) &+ UInt64(key.extent))
        if sorts & sort != 0 {
          let name = UnsafeBufferPointer(rebasing: name)
          var other = object + 2
          while other < field {
            if isKey(at: other, equalTo: name) { return false }
            other = next(after: other + 1)
          }
        }
        sorts |= sort
        field = next(after: field + 1)
      }
      return true
    }
  }

  /// The last field of each key.
  func lastFields(of object: Int) -> [String: Int] {
    var fields: [String: Int] = [:]
    forEachField(in: object) { fields[String(decoding: $0, as: UTF8.self)] = $1 }
    return fields
  }
}
