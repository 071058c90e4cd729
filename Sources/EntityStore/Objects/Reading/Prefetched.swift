/// Related objects that a context holds beyond their use. Other objects are held weakly. If these were too, a
/// prefetched object would be gone before its first use, and a list would be read anew for each of its members.
///
/// No object is held beyond the next merge, and no list beyond a change of it.
///
/// A class, because the end of an object may run the user's code, which may use the context. So no access to a variable
/// of the context may last while objects are released.
final class Prefetched {
  /// The largest number of held objects that queries prefetched.
  private static let limit = 65_536
  /// The largest number of held objects of batches, for each of two generations.
  private static let batchLimit = 1_024
  /// The largest number of held members of lists that were read one by one, for each of two generations. The list that
  /// was read last is held even if it is longer.
  private static let readLimit = 16_384

  private var objects: [any ManagedEntity] = []
  /// The lists of prefetches.
  // These three are read for each row that a unit writes, so the checks of exclusive access are left out. A context is
  // used on one thread, and while one of them changes, the only code that is called is a condition on a value.
  @exclusivity(unchecked) private var asked = HeldLists()
  /// Lists that were read one by one, in two generations.
  @exclusivity(unchecked) private var recent = HeldLists()
  @exclusivity(unchecked) private var earlier = HeldLists()
  private var young: [any ManagedEntity] = []
  private var old: [any ManagedEntity] = []

  /// Whether there are no lists.
  var hasNoLists: Bool { asked.isEmpty && recent.isEmpty && earlier.isEmpty }

  /// How many objects are held.
  var count: Int { objects.count + asked.members + recent.members + earlier.members + young.count + old.count }

  /// A list that is still as it was read.
  func list(_ key: KeptLists.Key) -> HeldList? {
    if let list = recent[key] ?? asked[key] { return list }
    guard let list = earlier[key] else { return nil }
    // Back to the recent lists, because it is in use.
    earlier.remove(key)
    keepRead(list, key)
    return list
  }

  // MARK: Taking in

  /// Makes room for a query's related objects if those of earlier queries take much of it.
  func makeRoom() {
    if objects.count + asked.members > Self.limit / 2 { dropAll() }
  }

  /// Holds the objects of a prefetch, as far as there is room for them.
  func hold(_ objects: [any ManagedEntity]) {
    self.objects += objects.prefix(max(0, Self.limit - self.objects.count - asked.members))
  }

  /// Keeps a list of a prefetch, if there is room for it.
  func keep(_ list: HeldList, _ key: KeptLists.Key) {
    guard objects.count + asked.members + list.weight <= Self.limit else { return }
    let former = asked.keep(list, key)
    withExtendedLifetime(former) {}
  }

  /// Keeps a list that was read alone.
  func keepRead(_ list: HeldList, _ key: KeptLists.Key) {
    let isFull = recent.members + list.weight > Self.readLimit
    let gone = isFull ? earlier : HeldLists()
    if isFull { (earlier, recent) = (recent, HeldLists()) }
    let former = recent.keep(list, key)
    withExtendedLifetime((gone, former)) {}
  }

  /// Holds the objects of a batch during some more batches.
  func holdBatch(_ objects: [any ManagedEntity]) {
    let gone = young.count + objects.count > Self.batchLimit ? old : []
    if young.count + objects.count > Self.batchLimit {
      old = young
      young = []
    }
    young += objects
    withExtendedLifetime(gone) {}
  }

  // MARK: Letting go

  /// Drops everything, as any row may have changed.
  func dropAll() {
    let gone = (objects, asked, recent, earlier, young, old)
    (objects, asked, recent, earlier, young, old) = ([], HeldLists(), HeldLists(), HeldLists(), [], [])
    withExtendedLifetime(gone) {}
  }

  /// Drops lists, as rows of an entity changed in a way that may change them.
  func dropLists(_ entity: Int) { dropLists { $0.entities.contains(entity) } }

