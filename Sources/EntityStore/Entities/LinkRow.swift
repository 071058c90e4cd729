import Observation

/// A membership of a many-to-many relationship: a row with two links, of an entity that no user declares.
///
/// A relationship `tags` of `Post` has the table `Post,tags`, whose columns `owner` and `member` hold a post and a tag.
/// As memberships are rows like others, unsaved ones lie over the table, roll back, are saved and summed up by the code
/// that does so for all rows.
///
/// Local edits are marked in the pair: in `_edited` of a membership that was added here, and of a row of the table
/// `Post,tags,removed` for one that was taken out here. The mark names the sides through whose lists that was done. A row of
/// the second table whose other end is NULL stands for all pairs that are not in the list.
nonisolated final class LinkRow: ManagedEntity {
  struct Columns: Sendable {}

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = []

  let _$state: ObjectState
  /// The row ids of the two objects.
  private var ends: (Int64, Int64) = (0, 0)
  /// The side through whose list it was made here.
  var madeSide = 0
  /// The side through whose list it was ended here.
  var endedSide = 0
  /// Whether a response made it, or ended it: then that is no local edit.
  var isFromResponse = false

  init(_ state: ObjectState) { _$state = state }

  func _$load(_ row: RowReader) {
    if row.contains(0) { ends.0 = row.link(0) }
    if row.contains(1) { ends.1 = row.link(1) }
  }

  func _$store(into row: inout RowValues) {
    if row.wanted.contains(0) { row.setLink(ends.0, 0) }
    if row.wanted.contains(1) { row.setLink(ends.1, 1) }
  }

  /// The side whose edit it is: it is dropped with that edit. One that is ended while the save that makes it is under way
  /// and is put back is the edit of the side that made it.
  var editedSide: Int { _$state.isDeleting ? endedSide : madeSide }

  /// Whether it stays, and has another place in a list.
  var isOnlyMoved: Bool { !_$state.isInserted && !_$state.isGone }

  func set(_ side: Int, _ pk: Int64, other: Int64) {
    ends = side == 0 ? (pk, other) : (other, pk)
  }

  subscript(side: Int) -> Int64 { side == 0 ? ends.0 : ends.1 }
}

/// The two sides of a many-to-many relationship.
struct LinkModel {
  struct End {
    let type: any ManagedEntity.Type
    let entity: Int
    /// The list on this side; `nil` for none.
    let property: Int?
  }

  let name: String
  /// The one that has the list which names no inverse, and the one that is in it.
  let ends: [End]
  /// The sides whose lists are ordered.
  private var orderedSides: [Int] = []

  init(name: String, ends: [End]) {
    self.name = name
    self.ends = ends
  }

  /// The list on a side is ordered.
  ///
  /// - Returns: The property with the positions.
  mutating func order(_ side: Int) -> Int {
    orderedSides.append(side)
    return ends.count + orderedSides.count - 1
  }

  func side(_ entity: Int, _ property: Int) -> Int? {
    ends.firstIndex { $0.entity == entity && $0.property == property }
  }

  func model(number: Int) -> EntityModel {
    var properties = zip(ends, ["owner", "member"]).enumerated().map { PropertyModel.end($0, $1.1, $1.0) }
    for side in orderedSides { properties.append(.position(properties.count, of: properties[side])) }
    return EntityModel(
      name, number: number, properties: properties, isLinks: true, declaration: EntityClass(LinkRow.self))
  }
}
