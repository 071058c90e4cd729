// A link of a one-to-one relationship has no unique index: a unit that hands a target over has two rows with it for a moment,
// and so has a response that speaks of the new one first. The unit settles at its end which row has the target.

extension RowWriter {
  /// A target that a link of a one-to-one relationship was set to.
  struct Claim: Hashable {
    let entity: Int
    let property: Int
    let target: Int64
  }

  /// The last row that was given a target, and whether here.
  struct Claimant {
    let pk: Int64
    let isEdit: Bool
  }

  /// Notes that a row got a target, which another row may have.
  func noteClaim(_ model: EntityModel, _ property: Int, pk: Int64, target: Int64, _ source: RowSource) {
    guard target != 0, model.oneToOne.contains(property) else { return }
    let isEdit = if case .edit(let fromResponse, _) = source { !fromResponse.contains(property) } else { false }
    claims[Claim(entity: model.number, property: property, target: target)] = Claimant(pk: pk, isEdit: isEdit)
  }

  /// The unit ends: of several rows with the same target one keeps it. That is the one which got it last; but an edit that
  /// was made here and is not acknowledged stays, whatever a response says.
  ///
  /// - Parameter notes: As of ``settleUniqueValues(_:)``.
  /// - Throws: ``StoreError`` of kind `uniqueViolation` where the row that would lose its target requires one.
  func settleClaims(_ notes: (StoreError) -> Bool) throws {
    guard !claims.isEmpty else { return }
    let open = claims.sorted {
      ($0.key.entity, $0.key.property, $0.key.target) < ($1.key.entity, $1.key.property, $1.key.target)
    }
    claims = [:]
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
          let error = taken(model, claim, winner, holder)
          guard notes(error) else { throw error }
          continue
        }
        try setLink(model, holder, claim.property, to: 0, .effect)
        if claimant.isEdit, !marksNothing { try markEdited(model, holder, claim.property) }
      }
    }
    // Each row that lost its target has none now, and claims nothing.
    claims = [:]
  }

  private func taken(_ model: EntityModel, _ claim: Claim, _ winner: Int64, _ loser: Int64) -> StoreError {
    StoreError(
      .uniqueViolation,
      "'\(model.name).\(model.properties[claim.property].name)' is one-to-one and required, and two objects have the same "
        + "one: those of the rows \(winner) and \(loser). Give the latter another one, or delete it first.",
      objects: [model.id(winner), model.id(loser)])
  }
}
