extension Conflict {
  /// Whether the conflict is about a property: `conflict.concerns(\User.Columns.email)`.
  public func concerns<E: ManagedEntity, V>(_ column: KeyPath<E.Columns, Column<E, V>>) -> Bool {
    entity == E.entityName && property == E.columns[keyPath: column].name
  }

  /// The end of a conflict, which a ``ConflictPolicy/custom(_:)`` policy returns.
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
    /// The save throws. The conflict is among the conflicts of its error.
    public static let fail = Resolution(choice: .fail)

    /// Another value is saved, as a local edit: `.value(theirs + 1)`. For enums and JSON, there is
    /// ``ConflictPolicy/ColumnPolicy/merge(_:_:)``.
    public static func value(_ value: some ScalarValue) -> Resolution { .value(.attribute(value.storedValue)) }

    /// Another value of an attribute, as its column has it, or the target of a to-one relationship.
    public static func value(_ value: PendingValue) -> Resolution { Resolution(choice: .value(value)) }
  }
}
