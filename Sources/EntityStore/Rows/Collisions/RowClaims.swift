/// The targets that rows got by links of one-to-one relationships, in the order in which the rows got them.
struct RowClaims {
  /// A target that a link was set to.
  struct Claim: Hashable {
    let entity: Int
    let property: Int
    let target: Int64
  }

  /// The row that got a target, and from whom.
  struct Claimant {
    enum Source: Equatable {
      /// Set here.
      case edit
      /// A response, and whether it overwrites local edits.
      case response(overwrites: Bool)
      /// It follows from another change.
      case effect
    }

    let pk: Int64
    let source: Source
  }

  struct Mark {
    fileprivate var count = 0
    fileprivate var settled = 0
  }

  private var claims: [(claim: Claim, claimant: Claimant)] = []
  private var targets: Set<Claim> = []
  /// The number of settled claims: one row has the target.
  private var settled = 0
  /// Where the claims of the last update by query begin.
  private var begun = 0

  var mark: Mark { Mark(count: claims.count, settled: settled) }

  mutating func goBack(to mark: Mark) {
    claims.removeLast(max(0, claims.count - mark.count))
    settled = min(settled, mark.settled)
  }

  mutating func add(_ claim: Claim, by claimant: Claimant) {
    claims.append((claim, claimant))
    targets.insert(claim)
  }

  /// Whether a row has claimed a target in this unit.
  func has(_ claim: Claim) -> Bool { !targets.isEmpty && targets.contains(claim) }

  /// An update by query begins to write.
  mutating func beginQuery() { begun = claims.count }

  /// The targets that are not settled, each with the row that got it last.
  var open: [(claim: Claim, claimant: Claimant)] { last(from: settled) }

  /// The targets that the update by query gave to rows, each with the row that got it last.
  var ofQuery: [(claim: Claim, claimant: Claimant)] { last(from: begun) }

  private func last(from start: Int) -> [(claim: Claim, claimant: Claimant)] {
    guard start < claims.count else { return [] }
    let last = Dictionary(claims[start...].map { ($0.claim, $0.claimant) }) { $1 }
    return last.sorted {
      ($0.key.entity, $0.key.property, $0.key.target) < ($1.key.entity, $1.key.property, $1.key.target)
    }.map { ($0.key, $0.value) }
  }

  mutating func settle() { settled = claims.count }

  /// The targets of the update by query are settled. Where earlier targets are open, all from the first open one on
  /// stay open.
  mutating func settleQuery() { if settled == begun { settle() } }
}
