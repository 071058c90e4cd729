import EntityJSON
import Foundation
import TestSupport
import Testing

/// Features that `JSONValueDecoder` has and `JSONDecoder` has not, and the types of this package in it.
@Suite struct JSONValueDecoderTests {
  private func decode<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
    try JSONValueDecoder().decode(type, from: Data(text.utf8))
  }

  private func error<T: Decodable>(_ type: T.Type, _ text: String) -> String {
    Outcome { try decode(type, text) }.error
  }

  struct Item: Codable, Equatable {
    var id: Int
    var price: Decimal?
  }

  // MARK: Where JSONDecoder differs

  @Test func `numbers are exact or refused`() throws {
    #expect(try decode(Int128.self, "1e30") == 1_000_000_000_000_000_000_000_000_000_000)
    #expect(try decode(UInt128.self, "340282366920938463463374607431768211455") == .max)
    #expect(try decode(Int128.self, "-170141183460469231731687303715884105728") == .min)
    #expect(error(Int128.self, "-170141183460469231731687303715884105729") == "dataCorrupted at ")
    #expect(try decode([Int].self, "[9007199254740993,9223372036854775807]") == [9_007_199_254_740_993, .max])
    #expect(
      try decode(Decimal.self, "12345678901234567890.12345678901234567")
        == Decimal(string: "12345678901234567890.12345678901234567"))
    // Foundation cuts these off.
    #expect(error(Decimal.self, "340282366920938463463374607431768211456") == "dataCorrupted at ")
    #expect(error(Decimal.self, "0.12345678901234567890123456789012345678901") == "dataCorrupted at ")
  }

  @Test func `floats are rounded once`() throws {
    // Above the middle between two Floats by less than a Double shows.
    #expect(try decode(Float.self, "1.00000005960464477539062500001") == Float(1).nextUp)
    #expect(try decode(Float.self, "1.00000005960464477539062499999") == 1)
    #expect(try decode(Float.self, "1.000000059604644775390625") == 1)
    var generator = SeededRandom(state: 7)
    for _ in 0..<5000 {
      let bits = UInt32.random(in: 0..<0x7F80_0000, using: &generator)
      let float = Float(bitPattern: bits)
      #expect(try float == 0 || decode(Float.self, "\(float)") == float)
      let digits = (0..<12).map { _ in "\(Int.random(in: 0...9, using: &generator))" }.joined()
      let text = "\(Int.random(in: 0..<1 << 25, using: &generator)).5\(digits)"
      #expect(try decode(Float.self, text) == Float(text))
    }
  }

  @Test func `small floats are rounded once`() throws {
    var generator = SeededRandom(state: 8)
    for _ in 0..<5000 {
      // About the middle between two that have fewer bits than others.
      let below = Int.random(in: 1..<1 << Int.random(in: 2...23, using: &generator), using: &generator)
      let text = "\(Double(2 * below + 1) * 0x1p-150)"
      #expect(try decode(Float.self, text) == Float(text), "\(text)")
    }
  }

  @Test func `an error of a number says where it is`() {
    #expect(error([Item].self, #"[{"id":1},{"id":1.5}]"#) == "dataCorrupted at Index 1(1)/id")
    #expect(error([String: Double].self, #"{"a":1e999}"#) == "dataCorrupted at a")
  }

  @Test func `the last of duplicate keys counts`() throws {
    #expect(try decode(Item.self, #"{"id":1,"id":2}"#).id == 2)
    #expect(try decode(Item.self, #"{"id":"x","\u0069d":2}"#).id == 2)
    #expect(
      try decode([Item].self, #"[{"id":1,"price":1},{"id":1,"id":2},{"id":3,"price":1}]"#).map(\.id) == [1, 2, 3])
    #expect(try decode([String: Int].self, #"{"a":"x","b":1,"a":2,"a":3}"#) == ["a": 3, "b": 1])
    #expect(error([String: Int].self, #"{"a":1,"a":"x"}"#) == "typeMismatch Int at a")
    let many = (0..<200).map { "\"x\($0)\":0" }.joined(separator: ",")
    #expect(try decode(Item.self, "{\"id\":1,\(many),\"id\":2}").id == 2)
    struct Keys: Decodable {
      var keys: [String]
      init(from decoder: any Decoder) throws {
        keys = try decoder.container(keyedBy: DecoderStructureTests.AnyKey.self).allKeys.map(\.stringValue)
      }
    }
    #expect(try decode(Keys.self, #"{"b":1,"a":2,"b":3}"#).keys == ["b", "a"])
  }

  @Test func `a text that is no JSON is corrupted data`() throws {
    do {
      _ = try decode([Int].self, "[1,\n x]")
      Issue.record("it was accepted")
    } catch DecodingError.dataCorrupted(let context) {
      let json = try #require(context.underlyingError as? JSONError)
      #expect(json.line == 2)
      #expect(json.column == 2)
      #expect(context.codingPath.isEmpty)
    }
    for text in ["", " ", "[1,]", "\u{FEFF}1", #""\ud800""#, "01", "NaN", "'a'", "1 2"] {
      #expect(error(JSONValue.self, text) == "dataCorrupted at ")
    }
  }

  @Test func `errors tell no more than they must`() {
    let outcome = Result { try decode(Item.self, #"{"id":"a secret"}"#) }
    guard case .failure(let error) = outcome else { return #expect(Bool(false)) }
    #expect(!"\(error)".contains("secret"))
    #expect("\(error)".contains("byte 6"))
  }

  // MARK: Views

  struct Envelope: Decodable {
    var kind: String
    var raw: JSONValue
    var object: JSONObject?
    var list: JSONArray
    var rest: [String: JSONValue]
  }

  private static let envelope =
    #"{"kind":"k","raw":{"n":1.50,"x":[null]},"object":{"a":1},"list":[1,"b"],"rest":{"z":null,"y":12345678901234567890}}"#

  @Test func `properties can keep the sent value`() throws {
    let value = try decode(Envelope.self, Self.envelope)
    #expect(String(decoding: value.raw.rawBytes, as: UTF8.self) == #"{"n":1.50,"x":[null]}"#)
    #expect(value.object?["a"]?.int64 == 1)
    #expect(value.list.count == 2)
    #expect(value.rest["z"]?.isNull == true)
    #expect(value.rest["y"]?.uint64 == 12_345_678_901_234_567_890)
    #expect(try decode([JSONValue?].self, "[null,1]").count == 2)
    #expect(error(JSONObject.self, "[1]") == error([String: Int].self, "[1]"))
    #expect(error([JSONArray].self, "[null]") == error([[Int]].self, "[null]"))
  }

  @Test func `other decoders give a copy of the JSON`() throws {
    let value = try JSONDecoder().decode(Envelope.self, from: Data(Self.envelope.utf8))
    #expect(value.raw == ["x": [nil], "n": 1.5])
    #expect(value.object?["a"]?.int64 == 1)
    #expect(value.list == [1, "b"])
    #expect(value.rest["y"]?.uint64 == 12_345_678_901_234_567_890)
    for text in ["[]", "{}", "null", "true", "1", "-1.5", #""x""#, #"{"a":[{"b":[]}]}"#] {
      #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) == parse(text))
    }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(JSONObject.self, from: Data("[]".utf8)) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(JSONArray.self, from: Data("{}".utf8)) }
  }

  @Test func `views decode`() throws {
    let value = try parse(#"{"items":[{"id":1},{"id":"2"}],"one":{"ID":3}}"#)
    #expect(try value["items"]?.array?[0]?.decode(Item.self) == Item(id: 1))
    #expect(try value["items"]?.array?[0]?.object?.decode() == Item(id: 1))
    #expect(Outcome { try value["items"]?.array?.decode([Item].self) }.error == "typeMismatch Int at Index 1(1)/id")
    var decoder = JSONValueDecoder()
    decoder.keyDecodingStrategy = .custom {
      DecoderStructureTests.AnyKey(stringValue: ($0.last?.stringValue ?? "").lowercased())
    }
    #expect(try value["one"]?.decode(Item.self, using: decoder) == Item(id: 3))
    let made: JSONValue = ["id": 7, "price": 1.5]
    #expect(try made.decode() == Item(id: 7, price: 1.5))
  }

  @Test func `a decoder that was kept still works`() throws {
    struct Kept: Decodable {
      let decoder: any Decoder
      let container: KeyedDecodingContainer<DecoderStructureTests.AnyKey>
      init(from decoder: any Decoder) throws {
        self.decoder = decoder
        container = try decoder.container(keyedBy: DecoderStructureTests.AnyKey.self)
      }
    }
    let kept = try decode([String: [Kept]].self, #"{"k":[{"a":1,"b":2},{"b":4,"a":3}]}"#)["k"] ?? []
    #expect(try kept.map { try $0.container.decode(Int.self, forKey: "b") } == [2, 4])
    #expect(try kept.map { try $0.container.decode(Int.self, forKey: "a") } == [1, 3])
    #expect(kept.map { $0.container.codingPath.map(describe) } == [["k", "Index 0(0)"], ["k", "Index 1(1)"]])
    #expect(kept.map { $0.decoder.codingPath.count } == [2, 2])
  }
}
