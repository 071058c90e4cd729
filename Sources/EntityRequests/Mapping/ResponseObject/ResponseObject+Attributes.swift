import EntityJSON
public import EntityStore
import Foundation

// Attributes in an `update(with:)` that is written by hand.

extension ResponseObject {
  /// Sets an attribute from the value under a key path.
  ///
  /// An absent key leaves the property as it is; null makes it `nil`. An equal value changes nothing. A local edit that
  /// the server has not acknowledged stays. If the property with this key has a transformer, the transformer is
  /// applied. A raw value that the property's type does not have is kept in the row, and the property reads as its
  /// default.
  ///
  /// ```swift
  /// try response.assign("address.city", to: &city)
  /// ```
  /// - Throws: ``MappingError`` when the value does not fit the property's type, or is null for a property that is not
  ///   optional.
  @inlinable
  public func assign<V: AttributeValue>(_ keyPath: String, to property: inout V) throws {
    guard let arrived = try _arrived(keyPath, V.attributeType, V.self, isAssigned: true) else {
      if V._form != .scalar { _leave(keyPath, in: property) }
      return
    }
    let value: V?
    do {
      value = try _read(arrived, keyPath)
    } catch {
      try _refuse(error)
      if V._form != .scalar { _leave(keyPath, in: property) }
      return
    }
    if let value {
      property = value
    } else {
      _keep(arrived.stored, keyPath, in: property)
    }
  }

  /// The value under a key path, read as an attribute's type. `nil` when the key is absent, and for null or a raw value
  /// that the type does not have.
  ///
  /// - Throws: ``MappingError`` when the value does not fit the type.
  @inlinable
  public func value<V: AttributeValue>(_ keyPath: String, as type: V.Type = V.self) throws -> V? {
    guard let arrived = try _arrived(keyPath, V.attributeType, V.self, isAssigned: false) else { return nil }
    if let value: V = try _read(arrived, keyPath) { return value }
    _noteUnrecognized(arrived.stored, keyPath)
    return nil
  }

  /// The value under a key path as a transformer makes it; `nil` when the key is absent or null.
  ///
  /// - Throws: ``MappingError`` when the transformer refuses the value.
  public func value<T: AttributeTransformer>(_ keyPath: String, transformer: T.Type) throws -> T.Value? {
    let value = fields.value(for: keyPath)
    noteRead(value)
    noteUse(value)
    guard let value, !value.isNull else { return nil }
    do { return try AttributeConversion.value(value, transformer) } catch { throw self.error(keyPath, error) }
  }

  // MARK: The implementation

  // `assign` and `value` are inlined into the user's module and specialised there. They call the code that makes the
  // stored form of a JSON value, because that code depends on none of the user's types.

  /// The stored form of the value under a key path; `nil` when the key is absent.
  ///
  /// - Parameter isAssigned: True when the setter of a property is called next. When false, null gives `nil` too, and
  ///   what an earlier `assign` left for a setter stays.
  @usableFromInline func _arrived(
    _ keyPath: String, _ attribute: AttributeType, _ type: Any.Type, isAssigned: Bool
  ) throws -> ArrivedValue? {
    let place = self.place(for: keyPath)
    // Behind the end of an array there is null, which a property that is not optional does not take.
    if place == nil, JSONKeyPath.mayBeShaped(keyPath), let list = fields.value(for: keyPath),
      !list.isNull || !isAssigned || type is any OptionalValue.Type
    {
      return try arrived(list, keyPath, attribute, type, isAssigned: isAssigned)
    }
    noteUse(place.map(fields.value))
    if place == nil, fields.hasDotsInKeys(keyPath) {
      throw self.error(keyPath, AttributeError(MappingPlan.dotsInKeys(keyPath)))
    }
    let hasRules = noteRead(isAbsent: place == nil, isAssigned: isAssigned)
    if hasRules, isAssigned, place == nil, let cleared = try mapper?.absentValue(keyPath, of: fields) {
      _ = noteRead(isAbsent: false, isAssigned: true)
      return ArrivedValue(cleared, isTransformed: true)
    }
    guard let place, isAssigned || !fields.value(at: place).isNull else { return nil }
    do throws(AttributeError) {
      if hasRules, let rules = try mapper?.transformer(for: keyPath, type) {
        return ArrivedValue(try AttributeConversion.storedValue(fields.value(at: place), rules), isTransformed: true)
      }
      guard let stored = AttributeConversion.storedValue(of: fields, at: place, attribute) else {
        throw AttributeError(AttributeConversion.mismatch(fields.value(at: place), attribute))
      }
      if attribute == .string || attribute == .url, case .text(let text) = stored, text.isEmpty, let mapper,
        mapper.isNothing(stored, fields.value(at: place), keyPath, type)
      {
        return isAssigned ? ArrivedValue(.null, isTransformed: false) : nil
      }
      return ArrivedValue(stored, isTransformed: false)
    } catch {
      if let mapper, mapper.isNothing(nil, fields.value(at: place), keyPath, type) {
        return isAssigned ? ArrivedValue(.null, isTransformed: false) : nil
      }
      let error = self.error(keyPath, error)
      guard isAssigned else { throw error }
      try _refuse(error)
      return nil
    }
  }

