import EntityJSON
import EntityStore

/// The type that a route reads a response as; see ``Route``.
public struct RouteModel: Sendable {
  enum Kind: Sendable {
    case entities(any RoutedEntity)
    /// Reads a value at a key path of the body.
    case value(@Sendable (JSONValue, String?, BodyReading) throws -> any Sendable)
    case json
  }

  let kind: Kind
  /// The entities of the model; the store must have them.
  let entities: [any ManagedEntity.Type]

  private init(_ kind: Kind, _ entities: [any ManagedEntity.Type] = []) {
    self.kind = kind
    self.entities = entities
  }

  /// True when responses of this model need a store.
  var needsStore: Bool { if case .entities = kind { true } else { false } }

  /// - Throws: ``RequestError`` of kind `invalidRoute` for options that no route can have.
  func check(_ condition: RouteCondition) throws {
    guard case .entities(let entity) = kind else { return }
    if let option = entity.optionOfRequests {
      throw RequestError(
        .invalidRoute,
        "The route '\(condition)' has \(option), which only a request can have. Give it to the request, or to the client."
      )
    }
    do {
      try entity.checkOptions()
    } catch let error as RequestError {
      throw RequestError(.invalidRoute, "The route '\(condition)' can't be used: \(error.message)")
    }
  }

  /// Objects of an entity, which are upserted into the store.
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - options: How the objects are taken in, and their envelope. Limits and error models come from the
  ///     request.
  public static func entity<E: RemoteEntity>(_ type: E.Type, options: ResponseOptions<E> = []) -> RouteModel {
    let own: [any ManagedEntity.Type] = type == EntityDocument.self ? [] : [type]
    return RouteModel(.entities(RoutedOptions(options: options)), own + options.parts.flatMap(\.types))
  }

  /// Objects of several entities; see ``EntityDocument``.
  ///
  /// - Parameter parts: Where the body holds which entity.
  public static func parts(_ parts: [ResponsePart]) -> RouteModel {
    .entity(EntityDocument.self, options: .parts(parts))
  }

  /// A value, which is decoded and never stored.
  ///
  /// - Parameter type: Any Decodable type.
  public static func value<Value: Decodable & Sendable>(_ type: Value.Type) -> RouteModel {
    RouteModel(.value { try $2.value(type, in: $0, at: $1) })
  }

  /// The body as JSON.
  public static let json = RouteModel(.json)
}

/// The entity that a route names, and how its objects are taken in.
protocol RoutedEntity: Sendable {
  associatedtype Entity: RemoteEntity
  var options: ResponseOptions<Entity> { get }
}

extension RoutedEntity {
  /// An option that counts before the response is here, or before a route is chosen for it.
  fileprivate var optionOfRequests: String? {
    if options.cache != nil { return "a cache policy" }
    if options.streaming != nil { return "streaming" }
    if options.hasLimits { return "limits" }
    return options.errorModel != nil ? "an error model" : nil
  }
  fileprivate func checkOptions() throws { try options.check(nil) }
}

private struct RoutedOptions<Entity: RemoteEntity>: RoutedEntity {
  let options: ResponseOptions<Entity>
}
