public import Foundation

extension JSONValue {
  /// The value as JSON. Numbers keep their digits, and strings are escaped only where they must be.
  public func data(format: JSONFormat) -> Data {
    var writer = JSONWriter(format: format, capacity: document.range(at: index).count)
    writer.value(self)
    return Data(writer.bytes)
  }
}

extension JSONObject {
  /// See ``JSONValue/data(format:)``.
  public func data(format: JSONFormat) -> Data { value.data(format: format) }
}

extension JSONArray {
  /// See ``JSONValue/data(format:)``.
  public func data(format: JSONFormat) -> Data { value.data(format: format) }
}

extension JSONWriter {
  /// Writes a value as it stands in its source. Even the deepest nesting costs no call stack.
  ///
  /// - Parameters:
  ///   - byteLimit: the number of bytes after which writing stops: the rest of the value is not even read.
  /// - Returns: whether the value was written to its end.
  @discardableResult
  package mutating func value(
    _ value: JSONValue, byteLimit: Int = .max, redacting redaction: JSONRedaction = .nothing
  ) -> Bool {
    let document = value.document
    // The limit stays so small that one can be added to it.
    let byteLimit = min(byteLimit, 1 << 40)
    var open: [OpenContainer] = []
    begin(value.index, in: document, byteLimit, redaction, &open)
    while !open.isEmpty, bytes.count <= byteLimit {
      let last = open.count - 1
      guard let member = open[last].next(in: document) else {
        if open[last].isObject { endObject() } else { endArray() }
        open.removeLast()
        continue
      }
      guard open[last].isObject else {
        begin(member, in: document, byteLimit, redaction, &open)
        continue
      }
      var isHidden = false
      withString(member, in: document, byteLimit) {
        key($0)
        if case .keys(let keys) = redaction { isHidden = keys.contains(String(decoding: $0, as: UTF8.self)) }
      }
      if isHidden {
        literal(JSONRedaction.mark)
      } else {
        begin(member + 1, in: document, byteLimit, redaction, &open)
      }
    }
    return open.isEmpty && bytes.count <= byteLimit
  }

  /// Writes a scalar, or the bracket of a container whose members are still to come.
  private mutating func begin(
    _ index: Int, in document: JSONDocument, _ byteLimit: Int, _ redaction: JSONRedaction,
    _ open: inout [OpenContainer]
  ) {
    let word = document.word(at: index)
    switch word.tag {
    case .array:
      beginArray()
      open.append(OpenContainer(array: index, in: document))
    case .object:
      beginObject()
      open.append(OpenContainer(object: index, in: document, sorted: format.sortsKeys))
    case .number, .string, .escapedString:
      if case .scalars = redaction {
        literal(JSONRedaction.mark)
      } else if word.tag == .number {
        source(document.source(of: word).prefix(byteLimit + 1))
      } else {
        withString(index, in: document, byteLimit) { string($0) }
      }
    // A value that is not there has no text.
    case .null: source(Array("null".utf8)[...])
    case .true, .false:
      source(document.source(of: word))
    }
  }

  /// A string's bytes, as far as they can matter below the limit. Each of them takes at least one byte.
  private func withString(
    _ index: Int, in document: JSONDocument, _ byteLimit: Int, _ body: (LentBytes) -> Void
  ) {
    let word = document.word(at: index)
    // A byte takes at most six bytes in the source. The cut may leave half a surrogate pair, which is behind the bytes
    // that matter.
    if word.tag == .escapedString, word.extent / 6 - 2 > byteLimit {
      let text = JSONText.unescape(document.source(of: word).prefix(6 * byteLimit + 12))
      return text.lend(0..<min(text.count, byteLimit), body)
    }
    document.withString(at: index) { text in
      body(text.count <= byteLimit ? text : text.part(0..<byteLimit))
    }
  }
}

/// A container that is being written.
private struct OpenContainer {
  let isObject: Bool
  private var place: Int
  private let end: Int
  /// The fields in another order than the source's, the last one first.
  private var fields: [Int]?

  init(array index: Int, in document: JSONDocument) {
    isObject = false
    place = index + 2
    end = document.word(at: index).extent
  }

  init(object index: Int, in document: JSONDocument, sorted: Bool) {
    isObject = true
    place = index + 2
    end = document.word(at: index).extent
    guard sorted else { return }
    var keys: [(name: [UInt8], field: Int)] = []
    keys.reserveCapacity(document.count(at: index))
    document.forEachField(in: index) { keys.append((Array($0), $1)) }
    keys.sort { $0.name == $1.name ? $0.field < $1.field : $0.name.lexicographicallyPrecedes($1.name) }
    var fields: [Int] = []
    fields.reserveCapacity(keys.count)
    for position in keys.indices.reversed()
    where position == keys.count - 1 || keys[position].name != keys[position + 1].name {
      fields.append(keys[position].field)
    }
    self.fields = fields
  }

  /// The tape index of the next element, or of the key of the next field.
  mutating func next(in document: JSONDocument) -> Int? {
    if fields != nil { return fields?.popLast() }
    guard place < end else { return nil }
    let member = place
    place = document.next(after: isObject ? member + 1 : member)
    return member
  }
}
