/// The properties of an object that were edited here, without an acknowledgement yet.
public struct PendingColumns<E: ManagedEntity>: Sendable {
  let model: EntityModel
  package let mask: ColumnMask

  /// `user.pendingColumns.contains(\.email)`
  public func contains<V>(_ column: KeyPath<E.Columns, Column<E, V>>) -> Bool {
    mask.contains(E.columns[keyPath: column].index)
  }

  /// The names of the properties, in the order of declaration.
  public var names: [String] { mask.indices.map { model.properties[$0].name } }

  public var isEmpty: Bool { mask.isEmpty }
}

extension PendingColumns: CustomStringConvertible, CustomReflectable {
  /// The names of the properties.
  public var description: String { isEmpty ? "none" : names.joined(separator: ", ") }

  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
