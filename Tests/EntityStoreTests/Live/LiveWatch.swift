import Observation
import Synchronization
import TestSchema
import TestSupport

@testable import EntityStore

struct LiveFault: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// All that the watches of a store should show, read in one go.
struct LiveTruth: Sendable {
  let generation: Int64
  /// The row ids of each query, by watch.
  let results: [[Int64]]
  let values: [[String]]
  /// By entity and row id.
  let rows: [String: [Int64: [String: String]]]
}

/// The changes that commits since the last look can have made.
struct LiveReach: Sendable {
  var isUnknown = false
  /// The entities of which objects came or went.
  var whole: Set<String> = []
  var changed: LiveNames = [:]

  init(_ commits: [StoreCommit]) {
    for commit in commits {
      isUnknown = isUnknown || commit.isUnknown
      add(commit.changes(of: Writer.self))
      add(commit.changes(of: Article.self))
      add(commit.changes(of: Tag.self))
      add(commit.changes(of: Town.self))
      add(commit.changes(of: Mix.self))
      add(commit.changes(of: Tune.self))
      add(commit.changes(of: Remark.self))
      add(commit.changes(of: Verse.self))
    }
  }

  private mutating func add<E: ManagedEntity>(_ changes: CommittedChanges<E>) {
    if changes.mayBeAny || !changes.inserted.isEmpty || !changes.deleted.isEmpty { whole.insert(E.entityName) }
    for update in changes.updated {
      // Marks alone changed.
      if update.columns.names.isEmpty { whole.insert(E.entityName) }
      changed[E.entityName, default: []].formUnion(update.columns.names)
    }
  }

  func touches(_ names: LiveNames) -> Bool {
    isUnknown
      || names.contains { entity, properties in
        whole.contains(entity)
          || changed[entity].map { properties.contains("*") || !properties.isDisjoint(with: $0) } ?? false
      }
  }
}

/// A query that is followed in several ways at once.
@MainActor protocol LiveWatch: AnyObject {
  var text: String { get }
  /// The row ids that a fetch finds.
  var fetch: @Sendable (EntityContext) throws -> [Int64] { get }

  /// Compares the live query with the truth.
  ///
  /// - Parameter isLone: Whether there was one commit or none since the last comparison.
  func compareLive(_ result: [Int64], _ rows: LiveTruth, isLone: Bool) async throws
  /// Compares it with a fetch of the main context, which has unsaved changes.
  func compareUnsaved(in main: EntityContext) throws
  func compareChanges(_ result: [Int64], _ truth: LiveTruth) async throws
  /// Expects that the live query runs no SQL now, if the commits can't touch it.
  func expectNoSQL(_ reach: LiveReach, _ counter: WorkCounter) throws
  func end()
}

@MainActor final class QueryWatch<E: LiveEntity>: LiveWatch {
  private let shape: LiveShape<E>
  private let live: LiveQuery<E>
  private let copy = Published(CopiedResult<E>())
  private let following: Task<Void, Never>
  /// How often an observer of the objects was told.
  private let told = Published(0)
  /// The objects of the live query at the last comparison.
  private var last: [Int64]?
  /// The rows at the last comparison of the changes.
  private var lastRows: [Int64: [String: String]] = [:]

  init(_ shape: LiveShape<E>, in store: EntityStore) {
    self.shape = shape
    live = LiveQuery(shape.query, in: store)
    let (copy, changes) = (copy, store.changes(of: shape.query))
    following = Task.detached {
      for await change in changes { copy.change { $0.apply(change) } }
    }
  }

  var text: String { shape.text }
  var fetch: @Sendable (EntityContext) throws -> [Int64] {
    { [query = shape.query] in try $0.fetch(query).map(\.entityID.pk) }
  }

  func end() { following.cancel() }

  // MARK: The live query

  private func look() -> [Int64] {
    let told = told
    return withObservationTracking {
      live.objects.map(\.entityID.pk)
    } onChange: {
      told.change { $0 += 1 }
    }
  }

