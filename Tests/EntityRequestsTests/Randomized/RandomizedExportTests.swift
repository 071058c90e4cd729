import EntityClient
import Foundation
import TestSupport
import Testing

/// Random graphs with cycles, embedded objects and lists: exported, and read back by an empty store.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@Suite struct RandomizedExportTests {
  private struct Difference: Error { let text: String }

  private static let parts: [ResponsePart] = [
    .list(RopeKnot.self, at: "knots"), .list(Strand.self, at: "strands"), .list(Fray.self, at: "frays"),
    .list(Mark.self, at: "marks"),
  ]

  private static func fill(_ context: EntityContext, _ random: inout SeededRandom) throws {
    let count = 1 + random.below(5)
    func some<T>(_ list: [T], _ random: inout SeededRandom) -> [T] {
      Array(list.shuffled(using: &random).prefix(random.below(list.count + 1)))
    }
    let marks = try (0..<random.below(4)).map { number in
      let mark = try context.insert(Mark.self)
      mark.uid = "m\(number)"
      mark.title = random.chance(3) ? nil : "Mark \(number)"
      return mark
    }
    let knots = try (0..<count).map { number in
      let knot = try context.insert(RopeKnot.self)
      knot.uid = number
      return knot
    }
    func bead(_ random: inout SeededRandom) throws -> Bead {
      let bead = try context.insert(Bead.self)
      bead.color = ["red", "green", ""][random.below(3)]
      bead.size = random.chance(2) ? nil : random.below(5)
      return bead
    }
    for knot in knots {
      knot.title = random.chance(4) ? nil : "RopeKnot \(random.below(9))"
      knot.price = random.chance(3) ? nil : Decimal(random.below(100_000)) / 100
      knot.day = random.chance(3) ? nil : Date(timeIntervalSince1970: Double(86_400 * random.below(20_000)))
      knot.tags = Set(some(["a", "b", "c.d"], &random))
      knot.extra = random.chance(3) ? nil : ["n": JSONValue(random.below(9)), "none": nil, "list": [1, "x"]]
      knot.next = random.chance(4) ? nil : random.element(knots)
      knot.friends = some(knots, &random)
      knot.marks = some(marks, &random)
      if random.chance(2) {
        let seal = try context.insert(Seal.self)
        seal.text = random.chance(3) ? nil : "sealed"
        seal.maker = random.chance(3) ? nil : random.element(knots)
        seal.bead = random.chance(3) ? nil : try bead(&random)
        knot.seal = seal
      }
      knot.beads = try (0..<random.below(4)).map { _ in try bead(&random) }
    }
    let strands = try (0..<random.below(8)).map { number in
      let strand = try context.insert(Strand.self)
      strand.uid = number
      strand.length = Double(random.below(100)) / 8
      strand.knot = knots[random.below(knots.count)]
      return strand
    }
    for knot in knots where random.chance(2) {
      knot.strands = knot.strands.shuffled(using: &random)
    }
    for number in 0..<random.below(5) {
      let fray = try context.insert(Fray.self)
      fray.uid = number
      fray.strand = random.element(strands)
    }
  }

  @Test func `an exported graph is read back as it was`() async throws {
    await Seeds.each(40, sanitized: 4, "export") { seed, steps in
      var random = SeededRandom(seed)
      let (source, target) = (try knots(), try knots())
      random = try await source.background { [random] context in
        var random = random
        try Self.fill(context, &random)
        return random
      }
      let depths = (0..<4).map { _ in random.chance(5) ? 3 : random.below(3) }
      let nils: NilValues = random.chance(2) ? .sent : .leftOut
      let document = try await source.read { context in
        JSONObject(
          fields: [
            ("knots", try context.jsonArray(of: RopeKnot.all, depth: depths[0], nils: nils).value),
            ("strands", try context.jsonArray(of: Strand.all, depth: depths[1], nils: nils).value),
            ("frays", try context.jsonArray(of: Fray.all, depth: depths[2], nils: nils).value),
            ("marks", try context.jsonArray(of: Mark.all, depth: depths[3], nils: nils).value),
          ]
        ).value
      }
      steps = "depths \(depths), \(nils): \(document.description(limit: 20_000))"
      let wanted = try await source.read { try $0.knots() }
      _ = try await EntityDocument.upsert(from: document, in: target, options: .parts(Self.parts))
      let found = try await target.read { try $0.knots() }
      if found != wanted { throw Difference(text: "\(found)\n, and was\n\(wanted)") }
      let again = try await EntityDocument.upsert(from: document, in: target, options: .parts(Self.parts))
      if again.counts.rowsWritten != 0 { throw Difference(text: "\(again.counts) for the same graph") }
      // The text is the same, whichever store made it.
      let copy = try await target.read { try $0.jsonArray(of: RopeKnot.where { $0.uid == 0 }, depth: 2, nils: nils) }
      let first = try await source.read { try $0.jsonArray(of: RopeKnot.where { $0.uid == 0 }, depth: 2, nils: nils) }
      if Self.sorted(copy.value) != Self.sorted(first.value) {
        throw Difference(text: "\(copy)\nexported again, and was\n\(first)")
      }
    }
  }

  /// Lists without an order have that of the rows, which differs from store to store.
  private static func sorted(_ value: JSONValue) -> JSONValue {
    if let array = value.array {
      return JSONValue(
        array.map { sorted($0) }.sorted { $0.description(limit: 100_000) < $1.description(limit: 100_000) })
    }
    guard let object = value.object else { return value }
    return JSONObject(fields: object.map { ($0.key, sorted($0.value)) }).value
  }
}
