/// The live objects of one entity by row id, held weakly.
///
/// The unit of a response uses most objects once. Such a unit holds its young objects until it has written its next
/// batch. Then an object that is still in use gets a weak reference, and the others are released without one. To make
/// and to end a weak reference takes as long as the rest of a new object.
final class IdentityMap {
  private struct Box {
    weak var object: (any ManagedEntity)?
  }

  // Each access to these two ends before other code runs, so none needs a check: they hold no object, whose end may run the user's
  // code.
  @exclusivity(unchecked) private var index = RowIndex()
  /// By position in `index`.
  @exclusivity(unchecked) private var boxes: [Box] = []
  /// The number of boxes at which empty boxes are looked for.
  private var limit = 1024
  /// Objects without a box; see ``boxYoung()``.
  private var young = RowTable<any ManagedEntity>()
  private var holdsYoung: Bool
  /// How many objects were added since the last call of ``boxYoung()``.
  // A number that is read or written in one step, so that no access needs an exclusivity check.
  @exclusivity(unchecked) private var youngCount = 0
  /// The current round has yet to look at the boxes before this position; 0 where no round runs.
  private var hand = 0
  /// Counts the samples, so that each looks at other boxes.
  private var samples = 0

  /// How many young objects are held at most.
  private static let mostYoung = 1024

  /// - Parameter holdsYoung: Whether objects are held strongly until ``boxYoung()`` or ``endYouth()``.
  init(holdsYoung: Bool) { self.holdsYoung = holdsYoung }

  subscript(pk: Int64) -> (any ManagedEntity)? {
    if youngCount > 0, let object = young[pk] { return object }
    return index.position(of: pk).flatMap { object(at: $0) }
  }

  /// The object at a position. The buffer gives the place of the box: a copy of a weak reference takes longer than a look-up.
  private func object(at position: Int) -> (any ManagedEntity)? {
    boxes.withUnsafeBufferPointer { $0[position].object }
  }

  /// The position of a row among the rows with a box. Objects that were made later come after it.
  func position(of pk: Int64) -> Int? { index.position(of: pk) }

  /// Goes through the objects from a position on, and wraps around at the end, until `body` returns `false`.
  ///
  /// - Parameter most: The largest number of positions to look at.
  func visit(from position: Int, backward: Bool, most: Int, _ body: (any ManagedEntity) -> Bool) {
    let count = boxes.count
    for step in 0..<min(most, count) {
      // `body` makes no objects of this entity. But the end of an object may run the user's code, which can make some.
      let place = (backward ? position - step + count : position + step) % count
      guard boxes.indices.contains(place), let object = object(at: place) else { continue }
      guard body(object) else { return }
    }
  }

  /// How many rows have an object, or had one not long ago.
  var count: Int { boxes.count + young.count }

  /// The row ids of these objects.
  var rows: [Int64] { index.pks + young.map(\.key) }

  var live: [any ManagedEntity] { boxes.compactMap(\.object) + young.values }

  func insert(_ object: any ManagedEntity, _ pk: Int64) {
    guard holdsYoung else { return box(object, pk) }
    if youngCount >= Self.mostYoung { boxYoung() }
    youngCount += 1
    young[pk] = object
  }

  /// Lets go of the young objects. An object that somebody else holds can still be found while it lives.
  func boxYoung() {
    guard youngCount > 0 else { return }
    youngCount = 0
    // Emptied first: the end of an object may run the user's code, which may look up another object.
    var old = young
    young = RowTable()
    for position in old.positions {
      guard var object = old.removeValue(at: position) else { continue }
      if !isHeldHereOnly(&object) { box(object, old.row(at: position)) }
    }
    old.removeAll()
    // The memory of the old table is reused.
    if young.isEmpty { young = old }
  }

  private func isHeldHereOnly<E: ManagedEntity>(_ object: inout E) -> Bool { isKnownUniquelyReferenced(&object) }

  /// Lets go of the young objects for good, as the unit is over. From then on the map holds objects weakly: those that
  /// outlive the unit, and those found through their links.
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

  /// Constant cost per insertion: all boxes are looked at only when their number has doubled, and only when a sample
  /// shows enough empty ones.
  private func makeRoom() {
    let isWorthwhile = stride(from: 0, to: boxes.count, by: max(1, boxes.count / 64)).contains {
      object(at: $0) == nil
    }
    if isWorthwhile {
      hand = 0
      let left = boxes.indices.filter { object(at: $0) != nil }
      index.replace(with: left.map { index.pks[$0] })
      boxes = left.map { boxes[$0] }
    }
    limit = max(1024, boxes.count * 2)
  }

  // MARK: Rounds

  /// The smallest number of boxes for which a round is worth while.
  private static let fewest = 128
  private static let sampled = 32

  /// Whether a round runs.
  var isInRound: Bool { hand > 0 }

  /// Begins a round if, in a sample, at least one box in eight is empty. Then each box that is removed pays for the few
  /// that have to be looked at.
  func beginRound() {
    guard !isInRound, boxes.count >= Self.fewest else { return }
    samples &+= 1
    let step = boxes.count / Self.sampled
    let gone = stride(from: samples * 7 % step, to: boxes.count, by: step).reduce(0) {
      $0 + (object(at: $1) == nil ? 1 : 0)
    }
    if gone >= Self.sampled / 8 { hand = boxes.count }
  }

  /// Continues the round.
  ///
  /// - Parameter most: The largest number of boxes to look at.
  /// - Returns: How many boxes were looked at.
  func goOn(_ most: Int) -> Int {
    var seen = 0
    hand = min(hand, boxes.count)
    while hand > 0, seen < most {
      hand -= 1
      seen += 1
      guard object(at: hand) == nil else { continue }
      index.remove(at: hand)
      boxes.swapAt(hand, boxes.count - 1)
      boxes.removeLast()
    }
    if hand == 0, index.isRoomy { shrink() }
    return seen
  }

  /// Gives memory back. The cost depends on the boxes that remain, which are a small part of the earlier ones.
  private func shrink() {
    var left: [Box] = []
    left.reserveCapacity(boxes.count)
    let pks = Array(index.pks.reversed())
    // One by one, because it is cheaper to move a weak reference than to copy it.
    while let box = boxes.popLast() { left.append(box) }
    boxes = left
    index.replace(with: pks)
    limit = max(1024, boxes.count * 2)
  }
}
