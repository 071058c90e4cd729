import EntityStore
import TestSchema
import TestSupport
import Testing

/// Updates and deletions by queries made of queries, against the objects that Swift finds: with unsaved changes in the main
/// context, in a child and in a unit. A read refuses them.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=10000` runs so many.
@MainActor
struct RandomizedChangeTests {
  @Test(arguments: Place.usual)
  func `changes reach the objects that Swift finds`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 24 : 6, sanitized: 2, place.rawValue) { seed, _ in
      var random = SeededRandom(seed)
      let people = try await GeneratedWorld<Person>(place, &random)
      try await people.ask(12, &random) { context, side, random in
        let query = GeneratedQuery<Person>.random(try context.fetch(Person.all), &random, 1)
        let change = try Change.random(query.all, &random)
        guard side != .read else { return try Self.checkRefused(change, query, in: context) }
        try Self.check(change, query, in: context, side)
      }
    }
  }

  /// The values of a person.
  private struct Values: Equatable {
    var name: String
    var age: Int
    var email: String?
    var boss: Int64?
    var notes: Int

    init(_ person: Person) {
      (name, age, email) = (person.name, person.age, person.email)
      (boss, notes) = (person.boss?.entityID.pk, person.notes.count)
    }
  }

  /// A change by query, and the values that it gives one of the objects.
  private struct Change {
    let text: String
    let run: (EntityContext, EntityQuery<Person>) throws -> Int
    /// `nil` for an object that goes.
    let apply: (Values, Person) -> Values?

    static func random(_ all: [Person], _ random: inout SeededRandom) throws -> Change {
      let number = random.below(4)
      switch random.below(7) {
      case 0: return .updating("age = \(number)", { $0.set(\.age, to: number) }, { values, _ in values.age = number })
      case 1:
        return .updating(
          "age + 1, name = x",
          {
            $0.set(\.age) { $0.age + 1 }
            $0.set(\.name, to: "x")
          }, { values, person in (values.age, values.name) = (person.age + 1, "x") })
      case 2:
        // The boss counts as he was before, though the update may change him too.
        return .updating(
          "email = boss.email", { $0.set(\.email) { $0.boss.email } },
          { values, person in values.email = person.boss?.email })
      case 3:
        let boss = random.chance(3) ? nil : random.element(all)
        return .updating(
          "boss = \(boss?.entityID.pk as Any)", { $0.set(\.boss, to: boss) },
          { values, _ in values.boss = boss?.entityID.pk })
      case 4:
        return .updating(
          "age = notes.count", { $0.set(\.age) { $0.notes.count } },
          { values, person in values.age = person.notes.count })
      default:
        return Change(text: "delete", run: { try $0.delete($1) }, apply: { _, _ in nil })
      }
    }

    private static func updating(
      _ text: String, _ set: @escaping (inout RowChanges<Person>) -> Void,
      _ apply: @escaping (inout Values, Person) -> Void
    ) -> Change {
      Change(text: "update \(text)", run: { try $0.update($1, set) }) { values, person in
        var values = values
        apply(&values, person)
        return values
      }
    }
  }

  nonisolated private static func checkRefused(
    _ change: Change, _ query: GeneratedQuery<Person>, in context: EntityContext
  ) throws {
    guard errorKind({ _ = try change.run(context, query.query) }) == .readOnly else {
      throw GeneratedDifference(description: "\(change.text) in a read")
    }
  }

  nonisolated private static func check(
    _ change: Change, _ query: GeneratedQuery<Person>, in context: EntityContext, _ side: GeneratedSide
  ) throws {
    let found = query.foundIDs
    var expected: [Int64: Values] = [:]
    for person in query.all {
      let (pk, values) = (person.entityID.pk, Values(person))
      expected[pk] = found.contains(pk) ? change.apply(values, person) : values
    }
    let gone = Set(query.all.map(\.entityID.pk)).subtracting(expected.keys)
    for pk in expected.keys {
      if let boss = expected[pk]?.boss, gone.contains(boss) { expected[pk]?.boss = nil }
    }
    let others = try context.count(Note.where { $0.person == nil })
    let count = try change.run(context, query.query)

    func check(_ what: String, _ isRight: Bool) throws {
      guard !isRight else { return }
      throw GeneratedDifference(description: "\(what) of \(change.text) of \(query.text), not \(found.sorted())")
    }
    try check("the count \(count)", count == found.count)
    for person in query.all {
      let values = person.isDeleted ? nil : Values(person)
      try check("\(person.entityID.pk), \(values as Any),", values == expected[person.entityID.pk])
    }
    // By SQL, too.
    let rows = try context.fetch(
      Person.all.select { ($0.entityID, $0.name, $0.age, $0.email, $0.boss, $0.notes.count) })
    try check("the rows", rows.map(\.0.pk) == expected.keys.sorted())
    for (id, name, age, email, boss, notes) in rows {
      let values = expected[id.pk]
      try check(
        "the row \(id.pk)",
        (name, age, email, boss?.pk) == (values?.name, values?.age, values?.email, values?.boss)
          && notes == values?.notes)
    }
    // Notes go with their person: in a unit at once, else with the save.
    guard side == .unit else { return }
    try check("the notes", try context.count(Note.all) == expected.values.map(\.notes).reduce(others, +))
  }
}
