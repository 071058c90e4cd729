/// Related objects that a context read ahead of their use. It holds objects weakly otherwise, and they would be gone before
/// somebody asks for them.
///
/// A reference: the end of an object may run code of the user's, which may use the context. No access to a variable of the
/// context lasts while objects are let go of.
final class Prefetched {
  /// A list with all its members.
  private struct List {
    let members: [any ManagedEntity]
    /// The entity of the members, and that of the pairs of a many-to-many relationship.
    let entities: [Int]
  }

  /// A list to be kept.
  struct NewList {
    let key: KeptLists.Key
    let members: [any ManagedEntity]
    /// The entity of the members.
    let entity: Int
    /// The entity of the pairs of a many-to-many relationship.
    let links: Int?
    /// The attribute of the members by which the list is sorted.
    let sortKey: Int?
  }

  private struct Storage {
    var objects: [any ManagedEntity] = []
    var lists: [KeptLists.Key: List] = [:]
    /// The entities on whose rows the lists depend, each with the attributes by which lists are sorted.
    var entities: [Int: ColumnMask] = [:]
    /// How many objects the lists hold.
    var members = 0
  }

  /// How many objects are held at most that a query was asked to prefetch.
  private static let limit = 65_536
  /// How many faults of batches are held at most: twice as many, as two generations.
  private static let batchLimit = 1_024

  private var storage = Storage()
  private var young: [any ManagedEntity] = []
  private var old: [any ManagedEntity] = []

  /// Whether there are no lists.
  var hasNoLists: Bool { storage.lists.isEmpty }

  /// How many objects are held.
  var count: Int { storage.objects.count + storage.members + young.count + old.count }

  /// The members of a list, if it was prefetched and is as it was.
  func members(_ key: KeptLists.Key) -> [any ManagedEntity]? { storage.lists[key]?.members }

  // MARK: Taking in

  /// Makes room for a query's related objects where those of earlier queries take much of it.
  func makeRoom() {
    if storage.objects.count + storage.members > Self.limit / 2 { dropAll() }
  }

  /// Holds the objects of a prefetch, as many as there is room for.
  func hold(_ objects: [any ManagedEntity]) {
    storage.objects += objects.prefix(max(0, Self.limit - storage.objects.count - storage.members))
  }

  /// Keeps a list of a prefetch, if there is room for it.
  func keep(_ list: NewList) {
    guard storage.objects.count + storage.members + list.members.count <= Self.limit else { return }
    let entities = [list.entity] + (list.links.map { [$0] } ?? [])
    let former = storage.lists.updateValue(List(members: list.members, entities: entities), forKey: list.key)
    for entity in entities where storage.entities[entity] == nil { storage.entities[entity] = ColumnMask() }
    if let key = list.sortKey { storage.entities[list.entity]?.insert(key) }
    storage.members += list.members.count - (former?.members.count ?? 0)
    withExtendedLifetime(former) {}
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
    let gone = (storage, young, old)
    storage = Storage()
    young = []
    old = []
    withExtendedLifetime(gone) {}
  }

  /// Rows of an entity changed in a way that may change lists.
  func dropLists(_ entity: Int) {
    guard storage.entities[entity] != nil else { return }
    let gone = storage
    storage.lists = gone.lists.filter { !$0.value.entities.contains(entity) }
    let left = Set(storage.lists.values.lazy.flatMap(\.entities))
    storage.entities = gone.entities.filter { left.contains($0.key) }
    storage.members = storage.lists.values.reduce(0) { $0 + $1.members.count }
    withExtendedLifetime(gone) {}
  }

  /// A row has unsaved changes.
  ///
  /// - Parameter columns: The columns that may have other values; `nil` where the row may have come or gone.
  func rowPending(_ model: EntityModel, columns: ColumnMask?) {
    guard let sortKeys = storage.entities[model.number] else { return }
    if let columns, columns.intersection(model.links.union(model.positions).union(sortKeys)).isEmpty { return }
    dropLists(model.number)
  }
}
