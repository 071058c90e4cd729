/// Collects, within one transaction, the changes in an answer that the store does not take.
///
/// An answer may have an object more than once, and setters report one property at a time. The log has one entry for
/// each object and reason. Past the limit it only counts. It costs nothing as long as nothing is skipped.
package final class SkipLog {
  package typealias Reason = SkippedChange.Reason

  struct Key: Hashable {
    let entity: Int
    /// 0 for an object without row.
    let pk: Int64
    /// NULL where the row has the uid.
    let uid: StoredValue
    let reason: Reason
  }

  struct Entry {
    let key: Key
    var columns: ColumnMask
    /// The values of columns, as far as they are known.
    var values: [Int: SkippedChange.Value] = [:]
    /// Whether the entry is about the object as a whole.
    var isWhole: Bool
  }

  private(set) var entries: [Entry] = []
  private var places: [Key: Int] = [:]
  private(set) var others: [Reason: Int] = [:]
  /// Entries that were counted last: an entry with several properties counts once.
  private var counted: Set<Key> = []

  /// The rows with a newer version than the answer: their columns stay for that reason. No two rows have the same row
  /// id.
  private var newerRows: Set<Int64> = []
  package private(set) var hasOlderVersions = false

  /// Whether the rule of an outbox decided about a column.
  private var hasMerges = false

  package init() {}

  /// The next columns of a row that the answer leaves alone stay because the row has a newer version, or no longer for
  /// that reason. The last values in an answer count.
  package func noteOlderVersion(_ model: EntityModel, _ pk: Int64, isOlder: Bool = true) {
    if isOlder {
      hasOlderVersions = true
      newerRows.insert(pk)
    } else {
      guard newerRows.remove(pk) != nil else { return }
      if let place = places[Key(entity: model.number, pk: pk, uid: .null, reason: .olderVersion)] {
        entries[place].columns = ColumnMask()
        entries[place].isWhole = false
      }
    }
  }

  package var isEmpty: Bool { !hasEntries }
  private var hasEntries = false

  /// An answer left columns of a row alone.
  ///
  /// - Parameters:
  ///   - answered: The columns that the answer has. Earlier entries lose these columns: the last values in an answer
  ///     count.
  ///   - values: The values of the columns, as far as they are known.
  package func note(
    _ model: EntityModel, _ pk: Int64, _ staying: MergePolicy.Staying, answered: ColumnMask,
    values: [Int: SkippedChange.Value] = [:]
  ) {
    let isOlderVersion = hasOlderVersions && newerRows.contains(pk)
    let staying = hasMerges ? withoutMerges(staying, model, pk) : staying
    for (reason, columns) in staying.reasons(isOlderVersion, hasOlderVersions) {
      let key = Key(entity: model.number, pk: pk, uid: .null, reason: reason)
      if let place = places[key] { entries[place].columns.subtract(answered) }
      if !columns.isEmpty { add(key, columns, values) }
    }
  }

  /// An answer gave unique values of a row to another row: this row has none.
  func note(_ model: EntityModel, _ pk: Int64, valueTaken columns: ColumnMask) {
    add(Key(entity: model.number, pk: pk, uid: .null, reason: .valueTaken), columns)
  }

  /// The own keys of an object name other objects than those in whose lists it stands.
  package func note(_ model: EntityModel, _ pk: Int64, contradicted columns: ColumnMask) {
    add(Key(entity: model.number, pk: pk, uid: .null, reason: .contradicted), columns)
  }

  /// An answer deleted the target of a link that was set here, or of a pair that was added to a list here.
  func note(_ model: EntityModel, _ pk: Int64, targetDeletedThere columns: ColumnMask) {
    add(Key(entity: model.number, pk: pk, uid: .null, reason: .deletedThere), columns)
  }

  private static let merges: [Reason] = [.merged, .yielded, .conflict]

  /// The rule of an outbox decided about a column with a local edit. The column is told for that reason alone.
  func note(_ model: EntityModel, _ pk: Int64, _ reason: Reason, of column: Int, _ value: SkippedChange.Value) {
    for other in Self.merges + [.locallyEdited] {
      if let place = places[Key(entity: model.number, pk: pk, uid: .null, reason: other)] {
        entries[place].columns.remove(column)
      }
    }
    hasMerges = true
    add(Key(entity: model.number, pk: pk, uid: .null, reason: reason), ColumnMask(column), [column: value])
  }

  /// An answer that has an object once more repeats the values that a rule has decided about.
  private func withoutMerges(_ staying: MergePolicy.Staying, _ model: EntityModel, _ pk: Int64) -> MergePolicy.Staying {
    var staying = staying
    for reason in Self.merges {
      if let place = places[Key(entity: model.number, pk: pk, uid: .null, reason: reason)] {
        staying.edited.subtract(entries[place].columns)
      }
    }
    return staying
  }

  /// A row was deleted with its edits.
  func noteYielded(_ model: EntityModel, _ pk: Int64, uid: StoredValue) {
    add(Key(entity: model.number, pk: pk, uid: uid, reason: .yielded), nil)
  }

  /// An answer left a row alone as a whole.
  package func note(_ model: EntityModel, _ pk: Int64, _ reason: Reason) {
    add(Key(entity: model.number, pk: pk, uid: .null, reason: reason), nil)
  }

  /// An object was not made, because it is gone.
  ///
  /// - Parameters:
  ///   - pk: The row that the object had, if that is known.
  ///   - columns: The columns that were to refer to the object that is gone; `nil` for the object itself.
  package func noteGone(_ model: EntityModel, uid: StoredValue?, pk: Int64 = 0, _ columns: ColumnMask? = nil) {
    add(Key(entity: model.number, pk: pk, uid: uid ?? .null, reason: .gone), columns)
  }

  /// An object was not made, because an object with its uid was deleted here.
  package func noteDeletedHere(_ model: EntityModel, uid: StoredValue) {
    add(Key(entity: model.number, pk: 0, uid: uid, reason: .deletedHere), nil)
  }

  /// An object was not made, because the answer is not to insert objects.
  package func noteUnknown(_ model: EntityModel, uid: StoredValue) {
    add(Key(entity: model.number, pk: 0, uid: uid, reason: .unknown), nil)
  }

  private func add(_ key: Key, _ columns: ColumnMask?, _ values: [Int: SkippedChange.Value] = [:]) {
    let values = values.filter { columns?.contains($0.key) == true }
    if let place = places[key] {
      entries[place].values.merge(values) { _, last in last }
      if let columns { entries[place].columns.formUnion(columns) } else { entries[place].isWhole = true }
    } else if entries.count < SkippedChanges.limit {
      hasEntries = true
      places[key] = entries.count
      entries.append(Entry(key: key, columns: columns ?? ColumnMask(), values: values, isWhole: columns == nil))
    } else {
      if counted.count >= 10 * SkippedChanges.limit { counted = [] }
      if counted.insert(key).inserted { others[key.reason, default: 0] += 1 }
    }
  }
}

extension MergePolicy.Staying {
  /// - Parameters:
  ///   - isOlderVersion: Whether the answer's object is of an older version than the row.
  ///   - areAny: Whether any object of the answer is of an older version.
  fileprivate func reasons(_ isOlderVersion: Bool, _ areAny: Bool) -> [(SkippedChange.Reason, ColumnMask)] {
    guard areAny else { return [(.locallyEdited, edited), (.newerAnswer, newer), (.gone, gone)] }
    let none = ColumnMask()
    return [
      (.locallyEdited, edited), (.newerAnswer, isOlderVersion ? none : newer),
      (.olderVersion, isOlderVersion ? newer : none), (.gone, gone),
    ]
  }
}
