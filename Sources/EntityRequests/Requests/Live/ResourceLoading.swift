import EntityStore
import Observation

/// The state that live resources of one request share: the load that is under way, the error of the last one, and the age
/// of the answer.
@MainActor @Observable final class ResourceLoading<E: RemoteEntity> {
  private(set) var isLoading = false
  private(set) var error: (any Error)?
  /// When the newest load ended; `nil` before the first end.
  private(set) var endedAt: ContinuousClock.Instant?
  private(set) var progress: Double?
  /// `nil` when no answer is known.
  private(set) var freshness: AnswerFreshness?
  /// How far the list was walked; `nil` for a resource that is no collection, and where nothing is known.
  private(set) var extent: ListExtent?
  /// The objects of the answer, in its order.
  @ObservationIgnored private(set) lazy var objects =
    exchange.members.map { LiveQuery($0, in: store) } ?? LiveQuery<E>(rows: rows, in: store)
  @ObservationIgnored private var rows: [Int64] = []
  @ObservationIgnored private let exchange: any LoadedExchange<E>
  @ObservationIgnored let key: InFlightRequests.Key
  @ObservationIgnored private let store: EntityStore
  @ObservationIgnored private let now = AnswerClock.now
  @ObservationIgnored private let news = Mailbox<AnswerNews>(empty: [])
  @ObservationIgnored private var subscription: AnswerSubscription?
  @ObservationIgnored private var failedAt: Double?
  /// The loads by number. A load that began before a write of the entity goes on beside the load after the write, for
  /// its own waiters.
  @ObservationIgnored private var loads: [Int: Load] = [:]
  /// The number of the load that began last.
  @ObservationIgnored private var last = 0
  /// The number of the newest load that has ended. An older load that ends later says nothing new.
  @ObservationIgnored private var ended = 0
  /// True when the note of the answer was deleted while a load was under way.
  @ObservationIgnored private var isForgotten = false
  /// Owners and waiters have numbers.
  @ObservationIgnored private var numbers = 0
  @ObservationIgnored private var owners: Set<Int> = []

  private struct Load {
    let task: Task<Void, Never>
    /// The writes before the load.
    let writes: String
    var progress = 0.0
    var waits: [Int: Wait] = [:]

    mutating func takeWaits(of owner: Int) -> [Wait] {
      let taken = waits.filter { $0.value.owner == owner }
      for number in taken.keys { waits[number] = nil }
      return Array(taken.values)
    }
  }

  /// A resource that wants the load to go on.
  private struct Wait {
    let owner: Int
    /// `nil` when the resource does not wait for the response.
    let waiter: Waiter<EntityResponse<E>>?
  }

  init(_ exchange: any LoadedExchange<E>, in store: EntityStore) {
    self.exchange = exchange
    self.store = store
    key = exchange.sharingKey(after: "")
    subscription = exchange.core.followAnswer(exchange.key, of: exchange.entityNames) { [weak self, news] what in
      guard news.leave({ $0.add(what) }) else { return }
      Task { @MainActor in self?.takeNews() }
    }
    lookUp()
  }

  // A task that awaits a response holds the resource, and through it this object.
  deinit { for load in loads.values { load.task.cancel() } }

  // MARK: Owners

  /// A number for a resource that shares this loading.
  func newOwner() -> Int {
    let owner = newNumber()
    owners.insert(owner)
    return owner
  }

  /// Called when a resource is gone. A load goes on for the others.
  func depart(_ owner: Int) {
    owners.remove(owner)
    for number in loads.keys { _ = loads[number]?.takeWaits(of: owner) }
    guard owners.isEmpty else { return }
    for number in loads.keys { stop(number) }
  }

  /// Ends the loads of a resource. A load that another resource waits for goes on.
  func cancel(_ owner: Int) {
    for number in loads.keys.sorted() {
      for wait in loads[number]?.takeWaits(of: owner) ?? [] { wait.waiter?.end(.failure(CancellationError())) }
      if loads[number]?.waits.isEmpty == true { stop(number) }
    }
  }

  private func newNumber() -> Int {
    numbers += 1
    return numbers
  }

  // MARK: Loading

  /// The response of the load that is under way, or of a new one.
  func response(for owner: Int) async throws -> EntityResponse<E> {
    let (number, waiter) = (newNumber(), Waiter<EntityResponse<E>>())
    wait(number, Wait(owner: owner, waiter: waiter))
    return try await waiter.value {
      Task { @MainActor in self.leave(number) }
      return false
    }
  }

  /// Makes a load go on, or begin, without waiting for it.
  func want(for owner: Int) {
    let waits = newest.flatMap { loads[$0]?.waits.values }
    let isWanted = waits?.contains { $0.owner == owner && $0.waiter == nil } ?? false
    guard !isWanted || !isLoadingWhatIsNew else { return }
    wait(newNumber(), Wait(owner: owner, waiter: nil))
  }

  /// The number of the newest load that is under way.
  private var newest: Int? { loads.keys.max() }

  /// Whether a load is under way that began after the last write.
  var isLoadingWhatIsNew: Bool { newest.flatMap { loads[$0]?.writes } == exchange.writes }

  /// True when the last load failed less than `time` ago.
  func hasFailed(within time: Duration) -> Bool {
    guard let failedAt else { return false }
    let age = now() - failedAt
    return age >= 0 && age < time / .seconds(1)
  }