  func compareLive(_ result: [Int64], _ truth: LiveTruth, isLone: Bool) async throws {
    if let last, last != result {
      // Nobody asks for the objects: the commit alone has the observer told.
      guard await told.waits(until: { $0 > 0 }) else {
        throw LiveFault("\(text): no observer hears that \(last) is \(result)")
      }
    } else if last != nil, isLone, told.value > 0 {
      throw LiveFault("\(text): an observer hears of a result that is the same: \(result)")
    }
    told.change { $0 = 0 }
    let found = look()
    guard found == result, live.error == nil else {
      throw LiveFault("\(text): has \(found), and a fetch \(result); \(live.error.map { "\($0)" } ?? "")")
    }
    for object in live.objects where object.values != truth.rows[E.entityName]?[object.entityID.pk] {
      throw LiveFault(
        "\(text): \(object.entityID.pk) reads \(object.values), and elsewhere "
          + "\(truth.rows[E.entityName]?[object.entityID.pk] ?? [:])")
    }
    last = result
    // The comparison may fault in what changes nothing: an observer that was told of it hears of nothing more.
    _ = look()
    told.change { $0 = 0 }
    try compareSections()
  }

  func compareUnsaved(in main: EntityContext) throws {
    told.change { $0 = 0 }
    let found = look()
    let expected = try fetch(main)
    guard found == expected, look() == expected, live.error == nil else {
      let shown = Set(found + expected)
      let objects = try main.fetch(E.all).filter { shown.contains($0.entityID.pk) }
      throw LiveFault(
        "\(text): has \(found), and a fetch with unsaved changes \(expected): "
          + objects.map { "\($0.entityID.pk) \($0.hasChanges ? "edited " : "")\($0.values)" }.joined(separator: "; "))
    }
    last = found
    try compareSections()
  }

  private func compareSections() throws {
    var groups: [String] = []
    for object in live.objects where !groups.contains(object.group) { groups.append(object.group) }
    let sections = live.sections(by: \.group)
    guard sections.map(\.id) == groups,
      groups.allSatisfy({ group in
        sections.first { $0.id == group }?.objects.map(\.entityID.pk)
          == live.objects.filter { $0.group == group }.map(\.entityID.pk)
      })
    else { throw LiveFault("\(text): the sections are \(sections.map(\.id)), not \(groups)") }
  }

  func expectNoSQL(_ reach: LiveReach, _ counter: WorkCounter) throws {
    guard last != nil, !reach.touches(shape.names) else { return }
    let work = counter.work { _ = live.objects }
    guard work == 0 else { throw LiveFault("\(text): \(work) steps of SQL for commits that can't touch it: \(reach)") }
  }

  // MARK: The changes

  func compareChanges(_ result: [Int64], _ truth: LiveTruth) async throws {
    let rows = (truth.rows[E.entityName] ?? [:]).filter { Set(result).contains($0.key) }
    var changed: [Int64: Set<String>] = [:]
    for (pk, values) in rows {
      guard let old = lastRows[pk] else { continue }
      changed[pk] = Set(values.filter { old[$0.key] != $0.value }.keys)
    }
    let isUpToDate = await copy.waits { copy in
      copy.fault != nil
        || (copy.ids == result && copy.generation >= 0
          && changed.allSatisfy { copy.isNews($0.key, $0.value) })
    }
    let copy = copy.value
    guard isUpToDate, copy.fault == nil, copy.generation <= truth.generation else {
      throw LiveFault(
        "\(text): the changes lead to \(copy.ids), and a fetch finds \(result) at \(truth.generation), of which changed "
          + "\(changed.filter { !$0.value.isEmpty }); told \(copy.updated), \(copy.new), \(copy.fault ?? "waits in vain")"
      )
    }
    self.copy.change { $0.forget() }
    lastRows = rows
  }
}

/// A copy of a result that changes alone keep up to date.
private struct CopiedResult<E: LiveEntity>: Sendable {
  private(set) var ids: [Int64] = []
  private(set) var generation: Int64 = -1
  /// Since the last comparison, the columns that were told of, and the objects that came.
  private(set) var updated: [Int64: Set<String>] = [:]
  private(set) var new: Set<Int64> = []
  private(set) var fault: String?

