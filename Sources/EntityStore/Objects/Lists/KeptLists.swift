// An array property is read and set as a whole: `batch.items.append(item)` reads all items, and sets them with one
// more. A context keeps a list that was set, so that the next read finds the array and the next set compares with it.
// To find the difference, the context compares the two arrays by identity from both ends. This takes about a nanosecond
// a member.
//
// A context holds only objects with unsaved changes, but a kept list holds all its members. So the context drops the
// list together with the unsaved changes: at the save, at the rollback, when nothing is left unsaved, or at the end of
// the unit. In a unit the objects hold their context. Objects of the main context hold it weakly, so a list makes no
// cycle there.

/// The to-many relationships that a context keeps.
struct KeptLists {
  struct Key: Hashable {
    /// The entity of the object that has the list.
    let entity: Int
    let pk: Int64
    let property: Int
  }

  /// At most this many lists are expected. At most this many members are kept, unless one list alone has more.
  private static let (limit, memberLimit) = (1_024, 65_536)

  /// The lists that were set. The next read of such a list keeps it. The keys name no object, so they hold none.
  private var expected: Set<Key> = []
  private var lists: [Key: KeptList] = [:]
  /// The places of the last members of ordered lists, and the entities whose rows decide on them.
  private var ends: [Key: (place: ListPlace, entities: [Int])] = [:]

  /// True when nothing is kept and no list is expected.
  var isEmpty: Bool { expected.isEmpty && ends.isEmpty }

  func isExpected(_ key: Key) -> Bool { expected.contains(key) }

  mutating func expect(_ key: Key) {
    guard !expected.contains(key) else { return }
    // Any list will do. If lists take turns, the one that was set longest ago may be the next to be read.
    if expected.count >= Self.limit, let other = expected.first { drop(other) }
    expected.insert(key)
  }

  private mutating func drop(_ key: Key) {
    expected.remove(key)
    lists[key] = nil
  }

  mutating func keep(_ list: KeptList, as key: Key) {
    lists[key] = list
    var count = lists.values.reduce(0) { $0 + $1.count }
    while count > Self.memberLimit, let other = lists.first(where: { $0.key != key }) {
      count -= other.value.count
      drop(other.key)
    }
  }

  subscript(key: Key) -> KeptList? { lists[key] }

  /// Drops what the order of a list decides, because the order may have changed.
  ///
  /// - Parameter member: A member whose place is right where it is the last one.
  mutating func dropOrder(_ key: Key, unlessEndingWith member: Int64? = nil) {
    if member == nil || ends[key]?.place.member != member { ends[key] = nil }
    if lists[key]?.isOrdered == true { lists[key] = nil }
  }

  func end(of key: Key) -> ListPlace? { ends[key]?.place }

  mutating func keep(end: ListPlace, of key: Key, _ entities: [Int]) {
    if ends.count >= Self.limit { ends = [:] }
    ends[key] = (end, entities)
  }

  /// Rows of an entity changed in a way that may change the members of lists.
  mutating func drop(_ entity: Int) {
    if !ends.isEmpty { ends = ends.filter { !$0.value.entities.contains(entity) } }
    guard !lists.isEmpty else { return }
    lists = lists.filter { $0.value.entity != entity && $0.value.links != entity }
  }

  /// Any row may have changed.
  mutating func dropAll() { (lists, ends) = ([:], [:]) }
}

/// The places where two lists differ, without the members that both begin with and both end with.
struct ListDifference {
  /// The places in the first list.
  let gone: Range<Int>
  /// The places in the other list.
  let added: Range<Int>

  /// - Parameter areEqual: Whether the element at a place of the first list equals the one at a place of the other
  ///   list.
  @inline(__always)
  init(count: Int, other: Int, _ areEqual: (Int, Int) -> Bool) {
    let least = min(count, other)
    var head = 0
    while head < least, areEqual(head, head) { head += 1 }
    var tail = 0
    while tail < least - head, areEqual(count - tail - 1, other - tail - 1) { tail += 1 }
    (gone, added) = (head..<count - tail, head..<other - tail)
  }

  /// The difference of two lists of objects. It takes about a nanosecond a member, because it counts no reference.
  init<T: ManagedEntity>(_ list: [T], _ other: [T]) {
    // The elements are references: equal words are the same object.
    self = list.withUnsafeBytes { own in
      other.withUnsafeBytes { other in
        let size = MemoryLayout<T>.stride
        return ListDifference(count: own.count / size, other: other.count / size) {
          own.load(fromByteOffset: $0 * size, as: UInt.self) == other.load(fromByteOffset: $1 * size, as: UInt.self)
        }
      }
    }
  }
}

/// One list, with members of any entity.
class KeptList {
  /// The entity of the members.
  let entity: Int
  /// The entity of the memberships of a many-to-many relationship; `nil` for a one-to-many one.
  let links: Int?
  /// Whether the list has an order of its own. Such a list is dropped by each change, except an addition at its end.
  let isOrdered: Bool

