/// The rows that a deletion takes with it by the delete rules, and the rows that stand in its way. The plan is read
/// from the rows before any of them goes. So it does not depend on their order, and a denied deletion costs nothing to
/// undo.
///
/// A plan may have a million rows: for each it keeps a few numbers, in lists that all rows have in common.
struct DeletionPlan {
  /// The places in the common lists where the entries of a row begin. They end where the next row's entries begin.
  private struct Start {
    var links: Int32 = 0
    var cascades: Int32 = 0
    var holders: Int32 = 0
    var memberships: Int32 = 0
    /// The place of the row that takes this one along; -1 where none does.
    var parent: Int32 = -1
  }

  struct Link {
    let property: Int
    let pk: Int64
  }

  struct Blocker {
    /// The place of the row that is held.
    let place: Int
    let key: RowKey
    let relationship: String
    let isRequired: Bool
  }

  /// A row whose to-one relationship loses the row.
  struct Holder {
    let key: RowKey
    let property: Int
  }

  struct Membership {
    let pk: Int64
    let other: Int64
    let entity: Int32
    /// The property of it that holds the row.
    let side: Int8
  }

  let roots: [RowKey]
  /// Parents before the rows that go with them.
  private(set) var order: [RowKey] = []
  private var places: [RowKey: Int32] = [:]
  private var starts: [Start] = []
  /// The rows that were never saved. Rows of the same save may hold links to them.
  private var unsaved: Set<RowKey> = []

  /// The to-one relationships of the rows that have a target.
  var links: [Link] = []
  var cascades: [RowKey] = []
  var holders: [Holder] = []
  var memberships: [Membership] = []
  var blockers: [Blocker] = []
  /// The rows with work that the server does not have, and whether they were made here.
  private(set) var unsent: [(key: RowKey, isMadeHere: Bool)] = []
  /// All rows in which a row without uid lives.
  var parents: [RowKey: [RowKey]] = [:]

  init(_ roots: [RowKey]) {
    self.roots = roots
    order.reserveCapacity(roots.count)
  }

  func contains(_ key: RowKey) -> Bool { places[key] != nil }
  func place(of key: RowKey) -> Int? { places[key].map { Int($0) } }
  func isThere(_ key: RowKey) -> Bool { !unsaved.contains(key) }

  /// The place of the row that takes the row at a place along, which comes before it. A row that several would take along
  /// goes with one of them. `nil` for a root that no earlier root takes along.
  func parent(of place: Int) -> Int? {
    let parent = starts[place].parent
    return parent < 0 ? nil : Int(parent)
  }

  /// Begins a row; all entries that are added to the lists from here on are its own.
  mutating func begin(_ key: RowKey, parent: Int32) {
    places[key] = Int32(truncatingIfNeeded: order.count)
    order.append(key)
    starts.append(
      Start(
        links: Int32(truncatingIfNeeded: links.count), cascades: Int32(truncatingIfNeeded: cascades.count),
        holders: Int32(truncatingIfNeeded: holders.count), memberships: Int32(truncatingIfNeeded: memberships.count),
        parent: parent))
  }

  mutating func noteUnsaved(_ key: RowKey) { unsaved.insert(key) }
  mutating func noteUnsent(_ key: RowKey, isMadeHere: Bool) { unsent.append((key, isMadeHere)) }

  func links(of place: Int) -> ArraySlice<Link> { links[range(place, links.count, \.links)] }
  func cascades(of place: Int) -> ArraySlice<RowKey> { cascades[range(place, cascades.count, \.cascades)] }
  func holders(of place: Int) -> ArraySlice<Holder> { holders[range(place, holders.count, \.holders)] }
  func memberships(of place: Int) -> ArraySlice<Membership> {
    memberships[range(place, memberships.count, \.memberships)]
  }

  private func range(_ place: Int, _ end: Int, _ list: (Start) -> Int32) -> Range<Int> {
    Int(list(starts[place]))..<(place + 1 < starts.count ? Int(list(starts[place + 1])) : end)
  }

  /// The first row that stands in the way, if all of the plan is to go.
  var denial: (key: RowKey, blocker: Blocker)? {
    blockers.first { !contains($0.key) }.map { (order[$0.place], $0) }
  }

  /// The objects that a denial is about: the root whose deletion takes the row with it, the row, and the row that holds
  /// it. A root that was never saved has no deletion that could be taken back: then the holder comes first.
  func named(in key: RowKey, _ blocker: Blocker) -> [RowKey] {
    // A plan may have many roots: only the roots that lead to the row are searched.
    let above = leading(to: key, by: dependents)
    let root = roots.first { above.contains($0) && reached(from: [$0]).contains(key) } ?? key
    let going = root == key ? [key] : [root, key]
    return !isThere(root) ? [blocker.key] + going : going + [blocker.key]
  }

  /// The other rows that stand in the way, each once.
  func blockers(but first: Blocker) -> [RowKey] {
    var known: Set = [first.key]
    return blockers.lazy.map(\.key).filter { !contains($0) && known.insert($0).inserted }
  }

  /// For each row that goes with other rows, these other rows.
  private var dependents: [RowKey: [RowKey]] {
    var dependents: [RowKey: [RowKey]] = [:]
    for (place, key) in order.enumerated() {
      for cascade in cascades(of: place) { dependents[cascade, default: []].append(key) }
      if let parents = parents[key] { dependents[key, default: []] += parents }
    }
    return dependents
  }

  /// A row, and all rows whose deletion takes it with them.
  private func leading(to key: RowKey, by dependents: [RowKey: [RowKey]]) -> Set<RowKey> {
    var above: Set<RowKey> = [key]
    var pending = [key]
    while let key = pending.popLast() {
      for other in dependents[key] ?? [] where above.insert(other).inserted { pending.append(other) }
    }
    return above
  }

  /// Leaves out the roots that something holds, with all rows that would go with them alone. A row that stays may hold
  /// others in turn.
  ///
  /// - Parameter held: Rows that stay in any case.
  /// - Returns: The rows that go; `nil` for all.
  func possible(holding held: Set<RowKey> = []) -> Set<RowKey>? {
    guard denial != nil || !held.isEmpty else { return nil }
    var going = Set(order)
    var dependents = dependents
    for blocker in blockers { dependents[blocker.key, default: []].append(order[blocker.place]) }
    var left = roots
    while true {
      var staying = held.isEmpty ? held : going.intersection(held)
      for blocker in blockers where going.contains(order[blocker.place]) && !going.contains(blocker.key) {
        staying.insert(order[blocker.place])
      }
      guard !staying.isEmpty else { return going }
      // A row that would take a staying row with it stays too, and so do the rows that it holds.
      var pending = Array(staying)
      while let key = pending.popLast() {
        for other in dependents[key] ?? [] where going.contains(other) && staying.insert(other).inserted {
          pending.append(other)
        }
      }
      left.removeAll(where: staying.contains)
      going = reached(from: left)
    }
  }

  private func reached(from roots: [RowKey]) -> Set<RowKey> {
    var reached: Set<RowKey> = []
    var pending = roots
    repeat {
      while let key = pending.popLast() {
        guard let place = place(of: key), reached.insert(key).inserted else { continue }
        pending += cascades(of: place)
      }
      pending = parents.filter { !reached.contains($0.key) && $0.value.allSatisfy(reached.contains) }.map(\.key)
    } while !pending.isEmpty
    return reached
  }
}