  /// The same for the list that a path with brackets leads to.
  private func arrived(
    _ list: JSONValue, _ keyPath: String, _ attribute: AttributeType, _ type: Any.Type, isAssigned: Bool
  ) throws -> ArrivedValue? {
    noteUse(list)
    let hasRules = noteRead(isAbsent: false, isAssigned: isAssigned)
    if let fault = list.fault ?? list.array?.lazy.compactMap(\.fault).first {
      let error =
        mapper?.error(fault.keyPath, fault.reason) ?? MappingError("ResponseObject", fault: fault).at(self.place)
      guard isAssigned else { throw error }
      try _refuse(error)
      return nil
    }
    // An element beyond the end of an array.
    if list.isNull, !isAssigned { return nil }
    do throws(AttributeError) {
      if hasRules, let rules = try mapper?.transformer(for: keyPath, type) {
        return ArrivedValue(try AttributeConversion.storedValue(list, rules), isTransformed: true)
      }
      guard let stored = AttributeConversion.storedValue(list, attribute) else {
        throw AttributeError(AttributeConversion.mismatch(list, attribute))
      }
      return ArrivedValue(stored, isTransformed: false)
    } catch {
      let error = self.error(keyPath, error)
      guard isAssigned else { throw error }
      try _refuse(error)
      return nil
    }
  }

  /// Leaves the property of a value that can't be read as it is, as for an absent key.
  ///
  /// - Throws: The error itself, unless properties keep their values (`.keepingValues`).
  @usableFromInline func _refuse(_ error: any Error) throws {
    guard let error = error as? MappingError, let mapper else { throw error }
    try mapper.keep(error)
    _ = noteRead(isAbsent: true, isAssigned: true)
  }

  /// The Swift value of an arrived value; `nil` for a raw value that the type does not have.
  @inlinable @inline(__always) func _read<V: AttributeValue>(_ arrived: ArrivedValue, _ keyPath: String) throws -> V? {
    let read: V?
    if arrived.isTransformed {
      read = V._value(arrived.stored)
    } else {
      do { read = try V._read(arrived.stored) } catch { throw self.error(keyPath, error) }
    }
    if let read { return read }
    guard V._form == .raw, !arrived.stored.isNull else { throw _outOfRange(arrived.stored, keyPath) }
    return nil
  }

  @usableFromInline func _outOfRange(_ stored: StoredValue, _ keyPath: String) -> MappingError {
    error(keyPath, AttributeError(stored.isNull ? MappingPlan.isNull : "the value is out of range"))
  }

  @usableFromInline func _leave<V: AttributeValue>(_ keyPath: String, in current: V) {
    mapper?.leave(keyPath, in: current)
  }

  @usableFromInline func _keep<V: AttributeValue>(_ raw: StoredValue, _ keyPath: String, in current: V) {
    mapper?.keep(raw, keyPath, in: current)
  }

  @usableFromInline func _noteUnrecognized(_ raw: StoredValue, _ keyPath: String) {
    mapper?.noteUnrecognized(raw, keyPath)
  }

