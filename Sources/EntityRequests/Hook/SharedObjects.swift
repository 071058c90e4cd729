/// Objects that equal requests of one client share for as long as somebody holds them.
@MainActor final class SharedObjects {
  private struct Box {
    weak var object: AnyObject?
  }

  private var boxes: [InFlightRequests.Key: Box] = [:]
  /// At this number of boxes, the boxes of released objects are removed.
  private var limit = 16

  nonisolated init() {}

  /// The object of a key, or a new one.
  func object<Object: AnyObject>(for key: InFlightRequests.Key, _ make: () -> Object) -> Object {
    if let object = boxes[key]?.object as? Object { return object }
    if boxes.count >= limit {
      boxes = boxes.filter { $0.value.object != nil }
      limit = max(16, boxes.count * 2)
    }
    let object = make()
    boxes[key] = Box(object: object)
    return object
  }
}
