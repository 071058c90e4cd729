import EntityJSON
import Foundation

/// Where the parameters of a pagination stand in a request.
enum ParameterPlace: Sendable {
  case query
  /// At key paths of the body.
  case body

  /// The value of a parameter as text; `nil` without one.
  func value(_ name: String, in request: PageToken) -> String? {
    switch self {
    case .query: request.url.queryFields[name]
    case .body: request.body.flatMap { try? JSONValue(parsing: $0) }.flatMap { Self.text($0[name]) }
    }
  }

  /// The value of a parameter in the request of a page.
  func value(_ name: String, in page: ReceivedPage) -> String? {
    switch self {
    case .query: page.url.queryFields[name]
    case .body: Self.text(page.sentBody?[name])
    }
  }

  private static func text(_ value: JSONValue?) -> String? { value?.string ?? value?.lexeme }
}
