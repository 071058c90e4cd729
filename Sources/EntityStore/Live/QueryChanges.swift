/// The changes of a query's result, see ``EntityStore/EntityStore/changes(of:)``.
public struct QueryChanges<E: ManagedEntity>: AsyncSequence, Sendable {
  public typealias Failure = Never

  let core: StoreCore
  let query: EntityQuery<E>

  public func makeAsyncIterator() -> Iterator { Iterator(changes: self) }

  public struct Iterator: AsyncIteratorProtocol {
    private let changes: QueryChanges
    private var subscription: CommitSubscription?
    /// The generation up to which commits are taken over.
    private var covered: Int64 = 0
    /// The columns that decide on the result; `nil` where the last read failed.
    private var region: ReadRegion?
    private var rows: [Int64] = []
    private var hasRead = false
    /// The commits that a failed read was to take over.
    private var missed: [CommitNews] = []

    /// The most commits of failed reads that are kept apart.
    private static var kept: Int { 64 }

    fileprivate init(changes: QueryChanges) { self.changes = changes }

    public mutating func next() async -> Result<QueryChange<E>, any Error>? { await next(isolation: nil) }

    /// The first result at once; then waits for a commit that changes it. `nil` when the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Result<QueryChange<E>, any Error>? {
      let subscription = subscription ?? CommitSubscription(changes.core)
      if self.subscription == nil {
        self.subscription = subscription
        if let change = await change(subscription, isolation: actor) { return change }
      }
      while await subscription.wait(actor) {
        missed.append(await subscription.wholeNews(after: covered, actor))
        covered = Swift.max(covered, missed.last?.generation ?? 0)
        if let region, !missed.contains(where: { region.isTouched(by: CommitReach($0)) }) {
          if let change = update() { return .success(change) }
        } else if let change = await change(subscription, isolation: actor) {
          return change
        }
      }
      return nil
    }

    /// Reads the result.
    ///
    /// - Returns: `nil` where nothing changed, when the task was cancelled, and while the store closes.
    private mutating func change(
      _ subscription: CommitSubscription, isolation actor: isolated (any Actor)?
    ) async -> Result<QueryChange<E>, any Error>? {
      let query = changes.query
      do {
        let reading = try await changes.core.read { context in
          let region = try context.results.region(of: query)
          let rows = try context.reading.select(query.sql("_pk")) { $0.int64(0) }
          return (rows: rows, region: region, generation: context.news.mergedGeneration)
        }
        missed.append(subscription.news(after: covered, upTo: reading.generation))
        covered = reading.generation
        region = reading.region
        let change = try self.change(to: reading.rows)
        hasRead = true
        return change.map { .success($0) }
      } catch {
        region = nil
        // After many failures, only the fact that there were commits is kept.
        if missed.count > Self.kept { missed = [CommitNews([], after: missed[0].generation - 1, upTo: covered)] }
        if hasRead, changes.core.isLeaving(error) { return nil }
        return Task.isCancelled ? nil : .failure(error)
      }
    }

    /// The changes of objects in columns that do not decide on the result: nothing must be read for them.
    private mutating func update() -> QueryChange<E>? { try? change(to: rows) }

    private mutating func change(to new: [Int64]) throws -> QueryChange<E>? {
      let model = try changes.core.schema.model(E.self)
      let changed = RowNews(missed, of: model)
      missed = []
      // Most commits change other entities. A result of any size then costs nothing.
      if hasRead, changed.isEmpty, new == rows { return nil }
      let change = QueryChange<E>(
        from: rows, to: new, changed: { changed[$0] }, model, generation: covered)
      rows = new
      return change.isEmpty && hasRead ? nil : change
    }
  }
}

/// The columns of an entity's rows that commits changed.
private struct RowNews {
  private var rows: [Int64: ColumnMask] = [:]
  /// Set where any row may have changed.
  private var all: ColumnMask?

  init(_ news: [CommitNews], of model: EntityModel) {
    if news.contains(where: \.hasUnknown) { all = model.all }
    for summary in news.lazy.flatMap(\.summaries) {
      switch summary.entities[model.number] {
      case nil: break
      case .all: all = model.all
      case .rows(let changes):
        for (pk, change) in changes {
          // A changed place in a list is news of the object that has the list.
          let mask = change.mask.subtracting(model.nameless)
          if mask.isEmpty, !change.mask.isEmpty { continue }
          rows[pk, default: ColumnMask()].formUnion(mask)
        }
      }
    }
  }

  var isEmpty: Bool { all == nil && rows.isEmpty }

  subscript(pk: Int64) -> ColumnMask? { all ?? rows[pk] }
}

extension EntityStore {
  /// The result of a query as ids, and each change of the result. It is for a list outside of the main actor, or for
  /// code that needs to know which rows came, went and moved.
  ///
  /// ```swift
  /// for await change in store.changes(of: User.all.sorted(by: \.name)) {
  ///   let change = try change.get()
  ///   print(change.inserted.count, "new,", change.updated.filter { $0.columns.contains(\.email) }.count, "new addresses")
  /// }
  /// ```
  ///
  /// The first change has all objects as inserted. Unsaved changes are left out. A commit runs SQL only where it
  /// changed a column of the condition or the order, or made or deleted a row of an entity that these name. A change of
  /// other columns runs no SQL, and comes as ``QueryChange/updated``. A commit of another process names its rows and
  /// columns where the file keeps a history; otherwise it may have changed all of them. Commits that come while nobody
  /// asks are one change. A read that fails is an element, and the sequence goes on. It ends when its task is
  /// cancelled. An iterator is for one task.
  public func changes<E: ManagedEntity>(of query: EntityQuery<E>) -> QueryChanges<E> {
    QueryChanges(core: core, query: query)
  }
}
