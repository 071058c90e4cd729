import Synchronization

/// The contexts over another one, held weakly: who edits in one holds it.
struct ChildContexts {
  private struct Box {
    weak var context: EntityContext?
  }

  private var boxes: [Box] = []

  /// Whether there were none when ``live`` was last asked for.
  var isEmpty: Bool { boxes.isEmpty }

  /// Those that are there. The others are forgotten: a child may end on any thread, and can't tell its parent.
  var live: [EntityContext] {
    mutating get {
      if boxes.isEmpty { return [] }
      let contexts = boxes.compactMap(\.context)
      if contexts.count < boxes.count { boxes = contexts.map { Box(context: $0) } }
      return contexts
    }
  }

  mutating func add(_ context: EntityContext) { boxes.append(Box(context: context)) }
}

/// The numbers of the temporary tables of child contexts: all of one tree of contexts use one connection. A child that ends
/// leaves its number to the next one, with the tables of that number. It may end on any thread.
final class OverlayNumbers: Sendable {
  private let state = Mutex((free: [Int](), count: 0))

  /// - Returns: The number, and whether there may be tables of it.
  func take() -> (number: Int, isUsed: Bool) {
    state.withLock { state in
      if let number = state.free.popLast() { return (number, true) }
      state.count += 1
      return (state.count, false)
    }
  }

  func give(back number: Int) { state.withLock { $0.free.append(number) } }
}
