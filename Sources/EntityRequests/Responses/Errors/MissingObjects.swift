public import EntityStore

/// The rule for objects that the store has and a response does not.
public enum MissingObjects<E: ManagedEntity>: Sendable {
  /// Keeps the objects: absence says nothing by itself.
  case keep
  /// Deletes the objects that the scope finds and the response lacks: the response has them neither as objects nor by
  /// id, at any depth. Some objects stay: objects without uid, objects with local edits that the server has not
  /// acknowledged, and objects that another object requires or a delete rule holds (``EntityCounts/denied``). The store
  /// does not know edits that are not saved: save first.
  ///
  /// A response without a body (204, 304) deletes nothing. A response that does not say which objects there are is an
  /// error: one object in place of a list, or a part of a body (206). ``RemoteEntity/staysWhenMissing(_:)`` exempts
  /// rows.
  ///
  /// With a limit, a response that would delete more objects is undone as a whole: the error is of kind `upsert`, and
  /// its ``RequestError/underlying`` error is ``TooManyMissing``.
  case deleteMissing(in: EntityQuery<E>, atMost: DeletionLimit? = nil)
}

/// The scope of a ``MissingObjects`` of any entity.
protocol MissingScope: Sendable {
  associatedtype Entity: ManagedEntity

  var query: EntityQuery<Entity> { get }
  var limit: DeletionLimit? { get }
}

extension MissingObjects {
  private struct Scope: MissingScope {
    let query: EntityQuery<E>
    let limit: DeletionLimit?
  }

  /// The scope in which missing objects are deleted; `nil` when they are kept.
  var scope: (any MissingScope)? {
    switch self {
    case .keep: nil
    case .deleteMissing(let query, let limit): Scope(query: query, limit: limit)
    }
  }
}
