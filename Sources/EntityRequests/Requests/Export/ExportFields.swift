public import EntityStore

/// The properties of an object that a request sends under keys of its own: the `$0` in
/// `user.jsonObject { ["mail": $0.email, "city": $0.address.city] }`.
///
/// A property may be reached through to-one relationships. If an object on the way is missing, the value is null.
@dynamicMemberLookup
public struct ExportFields<E: ManagedEntity> {
  let way: ExportWay

  /// An attribute: its value as it is sent, through its transformer.
  public subscript<V: AttributeValue>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, V>>) -> any ExportField {
    way.to(E.columns[keyPath: keyPath].index)
  }

  /// A lazy attribute: its value is read when the fields are made.
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<E.Columns, Column<E, LazyValue<V>>>
  ) -> any ExportField {
    way.to(E.columns[keyPath: keyPath].index)
  }

  /// A to-one relationship: the uid of its object, or a way to the properties of the object.
  public subscript<T: ManagedEntity>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, T?>>) -> ExportLink<T> {
    ExportLink(way: way.to(E.columns[keyPath: keyPath].index))
  }

  /// A required to-one relationship: the uid of its object, or a way to the properties of the object.
  public subscript<T: ManagedEntity>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, T>>) -> ExportLink<T> {
    ExportLink(way: way.to(E.columns[keyPath: keyPath].index))
  }

  /// A many-to-many relationship, an ordered one, or one with embedded objects: the list of the uids, or of the objects.
  public subscript<T: ManagedEntity>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, [T]>>) -> any ExportField {
    way.to(E.columns[keyPath: keyPath].index)
  }
}

/// A to-one relationship of ``ExportFields``. By itself it is the uid of its object; an embedded object is nested.
@dynamicMemberLookup
public struct ExportLink<E: ManagedEntity>: ExportField {
  let way: ExportWay

  /// A property of the object.
  public subscript<V: AttributeValue>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, V>>) -> any ExportField {
    ExportFields(way: way)[dynamicMember: keyPath]
  }

  /// A lazy property of the object.
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<E.Columns, Column<E, LazyValue<V>>>
  ) -> any ExportField {
    ExportFields(way: way)[dynamicMember: keyPath]
  }

  /// A to-one relationship of the object.
  public subscript<T: ManagedEntity>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, T?>>) -> ExportLink<T> {
    ExportFields(way: way)[dynamicMember: keyPath]
  }

  /// A required to-one relationship of the object.
  public subscript<T: ManagedEntity>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, T>>) -> ExportLink<T> {
    ExportFields(way: way)[dynamicMember: keyPath]
  }

  /// A list of the object.
  public subscript<T: ManagedEntity>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, [T]>>) -> any ExportField {
    ExportFields(way: way)[dynamicMember: keyPath]
  }

  public var _exportWay: [Int] { way.steps }
}

/// A value that `jsonObject { … }` sends: a property of ``ExportFields``. No other types conform.
public protocol ExportField {
  /// The indices of the properties that lead to the value.
  var _exportWay: [Int] { get }
}

/// A way through to-one relationships to a property.
struct ExportWay: ExportField {
  var steps: [Int] = []

  var _exportWay: [Int] { steps }

  func to(_ property: Int) -> ExportWay { ExportWay(steps: steps + [property]) }
}
