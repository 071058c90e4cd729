import EntityJSON
public import EntityStore

extension ResponseObject {
  /// Sets an attribute of an object from the value under a key path, without reading the attribute's present value. Use
  /// it for lazy attributes.
  ///
  /// ```swift
  /// try response.assign("photo", to: \.photo, of: self)
  /// ```
  /// All else is as in `assign("photo", to: &photo)`. That call takes the property `inout`, so Swift reads the property
  /// even when the response has no such key.
  ///
  /// - Parameters:
  ///   - keyPath: The key path in the response. An absent key leaves the property as it is.
  ///   - property: The attribute.
  ///   - object: The object that the response is read into.
  /// - Throws: ``MappingError`` when the value does not fit the property's type, or is null for a property that is not
  ///   optional.
  public func assign<E: ManagedEntity, V: AttributeValue>(
    _ keyPath: String, to property: ReferenceWritableKeyPath<E, V>, of object: E
  ) throws {
    // No setter is called for an absent key, so nothing may be left for one.
    guard fields.value(for: keyPath) != nil else { return noteRead(nil) }
    guard let arrived = try _arrived(keyPath, V.attributeType, V.self, isAssigned: true) else { return noteRead(nil) }
    let value: V?
    do {
      value = try _read(arrived, keyPath)
    } catch {
      try _refuse(error)
      return noteRead(nil)
    }
    if let value {
      object[keyPath: property] = value
    } else {
      _keep(arrived.stored, keyPath, in: object[keyPath: property])
      object[keyPath: property] = object[keyPath: property]
    }
  }
}
