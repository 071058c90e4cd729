/// A set of an entity's properties, by index. An entity has at most 128 of them.
public struct ColumnMask: Sendable, Hashable {
  @usableFromInline var bits: UInt128

  @inlinable public init() { bits = 0 }

  private init(bits: UInt128) { self.bits = bits }

  // An index is less than the capacity, so that no shift goes past the end.
  package init(_ index: Int) { bits = 1 &<< UInt128(truncatingIfNeeded: index) }

  static let capacity = 128

  /// The first `count` properties.
  static func all(_ count: Int) -> ColumnMask {
    count >= capacity ? ColumnMask(bits: .max) : ColumnMask(bits: (1 << UInt128(count)) - 1)
  }

  @inlinable public var isEmpty: Bool { bits == 0 }
  var count: Int { bits.nonzeroBitCount }

  @inlinable public func contains(_ index: Int) -> Bool { bits &>> UInt128(truncatingIfNeeded: index) & 1 == 1 }
  @inlinable public mutating func insert(_ index: Int) { bits |= 1 &<< UInt128(truncatingIfNeeded: index) }
  mutating func remove(_ index: Int) { bits &= ~(1 &<< UInt128(truncatingIfNeeded: index)) }

  package func union(_ other: ColumnMask) -> ColumnMask { ColumnMask(bits: bits | other.bits) }
  package mutating func formUnion(_ other: ColumnMask) { bits |= other.bits }
  package func intersection(_ other: ColumnMask) -> ColumnMask { ColumnMask(bits: bits & other.bits) }
  package func subtracting(_ other: ColumnMask) -> ColumnMask { ColumnMask(bits: bits & ~other.bits) }
  package mutating func subtract(_ other: ColumnMask) { bits &= ~other.bits }

  /// The indices in the set, ascending.
  package var indices: Indices { Indices(bits: bits) }

  package struct Indices: Sequence, IteratorProtocol {
    var bits: UInt128

    package mutating func next() -> Int? {
      guard bits != 0 else { return nil }
      let index = bits.trailingZeroBitCount
      bits &= bits - 1
      return index
    }
  }
}
