import EntityStore
import Synchronization

/// The loads of one client: of each object there is one request at a time, which all that ask for the object share, and
/// objects that are asked for in one turn of the main actor share a request.
///
/// A caller that is cancelled leaves, and the others go on waiting. A request that nobody waits for is cancelled.
final class ObjectLoads: Sendable {
  /// The objects of one entity in one store.
  struct Key: Hashable, Sendable {
    let store: ObjectIdentifier
    let entity: Int

    init(store: ObjectIdentifier, entity: Int) {
      self.store = store
      self.entity = entity
    }
  }

  /// An object, with the properties that were asked for.
  struct Ask: Sendable {
    let pk: Int64
    let properties: ColumnMask
  }

  /// The ways to load objects of an entity.
  struct Work: Sendable {
    /// The most objects of a request.
    let limit: Int
    /// Sends a request for objects.
    ///
    /// - Returns: The objects that the response had.
    let fetch: @MainActor @Sendable ([Int64]) async throws -> Set<Int64>
    /// The objects of which that response may lack something that their own URLs have.
    let lacking: @MainActor @Sendable ([Ask]) throws -> [Int64]
    /// Asks the own URL of such an object.
    ///
    /// - Returns: An error that is about this object alone.
    let fetchOwn: @MainActor @Sendable (Int64) async throws -> (any Error)?
    /// Called with objects that responses had, before their callers go on.
    let settle: @MainActor @Sendable ([Ask]) async throws -> Void

    init(
      limit: Int, fetch: @escaping @MainActor @Sendable ([Int64]) async throws -> Set<Int64>,
      lacking: @escaping @MainActor @Sendable ([Ask]) throws -> [Int64],
      fetchOwn: @escaping @MainActor @Sendable (Int64) async throws -> (any Error)?,
      settle: @escaping @MainActor @Sendable ([Ask]) async throws -> Void
    ) {
      self.limit = limit
      self.fetch = fetch
      self.lacking = lacking
      self.fetchOwn = fetchOwn
      self.settle = settle
    }
  }

  fileprivate struct Wait {
    let waiter: Waiter<Bool>
    let properties: ColumnMask
  }

  private struct Request {
    var waits: [Int64: [Wait]] = [:]
    var task: Task<Void, Never>?
  }

  private struct State {
    /// The objects that wait for the end of the turn, in their order.
    var queued: [Key: [(pk: Int64, waits: [Wait])]] = [:]
    var requests: [Key: [Int: Request]] = [:]
    var last = 0

    /// Takes the waits for some objects out of a request, and the request away with the last of them.
    mutating func end(_ key: Key, _ number: Int, _ pks: [Int64]) -> [Int64: [Wait]] {
      var waits: [Int64: [Wait]] = [:]
      for pk in pks { waits[pk] = requests[key]?[number]?.waits.removeValue(forKey: pk) }
      if requests[key]?[number]?.waits.isEmpty == true { requests[key]?[number] = nil }
      if requests[key]?.isEmpty == true { requests[key] = nil }
      return waits
    }
  }

  private let state = Mutex(State())

  init() {}

  /// A caller's place.
  struct Place: Sendable {
    fileprivate let key: Key
    fileprivate let waiter: Waiter<Bool>
  }

  /// Asks for an object. A request that is under way for the object serves.
  func ask(_ key: Key, _ ask: Ask, _ work: Work) -> Place {
    let wait = Wait(waiter: Waiter<Bool>(), properties: ask.properties)
    let isFirst = state.withLock { state in
      if let number = state.requests[key]?.first(where: { $0.value.waits[ask.pk] != nil })?.key {
        state.requests[key]?[number]?.waits[ask.pk]?.append(wait)
        return false
      }
      if let place = state.queued[key]?.firstIndex(where: { $0.pk == ask.pk }) {
        state.queued[key]?[place].waits.append(wait)
        return false
      }
      state.queued[key, default: []].append((ask.pk, [wait]))
      return state.queued[key]?.count == 1
    }
    if isFirst {
      Task { @MainActor in
        // Requests of this turn that were made before come first.
        if work.limit > 1 { await Task.yield() }
        self.send(key, work)
      }
    }
    return Place(key: key, waiter: wait.waiter)
  }

  /// Waits for the object.
  ///
  /// - Returns: Whether the response had it.
  @concurrent func value(at place: Place) async throws -> Bool {
    do {
      return atCaller(try await place.waiter.value { self.leave(place) })
    } catch {
      throw atCaller(error)
    }
  }