  /// Drops the lists that a row with unsaved changes may change.
  ///
  /// - Parameter columns: The columns that may have changed; `nil` where the row may have been inserted or deleted.
  func rowPending(_ model: EntityModel, columns: ColumnMask?) {
    let deciding = columns.map { $0.intersection(model.links.union(model.positions)) }
    dropLists { basis in
      guard basis.entities.contains(model.number) else { return false }
      guard let columns, deciding?.isEmpty == true else { return true }
      return basis.entities[0] == model.number && basis.sortKey.map(columns.contains) == true
    }
  }

  private func dropLists(_ isStale: (HeldList.Basis) -> Bool) {
    guard !hasNoLists else { return }
    let gone = asked.drop(isStale) + recent.drop(isStale) + earlier.drop(isStale)
    withExtendedLifetime(gone) {}
  }
}

/// A list with all its members, as it was read.
final class HeldList {
  /// The facts that decide on the lists of a relationship.
  struct Basis {
    /// The entity of the members, and the entity of the memberships of a many-to-many relationship.
    let entities: [Int]
    /// The attribute of the members by which the list is sorted.
    let sortKey: Int?
  }

  let basis: Basis
  let count: Int
  /// The array that reads return: all of them share its memory. For a prefetched list it is made by the first read.
  private var array: AnyObject

  private final class Members<T> {
    let all: [T]

    init(_ all: [T]) { self.all = all }
  }

  init<T>(_ members: [T], _ basis: Basis) {
    (array, count, self.basis) = (Members(members), members.count, basis)
  }

  /// An empty list weighs as much as one member, because there may be many empty lists.
  fileprivate var weight: Int { max(count, 1) }

  /// - Parameter type: The entity of the members, as the property declares it.
  func members<T: ManagedEntity>(_ type: T.Type) -> [T] {
    if let members = array as? Members<T> { return members.all }
    let members = Members((array as? Members<any ManagedEntity>)?.all.compactMap { $0 as? T } ?? [])
    array = members
    return members.all
  }
}

/// Lists by their relationships, so that dropping those of one relationship does not look at the others.
private struct HeldLists {
  private struct Relationship: Hashable {
    let entity: Int
    let property: Int
  }

  private struct Group {
    let basis: HeldList.Basis
    var lists: [Int64: HeldList] = [:]
    var members = 0
  }

  private var groups: [Relationship: Group] = [:]
  /// How many objects the lists hold; see ``HeldList/weight``.
  private(set) var members = 0

  var isEmpty: Bool { groups.isEmpty }

  subscript(key: KeptLists.Key) -> HeldList? { groups[Self.relationship(key)]?.lists[key.pk] }

  /// - Returns: The list that was replaced.
  mutating func keep(_ list: HeldList, _ key: KeptLists.Key) -> HeldList? {
    let relationship = Self.relationship(key)
    let former = groups[relationship, default: Group(basis: list.basis)].lists.updateValue(list, forKey: key.pk)
    note(relationship, list.weight - (former?.weight ?? 0))
    return former
  }

  mutating func remove(_ key: KeptLists.Key) {
    guard let list = groups[Self.relationship(key)]?.lists.removeValue(forKey: key.pk) else { return }
    note(Self.relationship(key), -list.weight)
  }

  /// - Returns: The dropped lists.
  mutating func drop(_ isStale: (HeldList.Basis) -> Bool) -> [Any] {
    guard !groups.isEmpty else { return [] }
    var gone: [Any] = []
    for (relationship, group) in groups where isStale(group.basis) {
      gone.append(group)
      members -= group.members
      groups[relationship] = nil
    }
    return gone
  }

  private mutating func note(_ relationship: Relationship, _ count: Int) {
    members += count
    groups[relationship]?.members += count
  }

  private static func relationship(_ key: KeptLists.Key) -> Relationship {
    Relationship(entity: key.entity, property: key.property)
  }
}
