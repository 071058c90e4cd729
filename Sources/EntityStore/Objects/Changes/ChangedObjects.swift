/// The dirty, inserted and deleted objects of one entity by row, kept alive until they are saved.
final class ChangedObjects {
  private(set) var all = RowTable<any ManagedEntity>()
  /// The number of objects. It is stored because each object of a response reads it, and a read of the table needs an
  /// exclusivity check.
  private(set) var count = 0
  /// For memberships, by side: the row ids of an object's memberships.
  private var ends: [[Int64: Set<Int64>]]
  private let isOfLinks: Bool

  init(_ model: EntityModel) {
    isOfLinks = model.isLinks
    ends = isOfLinks ? [[:], [:]] : []
  }

  var isEmpty: Bool { count == 0 }

  subscript(pk: Int64) -> (any ManagedEntity)? {
    get { isEmpty ? nil : all[pk] }
    set {
      if isOfLinks { index(pk, newValue) }
      all[pk] = newValue
      count = all.count
    }
  }

  func removeAll() {
    all.removeAll()
    count = 0
    for side in ends.indices { ends[side] = [:] }
  }

  /// The memberships in the table that the object `pk` has on one side.
  func memberships(_ side: Int, of pk: Int64) -> [LinkRow] {
    guard isOfLinks, let links = ends[side][pk] else { return [] }
    return links.compactMap { all[$0] as? LinkRow }
  }

  /// The memberships in the table between the object `pk` on one side and the object `other` on the other.
  func memberships(_ side: Int, of pk: Int64, with other: Int64) -> [LinkRow] {
    guard isOfLinks, let own = ends[side][pk], let others = ends[1 - side][other] else { return [] }
    // Iterates over the smaller set, because either object may have many.
    return (own.count <= others.count ? own.filter(others.contains) : others.filter(own.contains))
      .compactMap { all[$0] as? LinkRow }
  }

  /// Whether the object `pk` has any membership on one side.
  func hasMemberships(_ side: Int, of pk: Int64) -> Bool { isOfLinks && ends[side][pk] != nil }

  private func index(_ pk: Int64, _ new: (any ManagedEntity)?) {
    for (link, isNew) in [(all[pk], false), (new, true)] {
      guard let link = link as? LinkRow else { continue }
      for side in ends.indices {
        if isNew {
          ends[side][link[side], default: []].insert(pk)
        } else if ends[side][link[side]]?.remove(pk) != nil, ends[side][link[side]]?.isEmpty == true {
          ends[side][link[side]] = nil
        }
      }
    }
  }
}
