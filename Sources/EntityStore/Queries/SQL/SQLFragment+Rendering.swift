// SQL in which the sources of a context replace the entities.

extension SQLFragment {
  /// The SQL and its values in order.
  ///
  /// - Parameters:
  ///   - search: The indexes of an entity's full-text search; by default the index of its table.
  ///   - lazies: The same as `source`, but with the lazy values; by default it is `source`.
  ///   - source: The table or subquery to select an entity's rows from.
  /// - Throws: ``StoreError`` of kind `unknownEntity`, and of kind `invalidQuery` for a search in an entity without
  ///   one; the errors of `source` and `search`, and of values that SQL can't have.
  func rendered(
    _ schema: SchemaModel, search: ((EntityModel, SearchModel) throws -> [SearchLayer])? = nil,
    lazies: ((EntityModel) throws -> String)? = nil, _ source: (EntityModel) throws -> String
  ) throws -> RenderedSQL {
    var rendering = Rendering(
      schema: schema, search: search ?? { [SearchLayer($1)] }, lazies: lazies, reserved: numbersInText)
    try rendering.append(self, source)
    return RenderedSQL(sql: rendering.sql, values: rendering.values, isOfApp: rendering.isOfApp)
  }

  /// The numbers of the names `t1`, `t2` … which SQL of an app may use for its own rows.
  private var numbersInText: Set<Int> {
    var numbers: Set<Int> = []
    for part in parts {
      switch part {
      case .raw(let text):
        for word in text.utf8.split(whereSeparator: { !Self.isOfName($0) })
        where word.first == UInt8(ascii: "t") || word.first == UInt8(ascii: "T") {
          if let number = Int(Substring(word.dropFirst())) { numbers.insert(number) }
        }
      case .target(_, let link): numbers.formUnion(link.numbersInText)
      case .membership(_, _, _, let owner): numbers.formUnion(owner.numbersInText)
      case .overlaid(_, let sql, let otherwise): numbers.formUnion(sql.numbersInText.union(otherwise.numbersInText))
      case .extreme(_, let value): numbers.formUnion(value.numbersInText)
      case .text, .value, .rows, .lazyRows, .lazy, .objects, .invalid, .alias, .first, .visible, .object, .search,
        .collection:
        break
      }
    }
    return numbers
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  /// The rows that decide the result only while a context has unsaved deletions of them: a link to such an object
  /// counts as no link.
  func targets(_ schema: SchemaModel) throws -> LinkTargets {
    var targets = LinkTargets()
    for part in parts {
      switch part {
      case .target(let type, let link):
        targets.insert(try schema.model(type).number)
        targets.formUnion(try link.targets(schema))
      case .object(let type, let pk): targets.insert(try schema.model(type).number, pk)
      case .membership(_, _, _, let owner): targets.formUnion(try owner.targets(schema))
      case .overlaid(_, let sql, let otherwise):
        targets.formUnion(try sql.targets(schema))
        targets.formUnion(try otherwise.targets(schema))
      case .extreme(_, let value): targets.formUnion(try value.targets(schema))
      case .text, .value, .rows, .lazyRows, .lazy, .raw, .objects, .invalid, .alias, .first, .visible, .search,
        .collection:
        break
      }
    }
    return targets
  }

  /// The keys of the stored collections that the SQL names.
  var collections: Set<String> {
    var keys: Set<String> = []
    for part in parts {
      switch part {
      case .collection(let key): keys.insert(key)
      case .target(_, let sql), .membership(_, _, _, let sql), .extreme(_, let sql): keys.formUnion(sql.collections)
      case .overlaid(_, let sql, let otherwise): keys.formUnion(sql.collections.union(otherwise.collections))
      case .text, .value, .rows, .lazyRows, .lazy, .raw, .objects, .invalid, .alias, .first, .visible, .object, .search:
        break
      }
    }
    return keys
  }

  private struct Rendering {
    let schema: SchemaModel
    let search: (EntityModel, SearchModel) throws -> [SearchLayer]
    let lazies: ((EntityModel) throws -> String)?
    var sql = ""
    var values: [StoredValue] = []
    var isOfApp = false
    /// The numbers follow the order of the names in the SQL, so that equal queries have equal SQL and share a prepared
    /// statement.
    private var aliases: [RowAlias: Int] = [:]
    /// Numbers that the store gives to no row, because SQL of the app has them.
    private let reserved: Set<Int>
    private var next = 0

    init(
      schema: SchemaModel, search: @escaping (EntityModel, SearchModel) throws -> [SearchLayer],
      lazies: ((EntityModel) throws -> String)?, reserved: Set<Int>
    ) {
      self.reserved = reserved
      self.schema = schema
      self.search = search
      self.lazies = lazies
    }

    mutating func append(_ fragment: SQLFragment, _ source: (EntityModel) throws -> String) throws {
      for part in fragment.parts { try append(part, source) }
    }

    private mutating func append(_ part: SQLFragment.Part, _ source: (EntityModel) throws -> String) throws {
      switch part {
      case .text(let text): sql += text
      case .raw(let text):
        sql += text
        isOfApp = true
      case .value(let value): append(value)
      case .alias(let alias): append(alias)
      case .first(let alias): number(alias)
      case .invalid(let error): throw error
      case .rows(let type): sql += try source(schema.model(type))
      case .lazyRows(let type): sql += try lazySource(schema.model(type), source)
      case .lazy(let type, let name, let row, let isType):
        try appendLazy(name, of: schema.model(type), row, isType: isType, source)
      case .objects(let type, let rows): try appendObjects(of: schema.model(type), rows, source)
      case .visible(let type, let rows, let alias): try appendVisibility(of: schema.model(type), rows, alias)
      case .target(let type, let link): try appendTarget(of: schema.model(type), link, source)
      case .object(let type, let pk): try appendObject(of: schema.model(type), pk, source)
      case .overlaid(let type, let sql, let otherwise):
        // With unsaved changes the source is a query, in parentheses.
        try append(source(schema.model(type)).hasPrefix("(") ? sql : otherwise, source)
      case .extreme(let name, let value):
        sql += "\(name)("
        try append(value, source)
        sql += ")"
      case .search(let type, let pattern, let isRanked):
        try appendSearch(of: schema.model(type), pattern, isRanked: isRanked)
      case .collection(let key):
        sql += "(SELECT id FROM \(CollectionTables.table) WHERE key = ?)"
        values.append(.text(key))
      case .membership(let type, let property, let member, let owner):
        try appendMembership(schema.model(type).properties[property], member, owner, source)
      }
    }

    private mutating func append(_ value: StoredValue) {
      sql += "?"
      values.append(value)
    }

    /// A lazy attribute, or the name of its type in SQLite.
    private mutating func appendLazy(
      _ name: String, of model: EntityModel, _ row: RowAlias, isType: Bool, _ source: (EntityModel) throws -> String
    ) throws {
      // In a table the column is there to be read.
      let rows = try source(model) == model.table ? nil : lazySource(model, source)
      let column = rows == nil ? "t\(number(row)).\(name)" : "z.\(name)"
      let value = isType ? "typeof(\(column))" : column
      sql += rows.map { "(SELECT \(value) FROM \($0) AS z WHERE z._pk = t\(number(row))._pk)" } ?? value
    }

    private mutating func appendObjects(
      of model: EntityModel, _ rows: VisibleRows, _ source: (EntityModel) throws -> String
    ) throws {
      let names = ["_pk"] + model.stored.indices.map { model.properties[$0].name.quoted }
      sql += "(SELECT \(names.joined(separator: ", ")) FROM \(try lazySource(model, source))"
      if rows == .objects, model.hasPlaceholders { sql += " WHERE _placeholder = 0" }
      sql += ")"
    }

    /// The condition that a row is one of an object, or of a placeholder. Older versions marked objects that have nothing but a uid,
    /// too.
    private mutating func appendVisibility(of model: EntityModel, _ rows: VisibleRows, _ alias: RowAlias) {
      switch rows {
      case .objects where model.hasPlaceholders:
        append(alias)
        sql += "._placeholder = 0"
      case .placeholders where model.hasPlaceholders:
        append(alias)
        sql += "._placeholder <> 0"
      case .all, .objects: sql += "1"
      case .placeholders: sql += "0"
      }
    }

    /// In the tables each link has a target. An object whose deletion is not saved still has links to it.
    private mutating func appendTarget(
      of model: EntityModel, _ link: SQLFragment, _ source: (EntityModel) throws -> String
    ) throws {
      let rows = try source(model)
      guard rows != model.table else { return try append(link, source) }
      sql += "(SELECT p._pk FROM \(rows) AS p WHERE p._pk = "
      try append(link, source)
      sql += ")"
    }

    private mutating func appendObject(
      of model: EntityModel, _ pk: Int64, _ source: (EntityModel) throws -> String
    ) throws {
      let rows = try source(model)
      // SQLite looks the row up once, and still finds the links by their index.
      sql += rows == model.table ? "?" : "ifnull((SELECT p._pk FROM \(rows) AS p WHERE p._pk = ?), 0)"
      values.append(.integer(pk))
    }

    private mutating func appendSearch(of model: EntityModel, _ pattern: SearchPattern, isRanked: Bool) throws {
      guard let search = model.search else {
        throw StoreError(
          .invalidQuery,
          "'\(model.name)' has no full-text search. Give it one: static var fullTextSearch: "
            + "FullTextSearch<\(model.name)>? { FullTextSearch(\\.title) }")
      }
      let layers = try self.search(model, search)
      sql += layers.map { $0.select(isRanked: isRanked) }.joined(separator: " UNION ALL ")
      values += layers.map { _ in .text(search.text(of: pattern)) }
    }

    /// The condition that `member` is in the list of `owner`.
    private mutating func appendMembership(
      _ list: PropertyModel, _ member: RowAlias, _ owner: SQLFragment, _ source: (EntityModel) throws -> String
    ) throws {
      guard let list = list.list else {
        sql += "0"
        return
      }
      let rows = schema.entities[list.entity]
      let link = rows.properties[list.owner].name.quoted
      append(member)
      if list.member == nil {
        sql += ".\(link) = "
        try append(owner, source)
      } else {
        sql += "._pk IN (SELECT l.\(rows.memberColumn(list)) FROM \(try source(rows)) AS l WHERE l.\(link) = "
        try append(owner, source)
        sql += ")"
      }
    }

    private func lazySource(_ model: EntityModel, _ source: (EntityModel) throws -> String) throws -> String {
      try lazies?(model) ?? source(model)
    }

    private mutating func append(_ alias: RowAlias) { sql += "t\(number(alias))" }

    @discardableResult
    private mutating func number(_ alias: RowAlias) -> Int {
      if let number = aliases[alias] { return number }
      while reserved.contains(next) { next += 1 }
      defer { next += 1 }
      aliases[alias] = next
      return next
    }
  }
}
