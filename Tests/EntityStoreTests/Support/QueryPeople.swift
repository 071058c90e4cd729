import EntityStore
import TestSupport

/// People with random values, in a store and above it: unsaved in the main context, and in a child.
@MainActor
struct QueryPeople {
  let test: TestStore
  let child: EntityContext
  var main: EntityContext { test.store.main }

  /// A store where some people are saved, and some changes of the main context and of the child are not.
  init(_ place: Place, _ random: inout SeededRandom) async throws {
    test = try TestStore(place)
    child = try test.store.main.child()
    try Self.change(main, &random)
    try await main.save()
    try Self.change(main, &random)
    try Self.change(child, &random)
  }

  /// The contexts that ask.
  var contexts: [EntityContext] { [main, child] }

  static func change(_ context: EntityContext, _ random: inout SeededRandom) throws {
    for _ in 0..<6 { _ = try context.insert(Person.self) }
    for _ in 0..<2 { _ = try context.insert(Team.self).uid = "\(random.next())" }
    let people = try context.fetch(Person.all)
    let teams = try context.fetch(Team.all)
    for person in people where random.chance(2) {
      if person.uid == 0 { person.uid = Int(random.next() >> 2) }
      person.name = random.element(["", "a", "b", "é", "e\u{301}", "a'b"]) ?? ""
      person.age = random.below(4)
      person.email = random.chance(3) ? nil : random.element(["x", "y", "z"])
      person.score = random.chance(3) ? nil : Double(random.below(4)) / 2
      person.boss = random.chance(3) ? nil : random.element(people)
      person.team = random.chance(3) ? nil : random.element(teams)
      if random.chance(2) {
        let note = try context.insert(Note.self)
        (note.person, note.rank) = (person, random.below(3))
      }
    }
    for person in people where random.chance(10) { try context.delete(person) }
  }
}

/// A condition on people, once in SQL and once in Swift.
@MainActor
struct PersonCondition {
  let text: String
  let sql: (QueryRow<Person>) -> EntityPredicate
  let holds: (Person) -> Bool

  static func random(_ random: inout SeededRandom) -> PersonCondition {
    let number = random.below(4)
    switch random.below(6) {
    case 0: return .init(text: "age > \(number)", sql: { $0.age > number }, holds: { $0.age > number })
    case 1: return .init(text: "email == nil", sql: { $0.email == nil }, holds: { $0.email == nil })
    case 2: return .init(text: "score < 1", sql: { $0.score < 1 }, holds: { $0.score.map { $0 < 1 } ?? false })
    case 3:
      return .init(text: "boss.age == \(number)", sql: { $0.boss.age == number }, holds: { $0.boss?.age == number })
    case 4:
      return .init(
        text: "notes.any { rank > 0 }", sql: { $0.notes.any { $0.rank > 0 } },
        holds: { $0.notes.contains { $0.rank > 0 } })
    default:
      return .init(text: "team != nil", sql: { $0.team != nil }, holds: { $0.team != nil })
    }
  }
}

/// A key of an order of people, once in SQL and once in Swift.
@MainActor
struct PersonKey {
  let text: String
  let sorted: (EntityQuery<Person>, EntityQuery<Person>.Order, EntityQuery<Person>.NilOrder?) -> EntityQuery<Person>
  /// Whether the one comes before the other, where the smallest comes first; `nil` where they are equal.
  let precedes: (Person, Person) -> Bool?
  let isNil: (Person) -> Bool

  private init(
    text: String,
    sorted:
      @escaping (EntityQuery<Person>, EntityQuery<Person>.Order, EntityQuery<Person>.NilOrder?) -> EntityQuery<Person>,
    precedes: @escaping (Person, Person) -> Bool?, isNil: @escaping (Person) -> Bool = { _ in false }
  ) {
    (self.text, self.sorted, self.precedes, self.isNil) = (text, sorted, precedes, isNil)
  }

  static func random(_ random: inout SeededRandom) -> PersonKey {
    switch random.below(6) {
    case 0: .init(text: "age", sorted: { $0.sorted(by: \.age, $1, nils: $2) }, precedes: by(\.age))
    case 1:
      .init(text: "name", sorted: { $0.sorted(by: \.name, $1, nils: $2) }, precedes: { byBytes($0.name, $1.name) })
    case 2:
      .init(
        text: "email", sorted: { $0.sorted(by: \.email, $1, nils: $2) }, precedes: { byBytes($0.email, $1.email) },
        isNil: { $0.email == nil })
    case 3:
      .init(
        text: "score", sorted: { $0.sorted(by: \.score, $1, nils: $2) }, precedes: byOptional(\.score),
        isNil: { $0.score == nil })
    case 4:
      .init(
        text: "boss.age", sorted: { $0.sorted($1, nils: $2) { $0.boss.age } }, precedes: byOptional { $0.boss?.age },
        isNil: { $0.boss == nil })
    default:
      .init(
        text: "notes.count", sorted: { $0.sorted($1, nils: $2) { $0.notes.count } }, precedes: by { $0.notes.count })
    }
  }

