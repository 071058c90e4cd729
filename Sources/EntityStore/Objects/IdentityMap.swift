/// The live objects of one entity by row id, held weakly.
///
/// In the unit of a response each object is used once, mostly: such a unit holds its young objects until its next batch is
/// written. An object that is still in use then gets a weak reference, and the others are gone without one: making and
/// ending a weak reference takes as long as the rest of a new object.
final class IdentityMap {
  private struct Box {
    weak var object: (any ManagedEntity)?
  }

  private var index = RowIndex()
  /// By position in `index`.
  private var boxes: [Box] = []
  /// The number of boxes at which those of objects that are gone are looked for.
  private var limit = 1024
  /// Objects without a box; see ``boxYoung()``.
  private var young = RowTable<any ManagedEntity>()
  private var holdsYoung: Bool
  /// How many were added since the last call of ``boxYoung()``.
  private var youngCount = 0
  /// The boxes before it are to be looked at in the round that runs; 0 where none does.
  private var hand = 0
  /// Counts the samples: each is of other boxes.
  private var samples = 0

  /// How many young objects are held at most.
  private static let mostYoung = 1024

  /// - Parameter holdsYoung: Whether objects are held strongly until ``boxYoung()`` or ``endYouth()``.
  init(holdsYoung: Bool) { self.holdsYoung = holdsYoung }

  subscript(pk: Int64) -> (any ManagedEntity)? {
    if youngCount > 0, let object = young[pk] { return object }
    return index.position(of: pk).flatMap { boxes[$0].object }
  }

  /// The place of a row among those that have a box: objects that were made later are behind it.
  func position(of pk: Int64) -> Int? { index.position(of: pk) }

  /// Goes through the objects from a place on, beyond the end from the other end on, until `body` returns `false`.
  ///
  /// - Parameter most: How many places are looked at, at most.
  func visit(from position: Int, backward: Bool, most: Int, _ body: (any ManagedEntity) -> Bool) {
    let count = boxes.count
    for step in 0..<min(most, count) {
      // `body` makes no objects of this entity, but the end of one may run code of the user's that does.
      let place = (backward ? position - step + count : position + step) % count
      guard boxes.indices.contains(place), let object = boxes[place].object else { continue }
      guard body(object) else { return }
    }
  }

  /// How many rows have an object, or had one not long ago.
  var count: Int { boxes.count + young.count }

  /// Those rows.
  var rows: [Int64] { index.pks + young.map(\.key) }

  var live: [any ManagedEntity] { boxes.compactMap(\.object) + young.values }

  func insert(_ object: any ManagedEntity, _ pk: Int64) {
    guard holdsYoung else { return box(object, pk) }
    if youngCount >= Self.mostYoung { boxYoung() }
    youngCount += 1
    young[pk] = object
  }

  /// Lets go of the young objects. Those that somebody else holds are found as long as that lasts.
  func boxYoung() {
    guard youngCount > 0 else { return }
    youngCount = 0
    // Taken out first: the end of an object may run code of the user's, which may look for another one.
    var old = young
    young = RowTable()
    for position in old.positions {
      guard var object = old.removeValue(at: position) else { continue }
      if !isHeldHereOnly(&object) { box(object, old.row(at: position)) }
    }
    old.removeAll()
    // Its memory is used again.
    if young.isEmpty { young = old }
  }

  private func isHeldHereOnly<E: ManagedEntity>(_ object: inout E) -> Bool { isKnownUniquelyReferenced(&object) }

  /// Lets go of the young objects for good: the unit is over, and an object that outlives it is held weakly, as those are
  /// that are found through its links.
  func endYouth() {
    boxYoung()
    holdsYoung = false
    young = RowTable()
  }

  private func box(_ object: any ManagedEntity, _ pk: Int64) {
    let (position, isNew) = index.add(pk)
    guard isNew else { return boxes[position].object = object }
    boxes.append(Box(object: object))
    if boxes.count > limit { makeRoom() }
  }

  /// Constant cost per insertion: the boxes are gone through when the list has doubled, and only where a sample says that
  /// it is worth while.
  private func makeRoom() {
    let isWorthwhile = stride(from: 0, to: boxes.count, by: max(1, boxes.count / 64)).contains {
      boxes[$0].object == nil
    }
    if isWorthwhile {
      hand = 0
      let left = boxes.indices.filter { boxes[$0].object != nil }
      index.replace(with: left.map { index.pks[$0] })
      boxes = left.map { boxes[$0] }
    }
    limit = max(1024, boxes.count * 2)
  }

  // MARK: Rounds

  /// How many boxes there are at least where a round is worth while.
  private static let fewest = 128
  private static let sampled = 32

  /// Whether a round runs.
  var isInRound: Bool { hand > 0 }

  /// Begins a round where a sample has it that the objects of one in eight boxes are gone, so that a box which is gone pays
  /// for a few that are not.
  func beginRound() {
    guard !isInRound, boxes.count >= Self.fewest else { return }
    samples &+= 1
    let step = boxes.count / Self.sampled
    let gone = stride(from: samples * 7 % step, to: boxes.count, by: step).reduce(0) {
      $0 + (boxes[$1].object == nil ? 1 : 0)
    }
    if gone >= Self.sampled / 8 { hand = boxes.count }
  }

  /// Goes on with the round.
  ///
  /// - Parameter most: How many boxes are looked at, at most.
  /// - Returns: How many were.
  func goOn(_ most: Int) -> Int {
    var seen = 0
    hand = min(hand, boxes.count)
    while hand > 0, seen < most {
      hand -= 1
      seen += 1
      guard boxes[hand].object == nil else { continue }
      index.remove(at: hand)
      boxes.swapAt(hand, boxes.count - 1)
      boxes.removeLast()
    }
    if hand == 0, index.isRoomy { shrink() }
    return seen
  }

  /// Gives memory back. The cost is that of the boxes that are left, a small part of those that there were.
  private func shrink() {
    var left: [Box] = []
    left.reserveCapacity(boxes.count)
    let pks = Array(index.pks.reversed())
    // Taken out one by one: a weak reference is moved for less than it is copied.
    while let box = boxes.popLast() { left.append(box) }
    boxes = left
    index.replace(with: pks)
    limit = max(1024, boxes.count * 2)
  }
}
