/// The conversions of an attribute on the way from a response to its row, and from there into a request. Most
/// attributes need none, and have no rules.
package struct AttributeRules: Sendable {
  package typealias Conversion = @Sendable (StoredValue) throws(AttributeError) -> StoredValue

  /// The type as which a value in a response is read. For `.json`, the text is passed on.
  package let source: AttributeType
  /// Makes the stored value from the value that was read. NULL is not converted.
  package var read: Conversion?
  /// Makes the value to be sent from the stored value. NULL is not converted.
  package var write: Conversion?
  /// Whether a stored value has the property's type. Other values are kept, and reported.
  package var isRecognized: (@Sendable (StoredValue) -> Bool)?
  /// Makes the form of a stored value that comes back from the server; `nil` for a value without such a form. It is set
  /// only for a transformer with one form for several values.
  var normalize: (@Sendable (StoredValue) -> StoredValue?)?
  /// Whether a transformer was declared.
  package var isTransformed = false

  init(_ source: AttributeType) { self.source = source }

  /// The rules that follow from the stored form of a type; `nil` for a type with its own form of column.
  static func of<V: AttributeValue>(_ type: V.Type) -> AttributeRules? {
    var rules = AttributeRules(V.attributeType)
    switch V._form {
    case .scalar: return nil
    case .raw: rules.isRecognized = { $0.isNull || V._value($0) != nil }
    case .json:
      // The value is read as its own type, and stored in the one form of that type: a local write of the same value
      // changes nothing.
      rules.read = { stored throws(AttributeError) in
        guard let value = try V._read(.text(try stored.json)) else { throw AttributeError("JSON was expected") }
        return try V._stored(value)
      }
    }
    return rules
  }

  package static func transformer<T: AttributeTransformer>(_ transformer: T.Type) -> AttributeRules
  where T.Value: AttributeValue {
    var rules = AttributeRules(sourceType(of: T.self))
    rules.isTransformed = true
    if let normalizing = T.self as? any NormalizingTransformer.Type { rules.normalize = normalization(normalizing) }
    rules.read = { stored throws(AttributeError) in
      let value = try value(of: stored, T.self)
      return try T.Value._stored(value)
    }
    rules.write = { stored throws(AttributeError) in
      guard let value = T.Value._value(stored) else { throw AttributeError("the stored value is none of its type's") }
      let source: T.Source
      do { source = try T.source(from: value) } catch { throw AttributeError(error) }
      if let plain = source as? any ScalarValue { return plain.storedValue }
      return .text(try AttributeJSON.text(of: source))
    }
    return rules
  }

  private static func normalization<T: NormalizingTransformer>(
    _ transformer: T.Type
  ) -> (@Sendable (StoredValue) -> StoredValue?)? {
    guard let type = T.Value.self as? any AttributeValue.Type else { return nil }
    func normalization<V: AttributeValue>(_ type: V.Type) -> @Sendable (StoredValue) -> StoredValue? {
      { stored in
        guard let value = V._value(stored) as? T.Value, let normal = T.normalized(value) as? V else { return nil }
        return try? V._stored(normal)
      }
    }
    return normalization(type)
  }

  /// The type as which a response's value is read, for a transformer.
  package static func sourceType<T: AttributeTransformer>(of transformer: T.Type) -> AttributeType {
    (T.Source.self as? any ScalarValue.Type)?.attributeType ?? .json
  }

  /// The value that a transformer makes of a source in the source's stored form.
  package static func value<T: AttributeTransformer>(of stored: StoredValue, _ transformer: T.Type)
    throws(AttributeError)
    -> T.Value
  {
    let source: T.Source
    if let plain = T.Source.self as? any ScalarValue.Type {
      guard let value = plain.init(storedValue: stored) as? T.Source else {
        throw AttributeError("'\(T.Source.self)' was expected")
      }
      source = value
    } else {
      source = try AttributeJSON.value(of: stored.json)
    }
    do { return try T.value(from: source) } catch { throw AttributeError(error) }
  }
}

extension StoredValue {
  fileprivate var json: String {
    get throws(AttributeError) {
      guard case .text(let text) = self else { throw AttributeError("JSON was expected") }
      return text
    }
  }
}
