/// The result of an eviction; see ``EntityStore/EntityStore/evictExpired(keeping:)``.
public struct StoreEviction: Sendable, Hashable {
  /// How many objects were evicted.
  public internal(set) var objects = 0
  /// How many rows of objects that were evicted, now or earlier, left the file, because nothing refers to them.
  public internal(set) var rows = 0
  /// How many stored collections were removed. Their objects are not.
  public internal(set) var lists = 0
}

// Evictions: a store as a cache.

extension EntityStore {
  /// Evicts the objects that no response had for longer than their entity's ``ManagedEntity/expires``.
  ///
  /// ```swift
  /// @Entity final class Article {
  ///   @UID var id: Int
  ///   var text: String
  ///   static var expires: Duration? { .seconds(30 * 86_400) }
  /// }
  /// try await store.evictExpired()       // once a day, for example
  /// ```
  /// An evicted object becomes a placeholder, of which the store has the uid alone. Queries do not find it, links and
  /// lists still show it, and the next response that has the object fills it again. Its row leaves the file once no
  /// object refers to it and it stands in no object's list. A stored collection ends before its first evicted member, and begins
  /// anew with its next load. An eviction is no deletion: the server hears nothing of it,
  /// and it has no line in the history.
  ///
  /// Some objects stay, however old they are: those with local edits, with entries of the outbox or without a uid, those
  /// that an edit links to or linked to before, those of which an older response is under way, and those that the app
  /// holds in the main context or observes. Objects of an entity without `expires` are not evicted. Neither are those of an
  /// entity whose rows can't be placeholders, because a unique property besides the uid can't be `nil`.
  ///
  /// A stored collection goes as a whole when the server neither sent nor confirmed it for so long: the list of an old
  /// search, for example. It stays while a `LiveResource` or a ``LiveQuery`` of this process shows it, and while it has an object
  /// that no answer has had. The list of an entity that the store no longer has goes at once.
  ///
  /// Some hundred objects are evicted in one unit of work, so that no other unit waits for long. Cached responses count
  /// as outdated afterwards, because they may have had the objects: their next requests bring the whole lists.
  ///
  /// - Parameter kept: Objects that stay, a query for each entity that has any: `Article.where { $0.isStarred == true }`. Their
  ///   lists go all the same. Nothing of an entity without `expires` goes, so that its query does nothing.
  /// - Returns: The numbers of what was evicted.
  /// - Throws: ``StoreError``; `CancellationError`. What was evicted before stays evicted.
  @discardableResult
  public func evictExpired<each E: ManagedEntity>(
    keeping kept: repeat EntityQuery<each E>
  ) async throws -> StoreEviction {
    var parts = agingParts(\.lifetime)
    repeat try parts.keep(each kept, core.schema)
    do {
      return atCaller(try await Eviction(store: self).run(parts, removesOrphans: true))
    } catch {
      throw atCaller(error)
    }
  }

  /// Evicts the objects of one entity that no response had for some time, and its stored collections of that age; see
  /// ``evictExpired(keeping:)``.
  ///
  /// ```swift
  /// try await store.evict(Article.self, olderThan: .seconds(86_400)) { $0.isStarred == true }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The entity, which has to have ``ManagedEntity/expires``.
  ///   - age: How long no response had the objects. The age of an object is right to a tenth of `expires`. A negative
  ///     age counts as zero.
  ///   - kept: The objects that stay; by default none.
  /// - Returns: The numbers of what was evicted.
  /// - Throws: ``StoreError``, of kind `invalidSchema` for an entity whose objects do not expire; `CancellationError`.
  @discardableResult
  public func evict<E: ManagedEntity>(
    _ type: E.Type, olderThan age: Duration, keeping kept: ((QueryRow<E>) -> EntityPredicate)? = nil
  ) async throws -> StoreEviction {
    let model = try core.schema.model(type)
    guard model.age != nil else {
      throw StoreError(
        .invalidSchema,
        "'\(model.name)' has no age: declare `static var expires: Duration?`, and the store notes when a response had an "
          + "object.")
    }
    var part = Eviction.Part(model: model, age: max(0, age.components.seconds))
    if let kept { part.keep(E.where(kept)) }
    do { return atCaller(try await Eviction(store: self).run([part])) } catch { throw atCaller(error) }
  }

