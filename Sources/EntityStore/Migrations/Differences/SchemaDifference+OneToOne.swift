// Links of an earlier version of the app that are now one-to-one.

extension SchemaDifference {
  /// Checks that no two rows have the same target.
  ///
  /// - Throws: ``StoreError`` of kind `schemaMismatch` with the number of targets that several rows have.
  func checkTargets(_ name: String, _ property: PropertyModel, _ entity: EntityModel) throws {
    guard !editor.isTrial else { return }
    let link = property.name.quoted
    let count = try editor.count(
      "SELECT count(*) FROM (SELECT 1 \(OneToOne.twins(entity.table, link)))")
    guard count > 0 else { return }
    throw Self.mismatch(
      "\(name) is one-to-one in the entity, and in the file \(count) \(count == 1 ? "object is" : "objects are") held by "
        + "more than one. Set \(name) of all but one to nil in a step")
  }

  /// Joins a column that is now the side without a column: objects that only this column linked get their links, and
  /// the column is set aside.
  func joinColumns(_ entity: EntityModel) throws {
    for property in entity.properties where property.isCounterpart {
      let own = property.name.quoted
      let links = "(SELECT _pk AS owner, \(own) AS target FROM \(entity.table) WHERE \(own) IS NOT NULL)"
      guard let join = OneToOneJoin(entity, property, schema, links: links),
        let stored = editor.schema[entity.name]?[property.name]
      else { continue }
      try editor.change(
        "\(join.name) is the other side of \(join.otherName)", rows: "SELECT count(\(own)) FROM \(entity.table)"
      ) {
        if !editor.isTrial {
          try join.check(editor.count) { difference in
            Self.mismatch(
              "\(join.name) is the other side of \(join.otherName) in the entity, and in the file \(difference). Set "
                + "\(join.name) to nil there in a step")
          }
        }
        try join.run(editor.run)
        try editor.setAside(stored.name, of: entity.name)
      }
    }
  }
}
