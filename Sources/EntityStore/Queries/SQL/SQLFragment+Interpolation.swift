// SQL is written as text, with its values, names and entities in `\( )`.

extension SQLFragment: ExpressibleByStringInterpolation {
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    init(literalCapacity: Int, interpolationCount: Int) { parts.reserveCapacity(interpolationCount * 2 + 1) }

    mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { parts.append(.text(text)) }
    }
    mutating func appendInterpolation(_ fragment: SQLFragment) { parts += fragment.parts }
    /// A bound value.
    mutating func appendInterpolation(_ value: StoredValue) { parts.append(.value(value)) }
    /// A name, quoted.
    mutating func appendInterpolation(name: String) { parts.append(.text(name.quoted)) }
    /// SQL without input from outside.
    mutating func appendInterpolation(sql: String) { parts.append(.text(sql)) }
    mutating func appendInterpolation(rows type: any ManagedEntity.Type) { parts.append(.rows(type)) }
    mutating func appendInterpolation(lazyRows type: any ManagedEntity.Type) { parts.append(.lazyRows(type)) }
    mutating func appendInterpolation(
      lazy name: String, of type: any ManagedEntity.Type, _ row: RowAlias, isType: Bool = false
    ) {
      parts.append(.lazy(type, name: name.quoted, row: row, isType: isType))
    }
    /// SQL that an app wrote.
    mutating func appendInterpolation(raw text: String) { parts.append(.raw(text)) }
    mutating func appendInterpolation(objects type: any ManagedEntity.Type, _ rows: VisibleRows) {
      parts.append(.objects(type, rows))
    }
    mutating func appendInterpolation(invalid error: StoreError) { parts.append(.invalid(error)) }
    mutating func appendInterpolation(_ visible: VisibleRows, of type: any ManagedEntity.Type, _ row: RowAlias) {
      parts.append(.visible(type, visible, row))
    }
    mutating func appendInterpolation(target type: any ManagedEntity.Type, _ link: SQLFragment) {
      parts.append(.target(type, link: link))
    }
    mutating func appendInterpolation(object type: any ManagedEntity.Type, _ pk: Int64) {
      parts.append(.object(type, pk: pk))
    }
    mutating func appendInterpolation(
      rowsOf type: any ManagedEntity.Type, matching pattern: SearchPattern, isRanked: Bool = false
    ) {
      parts.append(.search(type, pattern: pattern, isRanked: isRanked))
    }
    /// The SQL while unsaved changes lie over the table of an entity, and the SQL while none do.
    mutating func appendInterpolation(
      over type: any ManagedEntity.Type, _ sql: SQLFragment, otherwise: SQLFragment = ""
    ) {
      parts.append(.overlaid(type, sql, otherwise: otherwise))
    }
    /// The number of a stored collection.
    mutating func appendInterpolation(collection key: String) { parts.append(.collection(key)) }
    mutating func appendInterpolation(min value: SQLFragment) { parts.append(.extreme(name: "min", of: value)) }
    mutating func appendInterpolation(max value: SQLFragment) { parts.append(.extreme(name: "max", of: value)) }
    mutating func appendInterpolation(_ alias: RowAlias) { parts.append(.alias(alias)) }
    /// No text. Of the rows without a number, this one gets the next number.
    mutating func appendInterpolation(first row: RowAlias) { parts.append(.first(row)) }
    mutating func appendInterpolation(_ member: RowAlias, in list: ListReference) {
      parts.append(.membership(list.type, property: list.property, member: member, owner: list.owner))
    }
  }

  init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }
  init(stringLiteral value: String) { parts = [.text(value)] }
}
