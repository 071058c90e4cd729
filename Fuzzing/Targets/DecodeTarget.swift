import Foundation

@testable import EntityJSON

/// The decoder: the first byte of the input chooses the type, the rest is the text.
@Sendable
func fuzzDecode(_ input: [UInt8]) {
  guard let choice = input.first, let value = parse(input.dropFirst()).success else { return }
  switch choice % 4 {
  case 0: decodeTree(value)
  case 1: decodeShape(value, text: Data(input.dropFirst()))
  case 2: decodeScalars(value)
  default: decodeDates(value)
  }
}

/// The decoder's containers must give the same values as the views.
private func decodeTree(_ value: JSONValue) {
  // Of equal keys a container has the last one, and the events have them all.
  guard !hasEqualKeys(value) else { return }
  do {
    let tree = try value.decode(Tree.self)
    check(tree.agrees(with: value), "the decoder's containers have something else than \(value)")
  } catch {
    fail("any JSON can be decoded as a tree: \(error)")
  }
}

/// JSONDecoder must get the same, or refuse it at the same coding path.
private func decodeShape(_ value: JSONValue, text: Data) {
  // Foundation takes the first of equal keys at times.
  guard !hasEqualKeys(value) else { return }
  let ours = Result { try value.decode(Shape.self) }
  let its = Result { try JSONDecoder().decode(Shape.self, from: text) }
  switch (ours, its) {
  case (.success(let ours), .success(let its)): check(ours == its, "JSONDecoder has \(its), ours \(ours)")
  case (.failure(let ours), .failure(let its)):
    check(Problem(ours) == Problem(its), "JSONDecoder says \(its), ours \(ours)")
  case (.success, .failure(let error)): fail("JSONDecoder refuses what ours accepts: \(error)")
  case (.failure(let error), .success): fail("ours refuses what JSONDecoder accepts: \(error)")
  }
}

/// Types whose values are exact or an error. The views' own accessors are the second way to read them.
private func decodeScalars(_ value: JSONValue) {
  let int = try? value.decode(Int64.self)
  check(int == value.int64, "Int64: \(String(describing: int)) from \(value)")
  let unsigned = try? value.decode(UInt64.self)
  check(unsigned == value.uint64, "UInt64: \(String(describing: unsigned)) from \(value)")
  let double = try? value.decode(Double.self)
  check(double == decodable(value), "Double: \(String(describing: double)) from \(value)")
  let string = try? value.decode(String.self)
  check(string.map { Array($0.utf8) } == value.string.map { Array($0.utf8) }, "String: another one from \(value)")
  let small = try? value.decode(Int8.self)
  check(small == value.int64.flatMap { Int8(exactly: $0) }, "Int8: \(String(describing: small)) from \(value)")
  check((try? value.decode(JSONValue.self)) == value, "a value decodes as another one: \(value)")
  _ = try? value.decode(Decimal.self)
  _ = try? value.decode(Float.self)
  _ = try? value.decode([String: [Int]].self)
  _ = try? value.decode([Int: String?].self)
  _ = try? value.decode([URL].self)
}

/// As JSONDecoder does, the decoder takes no 0 for a number that is too small for a Double.
private func decodable(_ number: JSONValue) -> Double? {
  let isZero = number.lexeme?.prefix { $0 != "e" && $0 != "E" }.contains { ("1"..."9").contains($0) } == false
  return number.double.flatMap { $0 == 0 && !isZero ? nil : $0 }
}

private func decodeDates(_ value: JSONValue) {
  var decoder = JSONValueDecoder()
  decoder.keyDecodingStrategy = .convertFromSnakeCase
  for strategy: JSONValueDecoder.DateDecodingStrategy in [.iso8601, .secondsSince1970, .millisecondsSince1970] {
    decoder.dateDecodingStrategy = strategy
    _ = try? value.decode(Date.self, using: decoder)
    _ = try? value.decode([Date].self, using: decoder)
  }
  _ = try? value.decode([Data].self, using: decoder)
  _ = try? value.decode([String: [String: Data]].self, using: decoder)
  _ = try? value.decode(Shape.self, using: decoder)
}

private func hasEqualKeys(_ value: JSONValue) -> Bool {
  if let array = value.array { return array.contains(where: hasEqualKeys) }
  var keys: Set<[UInt8]> = []
  var found = false
  value.object?.forEachField { key, value in
    // Swift's Strings are equal when they are canonically equivalent, and a container's keys are Strings.
    let key = Array(String(decoding: key, as: UTF8.self).precomposedStringWithCanonicalMapping.utf8)
    found = found || !keys.insert(key).inserted || hasEqualKeys(value)
  }
  return found
}

// MARK: - The decoded types

private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// Any JSON, by way of the containers.
private indirect enum Tree: Decodable {
  case null, bool(Bool), number(Double?), string(String), array([Tree]), object([(key: String, value: Tree)])

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: AnyKey.self) {
      self = .object(try container.allKeys.map { ($0.stringValue, try container.decode(Tree.self, forKey: $0)) })
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [Tree] = []
      while !container.isAtEnd { elements.append(try container.decode(Tree.self)) }
      self = .array(elements)
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let bool = try? container.decode(Bool.self) {
        self = .bool(bool)
      } else if let string = try? container.decode(String.self) {
        self = .string(string)
      } else {
        self = .number(try? container.decode(Double.self))
      }
    }
  }

  func agrees(with value: JSONValue) -> Bool {
    switch self {
    case .null: value.isNull
    case .bool(let bool): value.bool == bool
    case .number(let double): value.kind == .number && decodable(value) == double
    case .string(let string): value.string.map { Array($0.utf8) } == Array(string.utf8)
    case .array(let elements):
      value.array.map { $0.count == elements.count && zip(elements, $0).allSatisfy { $0.agrees(with: $1) } } ?? false
    case .object(let fields):
      value.object.map { object in
        object.count == fields.count
          && fields.allSatisfy { field in
            object[key: field.key].map { field.value.agrees(with: $0) } ?? false
          }
      } ?? false
    }
  }
}

/// A type as users have it, without numbers: JSONDecoder's are not exact.
private struct Shape: Decodable, Equatable {
  enum Choice: String, Decodable { case a, b }

  let x: String
  let y: [String?]?
  let z: [String: Bool]?
  let w: [Shape]?
  let choice: Choice?
}

/// An error's case and place, which both must have alike; the words may differ.
private enum Problem: Equatable {
  case typeMismatch([String]), valueNotFound([String]), keyNotFound(String, [String]), dataCorrupted([String]), other

  init(_ error: any Error) {
    func path(_ context: DecodingError.Context) -> [String] { context.codingPath.map(\.stringValue) }
    self =
      switch error as? DecodingError {
      case .typeMismatch(_, let context): .typeMismatch(path(context))
      case .valueNotFound(_, let context): .valueNotFound(path(context))
      case .keyNotFound(let key, let context): .keyNotFound(key.stringValue, path(context))
      case .dataCorrupted(let context): .dataCorrupted(path(context))
      default: .other
      }
  }
}