  mutating func apply(_ result: Result<QueryChange<E>, any Error>) {
    do {
      try apply(try result.get())
    } catch {
      fault = fault ?? "\(error)"
    }
  }

  private mutating func apply(_ change: QueryChange<E>) throws {
    let isFirst = generation < 0
    guard change.generation > generation else {
      throw LiveFault("generation \(change.generation) after \(generation)")
    }
    generation = change.generation
    guard isFirst || !change.isEmpty else { throw LiveFault("an empty change") }
    for place in change.removed where ids[place.index] != place.id.pk { throw LiveFault("removed: \(place)") }
    for move in change.moved where ids[move.from] != move.id.pk { throw LiveFault("moved: \(move)") }
    for update in change.updated where change.ids[update.index] != update.id { throw LiveFault("updated: \(update)") }
    for index in (change.removed.map(\.index) + change.moved.map(\.from)).sorted(by: >) { ids.remove(at: index) }
    let added = change.inserted.map { ($0.index, $0.id.pk) } + change.moved.map { ($0.to, $0.id.pk) }
    for (index, pk) in added.sorted(by: { $0.0 < $1.0 }) {
      guard !ids.contains(pk), index <= ids.count else { throw LiveFault("\(pk) at \(index) of \(ids)") }
      ids.insert(pk, at: index)
    }
    guard ids == change.ids.map(\.pk) else { throw LiveFault("\(ids), and the change says \(change.ids)") }
    new.formUnion(change.inserted.map(\.id.pk))
    for update in change.updated { updated[update.id.pk, default: []].formUnion(update.columns.names) }
  }

  /// Whether changes of an object were told.
  func isNews(_ pk: Int64, _ names: Set<String>) -> Bool {
    new.contains(pk) || names.isSubset(of: updated[pk] ?? [])
  }

  mutating func forget() { (updated, new) = ([:], []) }
}

/// A read that `observe` repeats.
@MainActor final class ReadWatch {
  private struct Value: Sendable, Equatable {
    let generation: Int64
    let lines: [String]

    static func == (left: Self, right: Self) -> Bool { left.lines == right.lines }
  }

  private struct Seen: Sendable {
    var value: Value?
    var fault: String?
  }

  let read: LiveRead
  private let seen = Published(Seen())
  /// The count of reads when one of all commits had ended; `nil` where one may be under way.
  private var settledReads: Int?
  private let following: Task<Void, Never>

  init(_ read: LiveRead, in store: EntityStore) {
    self.read = read
    let counter = ReadCounter()
    self.counter = counter
    let seen = seen
    let values = store.observe { context in
      counter.add()
      return Value(generation: context.generation, lines: try read.read(context))
    }
    following = Task.detached {
      for await value in values {
        seen.change { seen in
          do {
            let value = try value.get()
            if let last = seen.value, last == value { throw LiveFault("the same value again: \(value)") }
            if let last = seen.value, last.generation >= value.generation { throw LiveFault("\(value) after \(last)") }
            seen.value = value
          } catch {
            seen.fault = "\(error)"
          }
        }
      }
    }
  }

  private let counter: ReadCounter

  func end() { following.cancel() }

  func compare(_ lines: [String], _ truth: LiveTruth, _ reach: LiveReach) async throws {
    guard await seen.waits(until: { $0.fault != nil || $0.value?.lines == lines }), seen.value.fault == nil else {
      throw LiveFault("\(read.text): \(seen.value), and a read finds \(lines) at \(truth.generation)")
    }
    let reads = counter.total
    if let settledReads, !reach.touches(read.names), reads > settledReads {
      throw LiveFault("\(read.text): \(reads - settledReads) reads for commits that can't touch it: \(reach)")
    }
    if reach.touches(read.names) { settledReads = nil }
    if seen.value.value?.generation == truth.generation { settledReads = reads }
  }
}

private final class ReadCounter: Sendable {
  private let count = Mutex(0)

  var total: Int { count.withLock { $0 } }

  func add() { count.withLock { $0 += 1 } }
}
