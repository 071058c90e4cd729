import Synchronization

/// A piece of SQL with its values, in which entities stand for the source that a context selects their rows from: the
/// table, or the table with unsaved changes over it.
struct SQLFragment: Sendable {
  fileprivate indirect enum Part: Sendable {
    case text(String)
    case value(StoredValue)
    case rows(any ManagedEntity.Type)
    /// As `rows`, with the lazy values.
    case lazyRows(any ManagedEntity.Type)
    /// A lazy value of a row, by its quoted name, or its type in SQL, for which the value is not read.
    case lazy(any ManagedEntity.Type, name: String, row: RowAlias, isType: Bool)
    /// SQL that an app wrote: nothing is known of what it names.
    case raw(String)
    /// Such rows of an entity as a query finds, as a table without a name.
    case objects(any ManagedEntity.Type, VisibleRows)
    /// A mistake that was made with the SQL, and could not be thrown there.
    case invalid(StoreError)
    case alias(RowAlias)
    /// Nothing; the row has the next number of a name.
    case first(RowAlias)
    /// The condition that a query of the entity sees a row of it.
    case visible(any ManagedEntity.Type, VisibleRows, RowAlias)
    /// The row id in a link, where there is such a row.
    case target(any ManagedEntity.Type, link: SQLFragment)
    /// The row id of an object; one that no row has, while the object's deletion is not saved.
    case object(any ManagedEntity.Type, pk: Int64)
    /// The rows whose texts match a pattern of a full-text search, with their rank where that is asked for.
    case search(any ManagedEntity.Type, pattern: SearchPattern, isRanked: Bool)
    /// The condition that the row `member` is in a list of the row whose id is `owner`.
    case membership(any ManagedEntity.Type, property: Int, member: RowAlias, owner: SQLFragment)
  }

  fileprivate var parts: [Part]

  /// Whether it names columns of the row alone, and has neither a value nor a query in it.
  var isPlain: Bool {
    parts.allSatisfy { part in
      switch part {
      case .text, .alias, .first: true
      case .value, .rows, .lazyRows, .lazy, .raw, .objects, .invalid, .visible, .target, .object, .membership, .search:
        false
      }
    }
  }

  /// Whether it reads nothing but columns of rows around it: no rows of a table.
  var isOfOneRow: Bool {
    parts.allSatisfy { part in
      switch part {
      case .text, .alias, .first, .value, .visible, .object: true
      case .rows, .lazyRows, .lazy, .raw, .objects, .invalid, .target, .membership, .search: false
      }
    }
  }

  /// The row and the quoted name of the column, where it is a column of a row and nothing else.
  var column: (row: RowAlias, name: String)? {
    guard parts.count == 3, case .alias(let row) = parts[0], case .text(".") = parts[1], case .text(let name) = parts[2]
    else { return nil }
    return (row, name)
  }

  /// The SQL as an index has it, with literals and without the name of the row.
  ///
  /// It has the form that a query has it in: else SQLite does not see that the index has the rows of the query.
  var ofIndex: IndexCondition {
    var sql = ""
    var columns: [String] = []
    var rest = parts[...]
    while let part = rest.popFirst() {
      switch part {
      case .alias:
        guard case .text(".") = rest.popFirst(), case .text(let column) = rest.popFirst(), column.hasPrefix("\"") else {
          return IndexCondition(sql: nil, columns: [])
        }
        sql += column
        columns.append(column)
      case .first: break
      // A function of this package would keep all other programs from writing the file.
      case .text(let text) where !text.contains("_entity_"): sql += text
      case .value(.text(let text)) where text.contains("\0"): return IndexCondition(sql: nil, columns: [])
      case .value(let value): sql += DDL.literal(value)
      case .object(_, let pk): sql += DDL.literal(.integer(pk))
      // An index is of the table, where each link has a target.
      case .target(_, let link): rest = link.parts + rest
      case .text, .rows, .lazyRows, .lazy, .raw, .objects, .invalid, .visible, .membership, .search:
        return IndexCondition(sql: nil, columns: [])
      }
    }
    return IndexCondition(sql: sql, columns: columns)
  }

  /// The same SQL, with another name of a row.
  func renaming(_ row: RowAlias, to other: RowAlias) -> SQLFragment {
    func named(_ alias: RowAlias) -> RowAlias { alias == row ? other : alias }
    let renamed = parts.map { part in
      switch part {
      case .text, .value, .rows, .lazyRows, .raw, .objects, .invalid, .object, .search: part
      case .lazy(let type, let name, let alias, let isType):
        Part.lazy(type, name: name, row: named(alias), isType: isType)
      case .alias(let alias): Part.alias(named(alias))
      case .first(let alias): Part.first(named(alias))
      case .visible(let type, let rows, let alias): Part.visible(type, rows, named(alias))
      case .target(let type, let link): Part.target(type, link: link.renaming(row, to: other))
      case .membership(let type, let property, let member, let owner):
        Part.membership(type, property: property, member: named(member), owner: owner.renaming(row, to: other))
      }
    }
    return SQLFragment(parts: renamed)
  }

