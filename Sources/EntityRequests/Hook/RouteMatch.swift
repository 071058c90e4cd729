public import EntityJSON

/// A request and its response, as the closure of a ``Route`` sees them.
public struct RouteMatch: Sendable {
  /// The method of the request; `nil` for a response that another HTTP client delivered without its request.
  public let method: HTTPMethod?
  /// The values of the pattern's wildcards in the path of the request.
  public let parameters: PathParameters
  public let status: Int
  public let headers: HTTPHeaders
  /// The whole body, parsed; `nil` when there is none, and for a refusal that is no JSON.
  public let json: JSONValue?
}
