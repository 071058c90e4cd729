// Changes of to-many relationships that don't read them: a property of an array is read and set as a whole.

extension ManagedEntity {
  /// Adds an object to a to-many relationship.
  ///
  /// ```swift
  /// try batch.add(item, to: \.items)
  /// ```
  /// It costs the same however many objects are in it, whereas `batch.items.append(item)` reads them all. Both sides
  /// change; an object that is in it already stays.
  ///
  /// Isolation: that of the object's context.
  ///
  /// - Throws: ``StoreError``: `wrongContext` for an object of another context, `readOnly` in `read`, `objectDeleted` for
  ///   the object that stands for the missing target of a required relationship.
  public func add<T: ManagedEntity>(_ object: T, to list: KeyPath<Self, [T]>) throws {
    try edit(list, CollectionOfOne(object), isIn: true)
  }

  /// Adds objects to a to-many relationship, as with one. Those before an error are added.
  public func add<T: ManagedEntity>(_ objects: some Sequence<T>, to list: KeyPath<Self, [T]>) throws {
    try edit(list, objects, isIn: true)
  }

  /// Takes an object out of a to-many relationship, without reading it.
  ///
  /// ```swift
  /// try batch.remove(item, from: \.items)
  /// ```
  /// Both sides change; an object that is not in it stays as it is. The object is not deleted.
  ///
  /// Isolation: that of the object's context.
  ///
  /// - Throws: ``StoreError``: `wrongContext` for an object of another context, `readOnly` in `read`, `objectDeleted` for
  ///   the object that stands for the missing target of a required relationship.
  public func remove<T: ManagedEntity>(_ object: T, from list: KeyPath<Self, [T]>) throws {
    try edit(list, CollectionOfOne(object), isIn: false)
  }

  /// Takes objects out of a to-many relationship, as with one. Those before an error are taken out.
  public func remove<T: ManagedEntity>(_ objects: some Sequence<T>, from list: KeyPath<Self, [T]>) throws {
    try edit(list, objects, isIn: false)
  }

  private func edit<T: ManagedEntity>(_ list: KeyPath<Self, [T]>, _ members: some Sequence<T>, isIn: Bool) throws {
    if let context = _$state.context { return try context.relations.edit(of: self, list, members, isIn: isIn) }
    guard let loose = _$state.loose else { throw StoreError.contextWithoutStore }
    try loose.edit(of: self, list, members, isIn: isIn)
  }
}
