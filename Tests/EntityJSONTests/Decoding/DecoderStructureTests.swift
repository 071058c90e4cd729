import EntityJSON
import Foundation
import TestSupport
import Testing

/// `JSONValueDecoder` held against `JSONDecoder`: all uses of containers by types.
@Suite struct DecoderStructureTests {
  // MARK: Synthesized

  struct User: Codable, Equatable {
    var id: Int
    var name: String
    var email: String?
    var tags: [String]
    var address: Address?
    var scores: [String: Double]?
  }
  struct Address: Codable, Equatable {
    var city: String
    var zip: String?
  }

  @Test func `structs are read as JSONDecoder reads them`() {
    let good = #"{"id":1,"name":"A","tags":["a","b"],"address":{"city":"C","zip":null},"scores":{"x":1.5}}"#
    var texts = [
      good, #"{"tags":[],"name":"A","id":1}"#, #"{"id":1,"name":"A","tags":[],"x":{"id":[1,{"id":2}]},"email":"e"}"#,
      #"{"address":{"zip":"1"},"id":1,"name":"A","tags":[]}"#, #"{"id":1,"name":"A","tags":["a",1]}"#,
      #"{"id":1,"name":"A","tags":{}}"#, #"{"id":1,"name":"A","tags":null}"#, #"{"id":"1"}"#, #"{}"#, "[]", "null", "1",
      #"{"id":1,"name":"A","tags":[],"address":[]}"#, #"{"id":1,"name":"A","tags":[],"scores":{"x":"y"}}"#,
      #"{"\u0069d":1,"na\u006de":"A","tags":[]}"#, #"{"id":1,"name":"A","tags":[],"emai":"x","emaill":"y"}"#,
      #" { "id" : 1 , "name" : "\ud83d\ude00" , "tags" : [ "\n" ] } "#,
    ]
    // Cut at every byte: no JSON, to both.
    for count in 0..<good.utf8.count { texts.append(String(decoding: good.utf8.prefix(count), as: UTF8.self)) }
    expectLikeFoundation(User.self, texts)
    // Foundation takes a comma before a bracket.
    expectLikeFoundation([User].self, texts.map { "[\(good),\($0)]" }, differing: ["[\(good),]"])
    expectLikeFoundation([String: User].self, texts.map { "{\"u\":\($0)}" })
    expectLikeFoundation(User?.self, texts)
  }

  struct Wide: Codable, Equatable {
    var a0: Int?, a1: Int?, a2: Int?, a3: Int?, a4: Int?, a5: Int?, a6: Int?, a7: Int?, a8: Int?, a9: Int?
    var last: Int
  }

