/// The stored collections whose members, or whose order, commits changed.
struct ChangedCollections: Sendable, Equatable {
  private(set) var keys: Set<String> = []
  /// Whether any collection may have changed.
  private(set) var areAny = false

  /// Nothing is known: all collections may have changed.
  static let any = ChangedCollections(areAny: true)

  init() {}

  private init(areAny: Bool) { self.areAny = areAny }

  var isEmpty: Bool { keys.isEmpty && !areAny }

  mutating func insert(_ key: String) { keys.insert(key) }

  mutating func formUnion(_ other: ChangedCollections) {
    keys.formUnion(other.keys)
    areAny = areAny || other.areAny
  }

  /// Whether a read of the collections can have another result.
  func touches(_ read: ReadCollections) -> Bool {
    switch read {
    case .none: false
    case .some(let read): areAny || !keys.isDisjoint(with: read)
    case .any: !isEmpty
    }
  }
}

/// The stored collections that a read saw.
enum ReadCollections: Sendable, Equatable {
  case none
  case some(Set<String>)
  /// It is not known which ones.
  case any

  /// Whether the read may have seen a collection.
  func contains(_ key: String) -> Bool {
    switch self {
    case .none: false
    case .some(let keys): keys.contains(key)
    case .any: true
    }
  }

  mutating func formUnion(_ other: ReadCollections) {
    switch (self, other) {
    case (_, .none), (.any, _): break
    case (.none, _), (_, .any): self = other
    case (.some(let own), .some(let others)): self = .some(own.union(others))
    }
  }
}
