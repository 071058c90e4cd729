import Foundation
public import Observation

/// The objects that a query finds, kept up to date: what a list on a screen shows.
///
/// ```swift
/// let users = LiveQuery(User.where { $0.active == true }.sorted(by: \.name), in: store)
/// ForEach(users.objects, id: \.entityID) { UserRow($0) }       // SwiftUI; `Observations` elsewhere
/// ```
///
/// The objects are those of the main context, unsaved changes included. ``objects`` is observable: observers hear of a
/// result with other objects or in another order. Values of an object are observed at the object.
///
/// A commit that changed no column of the condition or the order, and neither made nor deleted a row of an entity that
/// these name, runs no SQL. Several changes before the main actor's next turn run the query once.
@MainActor
public final class LiveQuery<E: ManagedEntity>: Observable {
  private let registrar = ObservationRegistrar()
  private let result = LiveResult()
  /// The store holds the context. The store may be released before the query is.
  private weak var context: EntityContext?
  private var found: [E] = []
  private var failure: (any Error)?
  /// Whether `found` is a result of the query.
  private var hasRead = false
  /// Whether somebody asked for the objects.
  private var isAsked = false
  private var isScheduled = false
  /// The news that a reader found, and that observers have yet to hear.
  private var untold: (objects: Bool, error: Bool) = (false, false)
  /// Counts the runs of the query.
  private var runs = 0
  private var lastRun: (time: Date, duration: Duration)?
  /// The places of the rows of a list, whose order no query knows.
  private var places: [Int64: Int]?

  /// The query. Another one is run when the objects are next asked for, or in the main actor's next turn.
  public var query: EntityQuery<E> {
    didSet {
      hasRead = false
      result.touch()
    }
  }

  /// The query is first run when its objects are asked for.
  public init(_ query: EntityQuery<E>, in store: EntityStore) {
    self.query = query
    context = store.main
    result.outdated = { [weak self] in
      // The main context alone calls this, from its own methods. The compiler does not know that context's isolation.
      // The context comes from `EntityStore.main`, which is the main actor's, and it stays there because it is not
      // Sendable.
      MainActor.assumeIsolated { self?.schedule() }
    }
    // `EntityStore.liveQueryFacts` alone calls this, which is the main actor's. The context between them has no isolation that the
    // compiler knows.
    result.facts = { [weak self] in MainActor.assumeIsolated { self?.facts } }
    store.main.news.liveQueries.add(result)
  }

  private var facts: LiveQueryFacts? {
    guard let core = context?.core else { return nil }
    // A query that can't be written has an error, which tells the reason.
    let sql = try? query.rowIDs().rendered(core.schema) { $0.table }
    let reason = failure.map { ($0 as? StoreError)?.description ?? "\($0)" }
    return LiveQueryFacts(
      entity: E.entityName, sql ?? RenderedSQL(sql: "", values: [], isOfApp: false), rows: found.count, runs: runs,
      last: lastRun, failure: reason)
  }

  /// The objects of rows, in their order.
  package convenience init(rows: [Int64], in store: EntityStore) {
    self.init(EntityQuery(predicate: .rowIDs(rows)), in: store)
    places = Self.places(of: rows)
  }

  /// Shows other rows, in their order. When it returns, observers have heard of the change.
  package func show(_ rows: [Int64]) {
    places = Self.places(of: rows)
    query = EntityQuery(predicate: .rowIDs(rows))
    if isAsked { refresh() }
    tellUntold()
  }

  private static func places(of rows: [Int64]) -> [Int64: Int] {
    Dictionary(zip(rows, rows.indices), uniquingKeysWith: { first, _ in first })
  }

  /// The objects, in the order of the query. Where the last run failed, these are the objects of the run before: see
  /// ``error``.
  public var objects: [E] {
    refresh(tellsLater: true)
    registrar.access(self, keyPath: \.objects)
    return found
  }

