import EntityJSON
public import EntityStore

// The calls of an `update(with:)` that is written by hand; for attributes see ResponseObject+Attributes.swift.

extension ResponseObject {
  /// Upserts the object under a key path and returns it. The id of an unknown object makes a placeholder.
  ///
  /// - Returns: `nil` for an absent key and for null. To leave a relationship alone when the key is absent, assign with
  ///   ``assign(_:to:)-(_,T?)``.
  /// - Throws: ``MappingError``, also outside of `update(with:)`; `StoreError`.
  public func upsert<T: ManagedEntity>(_ type: T.Type, from keyPath: String) throws -> T? {
    try upsert(type, related(keyPath, type), keyPath)
  }

  private func upsert<T: ManagedEntity>(_ type: T.Type, _ value: JSONValue?, _ keyPath: String) throws -> T? {
    // After the upsert, during which the keys of the nested object are read.
    defer { noteRead(value) }
    guard let value, !value.isNothing else { return nil }
    let mapper = try mapper(keyPath)
    if let object = value.object { return try mapper.nested(type, object, key: keyPath) }
    return try mapper.reference(type, value, key: keyPath)
  }

  /// Upserts the objects in the array under a key path, in its order. Nulls in the array are passed over.
  ///
  /// - Returns: `nil` for an absent key and for null.
  /// - Throws: ``MappingError``, also outside of `update(with:)`; `StoreError`.
  public func upsert<T: ManagedEntity>(_ type: [T].Type, from keyPath: String) throws -> [T]? {
    let value = try related(keyPath, T.self)
    defer { noteRead(value) }
    guard let value, !value.isNull else { return nil }
    let mapper = try mapper(keyPath)
    guard let array = value.list else {
      throw mapper.error(keyPath, "an array was expected, and there is \(value.kindName)")
    }
    return try mapper.list(T.self, array, key: keyPath)
  }

  /// Sets a to-one relationship from the object or id under a key path: an absent key leaves it, null makes it `nil`.
  ///
  /// - Throws: ``MappingError``, also outside of `update(with:)`; `StoreError`.
  public func assign<T: ManagedEntity>(_ keyPath: String, to property: inout T?) throws {
    guard let value = try related(keyPath, T.self) ?? clearing(keyPath) else { return noteRead(nil) }
    if let mapper, try mapper.keepsLink(T.self, value, key: keyPath, { mapper.error(keyPath, $0) }) {
      return noteRead(nil)
    }
    property = try upsert(T.self, value, keyPath)
  }

  /// Sets a required to-one relationship from the object or id under a key path: an absent key leaves it.
  ///
  /// - Throws: ``MappingError``, also for null and outside of `update(with:)`; `StoreError`.
  public func assign<T: ManagedEntity>(_ keyPath: String, to property: inout T) throws {
    guard let value = try related(keyPath, T.self) else { return noteRead(nil) }
    let mapper = try mapper(keyPath)
    if try mapper.keepsLink(T.self, value, key: keyPath, isRequired: true, { mapper.error(keyPath, $0) }) {
      return noteRead(nil)
    }
    if let target = try upsert(T.self, value, keyPath) {
      property = target
    } else if !mapper.target.isGone {
      throw mapper.error(keyPath, MappingPlan.requiredReason(value))
    }
  }

  /// Sets a to-many relationship from the array under a key path: an absent key leaves it, null empties it.
  ///
  /// - Throws: ``MappingError``, also outside of `update(with:)`; `StoreError`.
  public func assign<T: ManagedEntity>(_ keyPath: String, to property: inout [T]) throws {
    guard let value = try related(keyPath, T.self) ?? clearing(keyPath) else { return noteRead(nil) }
    let mapper = try mapper(keyPath)
    if try mapper.keepsLink(T.self, value, key: keyPath, isList: true, { mapper.error(keyPath, $0) }) {
      return noteRead(nil)
    }
    noteRead(value)
    defer { noteRead(value) }
    property = try mapper.members(T.self, value, key: keyPath) ?? upsert([T].self, from: keyPath) ?? []
  }

  /// The value of a relationship. Its objects report by themselves which of their values are read.
  ///
  /// - Throws: ``MappingError`` when a path with brackets leads to no list.
  private func related<T: ManagedEntity>(_ keyPath: String, _ type: T.Type) throws -> JSONValue? {
    var value = fields[keyPath]
    // The keys of a map are the uids of its objects.
    if keyPath.utf8.contains(UInt8(ascii: "{")), value != nil, let session = mapper?.session,
      let model = try? session.core.schema.model(type)
    {
      value = fields.value.value(forList: keyPath, uidKey: session.plan(model).uidKey)
    }
    noteUse(value, isWhole: false)
    if let fault = value?.fault {
      throw mapper?.error(fault.keyPath, fault.reason) ?? MappingError("ResponseObject", fault: fault).at(place)
    }
    guard let value, let plan = mapper?.updating.last?.plan, plan.nothing != nil else { return value }
    let property = plan.model.properties.first { $0.isRelationship && $0.key == keyPath }
    return property.map { plan.related($0.index, value) } ?? value
  }

  /// Null for a key that the object lacks, if the entity declares that its absence clears the property; see
  /// ``RemoteEntity/absentKeys``.
  private func clearing(_ keyPath: String) throws -> JSONValue? {
    guard noteRead(isAbsent: true, isAssigned: false) else { return nil }
    return try mapper?.absentValue(keyPath, of: fields) == nil ? nil : .some(nil)
  }
}

extension RemoteEntity {
  /// The declared mapping: each property from its key. An update by hand calls it for the properties that it does not
  /// set itself.
  ///
  /// - Throws: ``MappingError``; `StoreError`.
  public func assignDeclared(from response: ResponseObject) throws {
    try response.mapper(Self.entityName).assignDeclared(response, to: self)
  }

  @discardableResult
  public func update(with response: ResponseObject) throws -> DeclaredMapping {
    try assignDeclared(from: response)
    return DeclaredMapping()
  }
}