  static func by<V: Comparable>(_ value: @escaping (Person) -> V) -> (Person, Person) -> Bool? {
    { value($0) == value($1) ? nil : value($0) < value($1) }
  }

  static func byOptional<V: Comparable>(_ value: @escaping (Person) -> V?) -> (Person, Person) -> Bool? {
    { left, right in
      switch (value(left), value(right)) {
      case (nil, nil): nil
      case (nil, _): true
      case (_, nil): false
      case (let left?, let right?): left == right ? nil : left < right
      }
    }
  }

  static func byBytes(_ left: String?, _ right: String?) -> Bool? {
    switch (left, right) {
    case (nil, nil): nil
    case (nil, _): true
    case (_, nil): false
    case (let left?, let right?):
      left.utf8.elementsEqual(right.utf8) ? nil : left.utf8.lexicographicallyPrecedes(right.utf8)
    }
  }
}

/// A query of people, made step by step, with what it finds according to Swift.
@MainActor
struct PersonQuery {
  private(set) var query: EntityQuery<Person>
  private(set) var text: String
  /// All people of the context, by row id.
  let all: [Person]
  /// The row ids of those that meet the conditions.
  private(set) var set: Set<Int64>
  private var keys: [(key: PersonKey, isDescending: Bool, nilsFirst: Bool?)] = []
  private var isReversed = false
  private var limit: (count: Int, offset: Int)?

  init(_ all: [Person]) {
    (query, text, self.all) = (Person.all, "all", all)
    set = Set(all.map(\.entityID.pk))
  }

  /// Those that the query finds, in its order.
  var found: [Person] {
    let sorted = all.filter { set.contains($0.entityID.pk) }.sorted { left, right in
      for key in keys {
        let (isNil, isOtherNil) = (key.key.isNil(left), key.key.isNil(right))
        if isNil != isOtherNil { return isNil == (key.nilsFirst ?? !key.isDescending) }
        if let precedes = key.key.precedes(left, right) { return precedes != key.isDescending }
      }
      return (left.entityID.pk < right.entityID.pk) != isReversed
    }
    guard let limit else { return sorted }
    return Array(sorted.dropFirst(limit.offset).prefix(limit.count))
  }

  var foundIDs: Set<Int64> { Set(found.map(\.entityID.pk)) }

  private mutating func endLimit() {
    set = foundIDs
    limit = nil
  }

  mutating func sort(_ key: PersonKey, isDescending: Bool, nilsFirst: Bool? = nil) {
    query = key.sorted(query, isDescending ? .descending : .ascending, nilsFirst.map { $0 ? .first : .last })
    text += ".sorted(\(key.text)\(isDescending ? " descending" : "")\(nilsFirst.map { ", nils first: \($0)" } ?? ""))"
    keys.append((key, isDescending, nilsFirst))
  }

  mutating func limit(_ count: Int, _ offset: Int) {
    query = query.limited(to: count, offset: offset)
    text += ".limited(\(count), \(offset))"
    limit = (count, offset)
  }

  mutating func filter(_ condition: PersonCondition) {
    query = query.where(condition.sql)
    text += ".where(\(condition.text))"
    endLimit()
    set.formIntersection(all.filter(condition.holds).map(\.entityID.pk))
  }

  mutating func invert() {
    query = query.inverted()
    text += ".inverted()"
    endLimit()
    set = Set(all.map(\.entityID.pk)).subtracting(set)
  }

  mutating func reverse() {
    query = query.reversed()
    text += ".reversed()"
    endLimit()
    isReversed.toggle()
    for index in keys.indices {
      keys[index].isDescending.toggle()
      keys[index].nilsFirst?.toggle()
    }
  }

  mutating func unsort() {
    query = query.unsorted()
    text += ".unsorted()"
    endLimit()
    (keys, isReversed) = ([], false)
  }

  mutating func and(_ other: PersonQuery) {
    query = query.and(other.query)
    text += ".and(\(other.text))"
    endLimit()
    set.formIntersection(other.foundIDs)
  }

  mutating func or(_ other: PersonQuery) {
    query = query.or(other.query)
    text += ".or(\(other.text))"
    endLimit()
    set.formUnion(other.foundIDs)
  }

  static func random(_ all: [Person], _ random: inout SeededRandom, _ depth: Int) -> PersonQuery {
    var query = PersonQuery(all)
    for _ in 0..<random.below(6) {
      switch random.below(depth > 0 ? 9 : 7) {
      case 0: query.sort(.random(&random), isDescending: random.chance(2))
      case 1, 2: query.filter(.random(&random))
      case 3: query.limit(random.below(8), random.chance(2) ? 0 : random.below(3))
      case 4: query.invert()
      case 5: query.reverse()
      case 6: if random.chance(2) { query.unsort() }
      case 7: query.and(.random(all, &random, depth - 1))
      default: query.or(.random(all, &random, depth - 1))
      }
    }
    return query
  }
}
