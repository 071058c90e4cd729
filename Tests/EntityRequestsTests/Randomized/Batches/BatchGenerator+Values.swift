import EntityClient
import EntityStore
import TestSupport

/// Values as servers write them.
extension BatchGenerator {
  static let words = ["alpha", "beta", "gamma", "delta", "epsilon"]
  private static let oddTexts = [
    #""\u0061b""#, #""a\u0000b""#, #""\u0000""#, #""😀""#, #""\uD83D\uDE00""#, #""\n\t\"\\\/""#, #""""#, #"" ""#,
    #""é""#, #""e\u0301""#, #""日本""#, #""null""#, #""5""#, "\"\(String(repeating: "long ", count: 900))\"",
    "\"\(String(repeating: "x", count: 255))\\n\"",
  ]
  private static let faults = [
    "null", "true", "-1", "1e400", "5.5", #""x""#, #""""#, "[]", "{}", "[[]]", #"{"id":{}}"#, #"{"id":null}"#,
    "99999999999999999999", #""\ud800""#,
  ]

  mutating func uid(_ property: PropertyModel, _ number: Int) -> BatchNode {
    guard case .attribute(let type, _) = property.kind else { return .null }
    let isOdd = profile.oddities > 0 && random.chance(profile.oddities * 2)
    switch type {
    case .string where isOdd && number == 0: return .text(#""a\u0000\"😀""#)
    case .string where isOdd && number > 0: return .text(#""\u0075\#(number)""#)
    case .string: return .text(number == 0 ? #""a\u0000\"😀""# : #""u\#(number)""#)
    case .uuid:
      let hex = String(number, radix: 16)
      let digits = String(repeating: "0", count: 12 - hex.count) + hex
      let text = "ABCDEF01-0000-4000-8000-\(isOdd ? digits : digits.uppercased())"
      return .text("\"\(isOdd ? text.lowercased() : text)\"")
    default:
      guard isOdd else { return .text("\(number)") }
      return .text(random.element(["\"\(number)\"", "\(number).0", "\(number)e0"]) ?? "\(number)")
    }
  }

  /// The uid as an app sets it; `nil` of a type that a response alone has here.
  func storedUID(_ property: PropertyModel, _ number: Int) -> StoredValue? {
    guard case .attribute(let type, _) = property.kind else { return nil }
    switch type {
    case .string: return .text(number == 0 ? "a\u{0}\"😀" : "u\(number)")
    case .integer: return .integer(Int64(number))
    default: return nil
    }
  }

  /// - Parameter number: The number of the object.
  mutating func attribute(_ property: PropertyModel, of model: EntityModel, _ number: Int) -> BatchNode {
    if let values = BatchSchema.values(of: property.name, in: model.name) {
      return .text(random.element(values) ?? "null")
    }
    guard case .attribute(let type, let isOptional) = property.kind else { return .null }
    if isOptional, random.chance(8) { return .null }
    let isOdd = profile.oddities > 0 && random.chance(profile.oddities)
    func one(_ usual: [String], _ odd: [String]) -> BatchNode {
      .text(random.element(isOdd ? odd : usual) ?? "null")
    }
    if property.isUnique, !(profile.faults > 0 && random.chance(profile.faults * 20)) {
      // Objects take such values from each other, and mostly each value has one owner at the end.
      let value = (number + shift) % profile.uids
      return .text(type == .string ? "\"c\(value)\"" : "\(value)")
    }
    let small = "\(random.below(6))"
    switch type {
    case .bool: return one(["true", "false"], ["true", "false"])
    case .integer(let bits, let isSigned):
      let large =
        bits < 64
        ? ["100", "1e1"]
        : ["9007199254740993", isSigned ? "9223372036854775807" : "18446744073709551615", "1e2", "5.0", #""7""#, "-0"]
          + (isSigned ? ["-9223372036854775808", "-1"] : ["9223372036854775808"])
      return one([small], large)
    case .float: return one([small, "0.5"], ["-0.0", "16777217", "1e2", "3.4e38", "0.1"])
    case .double:
      return one([small, "0.5"], ["-0.0", "1e2", "1.7976931348623157e308", "5e-324", "0.1", "9007199254740993"])
    case .decimal:
      return one(["\(small).50", "12"], ["-0", "0.10", "12345678901234567890.123", #""3.10""#, "1e3", "-7.5"])
    case .string:
      let word = random.element(Self.words) ?? ""
      return one(["\"\(word) \(small)\""], Self.oddTexts)
    case .data: return one([#""AQID""#, #""""#], [#""AAAA/w==""#, #""AQ==""#])
    case .date:
      return one(
        [#""2026-05-0\#(1 + random.below(5))T10:00:00Z""#, "170000000\(small)"],
        [#""2026-05-01T10:00:00.125Z""#, #""2026-05-01T12:00:00+02:00""#, "1700000000.25", "-1", "0"])
    case .uuid:
      return one(
        [#""00000000-0000-4000-8000-00000000000\#(small)""#], [#""abcdef00-0000-4000-8000-00000000000\#(small)""#])
    case .url: return one([#""https://a.example/\#(small)""#], [#""https:\/\/a.example\/b?c=d#e""#, #""x""#])
    case .json: return one(["{}", "[]"], ["null"])
    }
  }

  /// The body with one value in place of another one that it has, or without it.
  mutating func spoiled(_ body: BatchNode) -> BatchNode {
    let place = 1 + random.below(body.count - 1)
    let fault = random.chance(6) ? nil : random.element(Self.faults).map { BatchNode.text($0) }
    return body.replacing(place) { _ in fault }
  }
}
