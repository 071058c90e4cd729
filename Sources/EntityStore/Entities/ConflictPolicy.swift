public import Foundation

/// Decides what a save does with a property that was edited in its context, and that others have changed since.
///
/// ```swift
/// store.main.conflictPolicy = .fail                                   // for all saves of a context
/// try context.save(conflicts: .mine)                                  // for one save
/// extension User {
///   nonisolated static var conflictPolicy: ConflictPolicy? {          // for an entity
///     .byColumn(
///       .merge(\User.Columns.visits) { base, mine, theirs in theirs + (mine - base) },
///       .column(\User.Columns.theme, .mine))
///   }
/// }
/// ```
/// The policy of the save counts most, then the entity's policy, then the context's, which is ``standard`` by default.
///
/// Lists have no conflicts. A many-to-many relationship is merged pair by pair. Any other list follows from the to-one
/// property on its other side.
public struct ConflictPolicy: Sendable {
  indirect enum Rule: Sendable {
    case standard, mine, theirs, fail
    case custom(@Sendable (Conflict) throws -> Conflict.Resolution)
    case newest(entity: String, attribute: Int)
    case byColumn([ColumnPolicy], others: ConflictPolicy)
  }

  let rule: Rule

  /// No edit is lost. The edit is saved over a value of the server, just as an edit stays that was saved before the
  /// response came. Where the other value is a local edit as well, the save throws as with ``fail``.
  public static let standard = ConflictPolicy(rule: .standard)
  /// The edit is saved over the other value.
  public static let mine = ConflictPolicy(rule: .mine)
  /// The other value stays. The edit is dropped, and the object reads the other value. An object that others deleted
  /// stays deleted, and its edits are dropped.
  public static let theirs = ConflictPolicy(rule: .theirs)
  /// The save throws ``StoreError`` of kind `conflict` with all conflicts of the save. Nothing is saved then, and the
  /// edits are still there.
  public static let fail = ConflictPolicy(rule: .fail)

  /// A function decides about each conflict.
  ///
  /// ```swift
  /// .custom { conflict in conflict.isLocalEdit ? .fail : .theirs }
  /// ```
  /// It is called within the transaction of the save, and all other writers wait for it. So it must be quick. It must
  /// neither use this store nor wait for anything. It runs on the writer's thread, or on the caller's where `save()`
  /// waits. It may be called for a save that fails in the end, and twice for one conflict in a save of many objects.
  /// The save throws the error that it throws. It is also called where both sides have set the same value, because that
  /// may be two increments by one.
  public static func custom(
    _ resolve: @escaping @Sendable (Conflict) throws -> Conflict.Resolution
  ) -> ConflictPolicy { ConflictPolicy(rule: .custom(resolve)) }

  /// The later edit wins, by the time of the object's last change that the server keeps in an attribute. For the responses
  /// that meet saved edits, where the entity has an outbox that merges.
  ///
  /// ```swift
  /// .byColumn(.column(\Order.Columns.note, .newest(by: \Order.Columns.updatedAt)))
  /// ```
  /// The time of an edit is that of its save. The `Date` header of the last response corrects it: it tells how far the
  /// clock of the server is ahead of the one here. At equal times, the server's value wins. Where one of the times is not
  /// known, the edit stays. An `update(with:)` assigns the attribute before the properties that it decides about.
  ///
  /// The attribute tells when the object was last changed, in whatever property. Where that is a later change of another
  /// property, the server's value wins too. In a save, the edit is the later one.
  ///
  /// - Parameter attribute: The server's time of the object's last change.
  public static func newest<E: ManagedEntity>(by attribute: KeyPath<E.Columns, Column<E, Date?>>) -> ConflictPolicy {
    ConflictPolicy(rule: .newest(entity: E.entityName, attribute: E.columns[keyPath: attribute].index))
  }

  /// The later edit wins, as with an optional attribute; here each object has a value of it.
  ///
  /// - Parameter attribute: The server's time of the object's last change.
  public static func newest<E: ManagedEntity>(by attribute: KeyPath<E.Columns, Column<E, Date>>) -> ConflictPolicy {
    ConflictPolicy(rule: .newest(entity: E.entityName, attribute: E.columns[keyPath: attribute].index))
  }

