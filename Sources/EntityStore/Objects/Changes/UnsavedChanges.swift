/// The objects whose changes a save of a context would write. Use them to find the object that makes a save fail, or to
/// show the unsaved changes.
///
/// ```swift
/// for user in context.changes.changed(User.self) { print(context.changes.properties(of: user)) }   // ["email"]
/// ```
/// Each list is ordered by entity, and then by row id. It leaves out the changes that a save under way has taken, and
/// those that a query of `background` has sent to the unit's transaction. Isolation: the context's.
public struct UnsavedChanges {
  /// New objects.
  public private(set) var inserted: [any ManagedEntity] = []
  /// Objects with changed properties. This includes placeholders that became objects. It also includes changed objects
  /// that others deleted, with which a save fails.
  public private(set) var changed: [any ManagedEntity] = []
  /// Objects whose deletion is not saved. This includes objects that were changed after their deletion here, with which
  /// a save fails. It does not include objects that the delete rules will delete: the save finds those.
  public private(set) var deleted: [any ManagedEntity] = []
  private var masks: [ObjectIdentifier: ColumnMask] = [:]

  fileprivate init() {}

  public var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  /// The new objects of one entity.
  public func inserted<E: ManagedEntity>(_ type: E.Type) -> [E] { inserted.compactMap { $0 as? E } }

  /// The changed objects of one entity.
  public func changed<E: ManagedEntity>(_ type: E.Type) -> [E] { changed.compactMap { $0 as? E } }

  /// The deleted objects of one entity.
  public func deleted<E: ManagedEntity>(_ type: E.Type) -> [E] { deleted.compactMap { $0 as? E } }

  /// The names of the properties of an object that were set since its last save, in the order of declaration. A save of
  /// a new object also writes the other properties, with their defaults. A to-many relationship is included unless its
  /// inverse is a to-one relationship.
  public func properties(of object: any ManagedEntity) -> [String] {
    let properties = object._$state.model.properties
    return masks[ObjectIdentifier(object)].map { $0.indices.map { properties[$0].name } } ?? []
  }

  /// - Parameter isFilled: Whether the object is a placeholder that became an object, and no save under way has taken
  ///   that.
  fileprivate mutating func add(_ object: any ManagedEntity, isFilled: Bool) {
    let state = object._$state
    // A position in a list is a change of the list's owner, and a composite uid changes with its parts.
    let dirty = state.dirty.subtracting(state.model.hidden)
    masks[ObjectIdentifier(object)] = dirty
    if state.life == .new {
      inserted.append(object)
    } else if !dirty.isEmpty && !state.isDeleting || isFilled {
      changed.append(object)
    } else if state.isDeleting {
      deleted.append(object)
    }
  }
}

extension UnsavedChanges: CustomStringConvertible, CustomReflectable {
  /// Up to ten of the objects, as `print` shows them, with the names of the changed properties:
  /// `changed title of Ticket(id: 7, …)`.
  public var description: String {
    let most = 10
    var texts = inserted.prefix(most).map { "inserted \($0)" }
    texts += changed.prefix(most - texts.count).map {
      "changed \(properties(of: $0).joined(separator: ", ")) of \($0)"
    }
    // The text of an object itself says that it is deleted.
    texts += deleted.prefix(most - texts.count).map { "\($0)" }
    let others = inserted.count + changed.count + deleted.count - texts.count
    if others > 0 { texts.append("and \(others) more") }
    return texts.isEmpty ? "no changes" : texts.joined(separator: "; ")
  }

  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension EntityContext {
  /// The unsaved changes of the context.
  public var changes: UnsavedChanges {
    var changes = UnsavedChanges()
    for model in core.schema.declared {
      for (_, object) in unsaved.changed[model.number].all.sorted(by: { $0.key < $1.key })
      where !saving.isDeletedByASave(object) {
        let isFilled = object._$state.flags.contains(.filled) && !saves.inFlight.contains { $0.fills(object) }
        changes.add(object, isFilled: isFilled)
      }
    }
    return changes
  }

  /// The object that an error names; `nil` when its row is gone, and for an entity that the store does not have. An
  /// object with unsaved changes is found too, even if it has an unsaved deletion.
  ///
  /// - Throws: ``StoreError``.
  public func object(_ id: AnyEntityID) throws -> (any ManagedEntity)? {
    guard let model = core.schema.declared.first(where: { $0.name == id.entityName }) else { return nil }
    if let object = unsaved.changed[model.number][id.pk] { return object }
    return try edits.saved(model.type, id.pk)
  }
}

extension ContextEditing {
  fileprivate func saved<E: ManagedEntity>(_ type: E.Type, _ pk: Int64) throws -> E? {
    try context.object(EntityID<E>(pk: pk))
  }
}
