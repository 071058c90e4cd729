import EntityJSON
import EntityStore
public import Foundation

/// The parameters of a query, or the fields of a form, in their order.
///
/// ```swift
/// try await User.get(query: ["page": 1, "tag": ["new", "old"], "since": lastSync, "email": nil])
/// // …/users?page=1&tag=new&tag=old&since=2024-05-01T12%3A00%3A00Z
/// ```
///
/// Names and values are percent-encoded, all but the unreserved characters (RFC 3986 §2.1, §2.3): `+`, `&` and `=` in a
/// value arrive as these characters, and a space is `%20`. An array repeats its name. A query leaves out `nil` and an empty
/// array, while a form has an empty field for either: it has no other way to clear a value or a list.
public struct QueryParameters: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  struct Item: Sendable, Equatable {
    let name: String
    let value: String?
  }

  private(set) var items: [Item] = []

  public init() {}

  public init(dictionaryLiteral elements: (String, (any QueryParameterValue)?)...) {
    for (name, value) in elements { append(name, value) }
  }

  /// The parameters of a dictionary, sorted by name.
  public init(_ dictionary: [String: any QueryParameterValue]) {
    for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { append(name, value) }
  }

  /// Adds a parameter after the others. A parameter of the same name stays.
  public mutating func append(_ name: String, _ value: (any QueryParameterValue)?) {
    let values = value?.queryValues ?? []
    if values.isEmpty, value.map(\.isNothing) ?? true { append(Item(name: name, value: nil)) }
    items += values.map { Item(name: name, value: $0) }
  }

  mutating func append(_ item: Item) { items.append(item) }

  /// True when a query of these parameters is empty. A form of them may still have empty fields.
  public var isEmpty: Bool { items.allSatisfy { $0.value == nil } }

  /// Names and values of the query, not encoded.
  package var pairs: [(name: String, value: String)] {
    items.compactMap { item in item.value.map { (item.name, $0) } }
  }

  package var encoded: String {
    pairs.map { "\(PercentEncoding.component($0.name))=\(PercentEncoding.component($0.value))" }.joined(separator: "&")
  }
}

/// A value that a query parameter can have.
public protocol QueryParameterValue: Sendable {
  /// The values as text, not encoded; the name is repeated for each.
  var queryValues: [String] { get }
}

extension String: QueryParameterValue { public var queryValues: [String] { [self] } }
extension Substring: QueryParameterValue { public var queryValues: [String] { [String(self)] } }
extension Int: QueryParameterValue { public var queryValues: [String] { [description] } }
extension Int32: QueryParameterValue { public var queryValues: [String] { [description] } }
extension Int64: QueryParameterValue { public var queryValues: [String] { [description] } }
extension UInt: QueryParameterValue { public var queryValues: [String] { [description] } }
extension UInt32: QueryParameterValue { public var queryValues: [String] { [description] } }
extension UInt64: QueryParameterValue { public var queryValues: [String] { [description] } }
/// A number that is not finite is left out, also for the next two types.
extension Double: QueryParameterValue { public var queryValues: [String] { isFinite ? [description] : [] } }
extension Float: QueryParameterValue { public var queryValues: [String] { isFinite ? [description] : [] } }
extension Decimal: QueryParameterValue { public var queryValues: [String] { isFinite ? [description] : [] } }
/// `true` or `false`.
extension Bool: QueryParameterValue { public var queryValues: [String] { [description] } }
/// In lower case (RFC 9562 §4).
extension UUID: QueryParameterValue { public var queryValues: [String] { [uuidString.lowercased()] } }
extension URL: QueryParameterValue { public var queryValues: [String] { [absoluteString] } }
/// ISO 8601 in UTC; a date outside of the years 0 to 9999 is left out.
extension Date: QueryParameterValue {
  public var queryValues: [String] { ISO8601Text.text(of: self).map { [$0] } ?? [] }
}

extension Optional: QueryParameterValue where Wrapped: QueryParameterValue {
  public var queryValues: [String] { self?.queryValues ?? [] }
}

/// A value that may hold others, or none.
private protocol NestingValue { var nested: [Any] { get } }

extension Optional: NestingValue { fileprivate var nested: [Any] { map { [$0] } ?? [] } }

extension Array: NestingValue { fileprivate var nested: [Any] { self } }

extension QueryParameterValue {
  /// True for `nil`, an empty array, and an array of nothing else. False for a value that can't be sent, such as a number
  /// that is not finite.
  fileprivate var isNothing: Bool {
    func isNothing(_ value: Any) -> Bool { (value as? any NestingValue)?.nested.allSatisfy(isNothing) ?? false }
    return isNothing(self)
  }
}

extension Array: QueryParameterValue where Element: QueryParameterValue {
  public var queryValues: [String] { flatMap(\.queryValues) }
}
