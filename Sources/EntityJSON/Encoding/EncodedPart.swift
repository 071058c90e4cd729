/// A piece of JSON before it is written. The writer gets it once the keys are known.
enum EncodedPart {
  case null
  case bool(Bool)
  /// The number in its written form.
  case number(String)
  case string(String)
  case array(EncodedArray)
  case object(EncodedObject)
  /// The value as it is. Its keys are sorted where the keys of the text are.
  case value(JSONValue)
  /// The part of a `superEncoder`, which may be filled later.
  case encoder(PartEncoder)
}

final class EncodedArray {
  var elements: [EncodedPart] = []
  /// The number of elements that belong together, where the order of these groups has no meaning; see
  /// ``UnorderedElements``.
  var group: Int?
}

final class EncodedObject {
  /// In the order in which they were encoded; of equal keys, the last one counts.
  var fields: [(key: String, part: EncodedPart)] = []

  /// The part under a key. Only nested containers need it, and few of them are opened twice.
  func part(of key: String) -> EncodedPart? {
    fields.last { $0.key.utf8.elementsEqual(key.utf8) }?.part
  }

  /// The fields that count, in their order or sorted.
  func written(sorted: Bool) -> [(key: String, part: EncodedPart)] {
    guard sorted else {
      var places: [[UInt8]: Int] = [:]
      var written: [(key: String, part: EncodedPart)] = []
      for field in fields {
        if let place = places.updateValue(written.count, forKey: Array(field.key.utf8)) {
          written[place] = field
          places[Array(field.key.utf8)] = place
        } else {
          written.append(field)
        }
      }
      return written
    }
    let order = fields.indices.sorted { left, right in
      let (mine, its) = (fields[left].key.utf8, fields[right].key.utf8)
      if mine.lexicographicallyPrecedes(its) { return true }
      return left < right && !its.lexicographicallyPrecedes(mine)
    }
    return order.indices.compactMap { place in
      let field = fields[order[place]]
      guard place + 1 < order.count else { return field }
      return fields[order[place + 1]].key.utf8.elementsEqual(field.key.utf8) ? nil : field
    }
  }
}

extension JSONWriter {
  /// The nesting is no deeper than `EncodingState` allows.
  mutating func part(_ part: EncodedPart) {
    switch part {
    case .null: null()
    case .bool(let bool): self.bool(bool)
    case .number(let text): literal(text)
    case .string(let text): string(text)
    case .value(let value): self.value(value)
    case .array(let array):
      if format.sortsKeys { array.arrange() }
      beginArray()
      for element in array.elements { self.part(element) }
      endArray()
    case .object(let object):
      beginObject()
      for field in object.written(sorted: format.sortsKeys) {
        key(field.key)
        self.part(field.part)
      }
      endObject()
    case .encoder(let encoder):
      self.part(encoder.part ?? .object(EncodedObject()))
    }
  }
}
