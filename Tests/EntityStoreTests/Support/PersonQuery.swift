import EntityStore
import TestSupport

/// A query of people, made step by step, with what it finds according to Swift.
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

  /// Those whose boss is one that another query finds.
  mutating func filter(bossIn other: PersonQuery) {
    query = query.where { $0.boss.isIn(other.query) }
    text += ".where(boss.isIn(\(other.text)))"
    filter(otherIDs: other.foundIDs) { ids, person in person.boss.map { ids.contains($0.entityID.pk) } ?? false }
  }

  /// Those with a report that another query finds.
  mutating func filter(reportsIn other: PersonQuery) {
    query = query.where { $0.reports.any(in: other.query) }
    text += ".where(reports.any(in: \(other.text)))"
    filter(otherIDs: other.foundIDs) { ids, person in person.reports.contains { ids.contains($0.entityID.pk) } }
  }

  private mutating func filter(otherIDs ids: Set<Int64>, _ holds: (Set<Int64>, Person) -> Bool) {
    endLimit()
    set.formIntersection(all.filter { holds(ids, $0) }.map(\.entityID.pk))
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
    for _ in 0..<random.below(depth > 1 ? 5 : 4) {
      switch random.below(depth > 0 ? 11 : 7) {
      case 0: query.sort(.random(&random), isDescending: random.chance(2))
      case 1, 2: query.filter(.random(&random))
      case 3: query.limit(random.below(8), random.chance(2) ? 0 : random.below(3))
      case 4: query.invert()
      case 5: query.reverse()
      case 6: if random.chance(2) { query.unsort() }
      case 7: query.and(.random(all, &random, depth - 1))
      case 8: query.filter(bossIn: .random(all, &random, depth - 1))
      case 9: query.filter(reportsIn: .random(all, &random, depth - 1))
      default: query.or(.random(all, &random, depth - 1))
      }
    }
    return query
  }
}
