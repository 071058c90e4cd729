import EntityStore

/// The members of a list that have no uid, though their entity declares one. With `.withoutUID(.embed)` each is known
/// by its place among these members, as an embedded object is.
struct UnnamedMembers {
  let rows: [Int64]
  /// These rows, and after them the rows that the list has let go of.
  let places: [Int64]
  /// Why the members stay as they are: a member was edited here, or a newer answer had the list. Empty when the members
  /// follow the response.
  let staying: MergePolicy.Staying
}

extension PropertyModel {
  /// The entity of a list's members; `nil` for a property that is no list.
  var listed: Int? { isCounterpart ? nil : list?.target }
}

extension Mapper {
  /// The members of a list that are known by their place. `nil` when the request lacks `.withoutUID(.embed)`, and when
  /// their entity declares no uid.
  ///
  /// - Parameters:
  ///   - pk: The row id of the parent.
  ///   - members: The rows of the list.
  ///   - newer: The parent's columns that the answer leaves to newer answers.
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
