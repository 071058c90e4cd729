import EntityJSON
import Foundation
import Testing

/// A key that stands twice in its object, RFC 8259 §4: the last one counts, or the text is refused.
@Suite struct JSONDuplicateKeyTests {
  private func refusal(_ text: String) -> JSONError? {
    do throws(JSONError) {
      _ = try JSONValue(parsing: Data(text.utf8), duplicateKeys: .refused)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    (#"{"a": 1, "a": 2}"#, 9, "a"), (#"{"a": 1, "b": 2, "c": {}, "b": [1]}"#, 26, "b"),
    (#"[{"x": {"k": 1, "\u006b": 2}}]"#, 16, "[0].x.k"), (#"{"\n": 1, "\u000A": 2}"#, 10, #"["\n"]"#),
    (#"{"": 1, "": 2}"#, 8, #"[""]"#), ("{\"é\": 1,\n \"\\u00e9\": 2}", 11, "é"),
    (#"{"a": {"a": 1}, "b": {"b": 1}, "a": 1, "a": 2}"#, 31, "a"), (#"{"\ud83d\ude00": 1, "😀": 2}"#, 20, "😀"),
    // Alike up to the second key.
    (#"[{"a":1,"b":2},{"a":1,"b":2,"a":3}]"#, 28, "[1].a"), (#"[{"a":1,"b":2},{"a":1,"a":3}]"#, 22, "[1].a"),
    (#"[{"a":{"x":1}},{"a":{"x":1,"x":2}}]"#, 27, "[1].a.x"),
    // Alike, then with a space before the comma.
    (#"[{"a":1,"b":2},{"a":1 ,"b":3,"b":5}]"#, 29, "[1].b"), (#"[{"a":1,"b":2},{"a":1 ,"a":3}]"#, 23, "[1].a"),
    // At the end of a run of brackets.
    (#"{"a":1,"a":[[[[1]]]]}"#, 7, "a"), (#"[{"b":{"a":1,"a":[[[[1]]]]}}]"#, 13, "[0].b.a"),
    (#"[[{"a":[1],"a":{"b":{"c":{}}}}]]"#, 11, "[0][0].a"),
  ])
  func `a duplicate key is refused where asked`(text: String, offset: Int, keyPath: String) throws {
    let error = try #require(refusal(text))
    #expect(error.kind == .duplicateKey)
    #expect(error.offset == offset)
    #expect(error.keyPath == keyPath)
    #expect(error.message == "the object has this key already")
    _ = try parse(text)
  }

  @Test(arguments: [
    #"{"a": 1, "A": 2, "b": {"a": 1}, "c": [{"a": 1}, {"a": 1}]}"#, "{\"\u{E9}\": 1, \"e\u{301}\": 2}",
    #"{"a": "a", "aa": 1, "": 0}"#, #"[{"a":1,"b":2},{"a":1,"b":2},{"b":1,"a":2},{"a":1},{}]"#, richDocument,
  ])
  func `other keys are not duplicates`(text: String) { #expect(refusal(text) == nil) }

  @Test func `the second of many keys is found`() throws {
    let keys = (0..<100_000).map { "\"key\($0)\":\($0)" }.joined(separator: ",")
    #expect(refusal("{\(keys)}") == nil)
    let error = try #require(refusal("{\(keys),\"key\\u0035\":1}"))
    #expect(error.kind == .duplicateKey)
    #expect(error.keyPath == "key5")
  }
}
