/// Values for some of an entity's properties, which a save or an upsert writes. A property that is not in ``mask``
/// stays as it is.
@_documentation(visibility: internal)
public struct RowValues: Sendable {
  public package(set) var mask = ColumnMask()
  /// The properties whose values an object is to store; see ``ManagedEntity/_$store(into:)``.
  @usableFromInline var wanted = ColumnMask()
  /// The lists that the source of the values has, whose members are rows of their own.
  package var heardLists = ColumnMask()
  private var values: [StoredValue]

  package init(count: Int) { values = Array(repeating: .null, count: count) }

  /// The number of properties that fit.
  var count: Int { values.count }

  @usableFromInline package subscript(index: Int) -> StoredValue {
    get { values[index] }
    set {
      values[index] = newValue
      mask.insert(index)
    }
  }

  /// The row id in a to-one property; 0 for none.
  package func link(_ index: Int) -> Int64 {
    if case .integer(let pk) = values[index] { pk } else { 0 }
  }

  @usableFromInline package mutating func setLink(_ pk: Int64, _ index: Int) { self[index] = StoredValue(link: pk) }

  /// The properties in ``mask`` without a value.
  package var nulls: ColumnMask {
    var nulls = ColumnMask()
    for index in mask.indices where values[index].isNull { nulls.insert(index) }
    return nulls
  }

  package mutating func remove(_ other: ColumnMask) { mask.subtract(other) }

  /// Empties the values, for the next row.
  package mutating func removeAll() {
    mask = ColumnMask()
    heardLists = ColumnMask()
  }
}

extension StoredValue {
  /// The value of a to-one property with a row id; 0 for none.
  init(link pk: Int64) { self = pk == 0 ? .null : .integer(pk) }
}
