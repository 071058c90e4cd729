import EntityClient
import TestSupport
import Testing

/// Random responses with ordered lists, and moves that are made here, against plain arrays.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@Suite struct RandomizedOrderResponseTests {
  private struct Difference: Error { let text: String }

  /// The members of `own`, and those that the response adds, each behind the member that it stands behind there.
  private func merged(_ own: [Int], _ response: [Int]) -> [Int] {
    var result = own
    for (place, member) in response.enumerated() where !result.contains(member) {
      let before = place == 0 ? nil : result.firstIndex(of: response[place - 1])
      result.insert(member, at: before.map { $0 + 1 } ?? 0)
    }
    return result
  }

  @Test(arguments: ChartList.allCases)
  func `lists agree with arrays`(_ list: ChartList) async throws {
    await Seeds.each(15, sanitized: 2, list.rawValue) { seed, steps in
      var random = SeededRandom(seed)
      let store = try EntityStore(.inMemory, entities: Chart.all, busyTimeout: .seconds(60))
      var (server, local, isEdited) = ([1, 2, 3, 4], [1, 2, 3, 4], false)
      var log: [String] = []
      defer { steps = log.joined(separator: "; ") }
      _ = try await list.receive(server, in: store)
      for step in 0..<25 {
        switch random.below(5) {
        case 0:
          local.shuffle(using: &random)
          let order = local
          log.append("here \(order)")
          let before = try await list.read(store)
          isEdited = isEdited || before != order
          try await store.background { try list.edit($0) { $0 = order } }
        case 1:
          server.shuffle(using: &random)
          log.append("overwritten by \(server)")
          _ = try await list.receive(server, in: store, localEdits: .overwrite)
          (local, isEdited) = (server, false)
        default:
          // A moved pair that goes takes its mark with it: of an edited list nothing is taken out.
          if !isEdited, server.count > 2 { server.remove(at: random.below(server.count)) }
          for new in 0..<random.below(3) { server.insert(100 * (step + 1) + new, at: random.below(server.count + 1)) }
          if random.chance(2) { server.swapAt(random.below(server.count), random.below(server.count)) }
          log.append("response \(server)")
          _ = try await list.receive(server, in: store)
          local = isEdited ? merged(local, server) : server
          let again = try await list.receive(server, in: store)
          if again.rowsWritten != 0 { throw Difference(text: "\(again) for the same response") }
        }
        let read = try await list.read(store)
        if read != local { throw Difference(text: "\(read), and \(local) was expected") }
      }
    }
  }
}
