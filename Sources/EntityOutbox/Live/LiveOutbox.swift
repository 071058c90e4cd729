import EntityRequests
import EntityStore
public import Observation

/// The state of an outbox for a screen: the changes that wait, the refused ones, and the pause. All of it is observable.
///
/// ```swift
/// let live = LiveOutbox(outbox)
/// Text("\(live.count) not sent, \(live.refused.count) of them refused")
/// ```
@MainActor
public final class LiveOutbox: Observable {
  private let outbox: Outbox
  private var snapshot: OutboxSnapshot { outbox.status.board.snapshot }

  /// The state of an outbox.
  ///
  /// - Parameter outbox: The outbox, which is held as long as this object.
  public init(_ outbox: Outbox) { self.outbox = outbox }

  /// The number of changes that the server does not have, whatever they wait for. Those that wait for a person count, too.
  public var count: Int { snapshot.count }
  /// The number of requests under way.
  public var sending: Int { snapshot.sending }
  /// The refused changes, the oldest first.
  public var refused: [OutboxItem] { items(.refused) }
  /// The changes whose answer was lost. Nothing tells whether the server has them.
  public var unknown: [OutboxItem] { items(.unknown) }
  /// The changes for which a person decides between the value here and the server's.
  public var conflicts: [OutboxItem] { items(.conflict) }
  /// The changes of objects that the server does not have any more.
  public var keptAside: [OutboxItem] { items(.gone) }
  /// The files that are uploaded, wait for that, or were refused, the oldest first. Their progress is observable.
  public var uploads: [OutboxUpload] { snapshot.uploads }
  /// Why the outbox pauses; `nil` where it does not. An outbox that was not started, or was stopped, sends nothing and has no
  /// pause: its plan says so, by ``OutboxPlan/isSending``.
  public var pause: OutboxPause? { snapshot.pause }

  private func items(_ state: OutboxItem.State) -> [OutboxItem] { snapshot.items.filter { $0.state == state } }
}

extension OutboxEntity {
  /// The state of this object's changes: sent, waiting, refused and so on. Observable.
  ///
  /// ```swift
  /// if case .refused(let item) = order.sendState { label.text = item.reason }
  /// ```
  @MainActor public var sendState: OutboxSendState {
    // The object itself tells at once that something is pending; the outbox looks a moment later.
    let isPending = isMadeHere || !pendingColumns.isEmpty
    guard let core = entityContext?.core, let status = OutboxStatus.of(core) else {
      return isPending ? .waiting : .sent
    }
    let key = RowKey(entity: _$state.model.number, pk: entityID.pk)
    return status.board.snapshot[key] ?? (isPending ? .waiting : .sent)
  }
}