  /// The SQL and its values in order.
  ///
  /// - Parameters:
  ///   - search: The indexes of an entity's full-text search; by default that of its table.
  ///   - lazies: As `source`, with the lazy values; by default it is `source`.
  ///   - source: The table or subquery to select an entity's rows from.
  /// - Throws: ``StoreError`` of kind `unknownEntity`, and of kind `invalidQuery` for a search of an entity that has none; the
  ///   errors of `source` and `search`, and of values that SQL can't have.
  func rendered(
    _ schema: SchemaModel, search: ((EntityModel, SearchModel) throws -> [SearchLayer])? = nil,
    lazies: ((EntityModel) throws -> String)? = nil, _ source: (EntityModel) throws -> String
  ) throws -> RenderedSQL {
    var rendering = Rendering(schema: schema, search: search ?? { [SearchLayer($1)] }, lazies: lazies)
    try rendering.append(self, source)
    return RenderedSQL(sql: rendering.sql, values: rendering.values, isOfApp: rendering.isOfApp)
  }

  /// The rows that decide on the result only while a context has unsaved deletions of them: a link to such an object is none.
  func targets(_ schema: SchemaModel) throws -> LinkTargets {
    var targets = LinkTargets()
    for part in parts {
      switch part {
      case .target(let type, let link):
        targets.insert(try schema.model(type).number)
        targets.formUnion(try link.targets(schema))
      case .object(let type, let pk): targets.insert(try schema.model(type).number, pk)
      case .membership(_, _, _, let owner): targets.formUnion(try owner.targets(schema))
      case .text, .value, .rows, .lazyRows, .lazy, .raw, .objects, .invalid, .alias, .first, .visible, .search: break
      }
    }
    return targets
  }

  private struct Rendering {
    let schema: SchemaModel
    let search: (EntityModel, SearchModel) throws -> [SearchLayer]
    let lazies: ((EntityModel) throws -> String)?
    var sql = ""
    var values: [StoredValue] = []
    var isOfApp = false
    /// Numbered in the order that they come in, so that equal queries have equal SQL and share a prepared statement.
    private var aliases: [RowAlias: Int] = [:]

    init(
      schema: SchemaModel, search: @escaping (EntityModel, SearchModel) throws -> [SearchLayer],
      lazies: ((EntityModel) throws -> String)?
    ) {
      self.schema = schema
      self.search = search
      self.lazies = lazies
    }

