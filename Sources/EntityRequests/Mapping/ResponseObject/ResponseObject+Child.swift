public import EntityStore

// Child objects that are made from some fields of a response object; see `picking`.

extension ResponseObject {
  /// Upserts this object as a child of the object that is being updated, and returns the child. If the parent already
  /// has a child without uid, that child is updated and no new one is made.
  ///
  /// ```swift
  /// if let address = try response.picking(["address_city": "city"]).upsert(Address.self) { self.address = address }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The entity of the child.
  ///   - property: The relationship's name or key; needed when the parent has several relationships to the entity.
  /// - Returns: `nil` when this object has no field at all.
  /// - Throws: ``MappingError``, also outside of `update(with:)`; `StoreError`.
  public func upsert<T: ManagedEntity>(_ type: T.Type, for property: String = "") throws -> T? {
    let mapper = try mapper(property)
    guard !keys.isEmpty else { return nil }
    return try mapper.nested(type, fields, key: property)
  }

  /// Sets a to-one relationship to this object, which is upserted as by ``upsert(_:for:)``. If this object has no
  /// field, the relationship stays as it is.
  ///
  /// - Throws: ``MappingError``, also outside of `update(with:)`; `StoreError`.
  public func assign<T: ManagedEntity>(to property: inout T?, for name: String = "") throws {
    guard let child = try upsert(T.self, for: name) else { return }
    property = child
  }
}
