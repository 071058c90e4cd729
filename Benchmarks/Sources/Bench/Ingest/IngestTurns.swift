extension Contestant {
  static func ingesting(
    _ name: String, _ work: IngestWork, _ bodies: IngestBodies, _ make: @escaping () throws -> any IngestedRows
  ) -> Contestant {
    work == .cold ? .cold(name, bodies.base, make) : IngestTurns(bodies, make: make).contestant(name)
  }

  /// Each run has an empty database of its own.
  private static func cold(
    _ name: String, _ body: Body, _ make: @escaping () throws -> any IngestedRows
  ) -> Contestant {
    var rows: (any IngestedRows)?
    func fresh() throws -> any IngestedRows {
      // The one before is gone before the next is made.
      rows = nil
      let made = try make()
      rows = made
      return made
    }
    return Contestant(
      name: name,
      prepare: { _ = try fresh() },
      run: { try rows?.ingest(body) },
      digest: {
        let rows = try fresh()
        try rows.ingest(body)
        return try rows.digest()
      })
  }
}

/// One database, and the bodies that it takes by turns.
final class IngestTurns {
  private let turns: [Body]
  private let ingest: (any IngestedRows, Body) throws -> Void
  private let filled: Lazily<any IngestedRows>
  private var turn = 0

  init(
    _ bodies: IngestBodies, ingest: @escaping (any IngestedRows, Body) throws -> Void = { try $0.ingest($1) },
    make: @escaping () throws -> any IngestedRows
  ) {
    turns = bodies.turns
    self.ingest = ingest
    filled = Lazily {
      let made = try make()
      try made.ingest(bodies.base)
      return made
    }
  }

  func contestant(_ name: String) -> Contestant {
    Contestant(
      name: name,
      prepare: { _ = try self.filled.value() },
      run: { try self.run() },
      digest: {
        self.turn = 0
        return Digest.array(
          try self.turns.map { _ in
            try self.run()
            return try self.filled.value().digest()
          })
      })
  }

  private func run() throws {
    try ingest(filled.value(), turns[turn % turns.count])
    turn += 1
  }
}
