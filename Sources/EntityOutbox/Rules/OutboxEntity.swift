public import EntityRequests

/// An entity whose local changes an ``Outbox`` sends. One line turns it on:
///
/// ```swift
/// extension Customer: OutboxEntity {}          // POST, PATCH and DELETE at the URLs of the entity
/// ```
///
/// Objects are made, edited, deleted and saved as ever. The outbox sends what a save has left pending, and nothing else:
/// its queue follows from the edits that the store marks.
public protocol OutboxEntity: RemoteEntity {
  /// How the changes of the entity's objects are sent; `.rest` by default. See ``OutboxRules``.
  static var outbox: OutboxRules<Self> { get }
}

extension OutboxEntity {
  public static var outbox: OutboxRules<Self> { .rest }
}
