/// The values of a read, one for each time that its result may have changed: see `store.observe(_:)`.
public struct StoreObservation<Value: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = Never

  let core: StoreCore
  let read: @Sendable (EntityContext) throws -> Value
  let isSame: (@Sendable (Value, Value) -> Bool)?

  public func makeAsyncIterator() -> Iterator { Iterator(observation: self) }

  /// Reads when it is asked for the next value. Iterators do not depend on each other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let observation: StoreObservation
    private var subscription: CommitSubscription?
    /// The generation up to which commits are taken over.
    private var covered: Int64 = 0
    /// The columns of the last read; `nil` where the read failed.
    private var region: ReadRegion?
    private var last: Value?

    fileprivate init(observation: StoreObservation) { self.observation = observation }

    public mutating func next() async -> Result<Value, any Error>? { await next(isolation: nil) }

    /// The first value at once; then waits for a commit that may change it. `nil` when the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Result<Value, any Error>? {
      let subscription = subscription ?? CommitSubscription(observation.core)
      if self.subscription == nil {
        self.subscription = subscription
        if let value = await value(subscription, isolation: actor) { return value }
      }
      while await subscription.wait(actor) {
        let news = await subscription.wholeNews(after: covered, actor)
        covered = Swift.max(covered, news.generation)
        if let region, !region.isTouched(by: CommitReach(news)) { continue }
        if let value = await value(subscription, isolation: actor) { return value }
      }
      return nil
    }

    /// - Returns: `nil` for a value equal to the last one, when the task was cancelled, and while the store closes.
    private mutating func value(
      _ subscription: CommitSubscription, isolation actor: isolated (any Actor)?
    ) async -> Result<Value, any Error>? {
      let read = observation.read
      do {
        let reading = try await observation.core.read { context in try context.results.reading(read) }
        _ = subscription.news(after: covered, upTo: reading.generation)
        covered = reading.generation
        region = reading.region
        if let last, observation.isSame?(last, reading.value) == true { return nil }
        last = reading.value
        return .success(reading.value)
      } catch {
        region = nil
        if last != nil, observation.core.isLeaving(error) { return nil }
        return Task.isCancelled ? nil : .failure(error)
      }
    }
  }
}

extension EntityStore {
  /// The result of a read, and the next result each time that a commit may have changed it: counts, snapshots, or
  /// anything else that one call can read. It is for services and tasks; ``LiveQuery`` is for screens.
  ///
  /// ```swift
  /// for await count in store.observe({ try $0.count(Task.where { $0.isDone == false }) }) {
  ///   print(try count.get())
  /// }
  /// ```
  ///
  /// `read` runs as in ``read(_:)``, off the main actor. The store notes the columns that it reads. A commit that
  /// changed none of these columns, and neither made nor deleted a row of their entities, runs nothing. Commits that
  /// come while it runs, or while nobody asks for the next value, count together. A read that throws is an element, and
  /// the sequence goes on. It ends when its task is cancelled. An iterator is for one task.
  @_disfavoredOverload
  public func observe<Value: Sendable>(
    _ read: @escaping @Sendable (EntityContext) throws -> Value
  ) -> StoreObservation<Value> {
    StoreObservation(core: core, read: read, isSame: nil)
  }

  /// The same as for a value of any type. A value that is equal to the last one is left out.
  public func observe<Value: Sendable & Equatable>(
    _ read: @escaping @Sendable (EntityContext) throws -> Value
  ) -> StoreObservation<Value> {
    StoreObservation(core: core, read: read, isSame: { $0 == $1 })
  }

  // A tuple is not Equatable, though its values are: `select { ($0.name, $0.age) }` and SQL of several columns have
  // rows of tuples. All functions but the one for an Equatable value are disfavoured, because a single value is also a
  // pack of one.

  /// The same as for a value of any type. Rows that are equal to the last ones are left out.
  @_disfavoredOverload
  public func observe<each V: Sendable & Equatable>(
    _ read: @escaping @Sendable (EntityContext) throws -> [(repeat each V)]
  ) -> StoreObservation<[(repeat each V)]> {
    StoreObservation(core: core, read: read, isSame: { left, right in Self.isSame(left, right) })
  }

  /// The same as for a value of any type. A row that is equal to the last one is left out.
  @_disfavoredOverload
  public func observe<each V: Sendable & Equatable>(
    _ read: @escaping @Sendable (EntityContext) throws -> (repeat each V)?
  ) -> StoreObservation<(repeat each V)?> {
    StoreObservation(core: core, read: read, isSame: { left, right in Self.isSame(left, right) })
  }

  /// The same as for a value of any type. Values that are equal to the last ones are left out.
  @_disfavoredOverload
  public func observe<each V: Sendable & Equatable>(
    _ read: @escaping @Sendable (EntityContext) throws -> (repeat each V)
  ) -> StoreObservation<(repeat each V)> {
    StoreObservation(
      core: core, read: read,
      isSame: { left, right in Self.isSame([(repeat each left)], [(repeat each right)]) })
  }

  private static func isSame<each V: Equatable>(_ left: (repeat each V)?, _ right: (repeat each V)?) -> Bool {
    isSame(left.map { [$0] } ?? [], right.map { [$0] } ?? [])
  }

  // The compiler (6.3.1) crashes where a tuple of a pack is passed on whole. Within a list it does not.
  private static func isSame<each V: Equatable>(_ left: [(repeat each V)], _ right: [(repeat each V)]) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices {
      let (one, other) = (left[index], right[index])
      for (one, other) in repeat (each one, each other) {
        guard one == other else { return false }
      }
    }
    return true
  }
}

extension ContextResults {
  /// A value, and what it depends on.
  struct Reading<Value: Sendable>: Sendable {
    let value: Value
    let generation: Int64
    let region: ReadRegion
  }

  /// Runs `read` in the context of a read.
  func reading<Value: Sendable>(_ read: (EntityContext) throws -> Value) throws -> Reading<Value> {
    let (value, reads) = try context.connection.recordingReads { try read(context) }
    return Reading(
      value: value, generation: context.news.mergedGeneration, region: ReadRegion(reads, context.core.schema))
  }
}
