public import EntityRequests
import EntityStore

/// What a person says of a request with an unknown end; see ``Outbox/confirm(_:_:)``.
public enum OutboxConfirmation: Sendable {
  /// The server has the change. A create names the uid that the server gave the object; `nil` for an object that has its
  /// uid already.
  case happened(uid: (any ResourceUID)?)
  /// The server does not have the change: it is sent again.
  case didNotHappen

  /// The server has the change of an object that has its uid already.
  public static var happened: OutboxConfirmation { .happened(uid: nil) }
}

extension Outbox {
  /// Sends a refused change again, as it is now. An edit of the object does so by itself.
  ///
  /// - Parameter item: The entry. One that is settled already changes nothing.
  /// - Throws: `StoreError`.
  public func retry(_ item: OutboxItem) async throws {
    try await engine.act(on: item, in: [.refused, .conflict]) { entry, rows in
      if entry.kind == .command {
        var entry = entry
        (entry.state, entry.next, entry.idempotencyKey) = (.waiting, nil, nil)
        try rows.outbox.update(entry)
      } else {
        // What follows from the marks is sent, with a key of its own.
        try rows.outbox.remove(numbers: [entry.number])
      }
    }
  }

  /// Gives a change up. Edited properties get the server's last values, and a new object is deleted here, as
  /// ``EntityStore/StorePending/discard(_:)`` does. An object that the server does not have any more is deleted here. An object that was
  /// deleted here comes back with the next response that has it.
  ///
  /// - Parameter item: The entry. One that is settled already changes nothing.
  /// - Throws: `StoreError`, also `deleteDenied` for an object that a delete rule holds.
  public func drop(_ item: OutboxItem) async throws {
    try await engine.act(on: item) { entry, rows in
      try rows.outbox.remove(numbers: [entry.number])
      guard entry.kind != .command else { return }
      if entry.state == .gone {
        try rows.deletion.delete([entry.key])
      } else {
        try rows.outbox.discardChanges(of: entry.key)
      }
    }
  }

  /// Says what became of a request whose answer was lost.
  ///
  /// - Parameters:
  ///   - item: An entry in the state ``OutboxItem/State/unknown``.
  ///   - confirmation: What became of it.
  /// - Throws: `StoreError`; ``RequestError`` of kind `missingUID` for a create without a uid, and of kind
  ///   `invalidRequest` for a uid of another form.
  public func confirm(_ item: OutboxItem, _ confirmation: OutboxConfirmation) async throws {
    switch confirmation {
    case .didNotHappen:
      try await engine.act(on: item, in: [.sending]) { entry, rows in
        var entry = entry
        (entry.state, entry.next) = (.waiting, nil)
        try rows.outbox.update(entry)
      }
    case .happened(let uid): try await engine.confirm(item, uid)
    }
  }

  /// Makes an object that the server does not have any more an object that was made here: it is created again, with all
  /// its values.
  ///
  /// - Parameter item: An entry in the state ``OutboxItem/State/gone``.
  /// - Throws: `StoreError`.
  public func restore(_ item: OutboxItem) async throws {
    try await engine.act(on: item, in: [.gone]) { entry, rows in
      try rows.outbox.remove(numbers: [entry.number])
      try rows.outbox.makeNew(entry.key)
    }
  }
}
