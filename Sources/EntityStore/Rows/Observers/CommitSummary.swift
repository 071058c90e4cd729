/// Which rows one commit changed, and which of their columns: other contexts bring their objects up to date with it.
struct CommitSummary: Sendable {
  /// The generations that the summary covers; more than one once summaries were joined.
  var first: Int64
  var last: Int64
  /// The context whose save it was; its own objects hold the directly written values already.
  let origin: ContextID?
  /// Whether another writer made a generation between the first and the last. Its changes are not known here.
  var hasGap = false
  var entities: [Int: EntityChanges] = [:]
  var forwards: [Forward] = []
  /// Whether notes of local edits or of deletions may have changed, which are no rows of an entity.
  var changesNotes = false
  /// The objects whose deletion here began to wait for the server, or ended, and those whose edits have another base by
  /// now. Their rows may have gone long before, or be as they were.
  var noted: Set<RowKey> = []
  /// The stored collections whose members changed.
  var collections = ChangedCollections()

  enum EntityChanges: Sendable {
    case rows([Int64: RowChange])
    /// Too many to name: every row may have changed.
    case all
  }

  struct RowChange: Sendable {
    enum Kind: Sendable { case inserted, updated, deleted }
    var kind: Kind
    var mask: ColumnMask
    /// The columns among them that the origin wrote itself; the rest follows from rules, links and collisions.
    var direct: ColumnMask
  }

  struct Forward: Sendable {
    let entity: Int
    let from: Int64
    let to: Int64
  }

  /// More rows than this of one entity are summed up as `all`.
  static let namedRows = 10_000

  var isEmpty: Bool { entities.isEmpty }

  /// The number of rows that the summary names.
  var named: Int {
    entities.values.reduce(0) { count, changes in
      if case .rows(let rows) = changes { count + rows.count } else { count }
    }
  }

  /// The entities with so many changed rows in all summaries together that a merge does not go through them: the limit
  /// is ``namedRows``. A single save of the context itself has no limit, as its objects have most values already.
  static func crowded(_ summaries: [CommitSummary], of context: ContextID) -> Set<Int> {
    if summaries.count == 1, summaries[0].origin == context { return [] }
    var named: [Int: Int] = [:]
    var count = 0
    for summary in summaries {
      for case (let entity, .rows(let rows)) in summary.entities {
        named[entity, default: 0] += rows.count
        count += rows.count
      }
    }
    guard count > namedRows else { return [] }
    var crowded: Set<Int> = []
    for (entity, rows) in named.sorted(by: { ($0.value, $0.key) > ($1.value, $1.key) }) where count > namedRows {
      crowded.insert(entity)
      count -= rows
    }
    return crowded
  }

  mutating func note(_ entity: Int, _ pk: Int64, _ kind: RowChange.Kind, _ mask: ColumnMask, isDirect: Bool) {
    let direct = isDirect ? mask : ColumnMask()
    switch entities[entity] {
    case .all: return
    case nil: entities[entity] = .rows([pk: RowChange(kind: kind, mask: mask, direct: direct)])
    case .rows(var rows):
      // Taken out and put back, so that the dictionary is changed in place.
      entities[entity] = nil
      if var change = rows[pk] {
        // A row that was inserted and then updated in one commit is new. A row that was then deleted is gone. A row
        // that an earlier commit deleted, and that is inserted, was brought back by an undo.
        if kind == .deleted || change.kind == .updated || change.kind == .deleted && kind == .inserted {
          change.kind = kind
        }
        change.direct = change.direct.union(direct).subtracting(isDirect ? ColumnMask() : mask)
        change.mask.formUnion(mask)
        rows[pk] = change
      } else {
        rows[pk] = RowChange(kind: kind, mask: mask, direct: direct)
      }
      entities[entity] = rows.count > Self.namedRows ? .all : .rows(rows)
    }
  }

  /// Forgets which rows changed, and all but the first `count` forwards.
  mutating func blur(keeping count: Int) {
    entities = entities.mapValues { _ in .all }
    forwards.removeLast(forwards.count - count)
  }

