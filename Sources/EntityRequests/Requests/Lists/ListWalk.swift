import EntityStore
import Synchronization

/// A walk over all pages of a list that the store has by now. The list stays as it is until the last page is here, so that a
/// walk that ends early takes nothing away.
final class ListWalk: Sendable {
  /// The pages until now.
  struct Pages: Sendable {
    var pks: [Int64] = []
    /// The placeholders among them: nothing but their uids came.
    var bare: Set<Int64> = []
    private var seen: Set<Int64> = []
    /// The token of the first page.
    var token: String?
    /// The request of the first page.
    var first: RequestNumber?
    /// Whether the store has all objects of the pages.
    var areAll = true
    /// Whether a page had an object that the server has deleted since.
    var haveGone = false

    mutating func add(_ objects: ListedObjects, bare: Set<Int64>, token: String?) {
      if first == nil { (first, self.token) = (objects.sequence, token) }
      if !objects.left.isEmpty {
        pks.removeAll(where: objects.left.contains)
        seen.subtract(objects.left)
      }
      pks += objects.pks.filter { seen.insert($0).inserted }
      self.bare.formUnion(bare)
      areAll = areAll && objects.areAll
      haveGone = haveGone || objects.hasGone
    }
  }

  /// How often the list had been lacking when the walk began; see ``CollectionNote/mark``.
  let mark: Int64
  /// `nil` once a page was left out: the others are not the list.
  private let pages = Mutex<Pages?>(Pages())

  init(mark: Int64) { self.mark = mark }

  func end() { pages.withLock { $0 = nil } }

  /// The pages with another one, which may be taken in more than once: an attempt may fail.
  ///
  /// - Returns: `nil` for a walk that has ended.
  func pages(with objects: ListedObjects, bare: Set<Int64>, token: String?) -> Pages? {
    var pages = pages.withLock(\.self)
    pages?.add(objects, bare: bare, token: token)
    return pages
  }

  /// The last page is in the store.
  func note(_ pages: Pages) { self.pages.withLock { $0 = pages } }
}
