import Observation

/// A membership of a many-to-many relationship: a row with two links, of an entity that no user declares.
///
/// A relationship `tags` of `Post` has the table `Post,tags`, whose columns `owner` and `member` hold a post and a tag.
/// Memberships are rows like others. So the code for all rows also lays unsaved memberships over the table, rolls them
/// back, saves them and sums them up.
///
/// Local edits are marked in the pair. A membership that was added here has the mark in `_edited`. A pair that was
/// taken out here is a row of the table `Post,tags,removed` with the mark. The mark names the sides through whose lists
/// the pair was edited. A row of the second table whose other end is NULL stands for all pairs that are not in the
/// list.
nonisolated final class LinkRow: ManagedEntity {
  struct Columns: Sendable {}

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = []

  let _$state: ObjectState
  /// The row ids of the two objects.
  private var ends: (Int64, Int64) = (0, 0)
  /// The side through whose list the membership was made here.
  var madeSide = 0
  /// The side through whose list the membership was ended here.
  var endedSide = 0
  /// Whether a response made or ended the membership: then that is no local edit.
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

  /// The side whose edit the membership is: it is dropped with that edit. A new membership may be ended while its save
  /// is under way, and be put back. Then it is the edit of the side that made it.
  var editedSide: Int { _$state.isDeleting ? endedSide : madeSide }

  /// Whether the membership stays, and only has another place in a list.
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
    /// The list on this side; `nil` where this side has none.
    let property: Int?
  }

  let name: String
  /// First the owner of the list that names no inverse, then its member.
  let ends: [End]
  /// The sides whose lists are ordered.
  private var orderedSides: [Int] = []

  init(name: String, ends: [End]) {
    self.name = name
    self.ends = ends
  }

  /// Makes the list on a side ordered.
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
    return EntityModel(EntityClass(LinkRow.self, name: name), number: number, properties: properties)
  }
}