  private func wait(_ number: Int, _ wait: Wait) {
    if !isLoadingWhatIsNew { begin() }
    if let newest { loads[newest]?.waits[number] = wait }
  }

  private func leave(_ number: Int) {
    for load in loads.keys {
      guard let wait = loads[load]?.waits.removeValue(forKey: number) else { continue }
      wait.waiter?.end(.failure(CancellationError()))
      if loads[load]?.waits.isEmpty == true { stop(load) }
    }
  }

  private func begin() {
    last += 1
    failedAt = nil
    let number = last
    let heard = Mailbox<Double>(empty: 0)
    let exchange = exchange.heard { [weak self] progress in
      guard heard.leave({ $0 = progress.fraction }) else { return }
      Task { @MainActor in self?.settle(progress: heard.take(), of: number) }
    }
    let writes = exchange.writes
    let task = Task { [weak self] in
      let result: Result<EntityResponse<E>, any Error>
      do { result = .success(try await exchange.run()) } catch { result = .failure(error) }
      self?.end(number, result)
    }
    loads[number] = Load(task: task, writes: writes)
    settleLoads()
  }

  private func stop(_ number: Int) {
    guard let load = loads.removeValue(forKey: number) else { return }
    load.task.cancel()
    settleLoads()
  }

  private func end(_ number: Int, _ result: Result<EntityResponse<E>, any Error>) {
    // The load may have been stopped.
    guard let load = loads.removeValue(forKey: number) else { return }
    // An error here comes again at the next read of the main context, which can throw it.
    try? store.mergeMain()
    // The state is that of the newest load.
    if number > max(ended, newest ?? 0) {
      ended = number
      endedAt = .now
      switch result {
      case .success(let response):
        take(response, isOld: load.writes != exchange.writes)
        if error != nil { error = nil }
      // No resource has cancelled the load. If it were sent again at once, it would ask the server in a circle.
      case .failure(is CancellationError): failedAt = now()
      case .failure(let failure):
        failedAt = now()
        error = failure
      }
    }
    settleLoads()
    for wait in load.waits.values { wait.waiter?.end(result) }
  }

  /// Sets the state to that of the loads under way.
  private func settleLoads() {
    let fraction = newest.flatMap { loads[$0]?.progress }
    if fraction != progress { progress = fraction }
    if isLoading == loads.isEmpty { isLoading = !loads.isEmpty }
    guard loads.isEmpty, isForgotten else { return }
    isForgotten = false
    endFreshness()
  }

  private func settle(progress fraction: Double, of number: Int) {
    // The last report of a load may come after its end.
    guard let load = loads[number], fraction > load.progress else { return }
    loads[number]?.progress = fraction
    settleLoads()
  }

  // MARK: The answer

  /// Looks up the known answer: another process may have asked for it.
  func lookUp() {
    guard let known = known() else {
      if isGone { forget() }
      return
    }
    // The note may be older than a write that has ended the freshness here.
    settle(known, isEnded: known.freshness.isEnded || freshness?.isEnded == true)
  }

  private func known() -> KnownObjects? { (try? exchange.known(in: store.main)) ?? nil }

  /// Whether the list was removed, or begins anew with its next load. An answer that is no list may be known here alone.
  private var isGone: Bool {
    guard exchange.members != nil else { return false }
    do { return try exchange.known(in: store.main) == nil } catch { return false }
  }

  private func takeNews() {
    let news = news.take()
    // The end of a load has taken the news.
    guard !news.isEmpty else { return }
    if news.contains(.emptied) || isGone { forget() }
    if let known = known() {
      settle(known, isEnded: known.freshness.isEnded || news.contains(.ended))
    } else if loads.isEmpty || news.contains(.ended) {
      endFreshness()
    } else {
      // An answer that must not be kept deletes the note. Its objects come when its load ends.
      isForgotten = true
    }
  }

  /// Takes the answer of a load. An answer that must not be kept is known here alone.
  ///
  /// - Parameter isOld: Whether the entity was written to meanwhile.
  private func take(_ response: EntityResponse<E>, isOld: Bool) {
    let news = news.take()
    isForgotten = false
    if let known = known() { return settle(known, isEnded: known.freshness.isEnded) }
    if news.contains(.emptied) || isGone { return forget() }
    settle(AnswerFreshness(time: now(), isEnded: isOld, lifetime: nil), response.ids.map(\.pk))
  }

  private func settle(_ known: KnownObjects, isEnded: Bool) {
    isForgotten = false
    var freshness = known.freshness
    freshness.isEnded = isEnded
    if known.extent != extent { extent = known.extent }
    settle(freshness, known.pks)
  }

  private func forget() {
    if extent != nil { extent = nil }
    settle(nil, [])
  }

  /// The server may have other objects by now.
  private func endFreshness() {
    guard let freshness else { return }
    settle(AnswerFreshness(time: freshness.time, isEnded: true, lifetime: freshness.lifetime), rows)
  }

  private func settle(_ freshness: AnswerFreshness?, _ rows: [Int64]) {
    if rows != self.rows, exchange.members == nil {
      self.rows = rows
      objects.show(rows)
    }
    if freshness != self.freshness { self.freshness = freshness }
  }
}

extension AnswerNews {
  /// Adds later news. A new note says by itself whether it has ended.
  fileprivate mutating func add(_ next: AnswerNews) {
    if next.contains(.changed) { remove(.ended) }
    formUnion(next)
  }
}
