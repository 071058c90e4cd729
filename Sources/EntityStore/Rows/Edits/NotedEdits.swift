// Later edits are reported to the requests under way that carry edits; see `EditsUnderWay`.

extension RowEdits {
  /// Columns of a row were edited here.
  func noteEdited(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask, _ row: RowValues) {
    guard !mask.isEmpty, !rows.writer.underWay.isEmpty else { return }
    let markers = rows.writer.underWay.markers(of: RowKey(entity: model.number, pk: pk))
    guard !markers.isEmpty else { return }
    var values = RowValues(count: model.properties.count)
    for index in mask.indices { values[index] = row[index] }
    // An edit counts once it is committed.
    rows.afterCommit { for marker in markers { marker.edited(values) } }
  }

  /// Lists of a row were edited here: their members, or their order.
  func noteEditedLists(_ model: EntityModel, _ pk: Int64, _ lists: ColumnMask) {
    let ordered = lists.intersection(model.ordered)
    guard !ordered.isEmpty, !rows.writer.underWay.isEmpty else { return }
    let markers = rows.writer.underWay.markers(of: RowKey(entity: model.number, pk: pk))
    guard !markers.isEmpty else { return }
    rows.afterCommit { [origin = rows.origin] in for marker in markers { marker.edited(lists: ordered, from: origin) } }
  }

  /// A pair was added to the lists of its ends, or taken out of them, here.
  func noteEditedPair(_ links: EntityModel, _ row: RowValues, isIn: Bool) {
    guard !rows.writer.underWay.isEmpty else { return }
    for side in 0...1 {
      guard case .toOne(let entity, let list?, _) = links.properties[side].kind else { continue }
      let markers = rows.writer.underWay.markers(of: RowKey(entity: entity, pk: row.link(side)))
      guard !markers.isEmpty else { continue }
      let member = row.link(1 - side)
      rows.afterCommit { for marker in markers { marker.edited(list, member, isIn: isIn) } }
    }
  }
}
