/// Keys to find in many objects. Each key is once in the list.
package struct JSONFieldNames: Sendable {
  /// The UTF-8 of all keys.
  private let bytes: [UInt8]
  private let ranges: [Range<Int>]

  package init(_ names: [String]) {
    var bytes: [UInt8] = []
    ranges = names.map { name in
      let start = bytes.count
      bytes.append(contentsOf: name.utf8)
      return start..<bytes.count
    }
    self.bytes = bytes
  }

  fileprivate func forEachField(of object: JSONObject, _ body: (Int, JSONValue) throws -> Void) rethrows {
    // The objects of a list have their keys in the same order: the next key is most likely the next field.
    var hint = 0
    let ranges = ranges
    try bytes.lend(bytes.indices) { names in
      try object.forEachField { key, value in
        for step in 0..<ranges.count {
          let place = hint + step < ranges.count ? hint + step : hint + step - ranges.count
          guard names.part(ranges[place]).isEqual(to: key) else { continue }
          hint = place + 1 < ranges.count ? place + 1 : 0
          return try body(place, value)
        }
      }
    }
  }
}

extension JSONObject {
  /// Calls `body` for each field whose key is one of `names`, in the order of the source, with the key's position in
  /// `names`. A key that stands twice comes twice, and its last value counts.
  package func forEachField(named names: JSONFieldNames, _ body: (Int, JSONValue) throws -> Void) rethrows {
    try names.forEachField(of: self, body)
  }
}
