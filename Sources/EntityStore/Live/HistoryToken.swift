extension StoreHistory {
  /// A place in the history of a store: after a commit. It can be kept in a file, so that a later run reads on from it.
  ///
  /// Tokens of one store compare in the order of its commits. A token is of no use to another store, or to a copy.
  public struct Token: Sendable, Hashable, Codable, Comparable {
    /// The identity of the file.
    let store: String
    let generation: Int64

    /// Whether one place is before another.
    ///
    /// - Parameters:
    ///   - left: A token.
    ///   - right: A token of the same store.
    public static func < (left: StoreHistory.Token, right: StoreHistory.Token) -> Bool {
      (left.generation, left.store) < (right.generation, right.store)
    }
  }

  /// The authors whose commits are read from a history.
  public enum Authors: Sendable, Hashable {
    case all
    /// Commits of these authors.
    case only(Set<String>)
    /// Commits of all authors but these: mostly of all but the reader itself.
    case except(Set<String>)

    func contains(_ author: String) -> Bool {
      switch self {
      case .all: true
      case .only(let authors): authors.contains(author)
      case .except(let authors): !authors.contains(author)
      }
    }
  }
}

extension HistoryLog {
  /// The generation that a token stands at.
  ///
  /// - Throws: ``StoreError`` of kind `historyGone` for the token of another file.
  func generation(of token: StoreHistory.Token) throws -> Int64 {
    guard try token.store == identity() else { throw Self.gone }
    return token.generation
  }
}

extension EntityContext {
  /// The place in the history that the context sees: after all commits that its objects have. Read together with the
  /// objects, it is the place from which to follow them.
  ///
  /// ```swift
  /// let (titles, token) = try await store.read { context in
  ///   (try context.fetch(Book.all.select { $0.title }), try context.historyToken())
  /// }
  /// ```
  ///
  /// - Throws: ``StoreError`` of kind `historyGone` where the file keeps no history.
  public func historyToken() throws -> StoreHistory.Token {
    try merging.entry {
      StoreHistory.Token(
        store: try HistoryLog(connection: connection, schema: core.schema).identity(),
        generation: try connection.generation())
    }
  }
}