  @Test(arguments: [1, 20, 63, 64, 65, 500])
  func `objects of many fields in any order`(_ count: Int) {
    var generator = SeededRandom(state: UInt64(count))
    for _ in 0..<20 {
      var fields = (0..<count).map { "\"x\($0)\":[\($0)]" } + (0..<10).map { "\"a\($0)\":\($0)" } + [#""last":7"#]
      fields.shuffle(using: &generator)
      expectLikeFoundation(Wide.self, ["{" + fields.joined(separator: ",") + "}"])
      expectLikeFoundation(
        [Wide].self, ["[{\(fields.joined(separator: ","))},{\(fields.reversed().joined(separator: ","))},{}]"])
      expectLikeFoundation(
        [String: [Int]].self, ["{" + fields.prefix { !$0.contains("a") }.joined(separator: ",") + "}"])
    }
  }

  enum Shape: Codable, Equatable {
    case point
    case circle(Double)
    case rectangle(width: Double, height: Double, label: String?)
    indirect case group([Shape], over: Shape?)
  }

  @Test func `enums with associated values`() {
    let texts = [
      #"{"point":{}}"#, #"{"circle":{"_0":2}}"#, #"{"rectangle":{"width":1,"height":2}}"#,
      #"{"rectangle":{"width":1,"height":2,"label":"x"}}"#,
      #"{"group":{"_0":[{"point":{}},{"circle":{"_0":1}}],"over":{"point":{}}}}"#,
      #"{"group":{"_0":[{"circle":{"_0":"1"}}]}}"#, #"{"circle":{}}"#, #"{"square":{}}"#, #"{}"#,
      #"{"point":{},"circle":{"_0":1}}"#,
      #"{"point":null}"#, #"{"point":1}"#, #"{"circle":[]}"#, "1", "null", "[]", #""point""#, #"{"group":{"_0":[1]}}"#,
    ]
    expectLikeFoundation(Shape.self, texts)
    expectLikeFoundation([Shape].self, texts.map { "[{\"point\":{}},\($0)]" })
  }

  // MARK: Keys

  enum Color: String, Codable, CodingKeyRepresentable { case red, green }
  enum Number: Int, Codable, CodingKeyRepresentable { case one = 1, two }

  @Test func `dictionaries by key type`() {
    let texts = [
      #"{"1":"a"}"#, #"{"red":"a"}"#, #"{"blue":"a"}"#, #"{"x":"a"}"#, #"{"1":1}"#, "{}",
      #"["1","a"]"#, #"["red","a","green","b"]"#, #"["red"]"#, #"[1,"a"]"#, #"[1]"#, "[]", "null", "1",
      #"["blue","a"]"#,
      #"{"":"a"}"#, #"{"9223372036854775808":"a"}"#, #"{"1.0":"a"}"#, #"{"é":"a"}"#, #"{"😀":"b"}"#,
    ]
    expectLikeFoundation([String: String].self, texts)
    expectLikeFoundation([Int: String].self, texts + [#"{"1":"a","2":"b"}"#])
    expectLikeFoundation([Color: String].self, texts + [#"{"red":"a","green":"b"}"#])
    expectLikeFoundation([Number: String].self, texts)
    expectLikeFoundation([UUID: String].self, texts)
    expectLikeFoundation([Bool: String].self, texts)
    expectLikeFoundation([String: [Int: String]].self, texts.map { "{\"k\":\($0)}" })
    expectLikeFoundation(Set<String>.self, texts)
    expectLikeFoundation(Set<Int>.self, ["[1,2,2]", "[]", "[1,null]", "1"])
  }

  // MARK: By hand

  struct Tuple: Decodable, Equatable {
    var text = ""

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      text += "\(container.count ?? -1) \(container.currentIndex) \(container.isAtEnd) "
      text += "\(try container.decode(Int.self)) \(try container.decode(String.self)) "
      text +=
        "\(try container.decodeNil()) \(try container.decodeIfPresent(Double.self) as Any) \(container.currentIndex) "
      var nested = try container.nestedUnkeyedContainer()
      text += "\(nested.codingPath.map(describe)) \(try nested.decode(Bool.self)) \(nested.isAtEnd) "
      let keyed = try container.nestedContainer(keyedBy: AnyKey.self)
      text +=
        "\(keyed.allKeys.map(describe).sorted()) \(keyed.codingPath.map(describe)) \(try keyed.decode(Int.self, forKey: "a")) "
      text +=
        "\(try keyed.decodeNil(forKey: "n")) \(keyed.contains("z")) \(try keyed.decodeIfPresent(Int.self, forKey: "z") as Any) "
      let decoder = try container.superDecoder()
      text +=
        "\(decoder.codingPath.map(describe)) \(try decoder.singleValueContainer().decode(String.self)) \(container.currentIndex)"
    }
  }

  struct AnyKey: CodingKey, ExpressibleByStringLiteral, Equatable {
    var stringValue: String
    var intValue: Int? { Int(stringValue) }
    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { stringValue = "\(intValue)" }
    init(stringLiteral: String) { stringValue = stringLiteral }
  }

  @Test func `unkeyed containers`() {
    let parts = ["1", #""x""#, "1.5", "[true]", #"{"a":1,"n":null}"#, #""super""#]
    var texts = ["[" + parts.joined(separator: ",") + "]", "[]", "{}", "null"]
    // Each part missing, null, and of a wrong kind.
    for index in parts.indices {
      texts.append("[" + parts[..<index].joined(separator: ",") + "]")
      for other in ["null", "{}", "[]", "[[]]", #"{"a":null}"#, "false"] {
        var changed = parts
        changed[index] = other
        texts.append("[" + changed.joined(separator: ",") + "]")
      }
    }
    expectLikeFoundation(Tuple.self, texts)
    expectLikeFoundation([Tuple?].self, texts.map { "[null,\($0)]" })
  }

  struct Keyed: Decodable, Equatable {
    var text = ""

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: AnyKey.self)
      text += "\(decoder.codingPath.map(describe)) \(container.allKeys.map(describe).sorted()) "
      for key: AnyKey in ["a", "b", "c", "1"] {
        text += "\(container.contains(key)) \(Outcome { try container.decodeNil(forKey: key) }) "
        text += "\(Outcome { try container.decode(Int.self, forKey: key) }) "
        text += "\(Outcome { try container.decodeIfPresent(String.self, forKey: key) }) "
        text += "\(Outcome { try container.decodeIfPresent([Int].self, forKey: key) }) "
        text +=
          "\(Outcome { try container.nestedContainer(keyedBy: AnyKey.self, forKey: key).allKeys.map(describe).sorted() }) "
        text += "\(Outcome { try container.nestedUnkeyedContainer(forKey: key).count }) "
        text += "\(Outcome { try container.superDecoder(forKey: key).singleValueContainer().decodeNil() }) "
        text += "\(Outcome { try container.superDecoder(forKey: key).codingPath.map(describe) }) "
        text +=
          "\(Outcome { try container.superDecoder(forKey: key).container(keyedBy: AnyKey.self).codingPath.map(describe) }) "
      }
      text += "\(Outcome { try container.superDecoder().codingPath.map(describe) })"
      let single = try decoder.singleValueContainer()
      text +=
        "\(single.decodeNil()) \(single.codingPath.map(describe)) \(Outcome { try single.decode([String: Never?].self) }.error.prefix(8))"
    }
  }

  @Test func `keyed containers`() {
    let values = ["1", "null", #""x""#, "[1,2]", "[1,null]", #"{"x":{"y":1}}"#, "15", "true", "{}"]
    var texts = ["{}", "[]", "null", "1"]
    for first in values {
      for second in values { texts.append("{\"a\":\(first),\"x\":0,\"b\":\(second),\"super\":{}}") }
    }
    expectLikeFoundation(Keyed.self, texts)
    expectLikeFoundation([String: [Keyed]].self, texts.map { "{\"k\":[\($0)]}" })
  }

  class Animal: Decodable {
    let name: String
    private enum CodingKeys: CodingKey { case name }
    required init(from decoder: any Decoder) throws {
      name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    }
    var all: String { name }
  }
  final class Dog: Animal, Equatable, CustomStringConvertible {
    let breed: String?
    private enum CodingKeys: CodingKey { case breed }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      breed = try container.decodeIfPresent(String.self, forKey: .breed)
      try super.init(from: container.superDecoder())
    }
    static func == (left: Dog, right: Dog) -> Bool { left.description == right.description }
    var description: String { "\(name) \(breed ?? "-")" }
  }

  @Test func `classes that inherit`() {
    let texts = [
      #"{"breed":"b","super":{"name":"n"}}"#, #"{"super":{"name":"n"}}"#, #"{"breed":"b"}"#, #"{"super":{}}"#,
      #"{"super":{"name":1}}"#, #"{"super":null}"#, #"{"super":[]}"#, #"{"breed":1,"super":{"name":"n"}}"#, "[]",
    ]
    expectLikeFoundation(Dog.self, texts)
    expectLikeFoundation([Dog].self, texts.map { "[\($0)]" })
  }

  struct Lossy: Decodable, Equatable {
    var values: [Int] = []
    init(from decoder: any Decoder) throws {
      struct Skipped: Decodable {}
      var container = try decoder.unkeyedContainer()
      while !container.isAtEnd {
        if let value = try? container.decode(Int.self) {
          values.append(value)
        } else {
          _ = try container.decode(Skipped.self)
        }
      }
    }
  }
  struct Either: Decodable, Equatable {
    var text: String
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      text =
        try (try? container.decode(String.self)) ?? (try? "\(container.decode([Int].self))")
        ?? (try? "\(container.decode(Address.self))")
        ?? "\(container.decode(Bool.self))"
    }
  }
  struct Info: Decodable, Equatable {
    var text: String
    init(from decoder: any Decoder) throws { text = "\(decoder.userInfo)" }
  }

  @Test func `second attempts`() throws {
    let texts = ["[1,\"a\",2,{\"x\":1},[3],4]", "[]", "[null,1]", "{}"]
    expectLikeFoundation(Lossy.self, texts)
    let values = [#""a""#, "[1]", "[\"x\"]", #"{"city":"c"}"#, "{}", "true", "null", "1"]
    expectLikeFoundation(Either.self, values)
    expectLikeFoundation([Either].self, values.map { "[\($0)]" })
    let key = try #require(CodingUserInfoKey(rawValue: "k"))
    expectLikeFoundation(Info.self, ["1", "{}", "null"], Strategies(userInfo: [key: 7]))
    expectLikeFoundation([String: Info].self, ["{\"a\":1}"], Strategies(userInfo: [key: 7]))
  }

  // MARK: Depth

  struct Tree: Codable, Equatable { var children: [Tree] }
  final class Chain: Codable, Equatable {
    let next: Chain?
    static func == (left: Chain, right: Chain) -> Bool { left.depth == right.depth }
    var depth: Int {
      var (depth, link) = (1, next)
      while let current = link { (depth, link) = (depth + 1, current.next) }
      return depth
    }
  }
  indirect enum Nest: Decodable, Equatable {
    case leaf, list([Nest])
    init(from decoder: any Decoder) throws {
      guard var container = try? decoder.unkeyedContainer() else {
        self = .leaf
        return
      }
      var list: [Nest] = []
      while !container.isAtEnd { list.append(try container.decode(Nest.self)) }
      self = .list(list)
    }
  }

  @Test func `nesting has a limit`() async throws { try await onThread(stackSize: 64 << 20) { try Self.checkDepths() } }

  private static func checkDepths() throws {
    func chain(_ depth: Int) -> String {
      String(repeating: #"{"next":"#, count: depth) + "{}" + String(repeating: "}", count: depth)
    }
    func tree(_ depth: Int) -> String {
      String(repeating: #"{"children":["#, count: depth) + #"{"children":[]}"# + String(repeating: "]}", count: depth)
    }
    func nest(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    let decoder = JSONValueDecoder()
    #expect(try decoder.decode(Chain.self, from: Data(chain(511).utf8)).depth == 512)
    _ = try decoder.decode(Tree.self, from: Data(tree(255).utf8))
    _ = try decoder.decode(Nest.self, from: Data(nest(512).utf8))
    for text in [chain(512), tree(256), nest(513)] {
      #expect(Outcome { try decoder.decode(Chain.self, from: Data(text.utf8)) }.error == "dataCorrupted at ")
    }
    // Depth counts open containers, not closed ones.
    let many = "[" + Array(repeating: #"{"children":[]}"#, count: 2000).joined(separator: ",") + "]"
    #expect(try decoder.decode([Tree].self, from: Data(many.utf8)).count == 2000)
    var made = try JSONValue(parsing: Data("{}".utf8))
    for _ in 0..<511 { made = ["next": made] }
    #expect(try made.decode(Chain.self).depth == 512)
    made = ["next": made]
    #expect(Outcome { try made.decode(Chain.self) }.error.hasPrefix("dataCorrupted at next/next"))
    // A value that is made here may be deeper than a text that arrives. Its decoding has the limit all the same.
    made = [:]
    for _ in 0..<2000 { made = ["next": made] }
    #expect(Outcome { try made.decode(Chain.self) }.error.hasPrefix("dataCorrupted at next/next"))
    made = []
    for _ in 0..<2000 { made = [made] }
    #expect(Outcome { try made.decode(Nest.self) }.error.hasPrefix("dataCorrupted at Index 0(0)/Index 0(0)"))
  }
}
