import Foundation
import Testing

@testable import EntityJSON

/// Key paths with brackets: elements of arrays, all elements, and the entries of maps.
@Suite struct JSONShapedPathTests {
  private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Data(text.utf8)) }

  @Test func `A number in brackets leads to an element`() throws {
    let value = try json(#"{"_embedded": {"author": [{"name": "Ada"}, {"name": "Bo"}], "0": 5}}"#)
    #expect(value["_embedded.author[0].name"]?.string == "Ada")
    #expect(value["_embedded.author[1].name"]?.string == "Bo")
    #expect(value["_embedded.author[2].name"] == nil)
    #expect(value["_embedded.0"]?.int == 5)
    #expect(value["_embedded.author[99999999999999999999].name"] == nil)
    #expect(value.object?.value(for: "_embedded.author[0].name")?.string == "Ada")
    #expect(value.object?.place(for: "_embedded.author[0].name") != nil)
  }

  @Test func `Empty brackets make one array of the values of all elements`() throws {
    let value = try json(#"{"edges": [{"node": {"id": 1}}, {"node": null}, {"node": {"id": [2]}}]}"#)
    #expect(value["edges[].node"] == [["id": 1], nil, ["id": [2]]])
    #expect(value["edges[].node"]?.rawBytes == Data(#"[{"id": 1},null,{"id": [2]}]"#.utf8))
    #expect(value["edges[].node.id"] == [1, nil, [2]])
    #expect(value["edges[].node"]?.array?[1]?.fault == nil)
    #expect(try json(#"[{"a": 1}, {"a": 2}]"#)["[].a"] == [1, 2])
    #expect(try json(#"{"a": null}"#)["a[].b"] == nil as JSONValue)
    #expect(try json(#"{"b": 1}"#)["a[].b"] == nil)
  }

  @Test func `Brackets behind brackets flatten`() throws {
    let value = try json(#"{"groups": [{"members": [1, 2]}, {"members": []}, {"members": [3]}, {}]}"#)
    #expect(value["groups[].members[]"] == [1, 2, 3])
    #expect(value["groups[].members"] == [[1, 2], [], [3], nil])
  }

  @Test func `A value that is not there is null, and says where it should be`() throws {
    let value = try json(#"{"entry": [{"resource": {"id": "a"}}, {"search": {}}, 5]}"#)
    let list = try #require(value["entry[].resource"]?.array)
    #expect(list.count == 3)
    #expect(list[0]?.fault == nil)
    #expect(list[1]?.isNull == true)
    #expect(list[1]?.fault?.keyPath == "entry[1]")
    #expect(list[1]?.fault?.reason == "there is nothing under 'resource'")
    #expect(list[2]?.fault?.reason == "an object with 'resource' was expected, and there is a number")
    let wrong = try json(#"{"entry": {"a": 1}}"#)["entry[].resource"]
    #expect(wrong?.fault?.keyPath == "entry")
    #expect(wrong?.fault?.reason == "an array was expected, and there is an object")
    #expect(value["entry[].resource"]?.description == #"[{"id":"a"},null,null]"#)
  }

  @Test func `Entries of a map get their keys, in the order of the text`() throws {
    let value = try json(#"{"users": {"9": {"name": "x"}, "7": {"name": "y", "id": 8}, "é\n": {}}}"#)
    let list = try #require(value.value(at: JSONKeyPath("users{}"), uidKey: "id"))
    #expect(list == [["id": "9", "name": "x"], ["name": "y", "id": 8], ["id": "é\n"]])
    #expect(list.array?[0]?.rawBytes == Data(#"{"id":"9","name":"x"}"#.utf8))
    #expect(list.array?[0]?.object?.count == 2)
    #expect(list.array?[1]?.rawBytes == Data(#"{"name": "y", "id": 8}"#.utf8))
    #expect(value["users{}"] == [["name": "x"], ["name": "y", "id": 8], [:]])
    #expect(
      value["users{slug}"] == [["slug": "9", "name": "x"], ["slug": "7", "name": "y", "id": 8], ["slug": "é\n"]])
    #expect(value["users{slug}.name"]?.array?[2]?.fault?.keyPath == "users{é\\n}")
    #expect(try json(#"{"7": {"a": {"b": 1}}}"#).value(at: JSONKeyPath("{}.a"), uidKey: "id") == [["id": "7", "b": 1]])
  }

  @Test func `An entry that is true is a member by its key, and one that is false is none`() throws {
    let value = try json(#"{"members": {"ada": true, "bo": false, "cy": null, "di": 5}}"#)
    #expect(value.value(at: JSONKeyPath("members{}"), uidKey: "id") == ["ada", 5])
    #expect(value["members{}"] == [true, false, nil, 5])
  }

  @Test func `Of equal keys of a map the last one counts`() throws {
    let value = try json(#"{"a": {"1": {"n": 1}, "2": {"n": 2}, "1": {"n": 3}}}"#)
    #expect(value.value(at: JSONKeyPath("a{}"), uidKey: "id") == [["id": "1", "n": 3], ["id": "2", "n": 2]])
  }

  @Test func `An empty array is a map without entries, and any other value is none`() throws {
    #expect(try json(#"{"a": []}"#)["a{}"] == [])
    #expect(try json(#"{"a": [1]}"#)["a{}"]?.fault?.keyPath == "a")
    #expect(try json(#"{"a": 5}"#)["a{}"]?.fault?.reason.hasSuffix("there is a number") == true)
  }

  @Test func `An element beyond the end of an array is null to a property, and absent to a reader`() throws {
    let object = try #require(try json(#"{"name": [], "a": [{"b": [1]}], "no": {"x": 1}}"#).object)
    #expect(object.value(for: "name[0].family")?.isNull == true)
    #expect(object.value(for: JSONKeyPath("a[0].b[1]"))?.isNull == true)
    #expect(object.value(for: "name[0].given[]") == [])
    for path in ["a[0].c", "other[0].family", "no[0].x", "a[0].c[0]"] { #expect(object.value(for: path) == nil) }
    #expect(object["name[0].family"] == nil)
  }

  @Test func `A key with brackets is a key where it stands so, or after a backslash`() throws {
    let value = try json(#"{"tags[]": 1, "a[0]": 2, "a": [3], "filter[name]": 4, "x{}": {"y": 5}}"#)
    #expect(value["tags[]"]?.int == 1)
    #expect(value["a[0]"]?.int == 2)
    #expect(value[#"a\[0]"#]?.int == 2)
    #expect(value["filter[name]"]?.int == 4)
    #expect(value[#"x\{\}.y"#]?.int == 5)
    #expect(JSONKeyPath("filter[name]").isShaped == false)
    #expect(JSONKeyPath(#"lamp\.on[0]"#).steps == [.key("lamp.on"), .index(0)])
    #expect(JSONKeyPath(#"a\b"#).keys == [#"a\b"#])
  }

  @Test func `A path may lead through an object that got its key from a map`() throws {
    let value = try json(#"{"a": {"k": {"x": {"p": 1}, "y": [{"q": 2}]}}}"#)
    let list = try #require(value.value(at: JSONKeyPath("a{}"), uidKey: "id")?.array)
    let object = try #require(list[0]?.object)
    #expect(object["x{n}"] == [1])
    #expect(object["y[].q"] == [2])
    #expect(try #require(object["y[].q"]).hasText(of: object.value))
    #expect(list.value["[].{slug}"] == list.value["[]{slug}"])
    #expect(list.value["[]{slug}"] == ["k", ["slug": "x", "p": 1], [["q": 2]]])
    #expect(list[0]?["{slug}"] == ["k", ["slug": "x", "p": 1], [["q": 2]]])
    #expect(list[0]?["{slug}"]?.array?[1]?.rawBytes == Data(#"{"slug":"x","p":1}"#.utf8))
    #expect(object["y{}"]?.fault?.keyPath == "y")
  }

  @Test func `Values keep their texts, numbers and nesting`() throws {
    let long = (0..<300).map { #"{"node": {"n": [\#($0), {"t": "\u0041\#($0)", "e": []}], "x": 1.50}}"# }
    let value = try json(#"  {"edges" : ["# + long.joined(separator: ", ") + "]}")
    let list = try #require(value["edges[].node"]?.array)
    #expect(list.count == 300)
    for (number, node) in list.enumerated() {
      #expect(node["n"]?.array?[0]?.int == number)
      #expect(node["n"]?.array?[1]?["t"]?.string == "A\(number)")
      #expect(node["x"]?.lexeme == "1.50")
    }
    #expect(try JSONValue(parsing: list.value.rawBytes) == list.value)
    let again = try #require(list[7]?.asOnlyElement)
    #expect(again.array?.count == 1)
    #expect(again.array?[0] == list[7])
    #expect(again.array?[0]?.place == list[7]?.place)
    #expect(list[7]?.place == value["edges"]?.array?[7]?["node"]?.place)
  }

  @Test func `Without types, one element is a list of one`() throws {
    let value = try json(#"{"entry": {"resource": {"id": "a"}}, "none": ""}"#).untyped
    #expect(value["entry[].resource"] == [["id": "a"]])
    #expect(value["entry[0].resource.id"]?.string == "a")
    #expect(value["none[].resource"] == [])
  }
}
