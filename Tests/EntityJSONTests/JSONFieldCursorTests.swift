import EntityJSON
import Foundation
import Testing

/// A cursor finds what a search finds.
@Suite struct JSONFieldCursorTests {
  /// Each of the paths, by one cursor, and by searches.
  private func compare(_ text: String, _ paths: [String]) throws {
    let object = try JSONObject(parsing: Data(text.utf8))
    var cursor = JSONFieldCursor()
    for path in paths {
      #expect(cursor.place(for: path, in: object) == object.place(for: path), "\(path) in \(text)")
    }
  }

  @Test func `keys are found in each order`() throws {
    let text = #"{"id":1,"name":"a","home":{"id":2,"city":"b"},"tags":[1,{"id":3}],"age":4}"#
    try compare(text, ["id", "name", "home", "tags", "age"])
    try compare(text, ["age", "tags", "home", "name", "id", "id", "name", "age", "age"])
    try compare(text, ["name", "none", "home", "nam", "tags", "", "age", "city"])
  }

  @Test func `a path leads into another object`() throws {
    let text = #"{"home":{"id":2,"city":"b"},"home.city":5,"id":1,"a\\b":2,"a.b":3}"#
    try compare(text, ["home.city", "home", "home.city", "id", "home.id", "id", #"a\b"#, #"a\.b"#, "a.b"])
    try compare(text, ["home", #"home\.city"#, "home.city", "id"])
  }

  @Test func `the last of two equal keys counts`() throws {
    try compare(#"{"id":1,"name":2,"id":3,"name":4}"#, ["id", "name", "id", "name", "none"])
    try compare(#"{"id":1,"\u0069d":2,"name":3}"#, ["id", "name", "id"])
  }

  @Test func `a cursor goes from object to object`() throws {
    let outer = try JSONObject(parsing: Data(#"{"a":{"b":1,"c":2},"b":3,"c":4}"#.utf8))
    let other = try JSONObject(parsing: Data(#"{"c":5,"a":{"c":6}}"#.utf8))
    let inner = try #require(outer["a"]?.object)
    var cursor = JSONFieldCursor()
    for (object, key) in [
      (outer, "a"), (inner, "b"), (outer, "b"), (inner, "c"), (other, "c"), (outer, "c"), (other, "a"), (inner, "a"),
    ] {
      #expect(cursor.place(for: key, in: object) == object.place(for: key), "\(key) in \(object)")
    }
  }
}