    mutating func append(_ fragment: SQLFragment, _ source: (EntityModel) throws -> String) throws {
      for part in fragment.parts {
        switch part {
        case .text(let text): sql += text
        case .raw(let text):
          sql += text
          isOfApp = true
        case .value(let value):
          sql += "?"
          values.append(value)
        case .rows(let type): sql += try source(schema.model(type))
        case .lazyRows(let type): sql += try lazySource(schema.model(type), source)
        case .lazy(let type, let name, let row, let isType):
          let model = try schema.model(type)
          // In a table the column is there to be read.
          let rows = try source(model) == model.table ? nil : lazySource(model, source)
          let column = rows == nil ? "t\(number(row)).\(name)" : "z.\(name)"
          let value = isType ? "typeof(\(column))" : column
          sql += rows.map { "(SELECT \(value) FROM \($0) AS z WHERE z._pk = t\(number(row))._pk)" } ?? value
        case .objects(let type, let rows):
          let model = try schema.model(type)
          let names = ["_pk"] + model.stored.indices.map { model.properties[$0].name.quoted }
          sql += "(SELECT \(names.joined(separator: ", ")) FROM \(try lazySource(model, source))"
          if rows == .objects, model.hasPlaceholders { sql += " WHERE _placeholder = 0" }
          sql += ")"
        case .invalid(let error): throw error
        case .alias(let alias): append(alias)
        case .first(let alias): number(alias)
        case .visible(let type, let rows, let alias):
          // Older versions marked objects that have nothing but a uid, too.
          let hasPlaceholders = try schema.model(type).hasPlaceholders
          switch rows {
          case .all: sql += "1"
          case .objects where hasPlaceholders:
            append(alias)
            sql += "._placeholder = 0"
          case .objects: sql += "1"
          case .placeholders where hasPlaceholders:
            append(alias)
            sql += "._placeholder <> 0"
          case .placeholders: sql += "0"
          }
        case .target(let type, let link):
          let model = try schema.model(type)
          let rows = try source(model)
          // In the tables each link has a target. An object whose deletion is not saved still has links to it.
          guard rows != model.table else {
            try append(link, source)
            continue
          }
          sql += "(SELECT p._pk FROM \(rows) AS p WHERE p._pk = "
          try append(link, source)
          sql += ")"
        case .object(let type, let pk):
          let model = try schema.model(type)
          let rows = try source(model)
          // SQLite looks the row up once, and still finds the links by their index.
          sql += rows == model.table ? "?" : "ifnull((SELECT p._pk FROM \(rows) AS p WHERE p._pk = ?), 0)"
          values.append(.integer(pk))
        case .search(let type, let pattern, let isRanked):
          let model = try schema.model(type)
          guard let search = model.search else {
            throw StoreError(
              .invalidQuery,
              "'\(model.name)' has no full-text search. Give it one: static var fullTextSearch: "
                + "FullTextSearch<\(model.name)>? { FullTextSearch(\\.title) }")
          }
          let layers = try self.search(model, search)
          sql += layers.map { $0.select(isRanked: isRanked) }.joined(separator: " UNION ALL ")
          values += layers.map { _ in .text(search.text(of: pattern)) }
        case .membership(let type, let property, let member, let owner):
          switch try schema.model(type).properties[property].kind {
          case .attribute, .toOne: sql += "0"
          case .toMany(let target, let inverse, _):
            append(member)
            sql += ".\(schema.entities[target].properties[inverse].name.quoted) = "
            try append(owner, source)
          case .manyToMany(let membership, _):
            let links = schema.entities[membership.links]
            let names = links.properties.map(\.name.quoted)
            append(member)
            sql += "._pk IN (SELECT l.\(names[membership.otherSide]) FROM \(try source(links)) AS l WHERE "
            sql += "l.\(names[membership.side]) = "
            try append(owner, source)
            sql += ")"
          }
        }
      }
    }

    private func lazySource(_ model: EntityModel, _ source: (EntityModel) throws -> String) throws -> String {
      try lazies?(model) ?? source(model)
    }

    private mutating func append(_ alias: RowAlias) { sql += "t\(number(alias))" }

    @discardableResult
    private mutating func number(_ alias: RowAlias) -> Int {
      let number = aliases[alias] ?? aliases.count
      aliases[alias] = number
      return number
    }
  }
}

/// The name of a row within a query. Each closure of a query has its own, so that one may name the rows of those
/// around it.
struct RowAlias: Hashable, Sendable {
  private let id: Int
  private static let last = Atomic(0)

  /// The row of a query whose condition was made without a closure.
  static let root = RowAlias(id: 0)

  private init(id: Int) { self.id = id }

  init() { id = Self.last.wrappingAdd(1, ordering: .relaxed).newValue }
}

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
    /// SQL that holds nothing from outside.
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
    mutating func appendInterpolation(_ alias: RowAlias) { parts.append(.alias(alias)) }
    /// Nothing; but of the rows that have no number yet, this is the first one.
    mutating func appendInterpolation(first row: RowAlias) { parts.append(.first(row)) }
    mutating func appendInterpolation(_ member: RowAlias, in list: ListReference) {
      parts.append(.membership(list.type, property: list.property, member: member, owner: list.owner))
    }
  }

  init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }
  init(stringLiteral value: String) { parts = [.text(value)] }

  /// The fragments with `separator` between them.
  static func joined(_ fragments: [SQLFragment], _ separator: String) -> SQLFragment {
    var joined = SQLFragment(parts: [])
    for (index, fragment) in fragments.enumerated() {
      if index > 0, !separator.isEmpty { joined.parts.append(.text(separator)) }
      joined.parts += fragment.parts
    }
    return joined
  }
}

extension SQLFragment {
  /// The condition that `value` is one of these. A few are parameters of their own; more are one, for SQLite has 32,766
  /// of them at most, and lists of each length would be statements of their own.
  static func isIn(_ value: SQLFragment, _ list: [StoredValue]) -> SQLFragment {
    if list.count <= 8 { return "\(value) IN (\(.joined(list.map { "\($0)" }, ", ")))" }
    return "\(value) IN (SELECT value FROM _entity_values(\(StoredValue.list(list))))"
  }
}

/// A list of some row.
struct ListReference: Sendable {
  let type: any ManagedEntity.Type
  let property: Int
  /// The row's id.
  let owner: SQLFragment
}
