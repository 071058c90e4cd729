import EntityJSON
import EntityStore

/// The values that mean nothing in the properties of an entity.
struct NothingRules {
  private let all: NothingValues
  private let own: [Int: NothingValues]

  /// - Parameter inherited: The values of the client.
  /// - Returns: `nil` where no value does.
  init?(_ model: EntityModel, inherited: NothingValues) {
    let remote = model.type as? any RemoteEntity.Type
    all = remote?.nothing ?? inherited
    own = remote.map { Self.own(of: $0, model) } ?? [:]
    if all.isEmpty, own.isEmpty { return nil }
  }

  private static func own<E: RemoteEntity>(of type: E.Type, _ model: EntityModel) -> [Int: NothingValues] {
    var own: [Int: NothingValues] = [:]
    for (keyPath, values) in type.nothingByProperty {
      if let index = model.index(of: keyPath) { own[index] = values }
    }
    return own
  }

  /// Whether a value means nothing in an attribute that can't have it.
  func areNothing(_ value: JSONValue, in property: PropertyModel) -> Bool {
    let values = own[property.index] ?? all
    switch value.kind {
    case .string: return values.contains(.emptyText) && value.isEmptyString
    case .bool: return values.contains(.booleanFalse) && value.bool == false
    case .array: return values.contains(.emptyList) && value.array?.isEmpty == true
    case .null, .number, .object: return false
    }
  }

  /// Whether a value means nothing in a relationship.
  func areNobody(_ value: JSONValue, in property: PropertyModel) -> Bool {
    if property.list != nil, !property.isCounterpart, value.kind == .array { return false }
    return areNothing(value, in: property) || isZeroID(value, in: property)
  }

  /// Whether a value is the id of nobody.
  func isZeroID(_ value: JSONValue, in property: PropertyModel) -> Bool {
    guard (own[property.index] ?? all).contains(.zeroID) else { return false }
    return value.int64 == 0 || value.kind == .string && value.string == "0"
  }
}
