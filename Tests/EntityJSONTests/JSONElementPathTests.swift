import EntityJSON
import Foundation
import TestSupport
import Testing

/// Key paths to the array of a text that arrives in pieces: the array is the one that a view of the whole finds.
@Suite struct JSONElementPathTests {
  @Test func `a key with dots is found as one key too`() throws {
    for text in [
      "{\"a.b\": [1]}", "{\"a\": {\"b\": [1]}}", "{\"a\": {\"x\": [2]}, \"a.b\": [1]}", "{\"\\u0061.b\": [1]}",
    ] {
      #expect(try Reading(Array(text.utf8), at: "a.b", pieces: { 1 }).get().elements.map(\.int64) == [1], "\(text)")
    }
  }

  @Test func `the last of two equal keys counts unless elements were handed out`() throws {
    #expect(try Reading(Array("{\"a\": 5, \"a\": [1]}".utf8), at: "a", pieces: { 1 }).get().elements.count == 1)
    let twice = Reading(Array("{\"a\": [1], \"b\": 2,\n \"a\": []}".utf8), at: "a", pieces: { 1 })
    let error = #expect(throws: JSONError.self) { try twice.get() }
    #expect(error?.kind == .duplicateKey)
    #expect(error?.line == 2)
    #expect(error?.column == 2)
    #expect(error?.keyPath == "a")
    #expect(twice.elements.map(\.int64) == [1])
  }

  @Test(arguments: [
    #"{"a.b": 5, "a": {"b": [1]}}"#, #"{"a": {"b": 5}, "a.b": [1]}"#, #"{"a.b": [], "a": {"b": [1]}}"#,
    #"{"a.b": [1], "a": {"b": [2]}}"#, #"{"a": 5, "a.b": [1], "a": {"b": 7}}"#, #"{"a": {"b": 1}, "a": 5}"#,
    #"{"a": {"b": 1}, "a": {}}"#, #"{"a": {"x": 1, "b": [3]}}"#,
    #"{"a.b": {"c": 5}, "a": {"b": {"c": [1]}}}"#, #"{"a": {"b.c": 5, "b": {"c": [1]}}}"#,
    #"{"a": {"b": {"c": 6}}, "a.b": 7}"#, #"{"a": {"b": {"c": 6}}, "a.b": {"x": 1}}"#,
    #"{"a.b": 7, "a": {"b": {"c": [1]}}}"#, #"{"a.b": {"c": 5}, "a.b": 7}"#, #"{"a.b": {}, "a": {"b": {"c": [1]}}}"#,
    #"{"a": {"b": {"c": 1}}, "a": {"b.c": [2]}}"#, #"{"a.b": [1], "a": {"b": {"c": [2]}}}"#,
  ])
  func `the longest key counts as in the whole body`(text: String) {
    for keyPath in ["a.b", "a.b.c"] {
      for length in [1, 4, 1000] {
        let read = Reading(Array(text.utf8), at: keyPath, pieces: { length })
        #expect(read.error == nil)
        expectWholeText(Array(text.utf8), at: keyPath, pieces: { length })
      }
    }
  }

