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

  /// How many young objects are held at most.
  private static let mostYoung = 1024

  /// - Parameter holdsYoung: Whether objects are held strongly until ``boxYoung()`` or ``endYouth()``.
  init(holdsYoung: Bool) { self.holdsYoung = holdsYoung }

  subscript(pk: Int64) -> (any ManagedEntity)? {
    if youngCount > 0, let object = young[pk] { return object }
    return index.position(of: pk).flatMap { boxes[$0].object }
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
      let left = boxes.indices.filter { boxes[$0].object != nil }
      index.replace(with: left.map { index.pks[$0] })
      boxes = left.map { boxes[$0] }
    }
    limit = max(1024, boxes.count * 2)
  }
}
