import Foundation

// Derived properties: columns whose values follow from attributes of the same row. The store computes the values when
// it writes the row. An object has no slot for a derived property: the property is computed from the present values of
// its sources.

/// How the value of a derived property follows from its sources.
struct Derivation: Sendable {
  /// The attributes that the value is made of: the indices and names of their columns.
  let sources: [(index: Int, name: String)]
  /// A text that changes with the way to compute the value. The file notes it. When it changes, all values are computed
  /// again.
  let version: String
  /// Makes the stored form of the value: NULL for a value without one.
  ///
  /// - Parameters:
  ///   - row: The stored values of the sources, by their indices.
  ///   - defaults: The defaults of all properties. A stored value that a source's type does not have reads as its
  ///     default.
  let value: @Sendable (_ row: RowValues, _ defaults: [StoredValue]) -> StoredValue
}

/// A derived property, as the store uses it.
struct DerivedColumn: Sendable {
  let index: Int
  /// Whether a row may have no value.
  let isOptional: Bool
  let sources: ColumnMask
  let derivation: Derivation

  init?(_ property: PropertyModel) {
    guard let derivation = property.facts.derivation else { return nil }
    index = property.index
    if case .attribute(_, isOptional: true) = property.kind { isOptional = true } else { isOptional = false }
    sources = derivation.sources.reduce(into: ColumnMask()) { $0.insert($1.index) }
    self.derivation = derivation
  }
}

extension PropertyModel {
  /// Whether the store computes its values.
  package var isDerived: Bool { facts.derivation != nil }
}

extension EntityModel {
  /// The derived properties that change with any of the columns `changed`.
  func derived(from changed: ColumnMask) -> ColumnMask {
    guard !derived.isEmpty else { return ColumnMask() }
    return derivations.reduce(into: ColumnMask()) { affected, column in
      if !column.sources.intersection(changed).isEmpty { affected.insert(column.index) }
    }
  }

  /// The columns `changed`, and the derived properties that change with them.
  func withDerived(_ changed: ColumnMask) -> ColumnMask {
    derived.isEmpty ? changed : changed.union(derived(from: changed))
  }

  /// The sources of the derived properties `mask`.
  func sources(of mask: ColumnMask) -> ColumnMask {
    derivations.reduce(into: ColumnMask()) { sources, column in
      if mask.contains(column.index) { sources.formUnion(column.sources) }
    }
  }

  /// Puts the derived properties `mask` into `row`.
  ///
  /// - Parameter sources: The values of the sources. A missing source has its default.
  func derive(_ mask: ColumnMask, from sources: RowValues, into row: inout RowValues) {
    var sources = sources
    for index in self.sources(of: mask).subtracting(sources.mask).indices { sources[index] = defaults[index] }
    for column in derivations where mask.contains(column.index) {
      let value = column.derivation.value(sources, defaults)
      // A column that always has a value gets the neutral value where the result has no stored form, such as NaN.
      row[column.index] = value.isNull && !column.isOptional ? defaults[column.index] : value
    }
  }

  /// The value as which a property reads when its type does not have the stored value. The default of a derived
  /// property is computed when it is needed: opening a file runs no function of the app.
  func defaultForReading(_ index: Int) -> StoredValue {
    guard derived.contains(index) else { return defaults[index] }
    let none = RowValues(count: properties.count)
    var row = none
    derive(ColumnMask(index), from: none, into: &row)
    return row[index]
  }
}
