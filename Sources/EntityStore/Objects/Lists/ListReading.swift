import Observation

// An array property is read as a whole. The context keeps the members, so that `user.posts.count` in a loop reads them
// once. The calls below read a part of a list whose members the context does not have yet.

extension ManagedEntity {
  /// How many objects a to-many relationship has.
  ///
  /// ```swift
  /// let count = try user.count(of: \.posts)
  /// ```
  /// `user.count(of: \.posts)`, where the posts were not read since the last commit
  /// // SELECT count(*) FROM "Post" WHERE "author" = ?
  ///
  /// This makes no object, whereas `user.posts.count` reads all posts, once. Unsaved changes count. Observers of the
  /// relationship hear of its changes, as with the array. Isolation: that of the object's context.
  ///
  /// - Parameter list: A relationship that the entity stores.
  /// - Throws: ``StoreError``.
  public func count<T: ManagedEntity>(of list: KeyPath<Self, [T]>) throws -> Int {
    guard let context = _$state.context else { return _looseMembers(list, try property(list)).count }
    context.observers.observer(of: _$state)?.access(self, keyPath: list)
    return try context.lists.memberCount(of: self, property(list))
  }

  /// Whether a to-many relationship is empty; see ``count(of:)`` for observation, isolation and errors.
  ///
  /// `user.isEmpty(of: \.posts)`, where the posts were not read since the last commit
  /// // SELECT 1 FROM "Post" WHERE "author" = ? LIMIT 1
  public func isEmpty<T: ManagedEntity>(of list: KeyPath<Self, [T]>) throws -> Bool {
    guard let context = _$state.context else { return _looseMembers(list, try property(list)).isEmpty }
    context.observers.observer(of: _$state)?.access(self, keyPath: list)
    return try context.lists.memberCount(of: self, property(list), isAnyEnough: true) == 0
  }

  /// The first object of a to-many relationship, in its order; `nil` if it has none. It makes one object; see
  /// ``count(of:)`` for the rest.
  ///
  /// `user.first(of: \.posts)`, where the posts were not read since the last commit
  /// // SELECT … FROM "Post" WHERE "author" = ? ORDER BY _pk LIMIT 1
  public func first<T: ManagedEntity>(of list: KeyPath<Self, [T]>) throws -> T? {
    guard let context = _$state.context else { return _looseMembers(list, try property(list)).first }
    context.observers.observer(of: _$state)?.access(self, keyPath: list)
    return try context.lists.firstMember(of: self, property(list), T.self)
  }

  private func property<T: ManagedEntity>(_ list: KeyPath<Self, [T]>) throws -> Int {
    guard let property = _$state.model.index(of: list), _$state.model.properties[property].isList else {
      throw StoreError(
        .invalidValue, "A key path is none of a to-many relationship that '\(_$state.model.name)' stores.")
    }
    return property
  }
}

extension ContextLists {
  /// How many members a list has.
  ///
  /// - Parameter isAnyEnough: `true` to count one member at most, for callers that only ask whether there is one.
  fileprivate func memberCount(
    of object: any ManagedEntity, _ property: Int, isAnyEnough: Bool = false
  ) throws -> Int {
    let state = object._$state
    if let held = try context.reading.heldList(of: state, property) { return held.count }
    return try part(of: state, property) { list in
      guard let query = try context.answers.membersQuery(list) else { return 0 }
      // A limit without effect keeps SQLite from counting in one step: see EntityQuery+Overlaid.swift.
      let sql =
        isAnyEnough ? "SELECT 1 \(query.rows) LIMIT 1" : "SELECT count(*) FROM (SELECT 1 \(query.rows) LIMIT -1)"
      return try context.connection.rows(sql, [.integer(state.pk)]) { Int($0.int64(0)) }.first ?? 0
    } ?? 0
  }

  fileprivate func firstMember<T: ManagedEntity>(
    of object: any ManagedEntity, _ property: Int, _ type: T.Type
  ) throws -> T? {
    let state = object._$state
    if let held = try context.reading.heldList(of: state, property) { return held.members(type).first }
    return try part(of: state, property) { list in
      if let membership = list.membership, let position = list.position {
        let links = context.core.schema.entities[membership.links]
        return try context.answers.members(of: state, membership, in: links, position, isFirstEnough: true).first as? T
      }
      guard let query = try context.answers.membersQuery(list) else { return nil }
      return try context.connection.rows(
        "SELECT \(query.model.columnList) \(query.rows) ORDER BY \(query.order) LIMIT 1", [.integer(state.pk)]
      ) { context.reading.object(query.model, from: $0) as? T }.first ?? nil
    } ?? nil
  }

  /// Reads a part of a list by one statement; `nil` if the object is deleted.
  private func part<V>(of state: ObjectState, _ property: Int, _ read: (PropertyModel) throws -> V) throws -> V? {
    guard state.life != .deleted else { return nil }
    return try context.merging.entry {
      // The entry merges commits, and one of them may have deleted the object.
      guard state.life != .deleted else { return nil }
      context.loaded.counters.counts.lists += 1
      context.reading.noteRead(state.model, property)
      return try read(state.model.properties[property])
    }
  }
}
