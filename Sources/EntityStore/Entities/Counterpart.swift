/// The side of a one-to-one relationship that has no column. It names the column of the other side as its inverse.
///
/// ```swift
/// @Entity final class Person {
///   @Relationship(inverse: \Passport.holder) var passport: Passport?
/// }
/// @Entity final class Passport { var holder: Person? }
/// ```
/// `Person.columns.passport` is a counterpart. Its value is the object whose column holds this object. At most one
/// object does. Setting either side sets the other side too, and frees the former partners of both.
@frozen public struct Counterpart<Entity, Target>: Sendable {
  /// The property's place in the entity, from 0, in the order of declaration.
  public let index: Int
  /// The property's name.
  public let name: String

  @inlinable public init(_ index: Int, _ name: String) {
    self.index = index
    self.name = name
  }
}

extension Counterpart: AnyColumn {
  var entity: Any.Type { Entity.self }
}

extension PropertyDescriptor {
  /// The side of a one-to-one relationship that has no column.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - column: Its place and name.
  ///   - key: Its key in responses.
  ///   - inverse: The to-one property of the target that holds this entity.
  ///   - onDelete: The rule for the target when the object is deleted.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, T?> & Sendable, _ column: Counterpart<E, T>, key: String? = nil,
    inverse: Column<T, E?>, onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor { counterpart(keyPath, column, key, inverse.name, onDelete) }

  /// The side of a one-to-one relationship that has no column; every saved object of the other side has one.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - column: Its place and name.
  ///   - key: Its key in responses.
  ///   - inverse: The required to-one property of the target that holds this entity. A target that loses its object to
  ///     another one must get another object, or be deleted, before the next save.
  ///   - onDelete: The rule for the target when the object is deleted. With `.nullify` the deletion is refused while there is
  ///     one, as with `.deny`.
  public static func property<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, T?> & Sendable, _ column: Counterpart<E, T>, key: String? = nil,
    inverse: Column<T, E>, onDelete: DeleteRule = .nullify
  ) -> PropertyDescriptor { counterpart(keyPath, column, key, inverse.name, onDelete) }

  private static func counterpart<E: ManagedEntity, T: ManagedEntity>(
    _ keyPath: any ReferenceWritableKeyPath<E, T?> & Sendable, _ column: Counterpart<E, T>, _ key: String?,
    _ inverse: String, _ rule: DeleteRule
  ) -> PropertyDescriptor {
    PropertyDescriptor(
      index: column.index, name: column.name, key: key, kind: .toMany(T.self, inverse: inverse, onDelete: rule),
      facts: PropertyFacts(isCounterpart: true), access: PropertyAccess(keyPath, target: T.self))
  }
}
