import EntityStore
import Foundation

/// The routes of a client: a table for each role, checked when it is made; see ``Route``.
///
/// ```swift
/// let routes = try Routes([.entity(User.self, at: "users/#"), .value(Session.self, at: "sessions", .post)])
/// print(try routes.explain(.get, "sessions"))
/// // GET sessions, status 200: no route
/// //   sessions  POST  2xx  the method is GET
/// //   users/#   any   2xx  'sessions' is not 'users'
/// ```
public struct Routes: Sendable {
  /// The role of a route: its responses' model, envelope or error model.
  public enum Role: Sendable, Hashable, CaseIterable { case model, envelope, error }

  /// The model that a route names, or its closure.
  enum ModelChoice: Sendable {
    case named(RouteModel)
    case chosen(@Sendable (RouteMatch) throws -> RouteModel?)
  }

  let models: RouteTable<ModelChoice>
  let envelopes: RouteTable<@Sendable (RouteMatch) throws -> Envelope?>
  let errors: RouteTable<@Sendable (RouteMatch) throws -> ErrorModel?>
  /// The base URL of the client that owns the routes; `nil` for routes without a client.
  var base: RequestURL?

  /// Makes the tables.
  ///
  /// - Parameter routes: The routes. Their order means nothing.
  /// - Throws: ``RequestError`` of kind `invalidRoute` for a pattern that no path matches, for a status that the role
  ///   never gets, and for two routes of a role that match the same requests and are equally exact.
  public init(_ routes: [Route] = []) throws {
    var models: [RouteTable<ModelChoice>.Entry] = []
    var envelopes: [RouteTable<@Sendable (RouteMatch) throws -> Envelope?>.Entry] = []
    var errors: [RouteTable<@Sendable (RouteMatch) throws -> ErrorModel?>.Entry] = []
    for route in routes {
      let condition = try route.condition()
      switch route.role {
      case .model(let model):
        try model.check(condition)
        models.append((condition, .named(model)))
      case .chosenModel(let choose): models.append((condition, .chosen(choose)))
      case .envelope(let choose): envelopes.append((condition, choose))
      case .error(let choose): errors.append((condition, choose))
      }
    }
    self.models = try RouteTable(models)
    self.envelopes = try RouteTable(envelopes)
    self.errors = try RouteTable(errors)
  }

  var isEmpty: Bool { models.isEmpty && envelopes.isEmpty && errors.isEmpty }

  /// Why a request and its response lead to a route, or to none. Closures are not run: a matching route with a closure
  /// counts as taken.
  ///
  /// - Parameters:
  ///   - method: The method of the request.
  ///   - resource: The path or URL, as a verb takes it. With the routes of a client, it is resolved against the base
  ///     URL: `users/1`, `/v1/users/1` and the full URL may be the same. Without a client it is the path below the base
  ///     URL.
  ///   - status: The status of the response.
  ///   - role: Which routes are asked.
  public func explain(
    _ method: HTTPMethod, _ resource: String, status: Int = 200, as role: Role = .model
  ) -> RouteTrace {
    let key = RouteKey(method, path(of: resource), status: status)
    return switch role {
    case .model: models.explain(key)
    case .envelope: envelopes.explain(key)
    case .error: errors.explain(key)
    }
  }

  /// The path of a resource as the routes see it. A resource that is no URL has the path `unknown`.
  private func path(of resource: String) -> RoutePath {
    let isAbsolute = RequestURL.isAbsolute(resource)
    guard let base = isAbsolute ? (try? RequestURL(absolute: resource)).map({ self.base ?? $0.root }) : base else {
      return isAbsolute ? .unknown : RoutePath(resource)
    }
    guard let root = try? base.url(), let url = try? base.resolving(resource).url() else { return .unknown }
    return RoutePath(url, below: root)
  }

  /// - Throws: ``RequestError`` of kind `invalidRoute` for a route to an entity that the store lacks.
  func check(_ schema: SchemaModel) throws {
    for case (let condition, .named(let model)) in models.entries {
      for type in model.entities {
        do {
          _ = try schema.model(type)
        } catch {
          throw RequestError(
            .invalidRoute, "The route '\(condition)' can't be used: \(RequestError.shown(error))", underlying: error)
        }
      }
    }
  }
}

extension Route {
  fileprivate func condition() throws -> RouteCondition {
    let condition = try RouteCondition(PathPattern(pattern), methods: methods, status: status)
    let successes = 200...299
    switch role {
    case .model, .chosenModel, .envelope:
      guard !condition.status.bounds.overlaps(successes) else { break }
      throw RequestError(
        .invalidRoute,
        "The route '\(condition)' can never match: models and envelopes are read from successes, 200 to 299. For refusals "
          + "there is `.error`.")
    case .error:
      let bounds = condition.status.bounds
      guard successes.contains(bounds.lowerBound), successes.contains(bounds.upperBound) else { break }
      throw RequestError(
        .invalidRoute, "The route '\(condition)' can never match: a response with a status of 200 to 299 is no refusal."
      )
    }
    return condition
  }
}
