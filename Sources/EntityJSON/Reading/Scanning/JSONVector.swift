#if arch(x86_64)
  // For the one instruction that LLVM does not find by itself: it takes one bit of each lane.
  internal import _Builtin_intrinsics.intel.sse2
#endif

/// Operations on sixteen bytes at once.
enum JSONVector {
  typealias Bytes = SIMD16<UInt8>
  typealias Mask = SIMDMask<SIMD16<Int8>>

  /// The compiler does not specialise operators for a vector and a number. Operators for two vectors are one
  /// instruction.
  @inline(__always)
  static func all(_ byte: UInt8) -> Bytes { Bytes(repeating: byte) }

  #if arch(x86_64)
    /// The first marked lane; 16 when no lane is marked.
    @inline(__always)
    static func first(_ mask: Mask) -> Int { (_mm_movemask_epi8(mask.halves) | 1 << 16).trailingZeroBitCount }

    /// The first lane that is not marked; 16 when all are.
    @inline(__always)
    static func firstOther(_ mask: Mask) -> Int { (~_mm_movemask_epi8(mask.halves)).trailingZeroBitCount }

    @inline(__always)
    static func isAny(_ mask: Mask) -> Bool { _mm_movemask_epi8(mask.halves) != 0 }
  #else
    @inline(__always)
    static func first(_ mask: Mask) -> Int {
      let (low, high) = (mask.halves[0].littleEndian, mask.halves[1].littleEndian)
      return (low != 0 ? low.trailingZeroBitCount : 64 &+ high.trailingZeroBitCount) &>> 3
    }

    @inline(__always)
    static func firstOther(_ mask: Mask) -> Int { first(.!mask) }

    @inline(__always)
    static func isAny(_ mask: Mask) -> Bool { mask.halves[0] | mask.halves[1] != 0 }
  #endif
}