  /// Evicts the oldest objects of all entities with ``ManagedEntity/expires`` until the rows of the store fit into some
  /// space; see ``evictExpired(keeping:)`` and ``fileSizes()``. A larger file is packed where it then fits into the space, or
  /// where a tenth of it is free; see ``vacuum()``. The stored collections that are older than `expires` go, too.
  ///
  /// - Parameters:
  ///   - size: The most bytes that the pages of the database take. The log is not counted.
  ///   - kept: As in ``evictExpired(keeping:)``.
  /// - Returns: The numbers of what was evicted. Where that is not enough, the store is larger all the same: the rest may not be
  ///   evicted.
  /// - Throws: ``StoreError``; `CancellationError`.
  @discardableResult
  public func evict<each E: ManagedEntity>(
    downTo size: Int64, keeping kept: repeat EntityQuery<each E>
  ) async throws -> StoreEviction {
    var parts = agingParts { _ in 0 }
    repeat try parts.keep(each kept, core.schema)
    do {
      let eviction = atCaller(
        try await Eviction(store: self).run(parts, lists: agingParts(\.lifetime), downTo: size))
      let sizes = atCaller(try await fileSizes())
      // Packing writes the whole file anew. Where more has to stay than fits, a few free pages are no reason for that.
      let isWorthwhile = sizes.database - sizes.free <= size || sizes.free >= sizes.database / 10
      if sizes.database > size, sizes.free > 0, isWorthwhile { atCaller(try await vacuum()) }
      return eviction
    } catch {
      throw atCaller(error)
    }
  }

  private func agingParts(_ age: (EntityModel) -> Int64) -> [Eviction.Part] {
    core.schema.entities.filter { $0.age != nil }.map { Eviction.Part(model: $0, age: age($0)) }
  }

  /// The rows that the main context holds or observes, by the numbers of their entities, and those that unsaved links
  /// lead to.
  @MainActor fileprivate func heldRows() -> [Int: Set<Int64>] {
    var held: [Int: Set<Int64>] = [:]
    var contexts = mainContext.map { [$0] } ?? []
    while let context = contexts.popLast() {
      contexts += context.lineage.children.live
      for (number, map) in context.loaded.objects.enumerated() {
        for object in map.live { held[number, default: []].insert(object._$state.pk) }
        for pk in context.news.observed.rows(number) {
          // An object keeps its registrar after its last observer has gone.
          guard let observers = context.news.observed.observers(number, pk) else { continue }
          if context.news.observerQuestion.isObserved(observers.registrar) { held[number, default: []].insert(pk) }
        }
        for object in context.unsaved.changed[number].all.values { addTargets(of: object, to: &held) }
      }
    }
    return held
  }

  /// The stored collections that live queries show.
  @MainActor fileprivate var shownLists: ReadCollections { mainContext?.news.liveQueries.collections ?? .none }

  @MainActor private func addTargets(of object: any ManagedEntity, to held: inout [Int: Set<Int64>]) {
    let model = object._$state.model
    let values = object.values(model.links)
    for index in model.links.indices {
      guard case .toOne(let target, _, _) = model.properties[index].kind else { continue }
      held[target, default: []].insert(values.link(index))
    }
  }
}

/// One eviction, in units of work of a limited size.
private struct Eviction: Sendable {
  /// The objects of one entity that are evicted.
  struct Part: Sendable {
    let model: EntityModel
    /// How long no response had them, in seconds.
    let age: Int64
    /// Each finds the rows among some that stay.
    private var keeps: [@Sendable (RowWriter, [Int64]) throws -> Set<Int64>] = []

    init(model: EntityModel, age: Int64) { (self.model, self.age) = (model, age) }

    mutating func keep<E: ManagedEntity>(_ query: EntityQuery<E>) {
      keeps.append { rows, pks in try QueriedRows(rows).all(of: pks, within: query) }
    }

    func kept(_ rows: RowWriter, _ pks: [Int64]) throws -> Set<Int64> {
      try keeps.reduce(into: []) { try $0.formUnion($1(rows, pks)) }
    }
  }

  let store: EntityStore
  private var core: StoreCore { store.core }
  /// The most rows of one unit.
  private static let rows = 500

  init(store: EntityStore) { self.store = store }