  /// Each property has a policy of its own.
  ///
  /// - Parameters:
  ///   - columns: The policies of single properties; the last one of a property counts.
  ///   - others: The policy of all other properties, and of other entities.
  public static func byColumn(_ columns: ColumnPolicy..., others: ConflictPolicy = .standard) -> ConflictPolicy {
    ConflictPolicy(rule: .byColumn(columns, others: others))
  }

  /// The policy of one property, for ``byColumn(_:others:)``.
  public struct ColumnPolicy: Sendable {
    fileprivate let entity: String
    fileprivate let index: Int
    fileprivate let policy: ConflictPolicy

    /// `.column(\User.Columns.theme, .mine)`
    public static func column<E: ManagedEntity, V>(
      _ column: KeyPath<E.Columns, Column<E, V>>, _ policy: ConflictPolicy
    ) -> ColumnPolicy {
      ColumnPolicy(entity: E.entityName, index: E.columns[keyPath: column].index, policy: policy)
    }

    /// A function makes one value of three, with the rules of ``ConflictPolicy/custom(_:)``.
    ///
    /// ```swift
    /// .merge(\User.Columns.visits) { base, mine, theirs in theirs + (mine - base) }   // no increment is lost
    /// ```
    /// The save throws where one of the three is a raw value that the type does not know.
    public static func merge<E: ManagedEntity, V: AttributeValue>(
      _ column: KeyPath<E.Columns, Column<E, V>>,
      _ merge: @escaping @Sendable (_ base: V, _ mine: V, _ theirs: V) throws -> V
    ) -> ColumnPolicy {
      .column(
        column,
        .custom { conflict in
          guard let base = conflict.base.value(V.self), let mine = conflict.mine.value(V.self),
            let theirs = conflict.theirs.value(V.self)
          else { return .fail }
          return .value(.attribute(try V._stored(merge(base, mine, theirs))))
        })
    }
  }

  /// The policy of one property.
  func policy(of model: EntityModel, _ index: Int) -> ConflictPolicy {
    guard case .byColumn(let columns, let others) = rule else { return self }
    let own = columns.last { $0.entity == model.name && $0.index == index }
    return (own?.policy ?? others).policy(of: model, index)
  }

  /// The attribute with the time of an object's last change, for a policy that compares times.
  func newest(of model: EntityModel) -> Int? {
    if case .newest(model.name, let attribute) = rule { attribute } else { nil }
  }

  /// Whether the policy of any property compares times.
  package var comparesTimes: Bool {
    switch rule {
    case .standard, .mine, .theirs, .fail, .custom: false
    case .newest: true
    case .byColumn(let columns, let others): others.comparesTimes || columns.contains { $0.policy.comparesTimes }
    }
  }

  /// Whether a function decides.
  var isFunction: Bool { if case .custom = rule { true } else { false } }

  /// The end of a conflict about the property of this policy.
  ///
  /// - Throws: The error of a custom policy.
  func resolve(_ conflict: Conflict) throws -> Conflict.Resolution {
    switch rule {
    case .standard, .byColumn: conflict.isLocalEdit ? .fail : .mine
    // An edit is as old as its save.
    case .mine, .newest: .mine
    case .theirs: .theirs
    case .fail: .fail
    case .custom(let resolve): try resolve(conflict)
    }
  }

  /// Whether the edits of an object that others deleted are dropped, because each of them gives way.
  func yieldsToDeletion(of model: EntityModel, _ columns: ColumnMask) -> Bool {
    switch rule {
    case .theirs: true
    case .standard, .mine, .fail, .custom, .newest: false
    case .byColumn:
      !columns.isEmpty
        && columns.indices.allSatisfy { policy(of: model, $0).yieldsToDeletion(of: model, ColumnMask()) }
    }
  }
}

/// The policies of one save of the main context. A unit of work has none: nobody else changes a row while it runs.
struct ConflictPolicies: Sendable {
  /// The policy of the save itself.
  var save: ConflictPolicy?
  var context = ConflictPolicy.standard

  func policy(for model: EntityModel) -> ConflictPolicy { save ?? model.type.conflictPolicy ?? context }
}
