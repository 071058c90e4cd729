import EntityJSON
import Foundation

/// A value in the context of an object.
enum ContextValue: Sendable {
  case position
  case parent(String)
  case root(String)
  case header(String)
  case query(String)
  case parameter(String)

  /// True when all objects of a response have the same value.
  var isShared: Bool {
    switch self {
    case .position, .parent: false
    case .root, .header, .query, .parameter: true
    }
  }

  /// The value; `nil` when the context has none.
  func value(in context: ResponseContext) -> JSONValue? {
    switch self {
    case .position: context.position.map { JSONValue($0) }
    case .parent(let keyPath): context.enclosing?.json.value(for: keyPath)
    case .root(let keyPath): context.root?.object?.value(for: keyPath)
    case .header(let name): context.headers[name].map { JSONValue($0) }
    case .query(let name):
      context.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }?.queryItems?
        .first { $0.name == name }?.value.map { JSONValue($0) }
    case .parameter(let name): context.parameters[name].map { JSONValue($0) }
    }
  }

  /// For errors.
  var name: String {
    func named(_ kind: String, _ name: String) -> String { "\(kind) '\(name.prefix(200).escaped)'" }
    return switch self {
    case .position: "its position"
    case .parent(let keyPath): named("the parent's key", keyPath)
    case .root(let keyPath): named("the body's key", keyPath)
    case .header(let name): named("the header", name)
    case .query(let name): named("the URL's query item", name)
    case .parameter(let name): named("the route's parameter", name)
    }
  }
}
