// A link of a one-to-one relationship has no unique index. A unit that hands a target over has two rows with it for a
// moment, and so has a response that has the new row first. The end of the unit settles which row has the target.

extension RowUniqueness {
  /// Notes that a row got a target, which another row may have.
  func noteClaim(_ model: EntityModel, _ property: Int, pk: Int64, target: Int64, _ source: RowSource) {
    guard target != 0, model.oneToOne.contains(property) else { return }
    let claimed: RowClaims.Claimant.Source =
      switch source {
      // The setters of an update by hand have ended the edits of the other objects.
      case .edit(let edit): edit.fromResponse.contains(property) ? .response(overwrites: false) : .edit
      case .response(let policy, _): .response(overwrites: !policy.keepsEdits)
      case .effect: .effect
      }
    claims.add(
      .init(entity: model.number, property: property, target: target), by: .init(pk: pk, source: claimed))
  }

  /// Notes the targets that a response has for a row. Where another row got such a target in the same response, the
  /// later claim counts.
  func noteClaims(_ model: EntityModel, _ pk: Int64, _ properties: ColumnMask, _ row: RowValues, _ source: RowSource) {
    for property in properties.intersection(model.oneToOne).indices {
      let target = row.link(property)
      if claims.has(.init(entity: model.number, property: property, target: target)) {
        noteClaim(model, property, pk: pk, target: target, source)
      }
    }
  }

  /// Settles the claims at the end of the unit: of several rows with the same target, one keeps it. That is the row
  /// that got it last, with two exceptions. A local edit that is not acknowledged stays, unless the response overwrites
  /// edits. The value of a newer answer stays too.
  ///
  /// - Parameter notes: The same as in ``settleUniqueValues(_:)``.
  /// - Throws: ``StoreError`` of kind `uniqueViolation` where the row that would lose its target requires one.
  func settleClaims(_ notes: (StoreError) -> Bool) throws {
    try settle(claims.open, notes)
    claims.settle()
  }

  /// Settles the targets that an update by query gave to rows.
  func settleClaimsOfQuery() throws {
    try settle(claims.ofQuery) { _ in false }
    claims.settleQuery()
  }

  private func settle(
    _ open: [(claim: RowClaims.Claim, claimant: RowClaims.Claimant)], _ notes: (StoreError) -> Bool
  ) throws {
    for (claim, claimant) in open {
      let model = schema.entities[claim.entity]
      let column = ColumnMask(claim.property)
      let holders = try rows.order.holders(model, claim.property, of: claim.target).rows
      let (winner, staying) = try winner(model, claim, claimant, among: holders)
      for holder in holders where holder != winner {
        if model.required.contains(claim.property) {
          let error = held(model, claim.property, winner, holder)
          guard notes(error) else { throw error }
          continue
        }
        try rows.setLink(model, holder, claim.property, to: 0, .effect)
        if rows.isOfServer || claimant.source == .response(overwrites: true) {
          try endEdit(model, holder, claim.property)
        } else if claimant.source == .edit {
          try rows.edits.markEdited(model, holder, claim.property)
        }
        if holder == claimant.pk { rows.notes.skips?.note(model, holder, staying, answered: column) }
      }
    }
  }

  /// The row that keeps a target, 0 for none, and the reason where that is not the row that got it last.
  private func winner(
    _ model: EntityModel, _ claim: RowClaims.Claim, _ claimant: RowClaims.Claimant, among holders: [Int64]
  ) throws -> (pk: Int64, staying: MergePolicy.Staying) {
    guard let last = holders.contains(claimant.pk) ? claimant.pk : holders.last else { return (0, .init()) }
    let column = ColumnMask(claim.property)
    let others = holders.filter { $0 != last }
    if !others.isEmpty, !rows.isOfServer, claimant.source != .edit, claimant.source != .response(overwrites: true),
      try !rows.edits.isEdited(model, last, claim.property),
      let edited = try others.first(where: { try rows.edits.isEdited(model, $0, claim.property) })
    {
      return (edited, .init(edited: column))
    }
    guard case .response = claimant.source, last == claimant.pk, let mayGiveUp,
      case .toOne(let number, let counterpart?, _) = model.properties[claim.property].kind
    else { return (last, .init()) }
    func mayLose(_ model: EntityModel, _ pk: Int64, _ property: Int) throws -> Bool {
      try mayGiveUp(model, { try self.uid(model, pk) }, property)
    }
    // The other side is a property too, and a newer answer may have set it. A required link stays all the same.
    guard try mayLose(schema.entities[number], claim.target, counterpart) else {
      let winner = others.last ?? (model.required.contains(claim.property) ? last : 0)
      return (winner, .init(newer: column))
    }
    for other in others where try !mayLose(model, other, claim.property) { return (other, .init(newer: column)) }
    return (last, .init())
  }

  private func uid(_ model: EntityModel, _ pk: Int64) throws -> StoredValue {
    guard let uid = model.uid else { return .null }
    return try rows.find(model, pk: pk)?.value(uid) ?? .null
  }

  /// Ends the local edit of a link, where the row has one.
  private func endEdit(_ model: EntityModel, _ pk: Int64, _ property: Int) throws {
    guard let row = try rows.current(model, pk: pk), row.edited.contains(property) else { return }
    var marks = row.marks
    marks.known.subtract(ColumnMask(property))
    try rows.edits.setMarks(model, row, marks, told: ColumnMask(property))
  }

  private func held(_ model: EntityModel, _ property: Int, _ winner: Int64, _ loser: Int64) -> StoreError {
    StoreError(
      .uniqueViolation,
      "'\(model.name).\(model.properties[property].name)' is one-to-one and required, and two objects have the same "
        + "one: those of the rows \(winner) and \(loser). Give the latter another one, or delete it first.",
      objects: [model.id(winner), model.id(loser)])
  }

  /// Checks all rows, as of an archive.
  ///
  /// - Throws: ``StoreError`` of kind `uniqueViolation`.
  func checkOneToOne() throws {
    for model in schema.entities {
      for property in model.oneToOne.indices {
        let link = model.properties[property].name.quoted
        let twins = try connection.rows(
          "SELECT min(_pk), max(_pk) \(OneToOne.twins(model.table, link)) LIMIT 1"
        ) { ($0.int64(0), $0.int64(1)) }.first
        guard let twins else { continue }
        throw StoreError(
          .uniqueViolation,
          "'\(model.name).\(model.properties[property].name)' is one-to-one, and two objects have the same one.",
          objects: [model.id(twins.0), model.id(twins.1)])
      }
    }
  }
}
