public import EntityStore

// An object of its own for a part of the response, see `picking`.

extension ResponseObject {
  /// Upserts this object as a child of the one that is being updated, and returns it. A child without uid that the
  /// parent has already is brought up to date, and not made again.
  ///
  /// ```swift
  /// if let address = try response.picking(["address_city": "city"]).upsert(Address.self) { self.address = address }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The entity of the child.
  ///   - property: The relationship's name or key, where the parent has several to the entity.
  /// - Returns: `nil` when this object has no field at all.
  /// - Throws: ``MappingError``, also outside of `update(with:)`; `StoreError`.
  public func upsert<T: ManagedEntity>(_ type: T.Type, for property: String = "") throws -> T? {
    let mapper = try mapper(property)
    guard !keys.isEmpty else { return nil }
    return try mapper.nested(type, fields, key: property)
  }

  /// Sets a to-one relationship to this object as ``upsert(_:for:)`` does; without a field it stays as it is.
  ///
  /// - Throws: ``MappingError``, also outside of `update(with:)`; `StoreError`.
  public func assign<T: ManagedEntity>(to property: inout T?, for name: String = "") throws {
    guard let child = try upsert(T.self, for: name) else { return }
    property = child
  }
}
