public import EntityStore

/// Which objects that are made here stand in a ``StoredCollection`` before the server has them.
///
/// ```swift
/// static let feed = StoredCollection<Post>(get: "feed", pages: .cursor("next"), placing: .first { $0.isMine == true })
/// ```
///
/// An object comes into the list with the save that makes it. It stays at its end of the list until an answer has it, and then
/// stands where the server has it. A refresh that was sent after the server got the object, and that does not have it, takes it
/// out. The rule holds from when the collection is first used in a process.
public struct CollectionPlacing<E: RemoteEntity>: Sendable {
  let isFirst: Bool
  let query: EntityQuery<E>

  /// New objects that meet a condition stand before all others, the newest first.
  public static func first<C: QueryCondition>(_ condition: (QueryRow<E>) -> C) -> Self {
    Self(isFirst: true, query: E.where(condition))
  }

  /// New objects that meet a condition stand behind all others, the newest last.
  public static func last<C: QueryCondition>(_ condition: (QueryRow<E>) -> C) -> Self {
    Self(isFirst: false, query: E.where(condition))
  }
}
