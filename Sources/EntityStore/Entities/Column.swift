/// A column, of whatever type.
protocol AnyColumn {
  var entity: Any.Type { get }
  var index: Int { get }
  var name: String { get }
}

extension Column: AnyColumn {
  var entity: Any.Type { Entity.self }
}

/// A property of an entity, typed: queries and descriptors name it by this value.
@frozen public struct Column<Entity, Value>: Sendable {
  /// The property's place in the entity, from 0; the order of declaration.
  public let index: Int
  /// The property's name, which is its column's name too.
  public let name: String

  @inlinable public init(_ index: Int, _ name: String) {
    self.index = index
    self.name = name
  }
}
