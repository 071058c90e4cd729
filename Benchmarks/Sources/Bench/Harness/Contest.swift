/// One way of doing a case's work.
struct Contestant {
  let name: String
  /// Prepares a run. It is called before each run, and not timed.
  let prepare: () throws -> Void
  /// Does the work once, and lets its result go.
  let run: () throws -> Void
  /// Does the work once, after `prepare`, and returns its cost.
  let time: () throws -> Cost
  /// Does the work once and returns the `Digest` of the whole result.
  let digest: () throws -> UInt64

  init(
    name: String, prepare: @escaping () throws -> Void = {}, run: @escaping () throws -> Void,
    digest: @escaping () throws -> UInt64
  ) {
    self.name = name
    self.prepare = prepare
    self.run = run
    time = { try Cost.of(run) }
    self.digest = digest
  }

  /// - Parameter time: Does the work, and times the part of it that counts.
  init(
    name: String, prepare: @escaping () throws -> Void = {}, time: @escaping () throws -> Cost,
    digest: @escaping () throws -> UInt64
  ) {
    self.name = name
    self.prepare = prepare
    run = { _ = try time() }
    self.time = time
    self.digest = digest
  }
}

/// One kind of work, done by ours and by its rivals on the same bytes.
struct Contest {
  let name: String
  /// The size in bytes of the data of the work, as JSON.
  let size: Int
  /// How many operations the work is, such as requests; the time on processors is then shown for one of them, too.
  var operations: Int?
  var quantity = Quantity.time
  /// How many rounds are run at most: a run of some is long.
  var mostRounds = Int.max
  let ours: Contestant
  var rivals: [Contestant]

  var contestants: [Contestant] { [ours] + rivals }
}

/// The quantity that contestants are compared by.
enum Quantity: Sendable {
  case time, bytes
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
