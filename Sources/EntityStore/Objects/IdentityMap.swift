/// The live objects of one entity, held weakly.
struct IdentityMap {
  private struct Box {
    weak var object: (any ManagedEntity)?
  }

  private var boxes: [Int64: Box] = [:]
  private var limit = 1024

  subscript(pk: Int64) -> (any ManagedEntity)? { boxes[pk]?.object }

  var isEmpty: Bool { boxes.isEmpty }

  /// How many rows have an object, or had one not long ago.
  var count: Int { boxes.count }

  /// Those rows.
  var rows: [Int64] { Array(boxes.keys) }

  mutating func insert(_ object: any ManagedEntity, _ pk: Int64) {
    boxes[pk] = Box(object: object)
    // Boxes of objects that are gone are cleared away when the map has doubled: constant cost per insertion.
    guard boxes.count > limit else { return }
    boxes = boxes.filter { $0.value.object != nil }
    limit = max(1024, boxes.count * 2)
  }

  var live: [any ManagedEntity] { boxes.values.compactMap(\.object) }
}
