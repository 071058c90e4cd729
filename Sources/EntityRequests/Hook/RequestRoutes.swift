import EntityJSON
import HTTPFoundation

/// The routes of a client as they are for one request.
struct RequestRoutes: Sendable {
  private let routes: Routes
  private let method: HTTPMethod?
  private let path: RoutePath

  /// - Parameters:
  ///   - method: `nil` when the request is not known.
  ///   - url: The URL of the request, and not of a redirect.
  /// - Returns: `nil` for a client without routes.
  init?(_ client: Client?, _ method: HTTPMethod?, _ url: URL?) {
    guard let client, !client.routes.isEmpty else { return nil }
    routes = client.routes
    self.method = method
    path = url.map { RoutePath($0, below: client.baseURL) } ?? .unknown
  }

  var hasModels: Bool { !routes.models.isEmpty }

  /// The models that the routes name for this request with any status of success, the most exact first.
  var named: [(model: RouteModel, parameters: PathParameters)] {
    routes.models.matching(method, path, statuses: 200...299).compactMap { choice, parameters in
      if case .named(let model) = choice { (model, parameters) } else { nil }
    }
  }

  /// The model of a response.
  ///
  /// - Throws: The errors of closures.
  func model(
    of response: HTTPResponse, _ body: JSONValue?
  ) throws -> (result: (model: RouteModel, parameters: PathParameters)?, trace: RouteTrace) {
    try routes.models.first(key(response)) { choice, parameters in
      switch choice {
      case .named(let model): (model, parameters)
      case .chosen(let choose): try ask(choose, parameters, response, body).map { ($0, parameters) }
      }
    }
  }

  /// The envelope of a response; `nil` when no route names one.
  func envelope(of response: HTTPResponse, _ body: JSONValue?) throws -> Envelope? {
    try routes.envelopes.first(key(response)) { try ask($0, $1, response, body) }.result
  }

  /// The error model of a refusal; `nil` when no route names one.
  func errorModel(of response: HTTPResponse, _ body: JSONValue?) throws -> ErrorModel? {
    try routes.errors.first(key(response)) { try ask($0, $1, response, body) }.result
  }

  private func key(_ response: HTTPResponse) -> RouteKey { RouteKey(method, path, status: response.status) }

  private func ask<Result>(
    _ choose: (RouteMatch) throws -> Result?, _ parameters: PathParameters, _ response: HTTPResponse,
    _ body: JSONValue?
  ) throws -> Result? {
    do {
      return try choose(
        RouteMatch(
          method: method, parameters: parameters, status: response.status, headers: response.headers, json: body))
    } catch let error where !(error is CancellationError || error is RequestError) {
      throw RequestError(
        .mapping, "The closure of a route failed: \(RequestError.shown(error)).", response: response, underlying: error)
    }
  }
}
