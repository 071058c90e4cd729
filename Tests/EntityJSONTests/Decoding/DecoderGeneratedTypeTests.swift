import EntityJSON
import Foundation
import Testing

/// `JSONValueDecoder` held against `JSONDecoder`: types that are made of each other, each with texts that fit it and texts
/// that fail at each of its places.
@Suite struct DecoderGeneratedTypeTests {
  private static let plain = Strategies()
  private static let other = Strategies(
    date: .iso8601, data: .deferredToData,
    float: .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "none"),
    keys: .convertFromSnakeCase
  )

  @Test(arguments: [1, 2]) func `containers around each scalar are decoded as by Foundation`(levels: Int) {
    var types = Types(strategies: levels == 1 ? [Self.plain, Self.other] : [Self.plain])
    func scalar<T: Decodable & Equatable>(_ type: T.Type, _ good: String...) {
      types.add(
        type, good + Self.texts, levels: levels == 1 || T.self == Int.self || T.self == String.self ? levels : 0)
    }
    scalar(Bool.self, "true", "false")
    scalar(String.self, #""a""#, #""\u00e9\n""#)
    scalar(Int.self, "7", "-0")
    scalar(Int8.self, "-128", "128")
    scalar(Int16.self, "32767", "-32769")
    scalar(Int32.self, "2147483647", "2147483648")
    scalar(Int64.self, "-9223372036854775808", "9223372036854775808")
    scalar(Int128.self, "170141183460469231731687303715884105727", "-170141183460469231731687303715884105729")
    scalar(UInt.self, "18446744073709551615", "-1")
    scalar(UInt8.self, "255", "256")
    scalar(UInt16.self, "65535", "65536")
    scalar(UInt32.self, "4294967295", "4294967296")
    scalar(UInt64.self, "18446744073709551615", "18446744073709551616")
    scalar(Double.self, "0.1", "1e999")
    scalar(Float.self, "0.1", "1e39")
    scalar(Decimal.self, "0.1", "12345678901234567890123456789012345678")
    scalar(Date.self, "1.5", #""2024-05-01T12:00:00Z""#)
    scalar(Data.self, #""AQI=""#, "[1,2]")
    scalar(URL.self, #""https://h/?a=b#c""#, #""http://[""#)
    scalar(UUID.self, #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#, #""E621""#)
    scalar(Color.self, #""red""#, #""blue""#)
    scalar(Number.self, "1", "3")
    #expect(types.count > (levels == 1 ? 250 : 300))
  }

  private static let texts = [
    "null", "true", "1", "-1.5", "1e2", #""x""#, #""""#, #""inf""#, "[]", "[1]", "{}", #"{"v":1}"#,
  ]

  /// Holds the decoders against each other for a type and all that is made of it.
  private struct Types {
    let strategies: [Strategies]
    private(set) var count = 0

    init(strategies: [Strategies]) { self.strategies = strategies }

    /// - Parameter texts: the first one fits.
    mutating func add<T: Decodable & Equatable>(_ type: T.Type, _ texts: [String], levels: Int) {
      count += 1
      for strategies in strategies { expectLikeFoundation(type, texts, strategies) }
      guard levels > 0 else { return }
      /// In the first template each text is put, in the others the first.
      func wrap(_ templates: String...) -> [String] {
        func fill(_ template: String, _ text: String) -> String { template.replacingOccurrences(of: "$", with: text) }
        let filled = texts.map { fill(templates[0], $0) } + templates.dropFirst().map { fill($0, texts[0]) }
        return filled + ["null", "1", "[]", "{}"]
      }
      let left = levels - 1
      add(T?.self, wrap("$"), levels: left)
      add([T].self, wrap("[$]", "[$,$]", "[$,null]", "[null,$]", #"{"v":$}"#), levels: left)
      add([String: T].self, wrap(#"{"k":$}"#, #"{"é":$}"#, "[$]", #"["k",$]"#), levels: left)
      add([Int: T].self, wrap(#"{"7":$}"#, #"{"k":$}"#, "[7,$]"), levels: left)
      add(Field<T>.self, wrap(#"{"v":$}"#, #"{"w":$,"v":$}"#, #"{"w":$}"#, #"{"\u0076":$}"#, "[$]"), levels: left)
      add(OtherKey<T>.self, wrap(#"{"1st key":$,"long_name":$}"#, #"{"1st key":$}"#, #"{"longName":$}"#), levels: left)
      add(
        Choice<T>.self,
        wrap(
          #"{"one":{"_0":$}}"#, #"{"two":{"x":$,"y":$}}"#, #"{"two":{"y":$}}"#, #"{"none":{}}"#, #"{"one":{},"two":{}}"#
        ),
        levels: left)
      add(
        Derived<T>.self, wrap(#"{"super":{"v":$},"w":$}"#, #"{"super":{"v":$}}"#, #"{"w":$}"#, #"{"v":$}"#),
        levels: left)
      add(
        ByHand<T>.self,
        wrap(
          #"{"l":[{"v":$},$],"s":$}"#, #"{"l":[{"v":$}],"s":$}"#, #"{"l":[{"v":$},null],"s":$}"#, #"{"l":[{"v":$},$]}"#,
          #"{"l":[],"s":$}"#, #"{"l":{},"s":$}"#, #"{"l":[[]],"s":$}"#, #"{"l":null}"#), levels: left)
      add(Single<T>.self, wrap("$"), levels: left)
      add(Tries<T>.self, wrap("[$,1,$]", "[$,null]", #"["x",$,[],$]"#), levels: left)
      add(Asked<T>.self, wrap(#"{"a":$}"#, #"{"a":null,"b":$}"#, #"{"b":$,"super":$}"#), levels: left)
    }
  }
}

// MARK: - Types

private enum Color: String, Decodable { case red, green }
private enum Number: Int, Decodable { case one = 1, two }

private struct Field<T: Decodable & Equatable>: Decodable, Equatable { var v: T }

private struct OtherKey<T: Decodable & Equatable>: Decodable, Equatable {
  var first: T
  var longName: T?

  enum CodingKeys: String, CodingKey { case first = "1st key", longName }
}

private enum Choice<T: Decodable & Equatable>: Decodable, Equatable {
  case one(T), two(x: T, y: T?), none
}

private class Base<T: Decodable & Equatable>: Decodable {
  let v: T

  enum CodingKeys: CodingKey { case v, w }

  required init(from decoder: any Decoder) throws {
    v = try decoder.container(keyedBy: CodingKeys.self).decode(T.self, forKey: .v)
  }
}
private final class Derived<T: Decodable & Equatable>: Base<T>, Equatable, CustomStringConvertible {
  let w: T?

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    w = try container.decodeIfPresent(T.self, forKey: .w)
    try super.init(from: container.superDecoder())
  }

  static func == (left: Derived, right: Derived) -> Bool { left.v == right.v && left.w == right.w }
  var description: String { "\(v) \(w as Any)" }
}

/// Nested containers, and the type's own `init(from:)`.
private struct ByHand<T: Decodable & Equatable>: Decodable, Equatable {
  var v: T
  var element: T?
  var own: T
  var paths: [String]

  enum CodingKeys: CodingKey { case l, v, s }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var list = try container.nestedUnkeyedContainer(forKey: .l)
    let keyed = try list.nestedContainer(keyedBy: CodingKeys.self)
    v = try keyed.decode(T.self, forKey: .v)
    element = try list.decodeIfPresent(T.self)
    let other = try container.superDecoder(forKey: .s)
    own = try T(from: other)
    paths = [list.codingPath, keyed.codingPath, other.codingPath].map { $0.map(describe).joined(separator: "/") }
  }
}

private struct Single<T: Decodable & Equatable>: Decodable, Equatable {
  var v: T?
  var path: [String]

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    path = container.codingPath.map(describe)
    if !container.decodeNil() { v = try container.decode(T.self) }
  }
}

extension Outcome {
  /// Foundation does not say where a number is that does not fit, or throws an error of its own inside of a type.
  fileprivate var logged: Substring {
    error.hasPrefix("dataCorrupted") || error.hasPrefix("numberIsNotRepresentableInSwift") ? "no number" : error[...]
  }
}

private struct Skipped: Decodable {}

/// Reads on after errors.
private struct Tries<T: Decodable & Equatable>: Decodable, Equatable {
  var values: [T?] = []
  var log: [String] = []

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    for _ in 0..<4 {
      let outcome = Outcome { try container.decode(T.self) }
      values.append(outcome.value)
      log.append("\(outcome.logged) \(container.currentIndex) of \(container.count ?? -1) \(container.isAtEnd)")
      if outcome.value == nil { log.append(Outcome { try container.decode(Skipped.self) }.error) }
    }
    log.append(Outcome { try container.decodeNil() }.error)
    log.append(Outcome { try container.nestedUnkeyedContainer() }.error)
    log.append(Outcome { try container.superDecoder() }.error)
    // At the end this moves Foundation's index.
    log.append(Outcome { try container.decodeIfPresent(T.self) }.error)
  }
}

/// Asks for keys that are there and are not, in every way.
private struct Asked<T: Decodable & Equatable>: Decodable, Equatable {
  var values: [T?] = []
  var log: [String] = []

  enum CodingKeys: String, CodingKey, CaseIterable { case a, b, `super` }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    log.append(container.allKeys.map(describe).sorted().joined(separator: ","))
    for key in CodingKeys.allCases {
      let outcomes: [Outcome<T?>] = [
        Outcome { try container.decode(T.self, forKey: key) },
        Outcome { try container.decodeIfPresent(T.self, forKey: key) },
        Outcome { try T(from: container.superDecoder(forKey: key)) }, Outcome { try T(from: container.superDecoder()) },
      ]
      for outcome in outcomes {
        values.append(outcome.value ?? nil)
        log.append("\(outcome.logged) \(container.contains(key))")
      }
      log.append("\(Outcome { try container.decodeNil(forKey: key) })")
    }
  }
}