  /// A longer key counts only if it holds an object, which its value shows.
  @Test(
    arguments: [
      (#"{"a": {"b": {"c": [1]}}, "a.b": 5}"#, [1]),
      (#"{"a": {"b": {"c": [1]}}, "a.b": [{}], "a.b": null, "a": "x"}"#, nil),
      (#"{"a": {"b": {"c": [1]}}, "a.b": "x", "a.b": [{"c": [2]}], "x": {}}"#, [1]),
      (#"{"a": {"b": {"c": [1]}, "b.c": 2}}"#, nil), (#"{"a": {"b": {"c": [1]}}, "a.b.c": 2}"#, nil),
      (#"{"a.b": {"c": 5}, "a": {"b": {"c": [1]}}, "a.b": {"c": [2]}}"#, [2]),
      (#"{"a": 5, "a.b": {"c": 5}, "a.b": 7}"#, []), (#"{"a.b": {"c": 5}, "a": {"b": 6}, "a": 8, "a.b": 7}"#, []),
      (#"{"a.b": {"c": 5}, "a.b": 7, "a": {"b": {"c": [1]}}}"#, [1]),
      (#"{"a": {"b": {"c": [1]}}, "a.b": {}}"#, nil), (#"{"a": {"b": {"c": [1]}}, "a": {}}"#, nil),
      (#"{"a.b.c": [1], "a.b": {"c": [2]}, "a": {"b": {"c": [3]}}}"#, [1]),
      (#"{"a": {"x": 0}, "a.b": {"c": 5}, "a.b": 7}"#, nil), (#"{"a": {"b": 5}, "a.b": {"c": 5}, "a.b": 7}"#, nil),
    ] as [(String, [Int64]?)])
  func `the value of a later key shows whether the key takes the place`(text: String, elements: [Int64]?) {
    for length in [1, 3, 1000] {
      let read = Reading(Array(text.utf8), at: "a.b.c", pieces: { length })
      #expect((read.error == nil ? read.elements.map(\.int64) : nil) == elements)
      #expect(read.error == nil || read.error?.kind == .duplicateKey)
      expectWholeText(Array(text.utf8), at: "a.b.c", pieces: { length })
    }
  }

  /// A fault before that value is a fault as in the whole, with any value.
  @Test func `a fault between a key and its value is the same as in the whole text`() {
    let text = Array(#"{"a": {"b": {"c": [1]}}, "a.b" : ["#.utf8)
    for cut in 20...text.count {
      expectWholeText(Array(text[..<cut]), at: "a.b.c", pieces: { 1 })
      expectWholeText(Array(text[..<cut]) + Array("x".utf8), at: "a.b.c", pieces: { 1 })
    }
  }

  /// A refusal says that the whole, up to that value, has another array under the path, or none any more.
  @Test func `keys in any order`() {
    var generator = SeededRandom(state: 90)
    var refusals = 0
    var arrays = 0
    for _ in 0..<1000 {
      var number = 0
      let members = (0..<Int.random(in: 1...5, using: &generator)).map { _ in Self.member(&generator, &number, level: 0)
      }
      func text(_ count: Int) -> [UInt8] { Array("{\(members.prefix(count).joined(separator: ","))}".utf8) }
      let length = Int.random(in: 1...40, using: &generator)
      expectWholeText(text(members.count), at: "a.b.c", pieces: { length })
      let read = Reading(text(members.count), at: "a.b.c", pieces: { length })
      if read.rest?.target == .array { arrays += 1 }
      guard let error = read.error else { continue }
      refusals += 1
      // The first count of members that is refused.
      let count = (1...members.count).first { Reading(text($0), at: "a.b.c", pieces: { length }).error != nil } ?? 0
      let before = Reading(text(count - 1), at: "a.b.c", pieces: { length })
      #expect(error.kind == .duplicateKey)
      #expect(error.offset >= text(count - 1).count - 1)
      guard before.rest?.target == .array else { continue }
      let found = try? JSONValue(parsing: Data(text(count)))["a.b.c"]
      #expect(found?.array.map(Array.init) != before.elements, "\(String(decoding: text(count), as: UTF8.self))")
    }
    #expect(refusals > 100)
    #expect(arrays > 100)
  }

  /// A field whose key may be on the way to `a.b.c`. No two arrays are alike.
  private static func member(_ generator: inout SeededRandom, _ number: inout Int, level: Int) -> String {
    let keys = [["a", "a.b", "a.b.c", "a", "a.b"], ["b", "b.c", "c", "b"], ["c", "b", "c"]][level]
    number += 1
    var value = number % 4 > 0 ? "[\(number)]" : "\(number)"
    if level < 2, Int.random(in: 0..<4, using: &generator) > 0 {
      let members = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
        member(&generator, &number, level: level + 1)
      }
      value = "{\(members.joined(separator: ","))}"
    }
    return "\"\(keys.randomElement(using: &generator) ?? "")\":\(value)"
  }

  /// An element that went out, or that was passed over for good, can't be taken back.
  @Test(arguments: [
    (#"{"a": {"b": [1]}, "a.b": 5}"#, "a.b", 18), (#"{"a": {"b": [1]}, "a": 5}"#, "a.b", 18),
    (#"{"a.b": {"c": 5}, "a": {"b": {"c": [1]}}, "a.b": 7}"#, "a.b.c", 42),
    (#"{"a": {"b": {"c": [1]}}, "a.b": {}}"#, "a.b.c", 25),
  ])
  func `a key that comes too late is refused`(text: String, keyPath: String, offset: Int) {
    for length in [1, 1000] {
      let error = Reading(Array(text.utf8), at: keyPath, pieces: { length }).error
      #expect(error?.kind == .duplicateKey)
      #expect(error?.offset == offset)
    }
  }
}
