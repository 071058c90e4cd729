public import EntityStore

/// A message that was taken in, and what it did.
public struct ReceivedMessage: Sendable {
  /// The effect of a message.
  public enum Outcome: Sendable {
    /// The objects of the payload are in the store, but for those that newer responses or edits keep.
    case upserted
    /// The objects that the payload names are deleted, but for those with unsent edits.
    case deleted
    /// A request has read the changes at which the message hinted.
    case refreshed
    /// No rule is for the message, or its rule does nothing.
    case ignored
    /// The payload can't be read, or the closure that chooses a rule's action threw: nothing was written. Or a request of a
    /// refresh failed and would fail again; the requests before it may have written.
    case refused(RequestError)
  }

  public let message: PushedMessage
  public let outcome: Outcome
  let objects: (any RoutedObjects)?

  /// The error of a message that was refused.
  public var error: RequestError? { if case .refused(let error) = outcome { error } else { nil } }

  /// The objects of the message, of one entity; empty where it had none.
  public func ids<E: ManagedEntity>(of type: E.Type = E.self) -> [EntityID<E>] { objects?.allIDs(of: type) ?? [] }

  /// How many objects of an entity the message changed.
  public func counts<E: ManagedEntity>(of type: E.Type = E.self) -> EntityCounts {
    objects?.allCounts(of: type) ?? EntityCounts()
  }

  /// The columns and rows that newer responses, edits or newer versions kept.
  public var skipped: SkippedChanges { objects?.skipped ?? SkippedChanges() }
}

extension ReceivedMessage: KeptResponse {
  var store: EntityStore? { objects?.store }
}

extension ReceivedMessage: CustomStringConvertible, CustomReflectable {
  /// The kind of the message and its outcome, with nothing of the payload.
  public var description: String {
    let outcome =
      switch outcome {
      case .upserted: "upserted"
      case .deleted: "deleted"
      case .refreshed: "refreshed"
      case .ignored: "ignored"
      case .refused(let error): "refused: \(error)"
      }
    return "\(message): \(outcome)"
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
