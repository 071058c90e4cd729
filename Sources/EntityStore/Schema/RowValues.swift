/// Values for some of an entity's properties, which a save or an upsert writes. A property that is not in ``mask`` is
/// left as it is.
public struct RowValues: Sendable {
  public package(set) var mask = ColumnMask()
  /// The properties that an object is asked for; see ``ManagedEntity/_$store(into:)``.
  @usableFromInline var wanted = ColumnMask()
  private var values: [StoredValue]

  package init(count: Int) { values = Array(repeating: .null, count: count) }

  /// How many properties it has room for.
  var count: Int { values.count }

  @usableFromInline package subscript(index: Int) -> StoredValue {
    get { values[index] }
    set {
      values[index] = newValue
      mask.insert(index)
    }
  }

  /// The row id that a to-one property holds; 0 for none.
  package func link(_ index: Int) -> Int64 {
    if case .integer(let pk) = values[index] { pk } else { 0 }
  }

  @usableFromInline package mutating func setLink(_ pk: Int64, _ index: Int) { self[index] = StoredValue(link: pk) }

  /// The properties in ``mask`` that have no value.
  package var nulls: ColumnMask {
    var nulls = ColumnMask()
    for index in mask.indices where values[index].isNull { nulls.insert(index) }
    return nulls
  }

  package mutating func remove(_ other: ColumnMask) { mask.subtract(other) }

  /// Makes it empty, for the next row.
  package mutating func removeAll() { mask = ColumnMask() }
}

extension StoredValue {
  /// A to-one property that holds a row id, 0 for none.
  init(link pk: Int64) { self = pk == 0 ? .null : .integer(pk) }
}