  /// - Parameters:
  ///   - lists: The ages of the lists that go; `nil` where they are those of the objects.
  ///   - removesOrphans: Whether the lists of entities go that the store does not have.
  func run(
    _ parts: [Part], lists: [Part]? = nil, downTo size: Int64? = nil, removesOrphans: Bool = false
  ) async throws -> StoreEviction {
    var eviction = StoreEviction()
    eviction.lists = try await removeLists(lists ?? parts, removesOrphans)
    let candidates = try await candidates(parts, bySize: size != nil)
    for first in stride(from: 0, to: candidates.count, by: Self.rows) {
      if let size, try await used() <= size { break }
      try Task.checkCancellation()
      let batch = candidates[first..<min(first + Self.rows, candidates.count)]
      let held = await held()
      let (objects, gone) = try await core.unit(isOfServer: true) { rows in
        var (objects, gone) = (0, 0)
        let now = rows.stamp.seconds
        for (number, part) in parts.enumerated() {
          let held = held[part.model.number] ?? []
          let pks = batch.filter { $0.part == number }.map(\.pk).filter { !held.contains($0) }
          let evicted = try RowEviction(rows).evict(pks, of: part.model, before: now - part.age) { pks in
            try part.kept(rows, pks).union(stamped(pks, part.model, rows))
          }
          objects += evicted.count
          gone += try RowEviction(rows).sweep(part.model, keeping: held, among: evicted, most: Self.rows)
        }
        return (objects, gone)
      }
      eviction.objects += objects
      eviction.rows += gone
    }
    // Placeholders may refer to one another, also across entities.
    var count = -1
    while count != eviction.rows {
      count = eviction.rows
      for part in parts { eviction.rows += try await sweep(part.model) }
    }
    return eviction
  }

  private func removeLists(_ parts: [Part], _ removesOrphans: Bool) async throws -> Int {
    let names = core.schema.entities.map(\.name)
    let shown = core.hasMainContext ? await store.shownLists : .none
    return try await core.unit(isOfServer: true) { rows in
      let now = rows.stamp.seconds
      let old = try parts.reduce(0) {
        try $0 + rows.collections.removeUnheard(of: $1.model.name, since: Double(now - $1.age), except: shown)
      }
      return try old + (removesOrphans ? rows.collections.removeAll(except: names) : 0)
    }
  }

  /// The rows among some that an answer under way is older than: it would fill an evicted row with old values.
  private func stamped(_ pks: [Int64], _ model: EntityModel, _ rows: RowWriter) throws -> Set<Int64> {
    guard core.requests.hasStamps, let uid = model.uid else { return [] }
    let found = try rows.connection.rows(
      "SELECT _pk, \(model.properties[uid].name.quoted) FROM \(model.table) "
        + "WHERE _pk IN (SELECT value FROM _entity_values(?))", [.list(pks.map { .integer($0) })]
    ) { (pk: $0.int64(0), uid: $0.value(1)) }
    return Set(found.filter { core.requests.isStamped(.init(entity: model.number, uid: $0.uid)) }.map(\.pk))
  }

  /// The space of the rows, in bytes.
  private func used() async throws -> Int64 {
    let sizes = try await store.fileSizes()
    return sizes.database - sizes.free
  }

  private func held() async -> [Int: Set<Int64>] {
    // A store whose main context nobody used makes no hop.
    guard core.hasMainContext else { return [:] }
    return await store.heldRows()
  }

  private func sweep(_ model: EntityModel) async throws -> Int {
    var total = 0
    while true {
      try Task.checkCancellation()
      let held = await held()[model.number] ?? []
      let count = try await core.unit(isOfServer: true) { rows in
        try RowEviction(rows).sweep(model, keeping: held, most: Self.rows)
      }
      total += count
      if count < Self.rows { return total }
    }
  }

  /// The rows that are old enough, the oldest ones first. Each unit looks at its rows again.
  ///
  /// - Parameter isMixed: Whether the rows of all entities are in one order.
  private func candidates(_ parts: [Part], bySize isMixed: Bool) async throws -> [(part: Int, pk: Int64)] {
    try await core.reading { snapshot in
      var found: [(heard: Int64, part: Int, pk: Int64)] = []
      for (number, part) in parts.enumerated() {
        guard let plan = EvictionPlan(part.model) else { continue }
        let age = plan.name(plan.age)
        found += try snapshot.connection.rows(
          "SELECT \(age), _pk FROM \(part.model.table) WHERE _placeholder = 0 AND _edited IS NULL "
            + "AND \(age) <= CAST(strftime('%s', 'now') AS INTEGER) - ? ORDER BY \(age), _pk",
          [.integer(part.age)]
        ) { ($0.int64(0), number, $0.int64(1)) }
      }
      if isMixed { found.sort { ($0.heard, $0.part, $0.pk) < ($1.heard, $1.part, $1.pk) } }
      return found.map { ($0.part, $0.pk) }
    }
  }
}

extension [Eviction.Part] {
  fileprivate mutating func keep<E: ManagedEntity>(_ query: EntityQuery<E>, _ schema: SchemaModel) throws {
    let model = try schema.model(E.self)
    for index in indices where self[index].model.number == model.number { self[index].keep(query) }
  }
}
