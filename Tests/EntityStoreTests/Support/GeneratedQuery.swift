import TestSupport

@testable import EntityStore

/// A query, made step by step, with what it finds according to Swift.
struct GeneratedQuery<E: Generated> {
  private(set) var query: EntityQuery<E>
  private(set) var text: String
  /// All objects of the context, by row id.
  let all: [E]
  /// The row ids of those that meet the conditions.
  private(set) var set: Set<Int64>
  private var keys: [(key: GeneratedKey<E>, isDescending: Bool, nilsFirst: Bool?)] = []
  private var isReversed = false
  private var limit: (count: Int, offset: Int)?

  /// - Parameter base: A query for all objects: queries that begin with the same one have the same name of their row.
  init(_ all: [E], base: EntityQuery<E> = E.all) {
    (query, text, self.all) = (base, "all", all)
    set = Set(all.map(\.entityID.pk))
  }

  /// Those that the query finds, in its order.
  var found: [E] {
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

  mutating func sort(_ key: GeneratedKey<E>, isDescending: Bool, nilsFirst: Bool? = nil) {
    query = key.sorted(query, isDescending ? .descending : .ascending, nilsFirst.map { $0 ? .first : .last })
    text += ".sorted(\(key.text)\(isDescending ? " descending" : "")\(nilsFirst.map { ", nils first: \($0)" } ?? ""))"
    keys.append((key, isDescending, nilsFirst))
  }

  mutating func limit(_ count: Int, _ offset: Int) {
    query = query.limited(to: count, offset: offset)
    text += ".limited(\(count), \(offset))"
    let before = limit ?? (count: .max, offset: 0)
    limit = (min(count, max(0, before.count - offset)), before.offset + offset)
  }

  mutating func filter(_ condition: GeneratedCondition<E>) {
    query = query.where(condition.sql)
    text += ".where(\(condition.text))"
    endLimit()
    set.formIntersection(all.filter(condition.holds).map(\.entityID.pk))
  }

  /// Those whose link leads to a given object, or to another one, or none.
  ///
  /// - Parameter id: Of an object of this context or of another one, of a deleted object, or of none.
  mutating func filter(linkIs id: EntityID<E>, isNegated: Bool) {
    query = query.where { isNegated ? E.link(of: $0) != id : E.link(of: $0) == id }
    text += ".where(link \(isNegated ? "!=" : "==") \(id.pk))"
    filter(otherIDs: [id.pk]) { ids, object in
      (object.linked.map { ids.contains($0.entityID.pk) } ?? false) != isNegated
    }
  }

  /// Those whose link leads to one of some objects.
  mutating func filter(linkIn ids: [EntityID<E>]) {
    query = query.where { E.link(of: $0).isIn(ids) }
    text += ".where(link.isIn(\(ids.map(\.pk))))"
    filter(otherIDs: Set(ids.map(\.pk))) { ids, object in
      object.linked.map { ids.contains($0.entityID.pk) } ?? false
    }
  }

  /// Those whose link leads to one that another query finds.
  mutating func filter(linkIn other: GeneratedQuery) {
    query = query.where { E.link(of: $0).isIn(other.query) }
    text += ".where(link.isIn(\(other.text)))"
    filter(otherIDs: other.foundIDs) { ids, object in object.linked.map { ids.contains($0.entityID.pk) } ?? false }
  }

  /// Those with an object in their list that another query finds.
  mutating func filter(listIn other: GeneratedQuery) {
    query = query.where { E.list(of: $0).any(in: other.query) }
    text += ".where(list.any(in: \(other.text)))"
    filter(otherIDs: other.foundIDs) { ids, object in object.listed.contains { ids.contains($0.entityID.pk) } }
  }

  private mutating func filter(otherIDs ids: Set<Int64>, _ holds: (Set<Int64>, E) -> Bool) {
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

  mutating func and(_ other: GeneratedQuery) {
    query = query.and(other.query)
    text += ".and(\(other.text))"
    endLimit()
    set.formIntersection(other.foundIDs)
  }

  mutating func or(_ other: GeneratedQuery) {
    query = query.or(other.query)
    text += ".or(\(other.text))"
    endLimit()
    set.formUnion(other.foundIDs)
  }

  /// Those of which a relationship leads to an object that another query finds, where that query names the row around it.
  ///
  /// - Parameters:
  ///   - pair: The condition of the other query on its row and on the one around it.
  ///   - most: The limit of the other query.
  mutating func filter(_ way: Correlation, _ other: GeneratedQuery, _ pair: GeneratedPair<E>, most: Int?) {
    func inner(_ around: QueryRow<E>) -> EntityQuery<E> {
      // `and` keeps the name of the row, `where` gives the row another one.
      let query = other.query.and(E.where { pair.sql($0, around) })
      return most.map { query.limited(to: $0) } ?? query
    }
    let outer = E.where { around in
      switch way {
      case .link: E.link(of: around).isIn(inner(around))
      case .list: E.list(of: around).any(in: inner(around))
      case .noneOfList: E.list(of: around).all { member in !E.link(of: member).isIn(inner(around)) }
      }
    }
    query = query.and(outer)
    text += ".and(\(way)(\(other.text).and(\(pair.text))\(most.map { ".limited(\($0))" } ?? "")))"
    func found(_ around: E) -> Set<Int64> {
      var inner = other
      inner.endLimit()
      inner.set = Set(
        inner.all.filter { inner.set.contains($0.entityID.pk) && pair.holds($0, around) }.map(\.entityID.pk))
      if let most { inner.limit = (most, 0) }
      return inner.foundIDs
    }
    endLimit()
    set.formIntersection(
      all.filter { around in
        let found = found(around)
        func isFound(_ object: E?) -> Bool { object.map { found.contains($0.entityID.pk) } ?? false }
        return switch way {
        case .link: isFound(around.linked)
        case .list: around.listed.contains(where: isFound)
        case .noneOfList: around.listed.allSatisfy { !isFound($0.linked) }
        }
      }.map(\.entityID.pk))
  }

  /// Where a query stands that names the row around it.
  enum Correlation: CaseIterable {
    case link, list, noneOfList
  }

  static func random(
    _ all: [E], _ random: inout SeededRandom, _ depth: Int, base: EntityQuery<E> = E.all
  ) -> GeneratedQuery {
    var query = GeneratedQuery(all, base: base)
    func other() -> GeneratedQuery {
      .random(all, &random, depth - 1, base: random.chance(2) ? base : E.all)
    }
    // Row ids beside those of the objects: of objects that this context deleted, of rows of which only the uid is known,
    // of another context's new objects, or of none.
    func otherID() -> EntityID<E> {
      let known = Set(all.map(\.entityID.pk))
      let others = known.flatMap { [$0 - 1, $0 + 1] }.filter { !known.contains($0) }
      return EntityID(pk: random.element(others.sorted()) ?? 0)
    }
    for _ in 0..<random.below(depth > 1 ? 5 : 4) {
      switch random.below(depth > 0 ? 15 : 9) {
      case 0: query.sort(E.key(&random), isDescending: random.chance(2))
      case 1, 2: query.filter(E.condition(&random))
      case 3: query.limit(random.below(8), random.chance(2) ? 0 : random.below(3))
      case 4: query.invert()
      case 5: query.reverse()
      case 6: if random.chance(2) { query.unsort() }
      case 7:
        let linked = random.element(all.compactMap(\.linked?.entityID)) ?? otherID()
        query.filter(linkIs: random.chance(2) ? otherID() : linked, isNegated: random.chance(3))
      case 8:
        let linked = all.compactMap(\.linked?.entityID).filter { _ in random.chance(3) }
        query.filter(linkIn: linked + (0..<random.below(3)).map { _ in otherID() })
      case 9: query.and(other())
      case 10: query.filter(linkIn: other())
      case 11: query.filter(listIn: other())
      case 12, 13:
        let most = random.chance(2) ? 1 + random.below(3) : nil
        let inner = GeneratedQuery.random(all, &random, 0, base: random.chance(2) ? base : E.all)
        query.filter(random.element(Correlation.allCases) ?? .link, inner, E.pair(&random), most: most)
      default: query.or(other())
      }
    }
    return query
  }
}
