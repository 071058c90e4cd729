// Changes of to-many relationships that don't read them. An array property is read and set as a whole.

extension ManagedEntity {
  /// Adds an object to a to-many relationship.
  ///
  /// ```swift
  /// try batch.add(item, to: \.items)
  /// ```
  /// The cost does not depend on the number of members, whereas `batch.items.append(item)` reads them all. Both sides
  /// change. An object that is a member already stays one.
  ///
  /// Isolation: that of the object's context.
  ///
  /// - Throws: ``StoreError``: `wrongContext` for an object of another context, `readOnly` in `read`, `objectDeleted`
  ///   for the object that stands for the missing target of a required relationship.
  public func add<T: ManagedEntity>(_ object: T, to list: KeyPath<Self, [T]>) throws {
    try edit(list, CollectionOfOne(object), isIn: true)
  }

  /// Adds several objects to a to-many relationship. If one fails, those before it are added.
  public func add<T: ManagedEntity>(_ objects: some Sequence<T>, to list: KeyPath<Self, [T]>) throws {
    try edit(list, objects, isIn: true)
  }

  /// Takes an object out of a to-many relationship, without reading the relationship.
  ///
  /// ```swift
  /// try batch.remove(item, from: \.items)
  /// ```
  /// Both sides change. An object that is no member is left as it is. The object is not deleted.
  ///
  /// Isolation: that of the object's context.
  ///
  /// - Throws: ``StoreError``: `wrongContext` for an object of another context, `readOnly` in `read`, `objectDeleted` for
  ///   the object that stands for the missing target of a required relationship.
  public func remove<T: ManagedEntity>(_ object: T, from list: KeyPath<Self, [T]>) throws {
    try edit(list, CollectionOfOne(object), isIn: false)
  }

  /// Takes several objects out of a to-many relationship, without reading it. If one fails, those before it are taken
  /// out.
  public func remove<T: ManagedEntity>(_ objects: some Sequence<T>, from list: KeyPath<Self, [T]>) throws {
    try edit(list, objects, isIn: false)
  }

  private func edit<T: ManagedEntity>(_ list: KeyPath<Self, [T]>, _ members: some Sequence<T>, isIn: Bool) throws {
    if let context = _$state.context { return try context.relations.edit(of: self, list, members, isIn: isIn) }
    guard let loose = _$state.loose else { throw StoreError.contextWithoutStore }
    try loose.edit(of: self, list, members, isIn: isIn)
  }
}