  /// The error of the last run of the query; `nil` where it succeeded. The query runs again with the next change that
  /// it hears of, and when its objects are asked for.
  public var error: (any Error)? {
    refresh(tellsLater: true)
    registrar.access(self, keyPath: \.error)
    return failure
  }

  /// The objects in groups, each in the order of the query. The groups come in the order of their first objects. So a
  /// query that sorts by the groups' key first has the groups in that order.
  ///
  /// ```swift
  /// for section in users.sections(by: \.city) { print(section.id ?? "nowhere", section.objects.count) }
  /// ```
  public func sections<Key: Hashable>(by key: (E) -> Key) -> [LiveSection<Key, E>] {
    var places: [Key: Int] = [:]
    var sections: [LiveSection<Key, E>] = []
    for object in objects {
      let key = key(object)
      if let place = places[key] {
        sections[place].objects.append(object)
      } else {
        places[key] = sections.count
        sections.append(LiveSection(id: key, objects: [object]))
      }
    }
    return sections
  }

  private func schedule() {
    guard isAsked, !isScheduled else { return }
    isScheduled = true
    Task { [weak self] in
      guard let self else { return }
      isScheduled = false
      refresh()
      tellUntold()
    }
  }

  private func tellUntold() {
    let news = untold
    untold = (false, false)
    if news.error { registrar.withMutation(of: self, keyPath: \.error) {} }
    if news.objects { registrar.withMutation(of: self, keyPath: \.objects) {} }
  }

  /// Runs the query if its result may have changed.
  ///
  /// - Parameter tellsLater: `true` for a reader. A reader may be within the closure of an observer, and the observer counts only
  ///   when the closure has ended: observers of the result before hear of the new one in the next turn.
  private func refresh(tellsLater: Bool = false) {
    let telling: Telling = if !isAsked { .nobody } else if tellsLater { .later } else { .now }
    isAsked = true
    guard let context, let store = context.core.store else {
      return fail(context?.detachment ?? StoreError.contextWithoutStore, telling)
    }
    do {
      // The main actor may have had no turn yet in which to take over commits.
      let isBehind = context.news.mergedGeneration < store.core.followers.generation
      if isBehind { try context.merging.entry(isGetter: true) {} }
      guard result.isOutOfDate else { return }
      runs += 1
      let run = runs
      let start = ContinuousClock.now
      defer { lastRun = (Date(), start.duration(to: .now)) }
      var objects = try context.results.liveResult(of: query, from: hasRead ? found : nil, settling: result)
      if let places {
        objects.sort { places[$0._$state.pk, default: .max] < places[$1._$state.pk, default: .max] }
      }
      // Observers are called during the run. An observer that changes an object and reads the result runs the query
      // again.
      guard run == runs else { return }
      hasRead = true
      if failure != nil { change(\.error, telling) { failure = nil } }
      guard !objects.elementsEqual(found, by: ===) else { return }
      change(\.objects, telling) { if run == runs { found = objects } }
    } catch {
      result.fail()
      context.news.liveQueries.resultChanged()
      fail(error, telling)
    }
  }

  /// The observers to tell of a result; nobody has seen one before the first.
  private enum Telling { case nobody, later, now }

  private func fail(_ error: any Error, _ telling: Telling) {
    let isSame = (failure as? StoreError)?.message == (error as? StoreError)?.message && failure != nil
    if !isSame { change(\.error, telling) { failure = error } }
  }

  private func change<Value>(_ property: KeyPath<LiveQuery, Value>, _ telling: Telling, _ body: () -> Void) {
    guard telling != .now else { return registrar.withMutation(of: self, keyPath: property, body) }
    body()
    guard telling == .later else { return }
    if property == \.objects { untold.objects = true } else { untold.error = true }
    schedule()
  }
}

/// Objects of a query with one key.
public struct LiveSection<Key: Hashable, E: ManagedEntity>: Identifiable {
  public let id: Key
  public internal(set) var objects: [E]
}
