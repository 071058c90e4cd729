import Foundation

// A property of one of these types keeps any value that was sent: with `JSONValueDecoder` as a view of the same bytes,
// with other decoders as a copy of their value.

extension JSONValue: Decodable, NativeDecodable {
  static var readsBlankText: Bool { true }

  /// With `JSONValueDecoder`, the value as it was sent. With other decoders, numbers are Int64, UInt64 or Double, and
  /// each level of nesting copies the levels inside it.
  ///
  /// - Throws: `DecodingError` of a decoder that has neither null, a scalar, an array nor an object.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? TapeDecoder {
      self = decoder.state.value(at: decoder.index)
    } else if let container = try? decoder.container(keyedBy: PlainCodingKey.self) {
      self =
        JSONObject(
          fields: try container.allKeys.map { ($0.stringValue, try container.decode(JSONValue.self, forKey: $0)) }
        ).value
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
      self.init(elements)
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let bool = try? container.decode(Bool.self) {
        self.init(bool)
      } else if let integer = try? container.decode(Int64.self) {
        self.init(integer)
      } else if let integer = try? container.decode(UInt64.self) {
        self.init(integer)
      } else if let double = try? container.decode(Double.self) {
        self.init(double)
      } else {
        self.init(try container.decode(String.self))
      }
    }
  }

  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> JSONValue {
    state.value(at: index)
  }
}

extension JSONObject: Decodable, NativeDecodable {
  /// - Throws: `DecodingError.typeMismatch` for a value that is no object, `valueNotFound` for null.
  public init(from decoder: any Decoder) throws {
    // The container is needed because its error is the decoder's error.
    if !(decoder is TapeDecoder) { _ = try decoder.container(keyedBy: PlainCodingKey.self) }
    let value = try JSONValue(from: decoder)
    guard let object = value.object else {
      throw DecodingError.typeMismatch(
        [String: Any].self,
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "Expected an object, found \(value.kindName)."))
    }
    self = object
  }

  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> JSONObject {
    guard let object = state.value(at: index).object else {
      throw state.mismatch([String: Any].self, at: index, path())
    }
    return object
  }
}

extension JSONArray: Decodable, NativeDecodable {
  static var readsBlankText: Bool { true }

  /// - Throws: `DecodingError.typeMismatch` for a value that is no array, `valueNotFound` for null.
  public init(from decoder: any Decoder) throws {
    if !(decoder is TapeDecoder) { _ = try decoder.unkeyedContainer() }
    let value = try JSONValue(from: decoder)
    guard let array = value.list else {
      throw DecodingError.typeMismatch(
        [Any].self,
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "Expected an array, found \(value.kindName)."))
    }
    self = array
  }

  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> JSONArray {
    guard let array = state.value(at: index).list else { throw state.mismatch([Any].self, at: index, path()) }
    return array
  }
}
