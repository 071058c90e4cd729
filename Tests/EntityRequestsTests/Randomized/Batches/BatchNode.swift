/// A JSON text as a tree that keeps how each piece of it is written, so that a shrinker can take pieces out.
indirect enum BatchNode: Equatable, Sendable {
  /// A value as it is written: `5.0`, `"a\u0000"`.
  case text(String)
  case list([BatchNode])
  case object([Field])

  struct Field: Equatable, Sendable {
    /// The key as it is written, without its quotes.
    var key: String
    var value: BatchNode
  }

  static let null = BatchNode.text("null")

  var json: String {
    var json = ""
    write(&json)
    return json
  }

  private func write(_ json: inout String) {
    switch self {
    case .text(let text): json += text
    case .list(let elements):
      json += "["
      for (place, element) in elements.enumerated() {
        if place > 0 { json += "," }
        element.write(&json)
      }
      json += "]"
    case .object(let fields):
      json += "{"
      for (place, field) in fields.enumerated() {
        json += place > 0 ? ",\"" : "\""
        json += field.key
        json += "\":"
        field.value.write(&json)
      }
      json += "}"
    }
  }

  /// Whether two of its values are written alike. Without such it has no object twice.
  var repeats: Bool {
    var seen: Set<String> = []
    return repeats(&seen)
  }

  private func repeats(_ seen: inout Set<String>) -> Bool {
    switch self {
    case .text(let text): return !seen.insert(text).inserted
    case .list(let elements): return elements.contains { $0.repeats(&seen) }
    case .object(let fields): return fields.contains { $0.value.repeats(&seen) }
    }
  }

  /// How many values it has, itself included.
  var count: Int {
    switch self {
    case .text: 1
    case .list(let elements): elements.reduce(1) { $0 + $1.count }
    case .object(let fields): fields.reduce(1) { $0 + $1.value.count }
    }
  }

  /// Replaces the value with the number `place`, in the order of the text, by another one.
  func replacing(_ place: Int, by change: (BatchNode) -> BatchNode?) -> BatchNode {
    var rest = place
    return replacing(&rest, change) ?? .null
  }

  /// - Returns: `nil` where the value itself goes.
  private func replacing(_ rest: inout Int, _ change: (BatchNode) -> BatchNode?) -> BatchNode? {
    rest -= 1
    if rest == -1 { return change(self) }
    if rest < 0 { return self }
    switch self {
    case .text: return self
    case .list(let elements): return .list(elements.compactMap { $0.replacing(&rest, change) })
    case .object(let fields):
      return .object(
        fields.compactMap { field in
          field.value.replacing(&rest, change).map { Field(key: field.key, value: $0) }
        })
    }
  }

  /// Sets the value at a key path, in objects that are made for it.
  mutating func set(_ keys: ArraySlice<String>, _ value: BatchNode) {
    guard case .object(var fields) = self, let key = keys.first else { return }
    if keys.count == 1 {
      fields.append(Field(key: key, value: value))
    } else if let place = fields.firstIndex(where: { $0.key == key }), case .object = fields[place].value {
      fields[place].value.set(keys.dropFirst(), value)
    } else {
      var inner = BatchNode.object([])
      inner.set(keys.dropFirst(), value)
      fields.append(Field(key: key, value: inner))
    }
    self = .object(fields)
  }
}
