/// The values of an object as they were at one moment. It is Sendable: a task, an actor or a view model can keep it,
/// and later changes of the object do not affect it.
///
/// ```swift
/// let users = try await store.read { try $0.snapshots(User.where { $0.age > 21 }) }
/// print(users[0].email ?? "none", users[0].age)      // the properties by their names
/// print(users[0].address == address.entityID)        // a to-one relationship is the id of its object
/// ```
///
/// The attributes have the values of the object's properties, with unsaved changes. A to-many relationship has no
/// value, because its members are rows of their own: fetch them, or take snapshots of them too. A lazy property has no
/// value either, because a snapshot would have to read it. JSON is decoded at each access.
///
/// Two snapshots are equal when they are of one object with equal values, and with the same properties in ``loaded``.
@dynamicMemberLookup
public struct EntitySnapshot<E: ManagedEntity>: Sendable {
  /// The identity of the object: `store.main.object(snapshot.entityID)`.
  public let entityID: EntityID<E>
  /// Whether the row is a placeholder: another object refers to its uid, and nothing else is known.
  public let isPlaceholder: Bool
  /// The properties that a response had, or that were set here: see ``ManagedEntity/loaded``.
  public let loaded: LoadedProperties<E>
  // An underscore keeps these names apart from those of the entity's properties.
  private let _model: EntityModel
  private let _values: RowValues

  init(_ object: E) {
    let state = object._$state
    entityID = object.entityID
    isPlaceholder = object.isPlaceholder
    loaded = LoadedProperties(state.model, missing: state.lacking)
    _model = state.model
    var mask = _model.stored.subtracting(_model.positions).subtracting(_model.lazy)
    // An answer that confirms the object changes no value.
    if let age = _model.age { mask.remove(age) }
    _values = object.loadedValues(mask)
  }

  /// The value of an attribute.
  public subscript<V: AttributeValue>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, V>>) -> V {
    let column = E.columns[keyPath: keyPath]
    // The type may have no value for a raw value or a JSON text. The property then reads as its default.
    return V._value(_values[column.index]) ?? V._value(_model.defaultForReading(column.index)) ?? V._neutral
      ?? E._noValue(column)
  }

  /// The id of the object of a to-one relationship; `nil` for none.
  public subscript<T: ManagedEntity>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, T?>>) -> EntityID<T>? {
    _link(E.columns[keyPath: keyPath].index)
  }

  /// The id of the object of a required to-one relationship; `nil` where there was none, as in a placeholder.
  public subscript<T: ManagedEntity>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, T>>) -> EntityID<T>? {
    _link(E.columns[keyPath: keyPath].index)
  }

  @available(*, unavailable, message: "A snapshot has no to-many relationships: take snapshots of the members.")
  public subscript<T: ManagedEntity>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, [T]>>) -> [EntityID<T>] {
    []
  }

  @available(
    *, unavailable,
    message: "A snapshot has no lazy values: read the property of the object, or select it in a query for values."
  )
  public subscript<V>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, LazyValue<V>>>) -> V {
    E._noValue(Column<E, V>(E.columns[keyPath: keyPath].index, E.columns[keyPath: keyPath].name))
  }

  private func _link<T>(_ index: Int) -> EntityID<T>? {
    let pk = _values.link(index)
    return pk == 0 ? nil : EntityID(pk: pk)
  }
}

extension EntitySnapshot: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    left.entityID == right.entityID && left.isPlaceholder == right.isPlaceholder
      && left._values.mask.indices.allSatisfy { left._values[$0].isIdentical(to: right._values[$0]) }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(entityID) }
}

extension EntitySnapshot: CustomStringConvertible, CustomReflectable {
  /// The names and values, as ``ManagedEntity/debugDescription`` has them: `Ticket(id: 7, title: "x", author: User (row 5))`.
  public var description: String {
    (isPlaceholder ? "placeholder " : "") + _model.shown(_values) { _ in nil }
  }

  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension ManagedEntity {
  /// The values that the object has now. Observation does not record this as a read of its properties.
  public var snapshot: EntitySnapshot<Self> { EntitySnapshot(self) }
}

extension EntityContext {
  /// The values of the objects that a query finds, as this context has them.
  ///
  /// ```swift
  /// let names = try await store.read { try $0.snapshots(User.all) }.map(\.name)
  /// ```
  ///
  /// - Throws: ``StoreError``.
  public func snapshots<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> [EntitySnapshot<E>] {
    try fetch(query).map(\.snapshot)
  }

  /// The values of the objects with the given ids, in their order; those whose rows are gone are left out.
  ///
  /// - Throws: ``StoreError``.
  public func snapshots<E: ManagedEntity>(_ ids: [EntityID<E>]) throws -> [EntitySnapshot<E>] {
    try objects(ids).map(\.snapshot)
  }
}