  init(entity: Int, links: Int?, isOrdered: Bool) {
    self.entity = entity
    self.links = links
    self.isOrdered = isOrdered
  }

  var count: Int { 0 }

  func insert(_ member: any ManagedEntity) {}
  func remove(_ pk: Int64) {}
}

/// The objects of one list as a query finds them: in the list's own order, or else in the order of their row ids.
final class KeptMembers<T: ManagedEntity>: KeptList {
  private(set) var members: [T]

  init(_ members: [T], entity: Int, links: Int?, isOrdered: Bool) {
    self.members = members
    super.init(entity: entity, links: links, isOrdered: isOrdered)
  }

  override var count: Int { members.count }

  override func insert(_ member: any ManagedEntity) {
    guard let member = member as? T else { return }
    let pk = member._$state.pk
    let place = place(of: pk)
    guard place == members.count || members[place]._$state.pk != pk else { return }
    members.insert(member, at: place)
  }

  override func remove(_ pk: Int64) {
    let place = place(of: pk)
    if place < members.count, members[place]._$state.pk == pk { members.remove(at: place) }
  }

  /// The place of an object in the list, or the place to insert it at.
  private func place(of pk: Int64) -> Int {
    guard let last = members.last, last._$state.pk >= pk else { return members.count }
    var (low, high) = (0, members.count)
    while low < high {
      let middle = (low + high) / 2
      if members[middle]._$state.pk < pk { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The members that `other` lacks, and the members that only `other` has.
  func difference(from other: [T]) -> (gone: [T], added: [T]) {
    let places = ListDifference(members, other)
    let (before, after) = (members[places.gone], other[places.added])
    guard !before.isEmpty else { return ([], Array(after)) }
    let (had, has) = (Set(before.lazy.map { ObjectIdentifier($0) }), Set(after.lazy.map { ObjectIdentifier($0) }))
    return (
      before.filter { !has.contains(ObjectIdentifier($0)) }, after.filter { !had.contains(ObjectIdentifier($0)) }
    )
  }
}

extension ContextLists {
  /// The kept list of an object; `nil` if none is kept.
  ///
  /// - Throws: ``StoreError``.
  func keptList<T: ManagedEntity>(of state: ObjectState, _ property: Int, _ type: T.Type) throws -> KeptMembers<T>? {
    let key = KeptLists.Key(entity: state.model.number, pk: state.pk, property: property)
    guard !context.unsaved.keptLists.isEmpty, context.unsaved.keptLists[key] != nil else { return nil }
    // A commit of another context may drop the list.
    try context.reading.catchUpWithCommits()
    guard state.life != .deleted else { return nil }
    return context.unsaved.keptLists[key] as? KeptMembers<T>
  }

  /// Keeps a list that was read, if it was set since the last save.
  func keepList<T: ManagedEntity>(_ members: [T], of state: ObjectState, _ property: Int) {
    guard !context.unsaved.keptLists.isEmpty else { return }
    let key = KeptLists.Key(entity: state.model.number, pk: state.pk, property: property)
    guard context.unsaved.keptLists.isExpected(key), state.life != .deleted else { return }
    let list = state.model.properties[property]
    let isOrdered = list.isOrdered
    guard let rows = list.list else { return }
    // In the main context a save writes a list of pairs as a whole, against the lists of others. The members tell the whole
    // list, unless one of them is being deleted: a rollback would bring that one back.
    guard
      rows.links == nil || context.kind == .unit || isOrdered
        || state.lists[property] == Set(members.lazy.map { $0._$state.pk })
    else { return }
    context.unsaved.keptLists.keep(
      KeptMembers(members, entity: rows.target, links: rows.links, isOrdered: isOrdered), as: key)
  }

  /// A list was set: it is likely to be read and set again.
  func expectList(of state: ObjectState, _ property: Int) {
    // A kept list is in the order of the row ids, or of positions.
    guard context.arrival.update == nil, context.kind == .unit || context.holdsChanges,
      !state.model.arranged.contains(property) || state.model.ordered.contains(property)
    else { return }
    context.unsaved.keptLists.expect(KeptLists.Key(entity: state.model.number, pk: state.pk, property: property))
  }

  /// Sets a kept list: only the members that differ are visited.
  ///
  /// - Returns: `false` if the list has to be set as a whole.
  /// - Throws: ``StoreError``.
  func setKeptList<T: ManagedEntity>(of object: any ManagedEntity, _ property: Int, _ members: [T]) throws -> Bool {
    let state = object._$state
    guard context.arrival.update == nil, context.kind != .reading, !context.saves.isOver else { return false }
    guard let kept = try keptList(of: state, property, T.self) else { return false }
    let places = ListDifference(kept.members, members)
    guard !kept.isOrdered || places.gone.isEmpty && places.gone.lowerBound == kept.count else { return false }
    let (gone, added) = kept.difference(from: members)
    guard added.allSatisfy({ $0._$state.context === context && $0._$state.pk != 0 }) else {
      // Loose objects are inserted first, except those that are members already.
      guard added.allSatisfy({ $0._$state.context === context || $0._$state.loose != nil }),
        context.entrants.takesIn(added.map(\._$state), for: state, property)
      else { return false }
      return try setKeptList(of: object, property, members)
    }
    if kept.isOrdered { return try append(added, to: kept, of: object, property, members) }
    guard let list = state.model.properties[property].list else { return false }
    if list.member == nil {
      let link = context.core.schema.entities[list.entity].properties[list.owner]
      for member in gone { link.link(member, nil) }
      for member in added { link.link(member, object) }
    } else {
      // `changeMembers` also changes the set in `lists`. The edit may have ended since the list was kept.
      guard context.kind == .unit || state.lists[property]?.count == kept.members.count else { return false }
      try changeMembers(of: object, property, added: added.map(\._$state.pk), gone: gone.map(\._$state.pk))
    }
    return true
  }

  /// A to-one link was set: its object left one list and entered another.
  func moveInLists<E: ManagedEntity>(_ object: E, _ property: Int, from old: Int64, to new: Int64) {
    let state = object._$state
    guard case .toOne(let target, let inverse?, _) = state.model.properties[property].kind else { return }
    for (pk, isIn) in [(old, false), (new, true)] where pk != 0 {
      let key = KeptLists.Key(entity: target, pk: pk, property: inverse)
      // The object may have become the end of the list that it entered.
      context.unsaved.keptLists.dropOrder(key, unlessEndingWith: isIn ? state.pk : nil)
      // A deleted object is in no list.
      if !isIn {
        context.unsaved.keptLists[key]?.remove(state.pk)
      } else if !state.isGone {
        context.unsaved.keptLists[key]?.insert(object)
      }
    }
  }

  /// Sets a kept ordered list to its old members with more at the end.
  ///
  /// - Returns: `false` if the list has to be set as a whole.
  private func append<T: ManagedEntity>(
    _ added: [T], to kept: KeptMembers<T>, of object: any ManagedEntity, _ property: Int, _ members: [T]
  ) throws -> Bool {
    let state = object._$state
    let list = state.model.properties[property]
    let key = KeptLists.Key(entity: state.model.number, pk: state.pk, property: property)
    guard Set(added.map(\._$state.pk)).count == added.count else { return false }
    // Observers are told after all members are in their places.
    return try context.merging.entry(isGetter: true) {
      guard context.unsaved.keptLists[key] === kept, try added.allSatisfy({ try canJoin($0, state, list) }) else {
        return false
      }
      let outer = context.unsaved.isSettingList
      context.unsaved.isSettingList = true
      defer { context.unsaved.isSettingList = outer }
      for member in added { try putLast(member, in: list, of: object) }
      context.unsaved.keptLists.keep(
        KeptMembers(members, entity: kept.entity, links: kept.links, isOrdered: true), as: key)
      return true
    }
  }

  /// Whether an object can become a member of a list: it is none yet, and not deleted.
  func canJoin(_ member: any ManagedEntity, _ state: ObjectState, _ list: PropertyModel) throws -> Bool {
    try !member._$state.isGone && !isMember(member, of: state, list)
  }

  /// Adds an object at the end of an ordered list. This does not read the list; only the first time it reads the place
  /// of the last member.
  func putLast(_ member: any ManagedEntity, in list: PropertyModel, of object: any ManagedEntity) throws {
    let state = object._$state
    let key = KeptLists.Key(entity: state.model.number, pk: state.pk, property: list.index)
    guard let position = list.position, let rows = context.core.schema.listRows(list) else { return }
    let last = try context.unsaved.keptLists.end(of: key) ?? lastPlace(in: list, of: state.pk)
    if case .toMany(_, let inverse, _) = list.kind {
      rows.properties[inverse].link(member, object)
    } else {
      try changeMembers(of: object, list.index, added: [member._$state.pk], gone: [])
    }
    guard let row = row(of: member, in: state, list) else { return }
    placeLast(row, position, as: member._$state.pk, in: key, after: last)
    context.observers.notifyLater(object, list.index)
  }

  private func isMember(_ member: any ManagedEntity, of state: ObjectState, _ list: PropertyModel) throws -> Bool {
    guard let rows = list.list else { return true }
    guard rows.member != nil else { return member.link(rows.owner) == state.pk }
    return try !memberships(
      of: state.pk, context.core.schema.entities[rows.entity], rows.owner, with: member._$state.pk
    ).isEmpty
  }

  /// The object that stores the position of a member: the member itself, or the membership that was made for it.
  private func row(of member: any ManagedEntity, in state: ObjectState, _ list: PropertyModel)
    -> (any ManagedEntity)?
  {
    guard let membership = list.membership else { return member }
    return context.unsaved.changed[membership.links].memberships(membership.side, of: state.pk, with: member._$state.pk)
      .first {
        !$0._$state.isGone
      }
  }

  /// Drops all kept lists once nothing is unsaved: the context then holds no objects.
  func dropListsIfSaved() {
    if context.kind == .main, !context.unsaved.keptLists.isEmpty, !context.holdsChanges {
      context.unsaved.keptLists = KeptLists()
    }
  }
}
