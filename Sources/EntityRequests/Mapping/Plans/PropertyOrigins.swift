import EntityJSON
import EntityStore

/// The properties of an entity that are filled from the context of its objects; see ``ValueOrigin``.
final class PropertyOrigins {
  private struct Origin {
    let source: ContextValue
    let property: Int
    let type: AttributeType
    let isOptional: Bool
  }

  /// Properties whose value differs from object to object.
  private var own: [Origin] = []
  /// Properties whose value is the same for all objects of a response.
  private var shared: [Origin] = []
  /// The properties of both lists.
  private(set) var properties = ColumnMask()
  /// The values of the shared properties, and the response that they come from.
  private var sharedValues: [(property: Int, value: StoredValue)] = []
  private var delivery: ResponseContext.Delivery?
  /// The error of a declaration that fills an unsuitable property.
  private let mistake: MappingError?

  /// `nil` for an entity without origins.
  init?(_ model: EntityModel) {
    guard let remote = model.type as? any RemoteEntity.Type else { return nil }
    let declared = Self.declared(by: remote)
    if declared.isEmpty { return nil }
    var mistake: MappingError?
    for (source, keyPath) in declared {
      guard let index = model.index(of: keyPath),
        case .attribute(let type, let isOptional) = model.properties[index].kind, !model.properties[index].isDerived
      else {
        mistake = MappingError(
          model.name, "", "",
          "the property that 'origins' fills from \(source.name) is no attribute that a response has")
        continue
      }
      guard !model.identity.contains(index) else {
        mistake = MappingError(
          model.name, model.properties[index].name, "",
          "'origins' can't fill the uid: it is read before, for it says which object this is")
        continue
      }
      properties.insert(index)
      let origin = Origin(source: source, property: index, type: type, isOptional: isOptional)
      if source.isShared { shared.append(origin) } else { own.append(origin) }
    }
    self.mistake = mistake
  }

  private static func declared<E: RemoteEntity>(by type: E.Type) -> [(ContextValue, AnyKeyPath)] {
    E.origins.map { ($0.source, $0.keyPath) }
  }

  /// The values that the context has for the properties.
  func values(in context: ResponseContext) -> [JSONValue] { (shared + own).compactMap { $0.source.value(in: context) } }

  /// Hands each property for which the context has a value to `body`, with the value as it is stored.
  ///
  /// - Parameter keep: Takes or throws the error of a value that does not fit the property's type.
  /// - Throws: ``MappingError`` for a mistake in the declaration; errors of `keep`.
  func forEachValue(
    in context: ResponseContext, _ plan: MappingPlan, _ body: (_ property: Int, _ value: StoredValue) -> Void,
    keep: (MappingError) throws -> Void
  ) throws {
    if let mistake { throw mistake }
    if !shared.isEmpty, let delivery = context.delivery {
      if self.delivery !== delivery {
        sharedValues = try shared.compactMap { origin in
          try value(origin, in: context, plan, keep).map { (origin.property, $0) }
        }
        self.delivery = delivery
      }
      for (property, value) in sharedValues { body(property, value) }
    }
    for origin in own {
      if let value = try value(origin, in: context, plan, keep) { body(origin.property, value) }
    }
  }

  /// The value that the context has for one property; `nil` when it has none.
  ///
  /// - Throws: ``MappingError``.
  func value(of property: Int, in context: @autoclosure () -> ResponseContext, _ plan: MappingPlan) throws
    -> StoredValue?
  {
    guard properties.contains(property) else { return nil }
    let context = context()
    var last: StoredValue?
    for origin in shared + own where origin.property == property {
      last = try value(origin, in: context, plan) { throw $0 } ?? last
    }
    return last
  }

  private func value(
    _ origin: Origin, in context: ResponseContext, _ plan: MappingPlan, _ keep: (MappingError) throws -> Void
  ) throws -> StoredValue? {
    if case .root = origin.source, context.delivery?.isStreamed == true {
      throw MappingError(
        plan.model.name, plan.model.properties[origin.property].name, "",
        "'origins' fills it from \(origin.source.name), and a streamed response is not read as a whole")
    }
    guard let value = origin.source.value(in: context) else { return nil }
    do {
      return try plan.attribute(origin.property, value, origin.type, isOptional: origin.isOptional)
    } catch let error as MappingError {
      try keep(MappingError(error.entity, error.property, "", "from \(origin.source.name): \(error.reason)"))
      return nil
    }
  }
}
