/// Related objects that a context holds beyond their use. It holds objects weakly otherwise: what a prefetch read would be gone
/// before somebody asks for it, and a list would be read anew for each of its members.
///
/// Nothing stays beyond the next merge, and a list no longer than it is as it was read.
///
/// A reference: the end of an object may run code of the user's, which may use the context. No access to a variable of the
/// context lasts while objects are let go of.
final class Prefetched {
  /// How many objects are held at most that a query was asked to prefetch.
  private static let limit = 65_536
  /// How many faults of batches are held at most: twice as many, as two generations.
  private static let batchLimit = 1_024
  /// How many members of lists that were read one by one are held at most: twice as many, as two generations, and the list
  /// that was read last, however long it is.
  private static let readLimit = 16_384

  private var objects: [any ManagedEntity] = []
  /// The lists of prefetches.
  // Each row that a unit writes asks these. The checks of exclusive access can be left out: a context is used on one thread, and
  // all that is called while one of them is changed is a condition on a value.
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

  /// A list that is as it was read.
  func list(_ key: KeptLists.Key) -> HeldList? {
    if let list = recent[key] ?? asked[key] { return list }
    guard let list = earlier[key] else { return nil }
    // It is in use.
    earlier.remove(key)
    keepRead(list, key)
    return list
  }

  // MARK: Taking in

  /// Makes room for a query's related objects where those of earlier queries take much of it.
  func makeRoom() {
    if objects.count + asked.members > Self.limit / 2 { dropAll() }
  }

  /// Holds the objects of a prefetch, as many as there is room for.
  func hold(_ objects: [any ManagedEntity]) {
    self.objects += objects.prefix(max(0, Self.limit - self.objects.count - asked.members))
  }

  /// Keeps a list of a prefetch, if there is room for it.
  func keep(_ list: HeldList, _ key: KeptLists.Key) {
    guard objects.count + asked.members + list.weight <= Self.limit else { return }
    let former = asked.keep(list, key)
    withExtendedLifetime(former) {}
  }

  /// Keeps a list that was read by itself.
  func keepRead(_ list: HeldList, _ key: KeptLists.Key) {
    let isFull = recent.members + list.weight > Self.readLimit
    let gone = isFull ? earlier : HeldLists()
    if isFull { (earlier, recent) = (recent, HeldLists()) }
    let former = recent.keep(list, key)
    withExtendedLifetime((gone, former)) {}
  }

  /// Holds the objects of a batch of faults for some batches more.
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

  /// Any row may have changed.
  func dropAll() {
    let gone = (objects, asked, recent, earlier, young, old)
    (objects, asked, recent, earlier, young, old) = ([], HeldLists(), HeldLists(), HeldLists(), [], [])
    withExtendedLifetime(gone) {}
  }

  /// Rows of an entity changed in a way that may change lists.
  func dropLists(_ entity: Int) { dropLists { $0.entities.contains(entity) } }

  /// A row has unsaved changes.
  ///
  /// - Parameter columns: The columns that may have other values; `nil` where the row may have come or gone.
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
  /// The rows that decide on the lists of a relationship.
  struct Basis {
    /// The entity of the members, and that of the pairs of a many-to-many relationship.
    let entities: [Int]
    /// The attribute of the members by which the list is sorted.
    let sortKey: Int?
  }

  let basis: Basis
  let count: Int
  /// The array as it is read: all who read it share its memory. That of a prefetch is made when the list is first read.
  private var array: AnyObject

  private final class Members<T> {
    let all: [T]

    init(_ all: [T]) { self.all = all }
  }

  init<T>(_ members: [T], _ basis: Basis) {
    (array, count, self.basis) = (Members(members), members.count, basis)
  }

  /// An empty list counts as one: there may be many.
  fileprivate var weight: Int { max(count, 1) }

  /// - Parameter type: The entity of the members: that of the property.
  func members<T: ManagedEntity>(_ type: T.Type) -> [T] {
    if let members = array as? Members<T> { return members.all }
    let members = Members((array as? Members<any ManagedEntity>)?.all.compactMap { $0 as? T } ?? [])
    array = members
    return members.all
  }
}

/// Lists by their relationships, so that those of one go without a look at the others.
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

  /// - Returns: The list that it replaces.
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

  /// - Returns: The lists that it had.
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
