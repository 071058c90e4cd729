extension JSONValue: Equatable {
  /// Whether both mean the same JSON. Numbers are compared by their exact value, strings and keys by code points, and
  /// objects without regard to order. Nesting costs heap, and never call stack.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    var pending = [(left, right)]
    while let (left, right) = pending.popLast() {
      guard left.kind == right.kind else { return false }
      switch left.kind {
      case .null: break
      case .bool:
        guard left.bool == right.bool else { return false }
      case .number:
        guard JSONNumber.equal(left.source, right.source) else { return false }
      case .string:
        let isEqual = left.withUTF8 { mine in right.withUTF8 { its in mine.isEqual(to: its) } ?? false } ?? false
        guard isEqual else { return false }
      case .array:
        guard let left = left.array, let right = right.array, left.count == right.count else { return false }
        pending.append(contentsOf: zip(left, right))
      case .object:
        guard let left = left.object?.valuesByKey, let right = right.object?.valuesByKey, left.count == right.count
        else { return false }
        for (key, value) in left {
          guard let other = right[key] else { return false }
          pending.append((value, other))
        }
      }
    }
    return true
  }
}

extension JSONObject: Equatable {
  public static func == (left: JSONObject, right: JSONObject) -> Bool { left.value == right.value }

  /// The values by the bytes of their keys: two Swift Strings are equal even when they are only canonically equivalent.
  fileprivate var valuesByKey: [[UInt8]: JSONValue] {
    var values: [[UInt8]: JSONValue] = [:]
    forEachField { values[Array($0)] = $1 }
    return values
  }
}

extension JSONArray: Equatable {
  public static func == (left: JSONArray, right: JSONArray) -> Bool { left.value == right.value }
}