  /// A change that a unit itself took back.
  enum Retraction {
    /// The row, which was not there before.
    case row
    /// Some of its columns and lists.
    ///
    /// - Parameters:
    ///   - wasThere: Whether the row is known to have been there before, also where the unit deleted it and made it again.
    ///   - left: The columns that did change, where all are known.
    case columns(ColumnMask, wasThere: Bool, left: ColumnMask?)
  }

  mutating func retract(_ key: RowKey, _ retraction: Retraction) {
    guard case .rows(var rows) = entities[key.entity], var change = rows[key.pk] else { return }
    entities[key.entity] = nil
    switch retraction {
    case .row: rows[key.pk] = nil
    case .columns(let columns, let wasThere, _):
      change.mask.subtract(columns)
      change.direct.subtract(columns)
      if wasThere { change.kind = .updated }
      rows[key.pk] = change.kind == .updated && change.mask.isEmpty ? nil : change
    }
    if !rows.isEmpty { entities[key.entity] = .rows(rows) }
  }

  /// Whether the summary names a row; `nil` where any row of the entity may have changed.
  func names(_ key: RowKey) -> Bool? {
    switch entities[key.entity] {
    case nil: false
    case .all: nil
    case .rows(let rows): rows[key.pk] != nil
    }
  }

  /// Takes a later summary into this one.
  mutating func append(_ later: CommitSummary) {
    // Another program may have set the generation back.
    hasGap = hasGap || later.hasGap || later.first != last + 1
    (first, last) = (min(first, later.first), max(last, later.last))
    forwards += later.forwards
    changesNotes = changesNotes || later.changesNotes
    noted.formUnion(later.noted)
    collections.formUnion(later.collections)
    for (entity, changes) in later.entities {
      switch changes {
      case .all: entities[entity] = .all
      case .rows(let rows):
        for (pk, change) in rows { note(entity, pk, change.kind, change.mask, isDirect: false) }
      }
    }
  }
}

extension CommitSummary {
  /// Takes in the changes of a part of the same unit.
  fileprivate mutating func take(_ part: CommitSummary) {
    forwards += part.forwards
    noted.formUnion(part.noted)
    for (entity, changes) in part.entities {
      switch (changes, entities[entity]) {
      case (.all, _): entities[entity] = .all
      case (.rows, nil): entities[entity] = changes
      case (.rows(let rows), _):
        for (pk, change) in rows {
          let others = change.mask.subtracting(change.direct)
          if !others.isEmpty || change.direct.isEmpty { note(entity, pk, change.kind, others, isDirect: false) }
          if !change.direct.isEmpty { note(entity, pk, change.kind, change.direct, isDirect: true) }
        }
      }
    }
  }
}

/// Makes the summary of a unit.
final class SummaryRecorder: ChangeObserver {
  // As in ``RepeatedWrites``.
  @exclusivity(unchecked) private(set) var summary: CommitSummary

  init(origin: ContextID?) { summary = CommitSummary(first: 0, last: 0, origin: origin) }

  func didChange(_ change: ObservedChange) {
    summary.note(change.model.number, change.pk, change.kind, change.columns, isDirect: change.isDirect)
  }

  func didForward(_ model: EntityModel, from: Int64, to: Int64) {
    summary.forwards.append(.init(entity: model.number, from: from, to: to))
  }

  func willChangeDeletion(_ model: EntityModel, _ pk: Int64) {
    summary.noted.insert(RowKey(entity: model.number, pk: pk))
  }

  func didChangeBases(_ model: EntityModel, _ pk: Int64) {
    summary.noted.insert(RowKey(entity: model.number, pk: pk))
  }

  /// All rows of an entity went.
  func noteAll(_ model: EntityModel) { summary.entities[model.number] = .all }

  func blur(keeping forwards: Int) { summary.blur(keeping: forwards) }

  /// Runs `body`, whose changes are undone where it throws: then none of them is in the summary.
  func attempt<T>(_ body: () throws -> T) rethrows -> T {
    // A summary of its own: a copy of that of the unit would cost as much as all that the unit has changed.
    var other = CommitSummary(first: 0, last: 0, origin: summary.origin)
    swap(&other, &summary)
    defer { swap(&other, &summary) }
    let result = try body()
    other.take(summary)
    return result
  }

  func retract(_ retractions: [RowKey: CommitSummary.Retraction]) {
    for (key, retraction) in retractions { summary.retract(key, retraction) }
  }
}
