import EntityStore

/// The rows of a list that have no uid, though their entity has one: with `.withoutUID(.embed)` they are told apart by
/// their place among each other, as embedded objects are.
struct UnnamedMembers {
  let rows: [Int64]
  /// They, and behind them those that the list has let go of.
  let places: [Int64]
  /// Why they stay as they are: one of them was edited here, or a newer answer had the list.
  let staying: MergePolicy.Staying
}

extension PropertyModel {
  /// The entity of a list's members; `nil` for a property that is no list.
  var listed: Int? { isCounterpart ? nil : list?.target }
}

extension Mapper {
  /// The members of a list that are known by their place; `nil` where none is.
  ///
  /// - Parameters:
  ///   - pk: The row id of the parent.
  ///   - members: The rows of the list.
  ///   - newer: The columns of the parent that the answer leaves to newer ones.
  func unnamed(
    _ plan: MappingPlan, _ property: Int, of pk: Int64, _ member: MappingPlan,
    _ members: @autoclosure () throws -> [Int64],
    _ newer: ColumnMask
  ) throws -> UnnamedMembers? {
    guard session.embedsUnnamed, member.uidType != nil else { return nil }
    let unnamed = try target.unnamed(member.model, members())
    let staying = staying(plan.model, property, of: pk, isEdited: unnamed.areEdited, newer: newer)
    if !staying.isEmpty, !unnamed.rows.isEmpty, !newer.contains(property) {
      session.skips?.note(plan.model, pk, staying, answered: ColumnMask(property))
    }
    return UnnamedMembers(
      rows: unnamed.rows, places: session.places(of: pk, property, unnamed.rows), staying: staying)
  }
}
