// Links of an earlier version of the app that are one-to-one now.

extension SchemaDifference {
  /// No two rows have the same target.
  ///
  /// - Throws: ``StoreError`` of kind `schemaMismatch` that counts those which do.
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

  /// A link whose other side was a column of its own: the objects that only that column linked are linked, and it is set aside.
  func joinColumns(_ entity: EntityModel) throws {
    for property in entity.properties where property.isCounterpart {
      guard case .toMany(let number, let link, _) = property.kind,
        let stored = editor.schema[entity.name]?[property.name]
      else { continue }
      let target = schema.entities[number]
      let (own, other) = (property.name.quoted, target.properties[link].name.quoted)
      let name = "'\(entity.name).\(property.name)'"
      let otherName = "'\(target.name).\(target.properties[link].name)'"
      try editor.change(
        "\(name) is the other side of \(otherName)", rows: "SELECT count(\(own)) FROM \(entity.table)"
      ) {
        if !editor.isTrial { try checkAgreement(name, otherName, entity, own, target, other) }
        let former = "SELECT o._pk FROM \(entity.table) AS o WHERE o.\(own) = \(target.table)._pk"
        // A link that only the column had keeps the mark of its local edit.
        try editor.run(
          "UPDATE \(target.table) SET _edited = CASE WHEN _edited IS NULL THEN ?1 ELSE _edited || ',' || ?1 END "
            + "WHERE \(other) IS NULL AND instr(',' || coalesce(_edited, '') || ',', ',' || ?1 || ',') = 0 "
            + "AND (\(former) AND instr(',' || o._edited || ',', ',' || ?2 || ',') > 0) IS NOT NULL",
          [.text(target.properties[link].name), .text(property.name)])
        try editor.run(
          "UPDATE \(target.table) SET \(other) = (\(former)) WHERE \(other) IS NULL AND (\(former)) IS NOT NULL")
        try editor.setAside(stored.name, of: entity.name)
      }
    }
  }

  /// The two columns must not contradict each other.
  private func checkAgreement(
    _ name: String, _ otherName: String, _ entity: EntityModel, _ own: String, _ target: EntityModel, _ other: String
  ) throws {
    let several = try editor.count(
      "SELECT count(*) FROM (SELECT 1 \(OneToOne.twins(entity.table, own)))")
    let others = try editor.count(
      "SELECT count(*) FROM \(entity.table) AS o JOIN \(target.table) AS t ON t._pk = o.\(own) "
        + "WHERE t.\(other) <> o._pk OR t.\(other) IS NULL AND EXISTS "
        + "(SELECT 1 FROM \(target.table) AS s WHERE s.\(other) = o._pk)")
    guard several + others > 0 else { return }
    throw Self.mismatch(
      "\(name) is the other side of \(otherName) in the entity, and in the file the two contradict each other in "
        + "\(several + others) \(several + others == 1 ? "place" : "places"). Set \(name) to nil there in a step")
  }
}
