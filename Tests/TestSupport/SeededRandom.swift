/// Random numbers that a seed gives again, on every run and platform: SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014).
package struct SeededRandom: RandomNumberGenerator, Sendable {
  /// The difference of one state and the next.
  package static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  private var state: UInt64

  package init(state: UInt64) { self.state = state }

  /// The numbers of a seed of `Seeds`.
  package init(_ seed: UInt64) { self.init(state: seed &* Self.step) }

  package mutating func next() -> UInt64 {
    state &+= Self.step
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A number from 0 to `count` - 1; 0 when `count` is not above 0.
  package mutating func below(_ count: Int) -> Int { count <= 0 ? 0 : Int(next() % UInt64(count)) }

  /// True once in `count` times.
  package mutating func chance(_ count: Int) -> Bool { below(count) == 0 }

  /// One of a list; nil when the list is empty.
  package mutating func element<T>(_ list: [T]) -> T? { list.isEmpty ? nil : list[below(list.count)] }
}
