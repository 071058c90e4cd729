import EntityJSON
public import EntityStore

// Attributes in an `update(with:)` that is written by hand.

extension ResponseObject {
  /// Sets an attribute from the value under a key path.
  ///
  /// An absent key leaves the property as it is; null makes it `nil`. An equal value changes nothing, and a local edit
  /// that the server has not acknowledged stays. A transformer that the property with the key was declared with is applied.
  /// A raw value that is none of the property's type is kept in the row, and the property reads as its default.
  ///
  /// ```swift
  /// try response.assign("address.city", to: &city)
  /// ```
  /// - Throws: ``MappingError`` when the value is none of the property's type, or null for one that is not optional.
  public func assign<V: AttributeValue>(_ keyPath: String, to property: inout V) throws {
    // An earlier `assign` may have left a value for a setter that was never called.
    mapper?.context.arriving = nil
    let value = json.value(for: keyPath)
    noteRead(value)
    guard let value else {
      if V._form != .scalar { mapper?.leave(keyPath, in: property) }
      return
    }
    switch try read(V.self, value, keyPath) {
    case .value(let value): property = value
    case .unrecognized(let raw): mapper?.keep(raw, keyPath, in: property)
    }
  }

  /// The value under a key path as an attribute's type; `nil` when the key is absent or null, and for a raw value that is
  /// none of the type's.
  ///
  /// - Throws: ``MappingError`` when the value is none of the type.
  public func value<V: AttributeValue>(_ keyPath: String, as type: V.Type = V.self) throws -> V? {
    let value = json.value(for: keyPath)
    noteRead(value)
    guard let value, !value.isNull else { return nil }
    switch try read(V.self, value, keyPath) {
    case .value(let value): return value
    case .unrecognized(let raw):
      mapper?.noteUnrecognized(raw, keyPath)
      return nil
    }
  }

  /// The value under a key path as a transformer makes it; `nil` when the key is absent or null.
  ///
  /// - Throws: ``MappingError`` when the transformer refuses the value.
  public func value<T: AttributeTransformer>(_ keyPath: String, transformer: T.Type) throws -> T.Value? {
    let value = json.value(for: keyPath)
    noteRead(value)
    guard let value, !value.isNull else { return nil }
    do { return try AttributeConversion.value(value, transformer) } catch { throw self.error(keyPath, error.reason) }
  }

  // MARK: The implementation

  private enum Reading<Value> {
    case value(Value)
    case unrecognized(StoredValue)
  }

  private func read<V: AttributeValue>(
    _ type: V.Type, _ value: JSONValue, _ keyPath: String
  ) throws -> Reading<V> {
    let stored: StoredValue
    do {
      if let rules = try mapper?.transformer(for: keyPath, V.self) {
        stored = try AttributeConversion.storedValue(value, rules)
        if let value = V._value(stored) { return .value(value) }
      } else {
        guard let source = AttributeConversion.storedValue(value, V.attributeType) else {
          throw AttributeError(AttributeConversion.mismatch(value, V.attributeType))
        }
        stored = source
        if let value = try V._read(source) { return .value(value) }
      }
      guard !stored.isNull else { throw AttributeError(MappingPlan.isNull) }
      guard V._form == .raw else { throw AttributeError("the value is out of range") }
    } catch let error as AttributeError {
      throw self.error(keyPath, error.reason)
    }
    return .unrecognized(stored)
  }

  private func error(_ keyPath: String, _ reason: String) -> MappingError {
    mapper?.error(keyPath, reason) ?? MappingError("ResponseObject", "", keyPath, reason).at(place)
  }
}

extension AttributeConversion {
  /// The value that a transformer makes of one in a response.
  static func value<T: AttributeTransformer>(_ value: JSONValue, _ transformer: T.Type) throws(AttributeError)
    -> T.Value
  {
    let type = AttributeRules.sourceType(of: T.self)
    guard let stored = storedValue(value, type) else { throw AttributeError(mismatch(value, type)) }
    return try AttributeRules.value(of: stored, T.self)
  }
}

extension ObjectMapper {
  /// The transformer that the property with a key was declared with, where it makes values of the type.
  ///
  /// - Throws: ``AttributeError`` where several properties of the type have the key and are not read alike: which one is
  ///   meant shows only when it is set.
  fileprivate func transformer(for key: String, _ type: Any.Type) throws(AttributeError) -> AttributeRules? {
    guard let plan = updating.last?.plan, !plan.model.ruled.isEmpty else { return nil }
    let properties = plan.attributes(for: key).filter { Swift.type(of: $0.keyPath).valueType == type }
    guard let property = properties.first(where: { $0.rules?.isTransformed == true }) else { return nil }
    guard properties.count == 1 else {
      throw AttributeError(
        "\(properties.map { "'\($0.name)'" }.joined(separator: " and ")) are read from it, not alike. Set them with "
          + "`value(_:)` and `value(_:transformer:)`")
    }
    return property.rules
  }

  /// Leaves a value that is none of the type's, before the setter is called with the one that stands for it.
  fileprivate func leave<V: AttributeValue>(_ key: String, in current: V) {
    guard let object = updating.last?.object, object._$state.hasUnreadable else { return }
    context.arriving = ArrivingValue(nil, for: current, at: index(key, V.self))
  }

  /// The property that is read from a key, where it is of the type.
  private func index(_ key: String, _ type: Any.Type) -> Int? {
    let properties = updating.last?.plan.attributes(for: key).filter {
      Swift.type(of: $0.keyPath).valueType == type
    }
    return properties?.count == 1 ? properties?[0].index : nil
  }

  /// Keeps a raw value that is none of the type's, for the setter that is called next.
  fileprivate func keep<V: AttributeValue>(_ raw: StoredValue, _ key: String, in current: V) {
    context.arriving = ArrivingValue(raw, for: current, at: index(key, V.self))
    noteUnrecognized(raw, key)
  }

  fileprivate func noteUnrecognized(_ raw: StoredValue, _ key: String) {
    guard let model = updating.last?.plan.model else { return }
    session.unrecognized.note(model.name, updating.last?.plan.attributes(for: key).first?.name ?? key, raw)
  }
}
