/// The contexts over another one, held weakly: who edits in one holds it.
struct ChildContexts {
  private struct Box {
    weak var context: EntityContext?
  }

  private var boxes: [Box] = []

  var isEmpty: Bool { boxes.isEmpty }

  var live: [EntityContext] { boxes.compactMap(\.context) }

  mutating func add(_ context: EntityContext) {
    boxes.removeAll { $0.context == nil }
    boxes.append(Box(context: context))
  }
}

/// The temporary tables of child contexts: all of one tree of contexts use one connection. A child that ends leaves its
/// number to the next one, with the tables of that number.
struct OverlayNumbers {
  private var free: [Int] = []
  private var count = 0

  /// - Returns: The number, and whether there may be tables of it.
  mutating func take() -> (number: Int, isUsed: Bool) {
    if let number = free.popLast() { return (number, true) }
    count += 1
    return (count, false)
  }

  mutating func give(back number: Int) { free.append(number) }
}
