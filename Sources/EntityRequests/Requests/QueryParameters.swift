import EntityStore
public import Foundation

/// The parameters of a query, in their order.
///
/// ```swift
/// try await User.get(query: ["page": 1, "tag": ["new", "old"], "since": lastSync, "email": nil])
/// // …/users?page=1&tag=new&tag=old&since=2024-05-01T12%3A00%3A00Z
/// ```
///
/// Names and values are percent-encoded, all but RFC 3986's unreserved characters: `+`, `&` and `=` in a value stay what
/// they are, and a space is `%20`. An array repeats its name; `nil` and an empty array leave it out.
public struct QueryParameters: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  struct Item: Sendable, Equatable {
    let name: String
    let value: String
  }

  private(set) var items: [Item] = []

  public init() {}

  public init(dictionaryLiteral elements: (String, (any QueryValue)?)...) {
    for (name, value) in elements { append(name, value) }
  }

  /// The parameters of a dictionary, sorted by name.
  public init(_ dictionary: [String: any QueryValue]) {
    for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { append(name, value) }
  }

  /// Adds a parameter, after the others; one of the same name stays.
  public mutating func append(_ name: String, _ value: (any QueryValue)?) {
    items += (value?.queryValues ?? []).map { Item(name: name, value: $0) }
  }

  public var isEmpty: Bool { items.isEmpty }

  /// Names and values, not encoded.
  package var pairs: [(name: String, value: String)] { items.map { ($0.name, $0.value) } }

  package var encoded: String {
    items.map { "\(PercentEncoding.component($0.name))=\(PercentEncoding.component($0.value))" }.joined(separator: "&")
  }
}

/// A value that a query parameter can have.
public protocol QueryValue: Sendable {
  /// The values as text, not encoded; the name is repeated for each.
  var queryValues: [String] { get }
}

extension String: QueryValue { public var queryValues: [String] { [self] } }
extension Substring: QueryValue { public var queryValues: [String] { [String(self)] } }
extension Int: QueryValue { public var queryValues: [String] { [description] } }
extension Int32: QueryValue { public var queryValues: [String] { [description] } }
extension Int64: QueryValue { public var queryValues: [String] { [description] } }
extension UInt: QueryValue { public var queryValues: [String] { [description] } }
extension UInt32: QueryValue { public var queryValues: [String] { [description] } }
extension UInt64: QueryValue { public var queryValues: [String] { [description] } }
extension Double: QueryValue { public var queryValues: [String] { [description] } }
extension Float: QueryValue { public var queryValues: [String] { [description] } }
extension Decimal: QueryValue { public var queryValues: [String] { [description] } }
/// `true` or `false`.
extension Bool: QueryValue { public var queryValues: [String] { [description] } }
/// In lower case (RFC 9562 §4).
extension UUID: QueryValue { public var queryValues: [String] { [uuidString.lowercased()] } }
extension URL: QueryValue { public var queryValues: [String] { [absoluteString] } }
/// ISO 8601 in UTC; a date outside of the years 0 to 9999 is left out.
extension Date: QueryValue { public var queryValues: [String] { ISO8601Text.text(of: self).map { [$0] } ?? [] } }

extension Optional: QueryValue where Wrapped: QueryValue {
  public var queryValues: [String] { self?.queryValues ?? [] }
}

extension Array: QueryValue where Element: QueryValue {
  public var queryValues: [String] { flatMap(\.queryValues) }
}
