/// A column of any type.
protocol AnyColumn {
  var entity: Any.Type { get }
  var index: Int { get }
  var name: String { get }
}

extension Column: AnyColumn {
  var entity: Any.Type { Entity.self }
}

/// A property of an entity, with its type. Queries and descriptors name the property by this value.
@frozen public struct Column<Entity, Value>: Sendable {
  /// The property's place in the entity, from 0, in the order of declaration.
  public let index: Int
  /// The property's name, which is also its column's name.
  public let name: String

  @inlinable public init(_ index: Int, _ name: String) {
    self.index = index
    self.name = name
  }
}
