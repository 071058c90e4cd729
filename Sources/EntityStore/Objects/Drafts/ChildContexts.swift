import Synchronization

/// The children of a context, held weakly: whoever edits in a child holds it.
struct ChildContexts {
  private struct Box {
    weak var context: EntityContext?
  }

  private var boxes: [Box] = []

  /// Whether there were no children at the last call of ``live``.
  var isEmpty: Bool { boxes.isEmpty }

  /// The living children. The others are forgotten here, because a child may end on any thread and can't tell its
  /// parent.
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

/// The numbers of the temporary tables of child contexts: all contexts of one tree use one connection. A child that
/// ends leaves its number, and the tables of that number, to the next child. It may end on any thread.
final class OverlayNumbers: Sendable {
  private let state = Mutex((free: [Int](), count: 0))

  /// - Returns: The number, and whether its tables may exist already.
  func take() -> (number: Int, isUsed: Bool) {
    state.withLock { state in
      if let number = state.free.popLast() { return (number, true) }
      state.count += 1
      return (state.count, false)
    }
  }

  func give(back number: Int) { state.withLock { $0.free.append(number) } }
}
