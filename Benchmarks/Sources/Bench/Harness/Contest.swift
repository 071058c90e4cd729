/// One way of doing a case's work.
struct Contestant {
  let name: String
  /// Does the work once, and lets its result go.
  let run: () throws -> Void
  /// Does the work once and says what came out: `Digest` of all of it.
  let digest: () throws -> UInt64
}

/// One kind of work, done by ours and by its rivals on the same bytes.
struct Contest {
  let name: String
  /// The size of the input in bytes.
  let size: Int
  let ours: Contestant
  let rivals: [Contestant]

  var contestants: [Contestant] { [ours] + rivals }
}

/// Contests by name, each made only when its turn comes: the inputs are large.
struct Group: Sendable {
  let name: String
  let contests: [(name: String, make: @Sendable (Scale) throws -> Contest)]
}

/// How large the inputs are, 1 being the standard work.
struct Scale: Sendable {
  let factor: Double

  func callAsFunction(_ standard: Int) -> Int { max(1, Int(Double(standard) * factor)) }
}

struct ContestError: Error, CustomStringConvertible {
  let description: String
}
