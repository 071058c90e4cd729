// The values of a file: another type for a property, and rows read and written in SQL or Swift.

extension Migration.Step {
  /// Gives a property another type; its new values come from a function. Marks of local edits stay.
  ///
  /// A placeholder has nothing but its uid, and gets the default. The uids of objects that were deleted here, and the values in
  /// their URLs, are converted too, until the server has heard of the deletions.
  ///
  /// - Parameters:
  ///   - name: The property.
  ///   - entity: Its entity.
  ///   - type: The new type; an Optional may have no value.
  ///   - defaultValue: The value where there is no other value; by default zero, empty or none.
  ///   - value: Makes the new value from the old one.
  public func convert<V: AttributeValue>(
    _ name: String, of entity: String, to type: V.Type, default defaultValue: V? = nil,
    _ value: (StoredValue) throws -> V
  ) throws {
    let (old, new, initial) = try columns(name, entity, type, defaultValue)
    try editor.change(words(old, new, entity), rows: "SELECT count(*) FROM main.\(entity.quoted)") {
      try editor.convertDeletions(of: entity, old, to: new) { _, old in
        let new = try stored(value(old))
        try checkOpen()
        return new
      }
      // At first, the new values stand beside the old ones.
      let between = "_value,\(name)"
      try editor.run("ALTER TABLE main.\(entity.quoted) ADD COLUMN \(between.quoted) \(new.sqlType)")
      let update = try Statement(
        "UPDATE main.\(entity.quoted) SET \(between.quoted) = ? WHERE _pk = ?", on: editor.connection)
      try eachRow(of: entity, ["_pk", name], isWhole: !old.isUID) { values in
        let new = try stored(value(values[1]))
        // The function may use the step, and may catch the error that ended the transaction.
        try checkOpen()
        try update.run([new, values[0]])
      }
      try convert(old, new, entity, initial, "\(between.quoted)")
      try editor.dropColumn(entity, between)
    }
  }

  /// Gives a property another type. Its new values come from an SQL expression over the columns of the row. Marks of
  /// local edits stay.
  ///
  /// ```swift
  /// try step.convert("price", of: "Ticket", to: Int.self, sql: "CAST(round(price * 100) AS INTEGER)")
  /// ```
  /// The file keeps the uid and the values in the URL alone of an object that was deleted here, until the server has heard of the
  /// deletion. So the expression for one of these may name nothing else where there are such objects.
  ///
  /// - Throws: ``StoreError`` where a value does not have the stored form of the type, see ``AttributeType``.
  public func convert<V: AttributeValue>(
    _ name: String, of entity: String, to type: V.Type, default defaultValue: V? = nil, sql: String
  ) throws {
    let (old, new, initial) = try columns(name, entity, type, defaultValue)
    try editor.change(words(old, new, entity), rows: "SELECT count(*) FROM main.\(entity.quoted)") {
      try editor.connection.withinTransaction {
        try editor.convertDeletions(of: entity, old, to: new) { known, _ in
          try editor.value(of: sql, known, entity, old)
        }
        try convert(old, new, entity, initial, "(\(sql))")
      }
    }
  }

  private func columns<V: AttributeValue>(
    _ name: String, _ entity: String, _ type: V.Type, _ defaultValue: V?
  ) throws -> (old: StoredProperty, new: StoredProperty, default: StoredValue) {
    try checkOpen()
    let number = try editor.entity(entity)
    let old = editor.schema.entities[number].properties[try editor.property(name, of: number)]
    guard old.target == nil else {
      throw StoreError(.migrationFailed, "'\(entity).\(name)' is a relationship: add another one, and drop it.")
    }
    var new = old
    new.type = V.attributeType.facts.name
    new.isOptional = V.isOptional || old.isUID
    let initial = old.isUID ? .null : try stored(defaultValue ?? V._neutral)
    if new.isNotNull, initial.isNull {
      throw StoreError(
        .migrationFailed, "'\(entity).\(name)' needs a default: its type has no value that stands for none.")
    }
    return (old, new, initial)
  }

  private func words(_ old: StoredProperty, _ new: StoredProperty, _ entity: String) -> String {
    "'\(entity).\(old.name)' is \(new.type) instead of \(old.type)"
  }

  private func convert(
    _ old: StoredProperty, _ new: StoredProperty, _ entity: String, _ initial: StoredValue, _ expression: String
  ) throws {
    let filter = old.isUID ? "1" : "_placeholder = 0"
    let table = "main.\(entity.quoted)"
    if new.isNotNull {
      let missing = try editor.count("SELECT count(*) FROM \(table) WHERE \(filter) AND \(expression) IS NULL")
      guard missing == 0 else {
        throw StoreError(
          .migrationFailed,
          "'\(entity).\(new.name)' would have no value in \(missing) \(missing == 1 ? "row" : "rows"), and its type is not "
            + "Optional.")
      }
    }
    try editor.changeProperty(old, of: entity, to: new, default: initial, expression: (expression, filter))
    guard let forms = AttributeType(name: new.type)?.facts.storage.forms else { return }
    let column = new.name.quoted
    let list = forms.map { "'\($0)'" }.joined(separator: ", ")
    let odd = try editor.count(
      "SELECT count(*) FROM \(table) WHERE \(column) IS NOT NULL AND typeof(\(column)) NOT IN (\(list))")
    guard odd == 0 else {
      throw StoreError(
        .migrationFailed, "'\(entity).\(new.name)' would have \(odd) values that are not stored as \(new.type) is.")
    }
  }

