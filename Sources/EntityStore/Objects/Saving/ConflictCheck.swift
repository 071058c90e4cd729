/// Finds the columns of a save that others have changed since they were edited, and applies the policies to them.
///
/// This reads nothing extra: a save finds each of its rows anyway. Once a conflict fails the save, the remaining rows
/// are only checked, so that the error lists all conflicts.
struct ConflictCheck {
  private let policies: ConflictPolicies?
  private var failed: [Conflict] = []

  init(_ policies: ConflictPolicies?) { self.policies = policies }

  var hasFailed: Bool { !failed.isEmpty }

  /// - Throws: ``StoreError`` of kind `conflict`, if a conflict was found that fails the save.
  func checkFailed() throws { if hasFailed { throw StoreError.conflict(failed) } }

  /// The decision about a row's edits.
  struct Settled {
    /// The columns in which the row keeps or gets a different value than the edited one.
    var yielded = ColumnMask()
    /// The links that get a different target than the edited one, with the row's earlier targets.
    var links: [(index: Int, old: Int64)] = []
  }

  /// Settles the conflicts of one row.
  ///
  /// - Parameters:
  ///   - values: The edited values; those that give way are removed or replaced.
  ///   - bases: The values that the edits are based on.
  /// - Throws: The error of a custom policy; ``StoreError`` of kind `invalidValue` when a policy chose a value that the
  ///   property can't have.
  mutating func settle(
    _ values: inout RowValues, _ bases: EditBases, _ model: EntityModel, over found: borrowing FoundRow,
    _ writer: RowWriter
  ) throws -> Settled {
    var settled = Settled()
    guard policies != nil else { return settled }
    for index in bases.mask.intersection(values.mask).indices {
      guard let base = bases.base(of: index), !found.has(base, index) else { continue }
      let theirs = found.value(index)
      // If a value could not be read, that is an error and no conflict.
      try writer.checks.checkLazies()
      let isKnown = bases.known(of: index).contains { value in
        let value = writer.collisions.survivor(of: value, model, index)
        return value.isIdentical(to: theirs) || value.isIdentical(to: model.properties[index].reading(theirs))
      }
      if isKnown { continue }
      let difference = Difference(
        pk: found.pk, property: index, base: writer.collisions.survivor(of: base, model, index),
        mine: writer.collisions.survivor(of: values[index], model, index), theirs: theirs,
        isLocalEdit: found.row.marks.isNew || found.row.edited.contains(index))
      let end = try end(difference, model, writer.schema) { found.value($0) }
      switch end {
      case .mine: break
      case .theirs:
        values.remove(ColumnMask(index))
        settled.yielded.insert(index)
      case .value(let chosen):
        settled.yielded.insert(index)
        values[index] = chosen
        if model.links.contains(index) { settled.links.append((index, found.link(index))) }
      }
    }
    return settled
  }

  /// An edited value of a row, and the different value that the row has by now.
  struct Difference {
    let pk: Int64
    let property: Int
    let base: StoredValue
    let mine: StoredValue
    let theirs: StoredValue
    let isLocalEdit: Bool
  }

  /// The value that is kept.
  enum End {
    case mine, theirs
    case value(StoredValue)
  }

  /// Ends one conflict, as its policy says. A conflict that fails the save is recorded.
  ///
  /// - Parameter value: Returns the value of a property of the object.
  mutating func end(
    _ difference: Difference, _ model: EntityModel, _ schema: SchemaModel, _ value: (Int) -> StoredValue
  ) throws -> End {
    guard let policies else { return .mine }
    let (index, mine) = (difference.property, difference.mine)
    let policy = policies.policy(for: model).policy(of: model, index)
    // Both have set the same value. For a policy with a function this can be a conflict, such as two increments.
    let isAgreed = mine.isIdentical(to: difference.theirs)
    if isAgreed, !policy.isFunction { return .mine }
    var uid: String?
    if let index = model.uid, let type = model.uidType { uid = value(index).uidText(type) }
    func pending(_ stored: StoredValue) -> PendingValue { schema.pendingValue(stored, model, index) }
    let conflict = Conflict(
      id: model.id(difference.pk), uid: uid, property: model.properties[index].name,
      values: (pending(difference.base), pending(mine), pending(difference.theirs)),
      isLocalEdit: difference.isLocalEdit)
    switch try policy.resolve(conflict).choice {
    case .mine: return .mine
    case .theirs: return .theirs
    case .fail:
      if !isAgreed { failed.append(conflict) }
      return .mine
    case .value(let value):
      let chosen = try schema.storedValue(value, model, index)
      return chosen.isIdentical(to: mine) ? .mine : .value(chosen)
    }
  }

  /// Whether the edits of a deleted row are dropped with the row.
  func yieldsToDeletion(of model: EntityModel, _ columns: ColumnMask) -> Bool {
    policies?.policy(for: model).yieldsToDeletion(of: model, columns) ?? false
  }
}

extension UIDCollisions {
  /// For a link to a row that was merged into another row, the link to that other row.
  fileprivate func survivor(of value: StoredValue, _ model: EntityModel, _ index: Int) -> StoredValue {
    guard rows.writer.hasSurvivors, case .toOne(let target, _, _) = model.properties[index].kind,
      case .integer(let pk) = value
    else { return value }
    return .integer(survivor(schema.entities[target], pk))
  }
}

extension SchemaModel {
  /// The value that a custom policy returned, as the column stores it.
  func storedValue(_ value: PendingValue, _ model: EntityModel, _ index: Int) throws -> StoredValue {
    switch (model.properties[index].kind, value) {
    case (.attribute, .attribute(let value)):
      if let stored = model.properties[index].stored(value) { return stored }
    case (.toOne(_, _, _), .object(nil)): return .null
    case (.toOne(let target, _, _), .object(let id?)):
      if id.entityName == entities[target].name { return .integer(id.pk) }
    default: break
    }
    throw StoreError(
      .invalidValue,
      "The conflict policy answered a value that '\(model.name).\(model.properties[index].name)' can't have.")
  }
}

extension StoreError {
  /// - Parameter conflicts: At least one.
  static func conflict(_ conflicts: [Conflict]) -> StoreError {
    // Only some are named, because a save may have thousands.
    let named = conflicts.prefix(3).map { "'\($0.property)' of \($0.id)" }.joined(separator: ", ")
    let others = conflicts.count > 3 ? " and \(conflicts.count - 3) more" : ""
    var known: Set<AnyEntityID> = []
    var error = StoreError(
      .conflict,
      "Others have changed what was edited here: \(named)\(others). Nothing was saved. `conflicts` has the values; save over "
        + "them with `save(conflicts: .mine)`, or see them with `refresh(_:)` first, or drop the edits with "
        + "`rollback(_:)`.", objects: conflicts.map(\.id).filter { known.insert($0).inserted })
    error.conflicts = conflicts
    return error
  }
}
