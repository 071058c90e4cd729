public import Synchronization

/// Bits that each getter and setter reads. The read is inlined into the user's module.
///
/// A context and its objects are used in one isolation, so they need no atomic value. But for each access to a variable
/// that other modules see, the compiler adds a check that the access is exclusive. The check takes longer than the rest
/// of a getter. A constant has no such check. An atomic byte with relaxed loads and stores costs the same as a plain
/// byte.
@usableFromInline struct AttentionBits: ~Copyable {
  @usableFromInline let byte = Atomic<UInt8>(0)

  init() {}

  @inlinable @inline(__always) var bits: UInt8 { byte.load(ordering: .relaxed) }

  @inline(__always) func set(_ bits: UInt8) { byte.store(bits, ordering: .relaxed) }
}
