public import Synchronization

/// Bits that each getter and setter asks, inlined into the user's module.
///
/// A context and its objects are used in one isolation, and need no atomic value. But of a variable that other modules
/// see the compiler checks each access to be exclusive, which takes longer than the rest of a getter. A constant has no
/// such check. An atomic byte with relaxed loads and stores is a plain byte.
@usableFromInline struct AttentionBits: ~Copyable {
  @usableFromInline let byte = Atomic<UInt8>(0)

  init() {}

  @inlinable @inline(__always) var bits: UInt8 { byte.load(ordering: .relaxed) }

  @inline(__always) func set(_ bits: UInt8) { byte.store(bits, ordering: .relaxed) }
}
