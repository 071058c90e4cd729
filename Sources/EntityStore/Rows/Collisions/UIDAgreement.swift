// A row has a composite uid and its parts.

extension UIDCollisions {
  /// The values of a row in which a composite uid and its parts agree.
  ///
  /// An answer names the object by its uid, so the parts follow from the uid. In an edit the uid follows from the
  /// parts. Parts that gave their values up to other rows leave no uid.
  ///
  /// - Parameter before: The values of the parts that the row has so far; `nil` for a new row.
  func agreeing(
    _ model: EntityModel, _ given: RowValues, _ source: RowSource, before: [StoredValue]? = nil
  ) -> RowValues {
    guard let parts = model.uidParts, !given.mask.intersection(model.identity).isEmpty else { return given }
    if parts.mask.subtracting(given.mask).isEmpty, parts.uid(of: given).isIdentical(to: given[parts.uid]),
      given.mask.contains(parts.uid)
    {
      return given
    }
    var row = given
    if !source.isEdit, given.mask.contains(parts.uid), !given[parts.uid].isNull, parts.put(given[parts.uid], into: &row)
    {
      return row
    }
    row[parts.uid] = UIDParts.uid(
      parts.parts.enumerated().lazy.map { place, part in
        given.mask.contains(part.index) ? given[part.index] : before?[place] ?? .null
      })
    return row
  }
}

extension RowSource {
  /// Counts a composite uid, too, as a response's value where its parts are.
  func withUID(of model: EntityModel) -> RowSource {
    guard let parts = model.uidParts, case .edit(var edit) = self, parts.mask.subtracting(edit.fromResponse).isEmpty
    else { return self }
    edit.fromResponse.insert(parts.uid)
    return .edit(edit)
  }
}
