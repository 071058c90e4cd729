import Foundation

/// The cost of the main context: of a commit to its live queries, of the objects that it has seen, of merges.
///
/// `live` commits one row and waits for the result of a live query of 20 rows, in a table of 100,000 rows; the rivals
/// of the same name have smaller tables. In `edited` the context has an unsaved change. In `many` there are 1,000 live
/// queries, and the commit touches the result of one: the others depend on other columns, or on other values of the
/// same columns. `memory` counts bytes for each object that was fetched: `held` while the caller has all of them,
/// `kept` by the context when the caller has none and goes on. `merge` is the longest turn of the main actor after a
/// commit of as many rows, while 100,000 objects are observed. A `budget` is the time that this may take.
let contextGroup = Group(
  name: "context",
  contests: LiveWork.allCases.map { work in
    ("context.live.\(work)", { @Sendable scale in liveCommits("context.live.\(work)", work, scale) })
  }
    + ManyWork.allCases.map { work in
      ("context.many.\(work)", { @Sendable scale in manyQueries("context.many.\(work)", work, scale) })
    }
    + [("context.memory.main.held", { @Sendable scale in heldMemory("context.memory.main.held", scale) })]
    + MemoryWork.allCases.map { work in
      ("context.memory.\(work).kept", { @Sendable scale in keptMemory("context.memory.\(work).kept", work, scale) })
    }
    + [1, 1_000, 10_000, 100_000, 1_000_000].map { count in
      ("context.merge.\(count)", { @Sendable scale in mergeStops("context.merge.\(count)", count, scale) })
    })

extension Contestant {
  /// The time that the work may take, as a rival.
  static func budget(seconds: Double, digest: @escaping () throws -> UInt64) -> Contestant {
    Contestant(name: "budget", time: { Cost(seconds: seconds, cpuSeconds: seconds) }, digest: digest)
  }
}
