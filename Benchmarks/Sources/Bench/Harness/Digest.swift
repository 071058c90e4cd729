/// The values that all contestants must get alike: every value with its kind, a string's bytes, a number's value, the
/// keys and the counts. The order of an object's fields does not count, for some rivals lose it. simdjson_reader.cpp
/// has the same.
enum Digest {
  @inline(__always)
  static func mix(_ hash: UInt64, _ value: UInt64) -> UInt64 {
    let product = (hash ^ value) &* 0x9E37_79B9_7F4A_7C15
    return product ^ product >> 32
  }

  static func bytes(_ bytes: some Collection<UInt8>) -> UInt64 {
    var hash = UInt64(bytes.count)
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }

  static let null: UInt64 = 1

  static func bool(_ value: Bool) -> UInt64 { value ? 3 : 2 }

  static func int(_ value: Int64) -> UInt64 { mix(4, UInt64(bitPattern: value)) }

  static func uint(_ value: UInt64) -> UInt64 { mix(4, value) }

  /// Some rivals make an integer of `3.0`, so a whole number is one wherever a Double holds it exactly.
  static func double(_ value: Double) -> UInt64 {
    value.rounded(.towardZero) == value && value.magnitude <= 9_007_199_254_740_992
      ? int(Int64(value)) : mix(5, value.bitPattern)
  }

  static func string(_ value: String) -> UInt64 { mix(6, bytes(value.utf8)) }

  static func array(_ elements: some Sequence<UInt64>) -> UInt64 {
    var hash: UInt64 = 7
    var count: UInt64 = 0
    for element in elements {
      hash = mix(hash, element)
      count += 1
    }
    return mix(hash, count)
  }

  static func object(_ fields: some Sequence<(key: String, digest: UInt64)>) -> UInt64 {
    var sum: UInt64 = 8
    var count: UInt64 = 0
    for field in fields {
      sum &+= mix(bytes(field.key.utf8), field.digest)
      count += 1
    }
    return mix(sum, count)
  }
}

/// A decoded value that has a digest.
protocol Digestible {
  var digest: UInt64 { get }
}

extension String: Digestible {
  var digest: UInt64 { Digest.string(self) }
}

extension Double: Digestible {
  var digest: UInt64 { Digest.double(self) }
}

extension Array: Digestible where Element: Digestible {
  var digest: UInt64 { Digest.array(lazy.map(\.digest)) }
}
