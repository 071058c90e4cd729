import EntityJSON
import Foundation
import TestSupport
import Testing

/// JSON of any shape, and sets, within values of Encodable types.
@Suite struct EncodedJSONTests {
  private struct Holder: Codable {
    var name = "n"
    var extra: JSONValue
    var object: JSONObject = [:]
    var array: JSONArray = []
    var maybe: JSONValue?
  }

  private func text(_ value: some Encodable, _ format: JSONFormat = .sorted) throws -> String {
    String(decoding: try JSONValueEncoder(format: format).encode(value), as: UTF8.self)
  }

  @Test func `random values are written as they are`() async throws {
    await Seeds.each(20, sanitized: 3, "encoded JSON") { seed, _ in
      var random = SeededRandom(seed)
      for _ in 0..<100 {
        let value = try parse(RandomJSON.text(&random))
        for format in [JSONFormat.compact, .sorted, .pretty] {
          let written = String(decoding: value.data(format: format), as: UTF8.self)
          #expect(try text(value, format) == written, "seed \(seed)")
        }
        let sorted = String(decoding: value.data(format: .sorted), as: UTF8.self)
        #expect(value.sortedText == sorted)
        #expect(
          try text(Holder(extra: value, array: [value], maybe: value))
            == #"{"array":[\#(sorted)],"extra":\#(sorted),"maybe":\#(sorted),"name":"n","object":{}}"#, "seed \(seed)")
        #expect(try parse(sorted) == value, "seed \(seed)")
        #expect(try parse(sorted).sortedText == sorted, "seed \(seed)")
        #expect(try text([value, nil]) == "[\(sorted),null]")
      }
    }
  }

  @Test func `numbers keep their digits`() throws {
    for number in ["9223372036854775808", "1e400", "1.50", "-0", "0.1234567890123456789012345678901234567890"] {
      let value = try parse(#"{"b": \#(number), "a": null, "b": \#(number)}"#)
      #expect(try text(Holder(extra: value)).contains(#""extra":{"a":null,"b":\#(number)}"#))
    }
  }

  @Test func `a type may hand on its JSON`() throws {
    struct Wrapper: Encodable {
      let value: JSONValue
      func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }
    #expect(try text([Wrapper(value: ["b": 1.5, "a": 2])]) == #"[{"a":2,"b":1.5}]"#)
  }

  @Test func `the depth counts with all containers around`() throws {
    func nested(_ depth: Int) throws -> JSONValue {
      try parse(
        String(repeating: #"{"a":["#, count: depth / 2) + (depth % 2 == 1 ? "[]" : "0")
          + String(repeating: "]}", count: depth / 2), limits: JSONLimits(depth: .max))
    }
    for depth in [1, 2, 3, 511, 512] {
      let value = try nested(depth)
      #expect(!value.nests(deeperThan: depth))
      #expect(value.nests(deeperThan: depth - 1))
      #expect(try text(value) == String(decoding: value.data(format: .compact), as: UTF8.self))
    }
    #expect(!(try parse("5").nests(deeperThan: 0)))
    let (most, more) = (try nested(512), try nested(513))
    #expect(throws: EncodingError.self) { try text([most]) }
    #expect(throws: EncodingError.self) { try text(more) }
    #expect(throws: EncodingError.self) { try text(Holder(extra: most)) }
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(more) }
    // Not by the sum of what is side by side.
    #expect(try text([try nested(511), try nested(511)]).count > 2 * 511)
  }

  // MARK: With another encoder

  @Test func `another encoder gets its containers and scalars`() throws {
    let value = try parse(
      #"{"a": [1, 2.5, "é\n", null, true, {"b": {}}, []], "n": 18446744073709551615, "i": -9223372036854775808, "a": [0]}"#
    )
    for data in [try JSONEncoder().encode(value), try JSONEncoder().encode(["x": value])] {
      let read = try JSONValue(parsing: data)
      #expect((read["x"] ?? read) == value)
    }
    let holder = Holder(extra: value, object: ["k": 1], array: [1, "a"])
    let read = try JSONDecoder().decode(Holder.self, from: try JSONEncoder().encode(holder))
    #expect(read.extra == value)
    #expect(read.object == ["k": 1])
    #expect(read.array == [1, "a"])
    #expect(read.maybe == nil)
  }

  @Test func `another encoder refuses a number that Double cannot hold`() throws {
    let value = try parse(#"{"a": [1e400]}"#)
    let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(value) }
    var path: [String]?
    if case .invalidValue(_, let context)? = error { path = context.codingPath.map(\.stringValue) }
    #expect(path == ["a", "Index 0"])
  }

  // MARK: Sets

  /// Sets with the same elements have another order by the room that they have.
  private func sets<T: Hashable>(_ elements: [T]) -> [Set<T>] {
    (0..<20).map { round in
      var set = Set<T>(minimumCapacity: 1 << (round % 10))
      for element in round < 10 ? elements : elements.reversed() { set.insert(element) }
      return set
    }
  }

  @Test func `sets are written in one order`() throws {
    struct Settings: Codable, Hashable {
      var tags: Set<String>
      var codes: Set<Int>?
    }
    for set in sets(["b", "a", "é", "", "Z", "aa"]) { #expect(try text(set) == #"["","Z","a","aa","b","é"]"#) }
    for set in sets([10, 9, -1, 100, .max, .min]) {
      #expect(try text(set) == "[-9223372036854775808,-1,9,10,100,9223372036854775807]")
    }
    for set in sets([2.5, 10, 9]) { #expect(try text([set]) == "[[2.5,9,10]]") }
    for set in sets([[2, 1], [1, 2], []]) { #expect(try text(["k": set]) == #"{"k":[[1,2],[2,1],[]]}"#) }
    for (tags, codes) in zip(sets(["y", "x"]), sets([3, 2])) {
      let settings = Settings(tags: tags, codes: codes)
      #expect(try text(settings) == #"{"codes":[2,3],"tags":["x","y"]}"#)
      #expect(try text(Set([settings])) == #"[{"codes":[2,3],"tags":["x","y"]}]"#)
      #expect(
        try JSONValueDecoder().decode(Settings.self, from: JSONValueEncoder(format: .sorted).encode(settings))
          == settings)
    }
    for inner in sets([1, 2, 3]) {
      #expect(try text(Set([inner, [4]])) == "[[1,2,3],[4]]")
      #expect(try text([Set([Optional(inner), nil])]) == "[[[1,2,3],null]]")
    }
  }

  @Test func `dictionaries with other keys are written in one order`() throws {
    for keys in sets([2.5, 10, 9]) {
      var values: [Double: Set<String>] = [:]
      for key in keys { values[key] = ["b\(key)", "a"] }
      #expect(try text(values) == #"[2.5,["a","b2.5"],9,["a","b9.0"],10,["a","b10.0"]]"#)
    }
  }

  @Test func `arrays keep their order`() throws {
    #expect(try text(["b", "a"]) == #"["b","a"]"#)
    #expect(try text([3, 1, 2]) == "[3,1,2]")
    #expect(try text(["k": [2.5, 1]]) == #"{"k":[2.5,1]}"#)
  }

  /// Where keys are not sorted nothing is.
  @Test func `an encoder that sorts no keys leaves sets`() throws {
    let set: Set = [3, 1, 2]
    #expect(try JSONDecoder().decode([Int].self, from: JSONValueEncoder().encode(set)) == Array(set))
  }
}
