public import EntityRequests
public import EntityStore

/// A person's word about a request with an unknown end; see ``Outbox/confirm(_:_:)``.
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
  /// Adds a command to the changes of an object: one unit of work, which also shows the command's effect.
  ///
  /// - Parameters:
  ///   - command: The command, of a kind that the entity declares.
  ///   - id: The object.
  /// - Throws: `RequestError` of kind `invalidRequest` for a command that the entity does not declare, and for an object
  ///   that is not in the store; the errors of `apply(to:)`; `StoreError`; `CancellationError`.
  public func enqueue<Command: OutboxCommand>(_ command: Command, on id: EntityID<Command.Entity>) async throws {
    do { atCaller(try await engine.enqueue(command, on: id)) } catch { throw atCaller(error) }
  }

  /// Sends a refused change again, as it is now. An edit of the object does so by itself.
  ///
  /// - Parameter item: The entry. One that is settled already changes nothing.
  /// - Throws: `StoreError`; `CancellationError`.
  public func retry(_ item: OutboxItem) async throws {
    do { atCaller(try await engine.retry(item)) } catch { throw atCaller(error) }
  }

  /// Gives a change up. Edited properties get the server's last values, and a new object is deleted here, as
  /// `store.pending.discard` does. An object that the server does not have any more is deleted here. An object that was
  /// deleted here comes back with the next response that has it.
  ///
  /// - Parameter item: The entry. One that is settled already changes nothing.
  /// - Throws: `StoreError`, also `deleteDenied` for an object that a delete rule holds; `CancellationError`.
  public func drop(_ item: OutboxItem) async throws {
    do { atCaller(try await engine.drop(item)) } catch { throw atCaller(error) }
  }

  /// Says whether the server has a change whose answer was lost.
  ///
  /// - Parameters:
  ///   - item: An entry in the state ``OutboxItem/State/unknown``.
  ///   - confirmation: Whether the server has the change.
  /// - Throws: `StoreError`; `RequestError` of kind `missingUID` for a create without a uid, and of kind
  ///   `invalidRequest` for a uid of another form; `CancellationError`.
  public func confirm(_ item: OutboxItem, _ confirmation: OutboxConfirmation) async throws {
    do { atCaller(try await engine.confirm(item, confirmation)) } catch { throw atCaller(error) }
  }

  /// The conflicts of an entry: the value that each edit was based on, the value here, and the server's.
  ///
  /// - Parameter item: An entry in the state ``OutboxItem/State/conflict``; another one has none.
  /// - Throws: `StoreError`; `CancellationError`.
  public func conflicts(of item: OutboxItem) async throws -> [Conflict] {
    do { return atCaller(try await engine.conflicts(of: item)) } catch { throw atCaller(error) }
  }

  /// Settles a conflict. An edit of the property settles it, too. The change is sent once none of the object is left.
  ///
  /// - Parameters:
  ///   - conflict: The conflict. One that is settled already changes nothing.
  ///   - resolution: Which value counts: `.mine`, `.theirs` or `.value(…)`. `.fail` leaves the conflict.
  /// - Throws: `StoreError`, of kind `invalidValue` for a value that the property can't have; `CancellationError`.
  public func settle(_ conflict: Conflict, _ resolution: Conflict.Resolution) async throws {
    do { atCaller(try await engine.settle(conflict, resolution)) } catch { throw atCaller(error) }
  }

  /// Makes an object that the server does not have any more an object that was made here: it is created again, with all
  /// its values. A number that the server gave as its uid goes.
  ///
  /// - Parameter item: An entry in the state ``OutboxItem/State/gone``.
  /// - Throws: `StoreError`; `CancellationError`.
  public func restore(_ item: OutboxItem) async throws {
    do { atCaller(try await engine.restore(item)) } catch { throw atCaller(error) }
  }
}
