import Foundation

// Derived properties: columns whose values follow from attributes of the same row. The store computes them where it writes the
// row. An object has no slot for one: its property is a computed one, which reads the present values of its sources.

/// How the value of a derived property follows from its sources.
struct Derivation: Sendable {
  /// The attributes that the value is made of: the indices and names of their columns.
  let sources: [(index: Int, name: String)]
  /// Another text for another way to compute the value: the file notes it, and gets all values anew when it changes.
  let version: String
  /// The stored form of the value: NULL for one that has none.
  ///
  /// - Parameters:
  ///   - row: The stored values of the sources, by their indices.
  ///   - defaults: The defaults of all properties: a stored value that is none of the type's reads as that.
  let value: @Sendable (_ row: RowValues, _ defaults: [StoredValue]) -> StoredValue
}

extension PropertyDescriptor {
  /// A derived property: a computed one that the store keeps in a column, so that queries find, sort and group by it.
  ///
  /// ```swift
  /// .derived(\Line.total, columns.total, from: columns.price, columns.count) { $0 * $1 }
  /// ```
  /// The property has a getter and no setter, and makes the same value of the same attributes. `_$load` and `_$store` leave it
  /// out. `@Derived` writes the call.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - column: Its column.
  ///   - sources: The columns of the attributes that the value is made of.
  ///   - version: Another text after each change of `value`: a file that has values of another version gets them anew when it
  ///     is opened.
  ///   - indexed: Whether queries find rows by it without a scan.
  ///   - value: The value for those of the sources. It depends on nothing else.
  public static func derived<E: ManagedEntity, V: AttributeValue, each S: AttributeValue>(
    _ keyPath: any KeyPath<E, V> & Sendable, _ column: Column<E, V>, from sources: repeat Column<E, each S>,
    version: String = "1", indexed: Bool = false, value: @escaping @Sendable (repeat each S) -> V
  ) -> PropertyDescriptor {
    var names: [(index: Int, name: String)] = []
    repeat names.append(((each sources).index, (each sources).name))
    let neutral = V._neutral.flatMap { try? V._stored($0) } ?? .null
    var descriptor = PropertyDescriptor(
      index: column.index, name: column.name, key: nil, kind: .attribute(V.attributeType, isOptional: V.isOptional),
      isUID: false, isUnique: false, isIndexed: indexed,
      // The value that the sources' defaults make would run the function where a file is opened.
      defaultValue: neutral.isNull && !V.isOptional ? V.attributeType.zero : neutral, isPreset: false, keyPath: keyPath,
      notify: notification(keyPath), set: { _, _ in false }, link: { _, _ in }, rules: .of(V.self))
    descriptor.stored = { stored in V._value(stored).flatMap { try? V._stored($0) } }
    descriptor.derivation = Derivation(sources: names, version: version) { row, defaults in
      (try? V._stored(value(repeat (each sources).value(in: row, defaults)))) ?? .null
    }
    return descriptor
  }

  @available(
    *, unavailable,
    message:
      "a derived property is an attribute, and made of attributes of its own object: relationships are no values, those of other objects may change without it, and lazy ones are not read for it"
  )
  @_disfavoredOverload
  public static func derived<E: ManagedEntity, V, each S>(
    _ keyPath: any KeyPath<E, V> & Sendable, _ column: Column<E, V>, from sources: repeat Column<E, each S>,
    version: String = "1", indexed: Bool = false, value: @escaping @Sendable (repeat each S) -> V
  ) -> PropertyDescriptor {
    // A call of an unavailable function does not compile.
    preconditionFailure("'\(E.entityName).\(column.name)' can't be derived.")
  }
}

extension Column where Entity: ManagedEntity, Value: AttributeValue {
  /// The value that the property reads as in a row.
  fileprivate func value(in row: RowValues, _ defaults: [StoredValue]) -> Value {
    Value._value(row[index]) ?? Value._value(defaults[index]) ?? Value._neutral ?? Entity._noValue(self)
  }
}

extension AttributeType {
  /// A value that a column of the type can have, though it may be none of the property's.
  fileprivate var zero: StoredValue {
    switch self {
    case .bool, .integer: .integer(0)
    case .float, .double, .date: .real(0)
    case .decimal, .string, .uuid, .url, .json: .text("")
    case .data: .blob(Data())
    }
  }
}

/// A derived property as the store works with it.
struct DerivedColumn: Sendable {
  let index: Int
  /// Whether a row may have no value.
  let isOptional: Bool
  let sources: ColumnMask
  let derivation: Derivation

  init?(_ property: PropertyModel) {
    guard let derivation = property.descriptor.derivation else { return nil }
    index = property.index
    if case .attribute(_, isOptional: true) = property.kind { isOptional = true } else { isOptional = false }
    sources = derivation.sources.reduce(into: ColumnMask()) { $0.insert($1.index) }
    self.derivation = derivation
  }
}

extension PropertyModel {
  /// Whether the store computes its values.
  package var isDerived: Bool { descriptor.derivation != nil }
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
  /// - Parameter sources: Their sources; one that is not there has its default.
  func derive(_ mask: ColumnMask, from sources: RowValues, into row: inout RowValues) {
    var sources = sources
    for index in self.sources(of: mask).subtracting(sources.mask).indices { sources[index] = defaults[index] }
    for column in derivations where mask.contains(column.index) {
      let value = column.derivation.value(sources, defaults)
      // A column that always has a value has the neutral one where there is no stored form, as of NaN.
      row[column.index] = value.isNull && !column.isOptional ? defaults[column.index] : value
    }
  }
}

extension EntityModel {
  /// The value that a property reads as where its stored value is none of the type's. The default of a derived property is
  /// made at need: opening a file runs no function of the app.
  func defaultForReading(_ index: Int) -> StoredValue {
    guard derived.contains(index) else { return defaults[index] }
    let none = RowValues(count: properties.count)
    var row = none
    derive(ColumnMask(index), from: none, into: &row)
    return row[index]
  }
}

extension SchemaModel {
  /// A derived property is made of attributes that the entity declares.
  static func checkDerivations(of type: any ManagedEntity.Type, _ properties: [PropertyDescriptor]) throws {
    for property in properties {
      guard let derivation = property.derivation else { continue }
      let label = "'\(type.entityName).\(property.name)'"
      guard !derivation.sources.isEmpty else {
        throw StoreError(.invalidSchema, "\(label) is derived from no attribute: it would have one value in all rows.")
      }
      for source in derivation.sources {
        guard properties.indices.contains(source.index), properties[source.index].name == source.name else {
          throw StoreError(
            .invalidSchema, "\(label) is derived from '\(source.name)', which `properties` does not declare.")
        }
        guard !properties[source.index].isLazy else {
          throw StoreError(
            .invalidSchema,
            "\(label) is derived from '\(source.name)', which is lazy: the store would read it for each change of another source."
          )
        }
        guard properties[source.index].derivation == nil else {
          throw StoreError(
            .invalidSchema,
            "\(label) is derived from '\(source.name)', which is derived too: name the attributes that this one is made of."
          )
        }
      }
    }
  }
}
