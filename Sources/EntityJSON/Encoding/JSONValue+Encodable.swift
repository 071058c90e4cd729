// JSON within a value of any Encodable type: with `JSONValueEncoder` as it is, with other encoders as their containers
// and scalars.

extension JSONValue: Encodable {
  /// With `JSONValueEncoder`, the value as it is: numbers keep their digits, and keys are sorted where the encoder
  /// sorts keys. Other encoders get numbers as Int64, UInt64 or Double, and the last value of a key that stands twice.
  ///
  /// - Throws: `EncodingError` for more than 512 nested arrays and objects, including those around the value. With
  ///   other encoders, also for a number that Double can't hold, and for nesting without room on the stack of the
  ///   thread.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? PartEncoder { return try encoder.encode(json: self) }
    guard !nests(deeperThan: JSONLimits.standard.depth) else {
      throw Self.invalid(
        "There are more than \(JSONLimits.standard.depth) nested arrays and objects.", encoder.codingPath)
    }
    try JSONPart(value: self, depth: 0).encode(to: encoder)
  }

  fileprivate static func invalid(_ text: String, _ path: [any CodingKey]) -> EncodingError {
    .invalidValue("JSON", EncodingError.Context(codingPath: path, debugDescription: text))
  }

  /// Whether more than `limit` arrays and objects are nested in the value, itself included.
  package func nests(deeperThan limit: Int) -> Bool {
    // Each level has at least two brackets.
    guard document.range(at: index).count > 2 * limit else { return false }
    var ends: [Int] = []
    var place = index
    repeat {
      let word = document.word(at: place)
      if word.isContainer {
        guard ends.count < limit else { return true }
        ends.append(word.extent)
        place += 2
      } else {
        place += 1
      }
      while ends.last == place { ends.removeLast() }
    } while !ends.isEmpty
    return false
  }

  /// The value with sorted keys and without whitespace: values that differ only in the order of keys have equal texts.
  package var sortedText: String {
    var writer = JSONWriter(format: .sorted, capacity: document.range(at: index).count)
    writer.value(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONObject: Encodable {
  /// See ``JSONValue/encode(to:)``.
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension JSONArray: Encodable {
  /// See ``JSONValue/encode(to:)``.
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// A part of a value for an encoder of another module.
private struct JSONPart: Encodable {
  let value: JSONValue
  /// The number of arrays and objects around the part.
  let depth: Int

  func encode(to encoder: any Encoder) throws {
    var room = StackRoom()
    if room.isShort(at: depth) {
      throw JSONValue.invalid(
        "\(depth) nested arrays and objects are more than the stack of this thread has room for.", encoder.codingPath)
    }
    switch value.kind {
    case .object:
      var container = encoder.container(keyedBy: PlainCodingKey.self)
      for (key, field) in value.object ?? [:] {
        try container.encode(JSONPart(value: field, depth: depth + 1), forKey: PlainCodingKey(stringValue: key))
      }
    case .array:
      var container = encoder.unkeyedContainer()
      for element in value.array ?? [] { try container.encode(JSONPart(value: element, depth: depth + 1)) }
    case .null, .bool, .number, .string: try encodeScalar(to: encoder)
    }
  }

  private func encodeScalar(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let bool = value.bool {
      try container.encode(bool)
    } else if let string = value.string {
      try container.encode(string)
    } else if let integer = value.int64 {
      try container.encode(integer)
    } else if let integer = value.uint64 {
      try container.encode(integer)
    } else if let double = value.double {
      try container.encode(double)
    } else if value.isNull {
      try container.encodeNil()
    } else {
      throw JSONValue.invalid("Double can't hold the number.", encoder.codingPath)
    }
  }
}