  // MARK: SQL

  /// Runs SQL. A change of the structure makes the step fail, unless the schema of the file has the change.
  ///
  /// `_pk` is the row's own key, `_edited` the names of its properties with local edits, `_placeholder` 1 while only the uid
  /// is known; ``AttributeType`` says how values are stored. SQL that writes a row does not mark it as edited.
  ///
  /// - Parameters:
  ///   - sql: One statement; any number of them where there are no bindings. No statement begins or ends a transaction.
  ///   - bindings: The values of the parameters, `?` or `?1`.
  /// - Returns: How many rows the last statement inserted, updated or deleted.
  @discardableResult
  public func execute(_ sql: String, _ bindings: [StoredValue] = []) throws -> Int {
    try checkOpen()
    try editor.change("SQL runs") {
      try editor.connection.withinTransaction {
        if !bindings.isEmpty { try checkOne(sql) }
        try editor.run(sql, bindings)
      }
    }
    return editor.connection.changedRows
  }

  /// The rows of a query. A result column is found by its name.
  public func rows(_ sql: String, _ bindings: [StoredValue] = []) throws -> [Migration.Row] {
    try checkOpen()
    return try editor.connection.withinTransaction {
      try checkOne(sql)
      let statement = try Statement(sql, on: editor.connection)
      defer { statement.reset() }
      try statement.bind(bindings)
      let names = statement.columns
      var rows: [Migration.Row] = []
      while try statement.step() {
        rows.append(Migration.Row(names, names.indices.map { statement.value($0) }))
      }
      return rows
    }
  }

  private func checkOne(_ sql: String) throws {
    guard Statement.isOne(sql, on: editor.connection) else {
      throw StoreError(.migrationFailed, "Only one statement has values to bind, or rows to read.", sql: sql)
    }
  }

  // MARK: Rows

  /// The rows of an entity, without placeholders, in the order of their keys.
  public func rows(of entity: String) throws -> [Migration.Row] {
    var rows: [Migration.Row] = []
    let names = try names(of: entity)
    try eachRow(of: entity, names) { rows.append(Migration.Row(names, $0)) }
    return rows
  }

  /// Changes the rows of an entity, without placeholders, in the order of their keys.
  ///
  /// The values that `body` sets are written. That does not mark a row as edited. Memory does not grow with the table.
  public func updateRows(of entity: String, _ body: (inout Migration.Row) throws -> Void) throws {
    let names = try names(of: entity)
    try editor.change("rows of '\(entity)' are changed", rows: "SELECT count(*) FROM main.\(entity.quoted)") {
      try eachRow(of: entity, names) { values in
        var row = Migration.Row(names, values)
        try body(&row)
        let changed = row.changes
        guard !changed.isEmpty else { return }
        if let unknown = changed.first(where: { !names.contains($0.name) || $0.name == "_pk" }) {
          throw StoreError(.migrationFailed, "The file has no property '\(entity).\(unknown.name)'.")
        }
        let columns = changed.map { "\($0.name.quoted) = ?" }.joined(separator: ", ")
        try editor.connection.prepare("UPDATE main.\(entity.quoted) SET \(columns) WHERE _pk = ?")
          .run(changed.map(\.value) + [values[0]])
      }
    }
  }

  /// Inserts a row: properties by name, a link as the key of its target.
  ///
  /// - Returns: The row's key.
  @discardableResult
  public func insert(into entity: String, _ values: [String: StoredValue]) throws -> Int64 {
    let names = try names(of: entity)
    if let unknown = values.keys.sorted().first(where: { !names.contains($0) || $0 == "_pk" }) {
      throw StoreError(.migrationFailed, "The file has no property '\(entity).\(unknown)'.")
    }
    let key = try newKey()
    try editor.change("rows of '\(entity)' are inserted") {
      let values = values.sorted { $0.key < $1.key }
      let columns = ["_pk"] + values.map(\.key.quoted)
      let marks = columns.map { _ in "?" }.joined(separator: ", ")
      try editor.connection.prepare(
        "INSERT INTO main.\(entity.quoted) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
      ).run([.integer(key)] + values.map(\.value))
    }
    return key
  }

  private func names(of entity: String) throws -> [String] {
    try checkOpen()
    return ["_pk", "_edited"] + editor.schema.entities[try editor.entity(entity)].properties.map(\.name)
  }

  /// Reads rows some hundreds at a time, so that `body` may write them.
  private func eachRow(
    of entity: String, _ columns: [String], isWhole: Bool = true, _ body: ([StoredValue]) throws -> Void
  ) throws {
    let list = columns.map(\.quoted).joined(separator: ", ")
    let filter = isWhole ? " AND _placeholder = 0" : ""
    let page = try Statement(
      "SELECT \(list) FROM main.\(entity.quoted) WHERE _pk > ?\(filter) ORDER BY _pk LIMIT 500",
      on: editor.connection)
    var last = Int64.min
    while true {
      try page.bind([.integer(last)])
      var rows: [[StoredValue]] = []
      while try page.step() {
        rows.append(columns.indices.map { page.value($0) })
        last = page.int64(0)
      }
      page.reset()
      if rows.isEmpty { return }
      for row in rows { try body(row) }
    }
  }
}