  // MARK: Requests

  /// Sends requests for all objects that wait.
  private func send(_ key: Key, _ work: Work) {
    state.withLock { state in
      var waiting = (state.queued.removeValue(forKey: key) ?? []).filter { !$0.waits.isEmpty }[...]
      while !waiting.isEmpty {
        let part = waiting.prefix(work.limit)
        waiting = waiting.dropFirst(work.limit)
        state.last += 1
        let number = state.last
        var request = Request(waits: Dictionary(part.map { ($0.pk, $0.waits) }) { $0 + $1 })
        let pks = part.map(\.pk)
        // The task finds its request once the lock is free.
        request.task = Task { @MainActor in await self.run(key, number, pks, work) }
        state.requests[key, default: [:]][number] = request
      }
    }
  }

  @MainActor private func run(_ key: Key, _ number: Int, _ pks: [Int64], _ work: Work) async {
    do {
      let found = try await work.fetch(pks)
      let asks = state.withLock { $0.requests[key]?[number]?.waits ?? [:] }.filter { found.contains($0.key) }
      let lacking = try work.lacking(asks.map(Ask.init).sorted { $0.pk < $1.pk })
      await finish(key, number, pks.filter { !lacking.contains($0) }, found, work)
      for pk in lacking where isAwaited(key, number, pk) {
        if let error = try await work.fetchOwn(pk) {
          for wait in end(key, number, [pk]).values.joined() { wait.waiter.end(.failure(error)) }
        } else {
          await finish(key, number, [pk], found, work)
        }
      }
    } catch {
      for wait in end(key, number, pks).values.joined() { wait.waiter.end(.failure(error)) }
    }
  }

  /// Ends the waits for some objects of a request. A caller that asks from now on begins another request.
  @MainActor private func finish(
    _ key: Key, _ number: Int, _ pks: [Int64], _ found: Set<Int64>, _ work: Work
  ) async {
    let waits = end(key, number, pks)
    let asks = waits.filter { found.contains($0.key) }.map(Ask.init).sorted { $0.pk < $1.pk }
    // In a task of its own: the request is cancelled when the callers of its other objects leave.
    let result = await Task { @MainActor in try await work.settle(asks) }.result
    for (pk, waits) in waits { for wait in waits { wait.waiter.end(result.map { found.contains(pk) }) } }
  }

  /// Whether somebody waits for an object. Otherwise the request is not about the object any more.
  private func isAwaited(_ key: Key, _ number: Int, _ pk: Int64) -> Bool {
    state.withLock { state in
      guard state.requests[key]?[number]?.waits[pk]?.isEmpty != false else { return true }
      _ = state.end(key, number, [pk])
      return false
    }
  }

  private func end(_ key: Key, _ number: Int, _ pks: [Int64]) -> [Int64: [Wait]] {
    state.withLock { $0.end(key, number, pks) }
  }

  // MARK: Leaving

  /// Gives up a place, which nobody waits for any more.
  ///
  /// - Returns: Whether the request for the object was still to come or under way.
  @discardableResult
  func leave(_ place: Place) -> Bool {
    let (wasThere, task) = state.withLock { state -> (Bool, Task<Void, Never>?) in
      if let item = state.queued[place.key]?.firstIndex(where: { $0.waits.contains { $0.waiter === place.waiter } }) {
        // The object stays in the queue without a caller, so that the turn that is to come finds the queue.
        state.queued[place.key]?[item].waits.removeAll { $0.waiter === place.waiter }
        return (true, nil)
      }
      for (number, request) in state.requests[place.key] ?? [:] {
        guard let pk = request.waits.first(where: { $0.value.contains { $0.waiter === place.waiter } })?.key else {
          continue
        }
        state.requests[place.key]?[number]?.waits[pk]?.removeAll { $0.waiter === place.waiter }
        let isLeft = state.requests[place.key]?[number]?.waits.values.allSatisfy(\.isEmpty) ?? true
        return (true, isLeft ? state.requests[place.key]?.removeValue(forKey: number)?.task : nil)
      }
      return (false, nil)
    }
    task?.cancel()
    return wasThere
  }
}

extension ObjectLoads.Ask {
  fileprivate init(_ pk: Int64, _ waits: [ObjectLoads.Wait]) {
    self.init(pk: pk, properties: waits.reduce(ColumnMask()) { $0.union($1.properties) })
  }
}
