public import EntityRequests
public import EntityStore
public import Foundation

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

  /// Attaches a file to an object: copies it beside the store, and uploads the copy when the object's changes of this
  /// moment are sent. The server need not be reached now, and the object may be a new one.
  ///
  /// ```swift
  /// try await outbox.attach(photo, as: "photo", to: order.entityID, contentType: "image/jpeg")
  /// ```
  /// The copy is removed when the server has it, or the upload is dropped. The store and its copies need as much room as
  /// the files have, unless the file system shares blocks. The copies of a store in memory go with its outbox.
  ///
  /// - Parameters:
  ///   - file: A regular file. It may change or go when the call has returned.
  ///   - name: The name of the attachment among the rules of the entity.
  ///   - id: The object.
  ///   - filename: The name that the server is told; `nil` for the file's own.
  ///   - contentType: The media type of the file (RFC 9110 §8.3.1).
  /// - Throws: `RequestError` of kind `invalidRequest` for a name that the entity does not declare, for an object that is
  ///   not in the store, and for a file that can't be read or copied; `StoreError`; `CancellationError`.
  public func attach<E: OutboxEntity>(
    _ file: URL, as name: String, to id: EntityID<E>, filename: String? = nil,
    contentType: String = "application/octet-stream"
  ) async throws {
    do {
      atCaller(
        try await engine.attach(
          file, as: name, to: id, filename: filename ?? file.lastPathComponent, contentType: contentType))
    } catch {
      throw atCaller(error)
    }
  }

  /// Gives an upload up, also one that waits or is under way. The server may keep what it has of the file.
  ///
  /// - Parameter upload: The upload. One that has ended changes nothing.
  /// - Throws: `StoreError`; `CancellationError`.
  public func drop(_ upload: OutboxUpload) async throws {
    do { atCaller(try await engine.drop(upload)) } catch { throw atCaller(error) }
  }

  /// Sends a refused change again, as it is now. An edit of the object does so by itself. A create or a command whose first
  /// request may have arrived goes again with its key and its bytes.
  ///
  /// - Parameter item: An entry in the state ``OutboxItem/State/refused`` or ``OutboxItem/State/conflict``. One of another
  ///   state stays as it is, and one that is settled already changes nothing.
  /// - Throws: `StoreError`; `CancellationError`.
  public func retry(_ item: OutboxItem) async throws {
    do { atCaller(try await engine.retry(item)) } catch { throw atCaller(error) }
  }

  /// Gives a change up. Edited properties get the server's last values, and a new object is deleted here, as
  /// `store.pending.discard` does: objects of the server that were moved to it go back. An object that the server does not
  /// have any more is deleted here. An object that was deleted here comes back with the next response that has it.
  ///
  /// - Parameter item: The entry. One that is settled already changes nothing.
  /// - Throws: `StoreError`, also `deleteDenied` for an object that a delete rule holds; `CancellationError`.
  public func drop(_ item: OutboxItem) async throws {
    do { atCaller(try await engine.drop(item)) } catch { throw atCaller(error) }
  }

  /// Says whether the server has a change whose answer was lost.
  ///
  /// - Parameters:
  ///   - item: An entry in the state ``OutboxItem/State/unknown``, or the refused one of a create or a command that is tried
  ///     again with its key. One of another state stays as it is.
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
  /// - Parameter item: An entry in the state ``OutboxItem/State/gone``. One of another state stays as it is.
  /// - Throws: `StoreError`; `CancellationError`.
  public func restore(_ item: OutboxItem) async throws {
    do { atCaller(try await engine.restore(item)) } catch { throw atCaller(error) }
  }
}