  @usableFromInline func error(_ keyPath: String, _ error: AttributeError) -> MappingError {
    mapper?.error(keyPath, error.reason) ?? MappingError("ResponseObject", "", keyPath, error.reason).at(place)
  }
}

/// The value that a response has for an attribute, in the stored form.
@usableFromInline struct ArrivedValue {
  @usableFromInline let stored: StoredValue
  /// True when a transformer of the property made the stored value, or when an absent key clears the property.
  @usableFromInline let isTransformed: Bool

  init(_ stored: StoredValue, isTransformed: Bool) {
    self.stored = stored
    self.isTransformed = isTransformed
  }
}

extension AttributeConversion {
  /// The stored form of a value in an object.
  // A function of its own, so that only the object holds a reference. The temporary JSON value then needs no retain.
  @inline(never)
  fileprivate static func storedValue(of json: JSONObject, at place: Int, _ type: AttributeType) -> StoredValue? {
    storedValue(json.value(at: place), type)
  }

  /// The value that a transformer makes from a value in a response.
  static func value<T: AttributeTransformer>(_ value: JSONValue, _ transformer: T.Type) throws(AttributeError)
    -> T.Value
  {
    let type = AttributeRules.sourceType(of: T.self)
    guard let stored = storedValue(value, type) else { throw AttributeError(mismatch(value, type)) }
    return try AttributeRules.value(of: stored, T.self)
  }
}

extension Mapper<ObjectTarget> {
  /// Whether a value means nothing in the attribute with a key and a type.
  ///
  /// - Parameter stored: The stored form, which an enum may not have as a case; `nil` where the attribute can't have the
  ///   value.
  fileprivate func isNothing(_ stored: StoredValue?, _ value: JSONValue, _ key: String, _ type: Any.Type) -> Bool {
    guard let plan = updating.last?.plan, let nothing = plan.nothing,
      let property = plan.attributes(for: key).first(where: { Swift.type(of: $0.keyPath).valueType == type })
    else { return false }
    if let stored, type != URL?.self, type != URL.self, property.rules?.isRecognized?(stored) != false { return false }
    return nothing.areNothing(value, in: property)
  }

  /// The rules of the property with a key and a type, if it has a transformer.
  ///
  /// - Throws: ``AttributeError`` when several properties of the type have the key: only the setter shows which
  ///   property is meant.
  fileprivate func transformer(for key: String, _ type: Any.Type) throws(AttributeError) -> AttributeRules? {
    guard let plan = updating.last?.plan else { return nil }
    let properties = plan.attributes(for: key).filter { Swift.type(of: $0.keyPath).valueType == type }
    guard let property = properties.first(where: { $0.rules?.isTransformed == true }) else { return nil }
    guard properties.count == 1 else {
      throw AttributeError(
        "\(properties.map { "'\($0.name)'" }.joined(separator: " and ")) are read from it, not alike. Set them with "
          + "`value(_:)` and `value(_:transformer:)`")
    }
    return property.rules
  }

  /// Tells the context to leave a raw value that the type does not have. The setter is called next, with the default
  /// that the property reads as.
  fileprivate func leave<V: AttributeValue>(_ key: String, in current: V) {
    guard let object = updating.last?.object, object._$state.hasUnreadable else { return }
    context.edits.expect(ArrivingValue(nil, for: current, at: index(key, V.self)))
  }

  /// The index of the attribute with a key and a type; `nil` when none or several have both.
  private func index(_ key: String, _ type: Any.Type) -> Int? {
    let properties = updating.last?.plan.attributes(for: key).filter {
      Swift.type(of: $0.keyPath).valueType == type
    }
    return properties?.count == 1 ? properties?[0].index : nil
  }

  /// Keeps a raw value that the type does not have, for the setter that is called next.
  fileprivate func keep<V: AttributeValue>(_ raw: StoredValue, _ key: String, in current: V) {
    context.edits.expect(ArrivingValue(raw, for: current, at: index(key, V.self)))
    noteUnrecognized(raw, key)
  }

  fileprivate func noteUnrecognized(_ raw: StoredValue, _ key: String) {
    guard let model = updating.last?.plan.model else { return }
    session.unrecognized.note(model.name, updating.last?.plan.attributes(for: key).first?.name ?? key, raw)
  }
}
