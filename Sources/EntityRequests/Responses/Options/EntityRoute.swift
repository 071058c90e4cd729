public import EntityStore

/// A way from an entity or an object to a URL: of a relationship, or with a name.
///
/// ```swift
/// extension User: RemoteEntity {
///   static var basePath: String { "users" }
///   static var routes: [EntityRoute<User>] {
///     [
///       .relationship(\.posts, at: "{uid}/posts"),      // users/7/posts
///       .relationship(\.tags, at: "/tags/of/{slug}/"),  // from the host, with the attribute `slug`
///       .named("search", at: "search/{term}"),
///     ]
///   }
/// }
/// let posts = try await user.get(\.posts).objects
/// let found = try await User.get(User.resource(named: "search", ["term": "a/b"])).objects
/// ```
///
/// A pattern is relative to the base path, as resources are; with a slash in front it begins at the root of the host. A
/// parameter `{uid}` is the uid of the object, if the uid is one value. A parameter with the name of an attribute is
/// the value of the attribute; see ``PathPattern``. A pattern may have a query: `/posts?author=eq.{uid}`. A client with a store checks the routes of all its entities when it
/// is made.
public struct EntityRoute<Entity: ManagedEntity>: Sendable {
  enum Purpose: Sendable {
    case relationship(any AnyKeyPath & Sendable)
    case name(String)
  }

  let purpose: Purpose
  let pattern: String

  /// The property of a relationship; `nil` for a route with a name.
  var property: AnyKeyPath? { if case .relationship(let property) = purpose { property } else { nil } }

  /// The URL of a relationship. Without a route it is the URL of the object, and the key of the property.
  ///
  /// - Parameters:
  ///   - property: The relationship.
  ///   - pattern: The path. Each of its parameters is `{uid}` or an attribute of the entity.
  public static func relationship<Related>(
    _ property: any KeyPath<Entity, Related> & Sendable, at pattern: String
  ) -> EntityRoute {
    EntityRoute(purpose: .relationship(property), pattern: pattern)
  }

  /// A URL with a name.
  ///
  /// - Parameters:
  ///   - name: Any text that no other route of the entity has.
  ///   - pattern: The path. Parameters that are neither `{uid}` nor an attribute are given when the URL is made.
  public static func named(_ name: String, at pattern: String) -> EntityRoute {
    EntityRoute(purpose: .name(name), pattern: pattern)
  }
}

extension RemoteEntity {
  /// Checks the routes of the entity, and the URLs of its objects.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRoute`.
  static func checkRoutes(_ model: EntityModel) throws {
    try checkObjectPath(model)
    var names: Set<String> = []
    var properties: Set<Int> = []
    for route in routes {
      let pattern: URLTemplate
      do {
        pattern = try URLTemplate(route.pattern)
      } catch let error as RequestError {
        throw RequestError(.invalidRoute, "A route of '\(entityName)': \(error.message)")
      }
      switch route.purpose {
      case .name(let name):
        guard names.insert(name).inserted else { throw refusal("two have the name '\(name)'") }
      case .relationship(let keyPath):
        guard let index = model.index(of: keyPath), model.properties[index].isRelationship else {
          throw refusal("the key path of '\(pattern)' is none of a relationship")
        }
        let property = model.properties[index].name
        guard properties.insert(index).inserted else { throw refusal("two are those of '\(property)'") }
        guard pattern.path.hasNamedWildcardsOnly else {
          throw refusal("'\(pattern)', that of '\(property)', has a wildcard without a name")
        }
        for name in pattern.names where model.pathAttribute(name) == nil {
          throw refusal("'{\(name)}' in '\(pattern)', that of '\(property)', is no attribute of the entity")
        }
      }
    }
  }

  private static func refusal(_ reason: String) -> RequestError {
    RequestError(.invalidRoute, "The routes of '\(entityName)' can't be used: \(reason).")
  }
}

extension PropertyModel {
  var isRelationship: Bool { if case .attribute = kind { false } else { true } }
}

extension EntityModel {
  /// The attribute whose value a parameter of a path stands for.
  func pathAttribute(_ name: String) -> Int? {
    if name == "uid", let uid, uidParts == nil { return uid }
    return properties.firstIndex { $0.name == name && !$0.isRelationship && !$0.isHidden }
  }
}

extension PathPattern {
  /// The names of the parameters, in order.
  var names: [String] { components.flatMap(\.names) }

  var hasNamedWildcardsOnly: Bool {
    components.allSatisfy { component in
      switch component {
      case .literal, .affixed: true
      case .digits(let name), .any(let name): name != nil
      case .rest: false
      }
    }
  }
}
