extension PropertyDescriptor {
  /// A derived property: a computed property that the store keeps in a column, so that queries find, sort and group by
  /// it.
  ///
  /// ```swift
  /// .derived(\Line.total, columns.total, from: columns.price, columns.count) { $0 * $1 }
  /// ```
  /// The property has a getter and no setter, and makes the same value of the same attributes. `_$load` and `_$store`
  /// leave the property out. `@Derived` writes the call.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - column: Its column.
  ///   - sources: The columns of the attributes that the value is made of.
  ///   - version: Another text after each change of `value`. When a file with values of another version is opened, all
  ///     values are computed again.
  ///   - indexed: Whether queries find rows by it without a scan.
  ///   - value: Makes the value from the values of the sources. The result must depend on nothing else.
  public static func derived<E: ManagedEntity, V: AttributeValue, each S: AttributeValue>(
    _ keyPath: any KeyPath<E, V> & Sendable, _ column: Column<E, V>, from sources: repeat Column<E, each S>,
    version: String = "1", indexed: Bool = false, value: @escaping @Sendable (repeat each S) -> V
  ) -> PropertyDescriptor {
    var names: [(index: Int, name: String)] = []
    repeat names.append(((each sources).index, (each sources).name))
    let neutral = V._neutral.flatMap { try? V._stored($0) } ?? .null
    var descriptor = PropertyDescriptor(
      index: column.index, name: column.name, key: nil, kind: .attribute(V.attributeType, isOptional: V.isOptional),
      isIndexed: indexed,
      // The value of the sources' defaults would need a call of the function when a file is opened.
      defaultValue: neutral.isNull && !V.isOptional ? V.attributeType.facts.storage.zero : neutral,
      facts: PropertyFacts(rules: .of(V.self)), access: PropertyAccess(keyPath))
    descriptor.facts.stored = { stored in V._value(stored).flatMap { try? V._stored($0) } }
    descriptor.facts.derivation = Derivation(sources: names, version: version) { row, defaults in
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
    // No call gets here: the function is unavailable, so that a call of it does not compile.
    preconditionFailure("'\(E.entityName).\(column.name)' can't be derived.")
  }
}

extension Column where Entity: ManagedEntity, Value: AttributeValue {
  /// The value that the property reads as in a row.
  fileprivate func value(in row: RowValues, _ defaults: [StoredValue]) -> Value {
    Value._value(row[index]) ?? Value._value(defaults[index]) ?? Value._neutral ?? Entity._noValue(self)
  }
}

extension SchemaModel {
  /// Checks that a derived property is made of attributes that the entity declares.
  static func checkDerivations(of type: any ManagedEntity.Type, _ properties: [PropertyDescriptor]) throws {
    for property in properties {
      guard let derivation = property.facts.derivation else { continue }
      let label = "'\(type.entityName).\(property.name)'"
      guard !derivation.sources.isEmpty else {
        throw StoreError(.invalidSchema, "\(label) is derived from no attribute: it would have one value in all rows.")
      }
      for source in derivation.sources {
        guard properties.indices.contains(source.index), properties[source.index].name == source.name else {
          throw StoreError(
            .invalidSchema, "\(label) is derived from '\(source.name)', which `properties` does not declare.")
        }
        guard !properties[source.index].facts.isLazy else {
          throw StoreError(
            .invalidSchema,
            "\(label) is derived from '\(source.name)', which is lazy: the store would read it for each change of another source."
          )
        }
        guard properties[source.index].facts.derivation == nil else {
          throw StoreError(
            .invalidSchema,
            "\(label) is derived from '\(source.name)', which is derived too: name the attributes that this one is made of."
          )
        }
      }
    }
  }
}
