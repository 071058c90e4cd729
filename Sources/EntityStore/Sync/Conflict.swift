/// A property that was edited in a context, and that somebody else has changed since: in a unit of work, by a response, or
/// in another process.
///
/// The description names the object and the property, and no value.
public struct Conflict: Sendable, Hashable {
  /// The object.
  public let id: AnyEntityID
  /// The object's uid as text; `nil` where it has none.
  public let uid: String?
  /// The name of the property.
  public let property: String
  /// The value that the edit is based on: the property had it before it was edited.
  public let base: PendingValue
  /// The edited value.
  public let mine: PendingValue
  /// The value that the row has.
  public let theirs: PendingValue
  /// Whether the value of the row is a local edit: it was made on this device, and no server has acknowledged it. Otherwise
  /// the server said it.
  public let isLocalEdit: Bool

  /// The name of the entity, as ``ManagedEntity/entityName``.
  public var entity: String { id.entityName }

  /// Whether it is about a property: `conflict.concerns(\User.Columns.email)`.
  public func concerns<E: ManagedEntity, V>(_ column: KeyPath<E.Columns, Column<E, V>>) -> Bool {
    entity == E.entityName && property == E.columns[keyPath: column].name
  }

  /// The end of a conflict. ``ConflictPolicy/custom(_:)`` answers it.
  public struct Resolution: Sendable {
    enum Choice: Sendable {
      case mine, theirs, fail
      case value(PendingValue)
    }

    let choice: Choice

    /// The edited value is saved.
    public static let mine = Resolution(choice: .mine)
    /// The value of the row stays, and the edit is dropped.
    public static let theirs = Resolution(choice: .theirs)
    /// The save throws, and the conflict is among those of its error.
    public static let fail = Resolution(choice: .fail)

    /// Another value is saved, as a local edit: `.value(theirs + 1)`. ``ConflictPolicy/ColumnPolicy/merge(_:_:)`` takes
    /// enums and JSON, too.
    public static func value(_ value: some ScalarValue) -> Resolution { .value(.attribute(value.storedValue)) }

    /// Another value of an attribute, as its column has it, or the target of a to-one relationship.
    public static func value(_ value: PendingValue) -> Resolution { Resolution(choice: .value(value)) }
  }
}

extension Conflict: CustomStringConvertible, CustomReflectable {
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  public var description: String {
    let object = uid.map { "\(entity) \($0)" } ?? "\(entity) (row \(id.pk))"
    return "\(object): \(property) was edited here, and changed by \(isLocalEdit ? "another edit" : "the server") since"
  }
}

extension PendingValue {
  /// An attribute as its own type, whatever its stored form; `nil` for a value that is none of the type's.
  func value<V: AttributeValue>(_ type: V.Type) -> V? {
    guard case .attribute(let stored) = self else { return nil }
    return V._value(stored)
  }
}
