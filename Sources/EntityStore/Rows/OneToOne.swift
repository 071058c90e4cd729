// A link of a one-to-one relationship has no unique index: a unit that hands a target over has two rows with it for a moment,
// and so has a response that speaks of the new one first. The unit settles at its end which row has the target.

extension RowWriter {
  /// Notes that a row got a target, which another row may have.
  func noteClaim(_ model: EntityModel, _ property: Int, pk: Int64, target: Int64, _ source: RowSource) {
    guard target != 0, model.oneToOne.contains(property) else { return }
    let isEdit = if case .edit(let fromResponse, _) = source { !fromResponse.contains(property) } else { false }
    claims.add(
      .init(entity: model.number, property: property, target: target), by: .init(pk: pk, isEdit: isEdit))
  }

  /// The unit ends: of several rows with the same target one keeps it. That is the one which got it last; but an edit that
  /// was made here and is not acknowledged stays, whatever a response says.
  ///
  /// - Parameter notes: As of ``settleUniqueValues(_:)``.
  /// - Throws: ``StoreError`` of kind `uniqueViolation` where the row that would lose its target requires one.
  func settleClaims(_ notes: (StoreError) -> Bool) throws {
    try settle(claims.open, notes)
    claims.settle()
  }

  /// The same for the targets that an update by query gave to rows.
  func settleClaimsOfQuery() throws {
    try settle(claims.ofQuery) { _ in false }
    claims.settleQuery()
  }

  private func settle(
    _ open: [(claim: RowClaims.Claim, claimant: RowClaims.Claimant)], _ notes: (StoreError) -> Bool
  ) throws {
    for (claim, claimant) in open {
      let model = schema.entities[claim.entity]
      let holders = try holders(model, claim.property, of: claim.target).rows
      guard holders.count > 1 else { continue }
      var winner = holders.contains(claimant.pk) ? claimant.pk : holders[holders.count - 1]
      if !claimant.isEdit, !marksNothing, try !isEdited(model, winner, claim.property),
        let edited = try holders.first(where: { try isEdited(model, $0, claim.property) })
      {
        winner = edited
      }
      for holder in holders where holder != winner {
        if model.required.contains(claim.property) {
          let error = held(model, claim.property, winner, holder)
          guard notes(error) else { throw error }
          continue
        }
        try setLink(model, holder, claim.property, to: 0, .effect)
        if claimant.isEdit, !marksNothing { try markEdited(model, holder, claim.property) }
      }
    }
  }

  private func held(_ model: EntityModel, _ property: Int, _ winner: Int64, _ loser: Int64) -> StoreError {
    StoreError(
      .uniqueViolation,
      "'\(model.name).\(model.properties[property].name)' is one-to-one and required, and two objects have the same "
        + "one: those of the rows \(winner) and \(loser). Give the latter another one, or delete it first.",
      objects: [model.id(winner), model.id(loser)])
  }

  /// Looks at all rows, as those of an archive.
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
