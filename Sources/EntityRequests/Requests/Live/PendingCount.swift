import EntityStore
import Observation

/// How many objects of an entity have changes that the server has not acknowledged.
@MainActor @Observable final class PendingCount<E: RemoteEntity> {
  private(set) var value: Int
  @ObservationIgnored private var following: Task<Void, Never>?

  init(in store: EntityStore) {
    value = (try? store.main.pendingEdits.pendingCount(of: E.self)) ?? 0
    let counts = store.observe { try $0.pendingEdits.pendingCount(of: E.self) }
    following = Task { [weak self] in
      for await count in counts {
        // A count that can't be read now comes with a later commit.
        if let count = try? count.get() { self?.settle(count) }
      }
    }
  }

  deinit { following?.cancel() }

  private func settle(_ count: Int) {
    if count != value { value = count }
  }
}
