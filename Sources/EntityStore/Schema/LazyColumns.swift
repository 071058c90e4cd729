extension PropertyModel {
  /// Whether the attribute's value is read only when its property is.
  package var isLazy: Bool { facts.isLazy }
}

extension EntityModel {
  /// The names of the lazy attributes.
  var lazyNames: Set<String> { Set(lazy.indices.map { properties[$0].name }) }

  /// Reads a lazy property of one row. The column is named with its row: without that, SQLite treats a missing column
  /// as a text (https://sqlite.org/quirks.html#dblquote).
  func selectLazy(_ property: Int) -> String {
    "SELECT t.\(properties[property].name.quoted) FROM \(table) AS t WHERE t._pk = ?"
  }

  /// The first use of a lazy attribute that would read the values of many rows.
  ///
  /// - Returns: The problem; `nil` where there is none.
  var lazyProblem: String? {
    func name(_ index: Int) -> String { "'\(self.name).\(properties[index].name)' is lazy" }
    if let raw = lazy.indices.first(where: { properties[$0].facts.isRaw }) {
      return "\(name(raw)), and an enum or an option set is too small for that: leave '@Lazy' out."
    }
    let sorting = properties.compactMap(\.sortKey).first { lazy.contains($0) }
    if let sorting { return "\(name(sorting)): a relationship can't be sorted by it, which would read all values." }
    if let indexed = indexes.lazy.compactMap({ $0.mask.intersection(self.lazy).indices.first { _ in true } }).first {
      return "\(name(indexed)): an index can't have it, which would have a copy of each value."
    }
    if let uid, lazy.contains(uid) { return "\(name(uid)), and the uid is read with each object: leave '@Lazy' out." }
    return nil
  }
}
