/// A set of an entity's properties, by index. An entity has at most 128 of them.
///
/// The set is two words, and not one of 128 bits: objects with a 128-bit word are aligned to 16 bytes, and the system
/// takes several times as long to allocate such objects.
@_documentation(visibility: internal)
public struct ColumnMask: Sendable, Hashable {
  @usableFromInline var low: UInt64
  @usableFromInline var high: UInt64

  @inlinable public init() { (low, high) = (0, 0) }

  private init(_ low: UInt64, _ high: UInt64) { (self.low, self.high) = (low, high) }

  package init(_ index: Int) {
    let bit = Self.bit(index)
    (low, high) = index < 64 ? (bit, 0) : (0, bit)
  }

  /// The set with the indices whose bit `i % 64` of word `i / 64` is set.
  package init(words: (UInt64, UInt64)) { (low, high) = words }

  var words: (UInt64, UInt64) { (low, high) }

  static let capacity = 128
  /// A batch has fewer columns, because an SQL function takes 127 arguments.
  package static let mostInBatch = 120

  // An index is less than the capacity, so that no shift goes past the end.
  @inlinable @inline(__always) static func bit(_ index: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: index) }

  /// The first `count` properties.
  static func all(_ count: Int) -> ColumnMask {
    ColumnMask(
      count >= 64 ? .max : bit(count) - 1, count >= capacity ? .max : count <= 64 ? 0 : bit(count - 64) - 1)
  }

  @inlinable public var isEmpty: Bool { low | high == 0 }
  package var count: Int { low.nonzeroBitCount + high.nonzeroBitCount }

  @inlinable public func contains(_ index: Int) -> Bool { (index < 64 ? low : high) & Self.bit(index) != 0 }
  @inlinable public mutating func insert(_ index: Int) {
    if index < 64 { low |= Self.bit(index) } else { high |= Self.bit(index) }
  }
  mutating func remove(_ index: Int) { subtract(ColumnMask(index)) }

  package func union(_ other: ColumnMask) -> ColumnMask { ColumnMask(low | other.low, high | other.high) }
  package mutating func formUnion(_ other: ColumnMask) { self = union(other) }
  package func intersection(_ other: ColumnMask) -> ColumnMask { ColumnMask(low & other.low, high & other.high) }
  package func subtracting(_ other: ColumnMask) -> ColumnMask { ColumnMask(low & ~other.low, high & ~other.high) }
  package mutating func subtract(_ other: ColumnMask) { self = subtracting(other) }

  /// The indices in the set, ascending.
  package var indices: Indices { Indices(low: low, high: high) }

  package struct Indices: Sequence, IteratorProtocol {
    var low: UInt64
    var high: UInt64

    package mutating func next() -> Int? {
      if low != 0 {
        let index = low.trailingZeroBitCount
        low &= low &- 1
        return index
      }
      guard high != 0 else { return nil }
      let index = high.trailingZeroBitCount
      high &= high &- 1
      return index &+ 64
    }
  }
}
