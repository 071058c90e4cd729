/// Responses of a few users each, one after the other, into a database that has all users.
struct ResponsePlan: Sendable {
  private let base: Body
  /// By turns, so that each has other ages than the one before.
  private let turns: [[Body]]
  private let percent: Int

  /// - Parameters:
  ///   - users: How many the database has.
  ///   - size: How many are in a response.
  ///   - percent: How many of a hundred responses cost no more than the one that counts.
  init(users: Int, size: Int, responses: Int, percent: Int) {
    base = Body(StandardUsers.json(count: users))
    let ids = Array(UserChoice.shuffled.ids(of: users).prefix(size * responses))
    turns = [1, 2].map { years in
      stride(from: 0, to: ids.count, by: size).map { start in
        Body(StandardUsers.json(ids: Array(ids[start..<min(start + size, ids.count)])) { _ in years })
      }
    }
    self.percent = percent
  }

  /// The average size of a response.
  var size: Int { turns[0].reduce(0) { $0 + $1.data.count } / turns[0].count }

  func contestant(_ name: String, _ make: @escaping () throws -> any IngestedRows) -> Contestant {
    let (base, turns, percent) = (base, turns, percent)
    let filled = Lazily {
      let made = try make()
      try made.ingest(base)
      return made
    }
    var turn = 0
    return Contestant(
      name: name,
      prepare: { _ = try filled.value() },
      time: {
        turn += 1
        return .percentile(percent, of: try filled.value().ingest(each: turns[turn % turns.count]))
      },
      digest: {
        let rows = try filled.value()
        return Digest.array(
          try turns.map { bodies in
            consume(try rows.ingest(each: bodies))
            return try rows.digest()
          })
      })
  }
}

extension Cost {
  /// The least cost that so many of a hundred don't exceed.
  fileprivate static func percentile(_ percent: Int, of costs: [Cost]) -> Cost {
    func value(_ values: [Double]) -> Double {
      values.isEmpty ? 0 : values.sorted()[(values.count * percent - 1) / 100]
    }
    return Cost(seconds: value(costs.map(\.seconds)), cpuSeconds: value(costs.map(\.cpuSeconds)))
  }
}
