import EntityJSON
import Foundation
import TestSupport
import Testing

/// Arrays and objects in each other: brackets that follow at once, keys of any length, and likeness to those before.
@Suite struct JSONNestingTests {
  /// A value in compact form, with its levels and values counted as the limits count them.
  private struct Text {
    var json = ""
    var depth = 0
    /// Where each value begins, in bytes.
    var values: [Int] = []
    /// Where each array or object begins that is deeper than all before it.
    var deepest: [Int] = []

    init(_ generator: inout SeededRandom, levels: Int) { add(&generator, at: 0, levels: levels) }

    private mutating func add(_ generator: inout SeededRandom, at level: Int, levels: Int) {
      values.append(json.utf8.count)
      guard level < levels else {
        json += ["1", "-2.5e3", "\"x\"", "null"][Int.random(in: 0..<4, using: &generator)]
        return
      }
      if level == depth {
        deepest.append(json.utf8.count)
        depth += 1
      }
      let isObject = Int.random(in: 0..<3, using: &generator) == 0
      json += isObject ? "{" : "["
      let members =
        Int.random(in: 0..<12, using: &generator) == 0 ? 0 : Int.random(in: 1...6, using: &generator) / 3 + 1
      for member in 0..<(level > 6 ? min(members, 1) : members) {
        if member > 0 { json += "," }
        if isObject {
          json += ["\"a\":", "\"a key of more than sixteen bytes\":", "\"\":", "\"é\":"][(level + member) % 4]
        }
        let next = Int.random(in: 0..<8, using: &generator) == 0 ? levels : level + 1
        add(&generator, at: level + 1, levels: next)
      }
      json += isObject ? "}" : "]"
    }
  }

  @Test func `nested JSON is read as it is written`() throws {
    var generator = SeededRandom(state: 50)
    for round in 0..<1500 {
      let text = Text(&generator, levels: round % 12)
      let value = try parse(text.json)
      #expect(value.description(limit: .max) == text.json)
      var pending = [value]
      while let value = pending.popLast() {
        #expect(value.description(limit: .max) == String(decoding: value.rawBytes, as: UTF8.self))
        if let array = value.array {
          #expect(array.count == Array(array).count)
          pending.append(contentsOf: array)
        }
        value.object?.forEachField { pending.append($1) }
      }
    }
  }

  @Test func `limits are exact`() throws {
    var generator = SeededRandom(state: 60)
    for round in 0..<400 {
      let text = Text(&generator, levels: round % 12)
      #expect(refusal(text.json, limits: JSONLimits(depth: text.depth, nodes: text.values.count)) == nil)
      for (depth, offset) in text.deepest.enumerated() {
        let error = refusal(text.json, limits: JSONLimits(depth: depth))
        #expect(error?.kind == .tooDeep, "\(text.json)")
        #expect(error?.offset == offset, "\(text.json)")
      }
      let nodes = Int.random(in: 0..<text.values.count, using: &generator)
      let error = refusal(text.json, limits: JSONLimits(nodes: nodes))
      #expect(error?.kind == .tooManyNodes, "\(text.json)")
      #expect(error?.offset == text.values[nodes], "\(text.json)")
    }
  }

  /// Objects that are alike are read in a loop of their own, which counts too.
  @Test(arguments: 1..<10) func `values of like objects count`(nodes: Int) {
    let text = #"[{"a":1,"b":2},{"a":1,"b":2},{"a":1,"b":2}]"#
    let values = [0, 1, 6, 12, 15, 20, 26, 29, 34, 40]
    let error = refusal(text, limits: JSONLimits(nodes: nodes))
    #expect(error?.kind == .tooManyNodes)
    #expect(error?.offset == values[nodes])
    #expect(refusal(text, limits: JSONLimits(nodes: 10)) == nil)
  }

  /// The same where the value behind a like key is one that the loop leaves to others.
  @Test(arguments: ["[]", "{}", "\"\(String(repeating: "x", count: 40))\"", "1e5", "\"\\n\"", "[{\"c\":1}]"])
  func `values of like objects that are not short count`(value: String) throws {
    let object = "{\"a\":1,\"b\":\(value),\"c\":\(value)}"
    let text = "[\(object),\(object),\(object)]"
    let nodes = 1 + 3 * (2 + 2 * (value.hasPrefix("[{") ? 3 : 1))
    #expect(refusal(text, limits: JSONLimits(nodes: nodes)) == nil)
    #expect(refusal(text, limits: JSONLimits(nodes: nodes - 1))?.kind == .tooManyNodes)
  }

  @Test func `an invalid value at the limit of values is another error`() {
    #expect(refusal("[", limits: JSONLimits(nodes: 1))?.kind == .unexpectedEnd)
    #expect(refusal("[1,", limits: JSONLimits(nodes: 2))?.kind == .unexpectedEnd)
    #expect(refusal("[1,]", limits: JSONLimits(nodes: 2)) == refusal("[1,]"))
    #expect(refusal("[1,x]", limits: JSONLimits(nodes: 2)) == refusal("[1,x]"))
    #expect(refusal("[1,tru]", limits: JSONLimits(nodes: 2))?.kind == .tooManyNodes)
  }

  @Test func `a deep text that is cut anywhere is an error`() throws {
    var generator = SeededRandom(state: 70)
    for round in 0..<60 {
      let bytes = Array(Text(&generator, levels: 4 + round % 8).json.utf8)
      for cut in bytes.indices.dropFirst() {
        let error = try #require(refusal(Array(bytes[..<cut])))
        #expect(error.kind == .unexpectedEnd)
        #expect(error.offset == cut)
      }
    }
  }

  @Test func `long runs of brackets`() throws {
    for (open, close) in [("[", "]"), ("[{\"a\":", "}]"), ("{\"a\":{\"b\":[[", "]]}}"), ("[ {\"é\" :[", "] } ]")] {
      let text = String(repeating: open, count: 100) + "1" + String(repeating: close, count: 100)
      let list = "[\(text),\(text)]"
      let value = try parse(list)
      #expect(value.array?.count == 2)
      #expect(value.description(limit: .max) == list.replacingOccurrences(of: " ", with: ""))
      for wrong in ["}", "]", ",", ""] {
        let damaged = String(repeating: open, count: 100) + "1" + String(repeating: close, count: 99) + wrong
        #expect((refusal(damaged) == nil) == (wrong == close))
      }
    }
  }
}
