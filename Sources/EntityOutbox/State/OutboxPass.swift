/// The result of one pass over the pending changes; see ``Outbox/send()``.
public struct OutboxPass: Sendable, Equatable {
  /// The number of changes whose responses were taken in.
  public internal(set) var sent = 0
  /// The number of changes that the server refused, or that no request could be made for.
  public internal(set) var refused = 0
  /// The number of changes and entries that are left, whatever they wait for.
  public internal(set) var left = 0
  /// Why the outbox pauses; `nil` where it does not.
  public internal(set) var pause: OutboxPause?
}

/// Why an outbox that sends pauses.
public enum OutboxPause: Sendable, Hashable {
  /// The server can't be reached. The next try is at a time in seconds since 1970. Any answer to a request of the app ends
  /// the pause, and so do ``Outbox/start()`` and ``Outbox/send()``.
  case offline(until: Double)
  /// The server asks for patience, until a time in seconds since 1970.
  case busy(until: Double)
  /// The server refused the credentials: sign in again, and call ``Outbox/start()``.
  case unauthorized
  /// The file's changes belong to another account. Sign in as that account, or call ``Outbox/adopt()``.
  case otherAccount
  /// The file is a copy of another one, which may send the same changes. See ``Outbox/adopt()``.
  case copied
  /// Another process, or another outbox of this process, sends the changes of the file.
  case otherSender
  /// The store could not be read or written.
  case store(String)
}
