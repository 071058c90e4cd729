import Synchronization

/// A piece of SQL with its values. In it, entities stand for the source from which a context selects their rows: the
/// table, or the table with unsaved changes over it.
struct SQLFragment: Sendable {
  indirect enum Part: Sendable {
    case text(String)
    case value(StoredValue)
    case rows(any ManagedEntity.Type)
    /// The same as `rows`, with the lazy values.
    case lazyRows(any ManagedEntity.Type)
    /// A lazy value of a row, by its quoted name; or the value's type in SQL, for which the value is not read.
    case lazy(any ManagedEntity.Type, name: String, row: RowAlias, isType: Bool)
    /// SQL that an app wrote: the code does not know which tables it names.
    case raw(String)
    /// The rows of an entity that a query sees, as a table without a name.
    case objects(any ManagedEntity.Type, VisibleRows)
    /// A mistake in the SQL that could not be thrown where it was made.
    case invalid(StoreError)
    case alias(RowAlias)
    /// No text; the row gets the next number of a name.
    case first(RowAlias)
    /// The condition that a query of the entity sees a row.
    case visible(any ManagedEntity.Type, VisibleRows, RowAlias)
    /// The row id in a link, if the row exists.
    case target(any ManagedEntity.Type, link: SQLFragment)
    /// The row id of an object. While the object's deletion is not saved, it is an id that no row has.
    case object(any ManagedEntity.Type, pk: Int64)
    /// The rows whose texts match a pattern of a full-text search, with their rank on request.
    case search(any ManagedEntity.Type, pattern: SearchPattern, isRanked: Bool)
    /// The condition that the row `member` is in a list of the row whose id is `owner`.
    case membership(any ManagedEntity.Type, property: Int, member: RowAlias, owner: SQLFragment)
    /// The first fragment while unsaved changes lie over the table of an entity, the second while none do.
    case overlaid(any ManagedEntity.Type, SQLFragment, otherwise: SQLFragment)
    /// The number of a stored collection, by the collection's key; NULL where the file does not have the collection.
    case collection(String)
    /// `min` or `max` of an expression.
    case extreme(name: String, of: SQLFragment)
  }

  var parts: [Part]

  /// Whether the SQL reads only columns of rows around it, and no rows of a table.
  var isOfOneRow: Bool {
    parts.allSatisfy { part in
      switch part {
      case .text, .alias, .first, .value, .visible, .object: true
      case .rows, .lazyRows, .lazy, .raw, .objects, .invalid, .target, .membership, .search, .overlaid, .collection,
        .extreme:
        false
      }
    }
  }

  /// The row and the quoted name of the column, if the SQL is a column of a row and nothing else.
  var column: (row: RowAlias, name: String)? {
    guard parts.count == 3, case .alias(let row) = parts[0], case .text(".") = parts[1], case .text(let name) = parts[2]
    else { return nil }
    return (row, name)
  }

  /// The order whose first row has the value, if the value is only a smallest or largest one.
  var extreme: SortKey? {
    guard parts.count == 1, case .extreme(let name, let value) = parts[0] else { return nil }
    return SortKey(sql: value, isDescending: name == "max")
  }

  /// The same SQL, with another name of a row.
  func renaming(_ row: RowAlias, to other: RowAlias) -> SQLFragment {
    func named(_ alias: RowAlias) -> RowAlias { alias == row ? other : alias }
    let renamed = parts.map { part in
      switch part {
      case .text, .value, .rows, .lazyRows, .raw, .objects, .invalid, .object, .search, .collection: part
      case .lazy(let type, let name, let alias, let isType):
        Part.lazy(type, name: name, row: named(alias), isType: isType)
      case .alias(let alias): Part.alias(named(alias))
      case .first(let alias): Part.first(named(alias))
      case .visible(let type, let rows, let alias): Part.visible(type, rows, named(alias))
      case .target(let type, let link): Part.target(type, link: link.renaming(row, to: other))
      case .membership(let type, let property, let member, let owner):
        Part.membership(type, property: property, member: named(member), owner: owner.renaming(row, to: other))
      case .overlaid(let type, let sql, let otherwise):
        Part.overlaid(type, sql.renaming(row, to: other), otherwise: otherwise.renaming(row, to: other))
      case .extreme(let name, let value): Part.extreme(name: name, of: value.renaming(row, to: other))
      }
    }
    return SQLFragment(parts: renamed)
  }
}

/// The name of a row within a query. Each closure of a query has its own row, so that it can also name the rows of the
/// closures around it.
struct RowAlias: Hashable, Sendable {
  private let id: Int
  private static let last = Atomic(0)

  /// The row of a query whose condition was made without a closure.
  static let root = RowAlias(id: 0)

  private init(id: Int) { self.id = id }

  init() { id = Self.last.wrappingAdd(1, ordering: .relaxed).newValue }
}

extension SQLFragment {
  /// The fragments with `separator` between them.
  static func joined(_ fragments: [SQLFragment], _ separator: String) -> SQLFragment {
    var joined = SQLFragment(parts: [])
    for (index, fragment) in fragments.enumerated() {
      if index > 0, !separator.isEmpty { joined.parts.append(.text(separator)) }
      joined.parts += fragment.parts
    }
    return joined
  }

  /// Conditions that `word` joins, as a tree of lists. To SQLite a list is a chain, of at most a thousand conditions
  /// (https://sqlite.org/limits.html, `SQLITE_MAX_EXPR_DEPTH`). It accepts a hundred nested parentheses.
  static func tree(_ terms: [SQLFragment], _ word: String) -> SQLFragment {
    let width = 64
    var level = terms
    while level.count > width {
      level = stride(from: 0, to: level.count, by: width).map { start in
        "(\(.joined(Array(level[start..<min(start + width, level.count)]), " \(word) ")))"
      }
    }
    return "(\(.joined(level, " \(word) ")))"
  }

  /// The condition that `value` is in a list. A few values are parameters of their own. More values are one parameter:
  /// SQLite has at most 32,766 parameters, and each length would need its own statement.
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
