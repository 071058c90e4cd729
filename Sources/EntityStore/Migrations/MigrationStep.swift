extension Migration {
  /// The file as a step of a ``Migration`` sees and changes it: its entities and properties by name.
  ///
  /// Change the structure here and not in SQL, so that the schema in the file stays true. All calls throw ``StoreError``,
  /// and all of them throw after the end of the step.
  public final class Step {
    let editor: FileEditor
    let lease: (Connection) throws -> PrimaryKeys.Lease
    private var keys = PrimaryKeys.Lease()
    private var isOpen = true

    init(_ editor: FileEditor, lease: @escaping (Connection) throws -> PrimaryKeys.Lease) {
      self.editor = editor
      self.lease = lease
    }

    func end() { isOpen = false }

    func checkOpen() throws {
      guard isOpen else { throw StoreError(.migrationFailed, "The step has ended.") }
      try editor.connection.checkTransaction()
    }

    func newKey() throws -> Int64 {
      if let key = keys.removeFirst() { return key }
      keys = try lease(editor.connection)
      guard let key = keys.removeFirst() else { throw StoreError(.sqlite, "No row id could be leased.") }
      return key
    }

    // MARK: Names

    /// Gives an entity another name.
    public func renameEntity(_ name: String, to new: String) throws {
      try checkOpen()
      try checkNew(new)
      try editor.change("'\(name)' becomes '\(new)'") {
        _ = try editor.entity(name)
        try checkFree(entity: new, besides: name)
        for move in Renames.inOrder([.init(from: name, to: new)], there: editor.schema.entities.map(\.name)) {
          try editor.renameEntity(move.from, to: move.to)
        }
      }
    }

    /// Gives a property another name. A many-to-many relationship is renamed on the side that names no inverse.
    public func rename(_ name: String, of entity: String, to new: String) throws {
      try checkOpen()
      try checkNew(new)
      try editor.change("'\(entity).\(name)' becomes '\(entity).\(new)'") {
        try checkFree(new, in: entity, besides: name)
        if editor.schema["\(entity),\(name)"] != nil {
          try editor.renameList(name, of: entity, to: new)
        } else {
          try editor.renameProperty(name, of: entity, to: new)
        }
      }
    }

    // MARK: New parts

    /// Adds an entity without properties.
    public func addEntity(_ name: String) throws {
      try checkOpen()
      try checkNew(name)
      try checkFree(entity: name)
      try editor.change("'\(name)' is new", isAdditive: true) { try editor.addEntity(StoredEntity(name: name)) }
    }

    /// Adds an attribute.
    ///
    /// For a type of your own, such as an enum, the file knows the stored form alone.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute.
    ///   - type: The type; an Optional may have no value.
    ///   - entity: The entity.
    ///   - defaultValue: The value in the rows that are there; without one zero, empty or none.
    public func add<V: AttributeValue>(
      _ name: String, _ type: V.Type, to entity: String, default defaultValue: V? = nil
    ) throws {
      try checkOpen()
      try checkNew(name)
      let property = StoredProperty(
        name: name, type: V.attributeType.facts.name, isOptional: V.isOptional, isUID: false, isUnique: false,
        isIndexed: false)
      let value = try stored(defaultValue ?? V._neutral)
      if property.isNotNull, value.isNull {
        throw StoreError(
          .migrationFailed, "'\(entity).\(name)' needs a default: its type has no value that stands for none.")
      }
      try editor.change("'\(entity).\(name)' is new", isAdditive: true) {
        try checkFree(name, in: entity)
        try editor.addProperty(property, to: entity, default: value)
      }
    }

    /// Adds a to-one relationship, which is empty in all rows. A required relationship becomes required after the end of
    /// the step, by the declaration of the entity.
    public func addLink(_ name: String, to target: String, of entity: String) throws {
      try checkOpen()
      try checkNew(name)
      _ = try editor.entity(target)
      let property = StoredProperty(
        name: name, type: StoredProperty.link(to: target), isOptional: true, isUID: false, isUnique: false,
        isIndexed: true)
      try editor.change("'\(entity).\(name)' is new", isAdditive: true) {
        try checkFree(name, in: entity)
        try editor.addProperty(property, to: entity, default: .null)
      }
    }

    /// Adds a many-to-many relationship, on the side that names no inverse. Its pairs are rows of the entity `Post,tags`,
    /// with the columns `owner` and `member`.
    public func addList(_ name: String, of target: String, to entity: String) throws {
      try checkOpen()
      try checkNew(name)
      _ = try (editor.entity(entity), editor.entity(target))
      let ends = [("owner", entity), ("member", target)].map { name, entity in
        StoredProperty(
          name: name, type: StoredProperty.link(to: entity), isOptional: false, isUID: false, isUnique: false,
          isIndexed: true)
      }
      try editor.change("'\(entity).\(name)' is new", isAdditive: true) {
        try checkFree(name, in: entity)
        try editor.addEntity(StoredEntity(name: "\(entity),\(name)", properties: ends))
      }
    }

    /// Sets which property is the server's identifier; `nil` for none. The property's values must be unique.
    ///
    /// The step fails while objects of the entity that were deleted here are yet to be deleted on the server, which knows them by
    /// the former uid. Such a file is one of a user, and hardly one of yours: let the step give the deletions up by the SQL that the
    /// error shows, unless the app can keep the former uid.
    public func setUID(_ name: String?, of entity: String) throws {
      try checkOpen()
      let number = try editor.entity(entity)
      guard editor.schema.entities[number].uid == nil else {
        throw SchemaDifference.mismatch(
          "the uid of '\(entity)' has several parts in the file, and no step changes them")
      }
      try editor.change("the uid of '\(entity)' is \(name.map { "'\($0)'" } ?? "none")") {
        for old in editor.schema.entities[number].properties where old.isUID != (old.name == name) {
          try editor.checkNoDeletions(of: entity)
          var new = old
          new.isUID = old.name == name
          // A row that the server has not named has no uid.
          new.isOptional = true
          new.isUnique = old.isUnique || new.isUID
          try editor.changeProperty(old, of: entity, to: new, default: .null)
        }
        if let name { _ = try editor.property(name, of: number) }
      }
    }

    // MARK: Drops

    /// Drops a property with its values. It also drops a property that the app removed and the file still keeps.
    public func drop(_ name: String, of entity: String) throws {
      try checkOpen()
      let stored = editor.schema.entities[try editor.entity(entity)]
      let list = (editor.schema.removed ?? []).filter { $0.entity.name == "\(entity),\(name)" }
      let removed = (stored.removed ?? []).filter { $0.name == name }
      if editor.schema["\(entity),\(name)"] != nil {
        try editor.change("'\(entity).\(name)' is dropped", rows: count("\(entity),\(name)")) {
          try editor.dropList(name, of: entity)
        }
      } else if stored[name] != nil || removed.isEmpty && list.isEmpty {
        try editor.change("'\(entity).\(name)' is dropped", rows: count(entity, name)) {
          try editor.dropProperty(name, of: entity)
        }
      } else {
        try editor.change("'\(entity).\(name)' is dropped") {
          for removed in removed { try editor.dropRemoved(removed, of: entity) }
          for removed in list { try editor.dropRemoved(removed) }
        }
      }
    }

    /// Drops an entity with its rows and its lists. It also drops an entity that the app removed and the file still
    /// keeps. No property of another entity may refer to the entity.
    public func dropEntity(_ name: String) throws {
      try checkOpen()
      if editor.schema[name] != nil {
        try editor.change("'\(name)' is dropped", rows: count(name)) { try editor.dropEntity(name) }
        return
      }
      let removed = (editor.schema.removed ?? []).filter { $0.entity.name == name || $0.entity.owner == name }
      guard removed.contains(where: { $0.entity.name == name }) else {
        throw StoreError(.migrationFailed, "The file has no entity '\(name)'.")
      }
      try editor.change("'\(name)' is dropped") { for entity in removed { try editor.dropRemoved(entity) } }
    }

    /// Drops all parts that the app removed and the file still keeps.
    public func dropRemoved() throws {
      try checkOpen()
      for entity in editor.schema.entities {
        for removed in entity.removed ?? [] {
          try editor.change("'\(entity.name).\(removed.name)' is dropped", rows: count(entity.name, removed.column)) {
            try editor.dropRemoved(removed, of: entity.name)
          }
        }
      }
      for removed in editor.schema.removed ?? [] {
        try editor.change("\(removed.entity.label) is dropped", rows: count(removed.table)) {
          try editor.dropRemoved(removed)
        }
      }
    }

    // MARK: Checks

    private func count(_ table: String, _ column: String? = nil) -> String {
      "SELECT count(\(column?.quoted ?? "*")) FROM main.\(table.quoted)"
    }

    func stored<V: AttributeValue>(_ value: V?) throws -> StoredValue {
      guard let value else { return .null }
      do {
        return try V._stored(value)
      } catch {
        throw StoreError(.invalidValue, "A value can't be stored: \(error)")
      }
    }

    private func checkNew(_ name: String) throws {
      do {
        try SchemaModel.checkName(name, "entity or property")
      } catch let error as StoreError {
        throw StoreError(.migrationFailed, error.message)
      }
    }

    private func checkFree(entity name: String, besides old: String? = nil) throws {
      guard !editor.schema.entities.contains(where: { $0.name != old && $0.name.lowercased() == name.lowercased() })
      else {
        throw taken("entity '\(name)'")
      }
    }

    private func checkFree(_ name: String, in entity: String, besides old: String? = nil) throws {
      let stored = editor.schema.entities[try editor.entity(entity)]
      let names = stored.properties.map(\.name) + editor.schema.lists(of: entity).compactMap(\.list)
      guard !names.contains(where: { $0 != old && $0.lowercased() == name.lowercased() }) else {
        throw taken("property '\(entity).\(name)'")
      }
    }

    private func taken(_ what: String) -> StoreError {
      StoreError(.migrationFailed, "The file has the \(what) already; case does not tell names apart.")
    }
  }
}
