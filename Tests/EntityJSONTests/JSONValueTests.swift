import EntityJSON
import Foundation
import Testing

@Suite struct JSONValueTests {
  // MARK: Objects

  @Test func `absent, null and value differ`() throws {
    let object = try JSONObject(parsing: Data(#"{"a": null, "b": 1}"#.utf8))
    #expect(object["a"]?.isNull == true)
    #expect(object["b"]?.isNull == false)
    #expect(object["c"] == nil)
    #expect(object.contains("a"))
    #expect(object.contains("b"))
    #expect(!object.contains("c"))
    #expect(try parse("[1]")["a"] == nil)
    #expect(try parse("null")["a"] == nil)
  }

  @Test func `an integer is an Int`() throws {
    let value = try parse(
      #"{"a": 5, "b": 5.0, "c": 5.5, "d": "5", "e": 9223372036854775808, "f": -9223372036854775808}"#)
    let total: Int? = value["a"]?.int
    #expect(total == 5)
    #expect(value["b"]?.int == 5)
    #expect(value["f"]?.int == Int.min)
    #expect(["c", "d", "e"].allSatisfy { value[$0]?.int == nil })
  }

  @Test func `key paths`() throws {
    let value = try parse(
      #"{"a": {"b": {"c": 1, "n": null}, "x.y": 2}, "a.b": 3, "p.q": {"r": 4}, "p": {"q": {"r": 5, "s": 6}}, "": {"": 7}}"#
    )
    #expect(value["a.b"]?.int64 == 3)
    #expect(value["a.b.c"]?.int64 == 1)  // "a.b" holds no object, so the path goes through "a"
    #expect(value["a.x.y"]?.int64 == 2)
    #expect(value["p.q.r"]?.int64 == 4)
    #expect(value["p.q.s"] == nil)  // the longest key that goes on is taken
    #expect(value["a.b.n"]?.isNull == true)
    #expect(value["a.b.n.z"] == nil)
    #expect(value["a.b.c.d"] == nil)
    #expect(value["."]?.int64 == 7)
    #expect(value[""]?.kind == .object)
    #expect(value["a."] == nil)
    #expect(value[".a"] == nil)
    #expect(value["a..b"] == nil)
    #expect(value["..."] == nil)
    #expect(value.object?.contains("a.b.n") == true)
  }

  @Test func `keys of all lengths and escapes`() throws {
    let value = try parse(#"{"id": 1, "Id": 2, "i": 3, "\u0069dx": 4, "idé": 5, "id\n": 6, "👍": 7}"#)
    #expect(
      ["id", "Id", "i", "idx", "idé", "id\n", "👍", "ids", "ie"].map { value[$0]?.int64 } == [
        1, 2, 3, 4, 5, 6, 7, nil, nil,
      ])
    #expect(value["ide\u{301}"] == nil)  // decomposed: other code points
  }

  @Test func `the last of duplicate keys counts`() throws {
    let object = try #require(try parse(#"{"a": 1, "b": 2, "\u0061": {"z": [1]}, "a": 3}"#).object)
    #expect(object["a"]?.int64 == 3)
    #expect(object.count == 2)
    #expect(object.keys == ["a", "b"])
    #expect(object.map { $0.value.int64 } == [3, 2])
    #expect(object == ["b": 2, "a": 3])
    var seen: [String] = []
    object.forEachField { key, value in seen.append("\(String(decoding: key, as: UTF8.self))=\(value)") }
    #expect(seen == ["a=1", "b=2", #"a={"z":[1]}"#, "a=3"])
  }

  /// Whether keys stand twice is found out in one way for few fields, and in another for many or escaped ones.
  @Test func `fields of objects of all sizes`() throws {
    for count in [0, 1, 2, 7, 30, 64, 65, 200] {
      for twice in [nil, 0, count / 2, count - 1] where twice.map({ $0 >= 0 && $0 < count }) ?? true {
        for isEscaped in [false, true] {
          var fields = (0..<count).map { "\"\(isEscaped && $0 == 0 ? "\\u006b" : "k")\($0)\": \($0)" }
          if let twice { fields.append("\"k\(twice)\": -1") }
          let object = try #require(try parse("{\(fields.joined(separator: ","))}").object)
          #expect(object.count == count)
          #expect(object.keys == (0..<count).map { "k\($0)" })
          #expect(object.map { $0.value.int64 } == (0..<count).map { $0 == twice ? -1 : Int64($0) })
        }
      }
    }
  }

  @Test func `nested values are stepped over`() throws {
    let object = try #require(
      try parse(#"{"a": {"b": 1, "c": [1, {"b": 2}]}, "b": 3, "d": [], "e": {}, "f": 4}"#).object)
    #expect(object["b"]?.int64 == 3)
    #expect(object["f"]?.int64 == 4)
    #expect(object["c"] == nil)
    #expect(object.keys == ["a", "b", "d", "e", "f"])
    #expect(object.value.object == object)
  }

  @Test func `raw bytes`() throws {
    let value = try parse(#" {"a" : [ 1, {"b":"x\n"} ] , "c": -1.50, "d": true} "#)
    func raw(_ value: JSONValue?) -> String? { value.map { String(decoding: $0.rawBytes, as: UTF8.self) } }
    #expect(raw(value["a"]) == #"[ 1, {"b":"x\n"} ]"#)
    #expect(raw(value["a"]?.array?[1]?["b"]) == #""x\n""#)
    #expect(raw(value["c"]) == "-1.50")
    #expect(raw(value["d"]) == "true")
    #expect(raw(value) == #"{"a" : [ 1, {"b":"x\n"} ] , "c": -1.50, "d": true}"#)
  }

  // MARK: Arrays

  @Test func `an array gives its elements`() throws {
    let array = try #require(try parse(#"[1, [2, [3]], {"a": 4}, "x", null]"#).array)
    #expect(array.count == 5)
    #expect(Array(array).count == 5)
    #expect(array.map(\.kind) == [.number, .array, .object, .string, .null])
    #expect(array[0]?.int64 == 1)
    #expect(array[1]?.array?[1]?.array?.first?.int64 == 3)
    #expect(array[4]?.isNull == true)
    #expect(array[5] == nil)
    #expect(array[-1] == nil)
    #expect(array.dropFirst(3).first?.string == "x")
    #expect(array.distance(from: array.startIndex, to: array.endIndex) == 5)
    #expect(try parse("[]").array?.first == nil)
    #expect(array.value.array == array)
  }

  // MARK: Literals

  @Test func `literals make values`() {
    let value: JSONValue = [
      "id": 7, "name": "Zoë \"q\"\n\u{1}", "score": 1.5, "ok": true, "none": nil, "tags": ["a", 2, []],
      "sub": ["x": [:]],
    ]
    #expect(value["id"]?.int64 == 7)
    #expect(value["name"]?.string == "Zoë \"q\"\n\u{1}")
    #expect(value["score"]?.double == 1.5)
    #expect(value["ok"]?.bool == true)
    #expect(value["none"]?.isNull == true)
    #expect(value["tags"]?.array?.count == 3)
    #expect(value["sub.x"]?.kind == .object)
    #expect(value["score"]?.lexeme == "1.5")
    let object: JSONObject = ["a": 1, "a": 2]
    #expect(object.count == 1)
    #expect(object["a"]?.int64 == 2)
    let array: JSONArray = [1, "x"]
    #expect(array.count == 2)
    let null: JSONValue = nil
    #expect(null.isNull)
    #expect(JSONValue(Double.nan).isNull)
    #expect(JSONValue(-Double.infinity).isNull)
    #expect(JSONValue(1e300).double == 1e300)
    #expect(JSONValue(UInt64.max).uint64 == .max)
    #expect(JSONValue(Int64.min).int64 == .min)
    let empty: JSONObject = [:]
    #expect(empty.count == 0)
    #expect(empty == JSONObject([:]))
  }

  @Test func `JSON can be made at run time`() throws {
    let part = try #require(try parse(#"{"deep": [1, {"x": "\u0061"}]}"#)["deep"])
    let object = JSONObject(["b": part, "a": 1])
    #expect(object.keys == ["a", "b"])
    #expect(object["b"] == part)
    #expect(object == (try JSONObject(parsing: Data(#"{"b": [1, {"x": "a"}], "a": 1.0}"#.utf8))))
    #expect(JSONObject(fields: [("z", 1), ("a", 2)]).keys == ["z", "a"])
    var value: JSONValue = []
    for _ in 0..<600 { value = [value] }  // deeper than a text that may arrive
    #expect(value.array?.count == 1)
  }

  // MARK: Equality

  @Test func `values are equal whatever the order of their keys`() throws {
    #expect(try parse(#"{"a": [1, "x"], "b": null}"#) == ["b": nil, "a": [1, "x"]])
    #expect(try parse(#""\u0061""#) == "a")
    #expect(try parse("[1, 2]") != [2, 1])
    #expect(try parse("[1]") != [1, 2])
    #expect(try parse("1") != "1")
    #expect(try parse("0") != false)
    #expect(try parse("{}") != [])
    #expect(try parse(#"{"a": null}"#) != [:])
    #expect(try parse(#"{"a": 1}"#) != ["b": 1])
    #expect(try parse("\"\u{E9}\"") != "e\u{301}")
  }

  // MARK: Descriptions

  @Test func `description is compact and bounded`() throws {
    #expect(try parse(#" { "a" : [ 1 , "x\n" , { } ] , "b" : null } "#).description == #"{"a":[1,"x\n",{}],"b":null}"#)
    #expect(
      try parse("\"\(String(repeating: "é", count: 10_000))\"").description == "\"" + String(repeating: "é", count: 499)
        + "…")
    let long = try parse("[\(String(repeating: "12,", count: 10_000))1]")
    #expect(long.description.count == 501)
    #expect(long.description(limit: 10) == "[12,12,12,…")
    #expect(try parse("[1,2]").description(limit: 5) == "[1,2]")
    #expect(try parse("[1,2]").description(limit: 4) == "[1,2…")
    #expect(try parse("[1,2]").description(limit: 0) == "…")
    #expect(try parse("[1,2]").description(limit: -1) == "…")
  }

  @Test func `description cuts off escaped and plain text alike`() throws {
    for length in 0..<12 {
      let start = String(repeating: "a", count: length)
      let escaped = try parse("\"\(start)\(String(repeating: #"\ud83d\ude00\u0041"#, count: 50))\"")
      let plain = try parse("\"\(start)\(String(repeating: "😀A", count: 50))\"")
      for limit in 0..<20 { #expect(escaped.description(limit: limit) == plain.description(limit: limit)) }
    }
  }

  @Test func `description hides the redacted parts`() throws {
    let value = try parse(
      #"{"name": "a", "token": {"x": "secret"}, "list": [{"token": "secret", "n": 1}], "ok": true}"#)
    #expect(
      value.description(redacting: .keys(["token"]))
        == #"{"name":"a","token":<hidden>,"list":[{"token":<hidden>,"n":1}],"ok":true}"#)
    #expect(
      value.description(redacting: .scalars)
        == #"{"name":<hidden>,"token":{"x":<hidden>},"list":[{"token":<hidden>,"n":<hidden>}],"ok":true}"#)
  }
}
