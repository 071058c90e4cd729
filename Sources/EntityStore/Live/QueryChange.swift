/// The difference between two results of a query, by ids.
///
/// To bring a copy of the old result up to date, take out the ``removed`` and the ``moved`` objects, beginning with the
/// last. Then put in the ``inserted`` and the ``moved`` objects, beginning with the first. Views of lists do the same
/// with `performBatchUpdates`.
public struct QueryChange<E: ManagedEntity>: Sendable {
  /// The generation of the store at which the new result was read.
  public let generation: Int64
  /// The new result.
  public let ids: [EntityID<E>]
  /// The objects that are in the new result only, ascending by place. In the first change these are all objects.
  public let inserted: [Place]
  /// The objects that were in the old result only, ascending by place.
  public let removed: [Place]
  /// The objects that moved among the objects that stay, ascending by their new places. There are as few as possible.
  public let moved: [Move]
  /// The objects of both results with columns that may have changed, in the order of the new result. After some commits
  /// nobody knows which rows changed: a commit of another process in a file without history, and a commit that changed
  /// very many rows. Then these are all objects, each with all columns.
  public let updated: [Update]

  public struct Place: Sendable, Hashable {
    public let id: EntityID<E>
    /// The place in the result that has the object, from 0.
    public let index: Int
  }

  public struct Move: Sendable, Hashable {
    public let id: EntityID<E>
    /// The place in the old result.
    public let from: Int
    /// The place in the new result.
    public let to: Int
  }

  public struct Update: Sendable {
    public let id: EntityID<E>
    /// The place in the new result.
    public let index: Int
    public let columns: ChangedColumns<E>
  }

  /// Whether both results are the same, and no object changed.
  var isEmpty: Bool { inserted.isEmpty && removed.isEmpty && moved.isEmpty && updated.isEmpty }
}

/// Properties of an entity that commits changed; all properties where nobody knows which ones changed, see
/// ``QueryChange/updated``.
public struct ChangedColumns<E: ManagedEntity>: Sendable {
  let model: EntityModel
  let mask: ColumnMask

  /// `update.columns.contains(\.email)`
  public func contains<V>(_ column: KeyPath<E.Columns, Column<E, V>>) -> Bool {
    mask.contains(E.columns[keyPath: column].index)
  }

  /// The names of the properties, in the order of declaration.
  public var names: [String] { mask.subtracting(model.nameless).indices.map { model.properties[$0].name } }
}

extension ChangedColumns: CustomStringConvertible, CustomReflectable {
  /// The names of the properties.
  public var description: String { names.isEmpty ? "none" : names.joined(separator: ", ") }

  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension QueryChange {
  /// - Parameter changed: The columns that may have changed, by row.
  init(
    from old: [Int64], to new: [Int64], changed: (Int64) -> ColumnMask?, _ model: EntityModel, generation: Int64
  ) {
    let isSame = old == new
    let oldPlaces = isSame ? [:] : Dictionary(zip(old, old.indices), uniquingKeysWith: { first, _ in first })
    var inserted: [Place] = []
    var stayed: [(pk: Int64, from: Int, to: Int)] = []
    var updated: [Update] = []
    for (index, pk) in new.enumerated() {
      let id = EntityID<E>(pk: pk)
      if !isSame {
        guard let from = oldPlaces[pk] else {
          inserted.append(Place(id: id, index: index))
          continue
        }
        stayed.append((pk, from, index))
      }
      if let mask = changed(pk) {
        updated.append(Update(id: id, index: index, columns: ChangedColumns(model: model, mask: mask)))
      }
    }
    let kept = isSame ? [] : Set(new)
    self.generation = generation
    ids = new.map { EntityID(pk: $0) }
    self.inserted = inserted
    removed =
      isSame
      ? []
      : old.enumerated().filter { !kept.contains($0.element) }
        .map { Place(id: EntityID(pk: $0.element), index: $0.offset) }
    let still = Self.longestAscending(stayed.map(\.from))
    moved = stayed.enumerated().filter { !still.contains($0.offset) }
      .map { Move(id: EntityID(pk: $0.element.pk), from: $0.element.from, to: $0.element.to) }
    self.updated = updated
  }

  /// The positions of a longest ascending part of `values`, which are all different: the objects that stay in place.
  /// Patience sorting (https://en.wikipedia.org/wiki/Longest_increasing_subsequence), n log n.
  private static func longestAscending(_ values: [Int]) -> Set<Int> {
    // For each length, the position of the smallest value that ends an ascending part of that length.
    var ends: [Int] = []
    var previous: [Int] = []
    for (position, value) in values.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      previous.append(low > 0 ? ends[low - 1] : -1)
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var longest: Set<Int> = []
    var position = ends.last ?? -1
    while position >= 0 {
      longest.insert(position)
      position = previous[position]
    }
    return longest
  }
}
