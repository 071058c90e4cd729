/// The live objects of one entity by row id, held weakly.
///
/// A table with open addressing over a list of boxes: a fetch looks up and adds an object for each row, and row ids are
/// spread by one multiplication.
final class IdentityMap {
  private struct Box {
    let pk: Int64
    weak var object: (any ManagedEntity)?
  }

  /// The boxes, in the order in which their rows were first seen.
  private var boxes: [Box] = []
  /// For each place the position of a box and one more; 0 where there is none. The count is a power of two.
  private var places: [Int32] = Array(repeating: 0, count: 64)
  /// The number of boxes at which those of objects that are gone are looked for.
  private var limit = 1024

  subscript(pk: Int64) -> (any ManagedEntity)? {
    let position = places[place(of: pk)]
    return position == 0 ? nil : boxes[Int(position) - 1].object
  }

  /// How many rows have an object, or had one not long ago.
  var count: Int { boxes.count }

  /// Those rows.
  var rows: [Int64] { boxes.map(\.pk) }

  var live: [any ManagedEntity] { boxes.compactMap(\.object) }

  func insert(_ object: any ManagedEntity, _ pk: Int64) {
    let place = place(of: pk)
    let position = Int(places[place])
    if position > 0 { return boxes[position - 1].object = object }
    boxes.append(Box(pk: pk, object: object))
    places[place] = Int32(truncatingIfNeeded: boxes.count)
    guard boxes.count > limit || boxes.count > places.count / 2 else { return }
    makeRoom()
  }

  /// The place of a row's box, or the one where it would be. The table is never full.
  private func place(of pk: Int64) -> Int {
    let mask = places.count - 1
    var place = home(of: pk)
    while places[place] != 0, boxes[Int(places[place]) - 1].pk != pk { place = (place + 1) & mask }
    return place
  }

  private func home(of pk: Int64) -> Int {
    Int(truncatingIfNeeded: (UInt64(bitPattern: pk) &* 0x9E37_79B9_7F4A_7C15) >> 32) & (places.count - 1)
  }

  private func makeRoom() {
    if boxes.count > limit {
      // Constant cost per insertion: the boxes are gone through when the list has doubled, and only where a sample says
      // that it is worth while.
      let isWorthwhile = stride(from: 0, to: boxes.count, by: max(1, boxes.count / 64)).contains {
        boxes[$0].object == nil
      }
      if isWorthwhile { boxes.removeAll { $0.object == nil } }
      limit = max(1024, boxes.count * 2)
    }
    var size = places.count
    while boxes.count > size / 4 { size *= 2 }
    places = Array(repeating: 0, count: size)
    for position in boxes.indices {
      // Each row has one box: the first free place is its place.
      var place = home(of: boxes[position].pk)
      while places[place] != 0 { place = (place + 1) & (size - 1) }
      places[place] = Int32(truncatingIfNeeded: position + 1)
    }
  }
}
