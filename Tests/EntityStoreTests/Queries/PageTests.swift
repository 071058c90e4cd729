import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Where objects without a value come in an order, and pages of a query.
@MainActor
struct PageTests {
  /// Notes with the ranks 0, 1, 2, 0, 1, 2, …
  private func notes(_ place: Place, _ count: Int, isSaved: Bool = true) async throws -> TestStore {
    let test = try TestStore(place)
    for number in 0..<count {
      let note = try test.store.main.insert(Note.self)
      (note.text, note.rank) = ("\(number)", number % 3)
    }
    if isSaved { try await test.store.main.save() }
    return test
  }

  private func walk<E: ManagedEntity>(_ context: EntityContext, _ query: EntityQuery<E>, page size: Int) throws -> [[E]]
  {
    var page = try context.fetch(query, page: size)
    var pages = [page.objects]
    while let next = page.next {
      page = try context.fetch(query, page: size, after: next)
      pages.append(page.objects)
    }
    return pages
  }

  @Test(arguments: Place.usual, [false, true])
  func `objects without a value come first or last`(_ place: Place, isSaved: Bool) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let rows: [(String, Double?, Int?)] = [("Ada", 1.5, nil), ("Bob", nil, 0), ("Cid", 0.5, 1), ("Dan", nil, nil)]
    for (uid, (name, score, boss)) in rows.enumerated() {
      let person = try main.insert(Person.self)
      (person.uid, person.name, person.score) = (uid + 1, name, score)
      person.boss = try boss.flatMap { try main.fetch(Person.self, uid: $0 + 1) }
    }
    if isSaved { try await main.save() }
    func names(_ query: EntityQuery<Person>) throws -> String {
      try main.fetch(query).map(\.name).joined(separator: " ")
    }
    #expect(try names(Person.all.sorted(by: \.score)) == "Bob Dan Cid Ada")
    #expect(try names(Person.all.sorted(by: \.score, nils: .first)) == "Bob Dan Cid Ada")
    #expect(try names(Person.all.sorted(by: \.score, nils: .last)) == "Cid Ada Bob Dan")
    #expect(try names(Person.all.sorted(by: \.score, .descending)) == "Ada Cid Bob Dan")
    #expect(try names(Person.all.sorted(by: \.score, .descending, nils: .first)) == "Bob Dan Ada Cid")
    #expect(try names(Person.all.sorted(by: \.score, .descending, nils: .last)) == "Ada Cid Bob Dan")
    #expect(try names(Person.all.sorted(nils: .last) { $0.boss.name }) == "Bob Cid Ada Dan")
    // The other way round.
    #expect(try names(Person.all.sorted(by: \.score, nils: .last).reversed()) == "Dan Bob Ada Cid")
    #expect(try names(Person.all.sorted(by: \.score, .descending, nils: .first).reversed()) == "Cid Ada Dan Bob")
    #expect(try names(Person.all.sorted(by: \.score, nils: .last).sorted(by: \.name, .descending)) == "Cid Ada Dan Bob")
    #expect(
      try Person.all.sorted(by: \.score, .descending, nils: .first).sql("*").rendered(main.core.schema) {
        $0.name.quoted
      }
      .sql
        == #"SELECT * FROM "Person" AS t0 WHERE t0._placeholder = 0 ORDER BY t0."score" DESC NULLS FIRST, t0._pk"#)
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `a walk through the pages is the fetch`(_ place: Place, isSaved: Bool) async throws {
    let test = try await notes(place, 10, isSaved: isSaved)
    let main = test.store.main
    for query in [
      Note.all, Note.all.reversed(), Note.all.sorted(by: \.rank), Note.all.sorted(by: \.rank, .descending),
      Note.all.sorted(by: \.rank).reversed(), Note.all.sorted(by: \.rank, .descending).sorted(by: \.text),
      Note.where { $0.rank > 0 }.sorted(by: \.rank), Note.all.sorted(by: \.text).limited(to: 5, offset: 2),
    ] {
      let all = try main.fetch(query)
      for size in [1, 3, 5, 10, 11] {
        let pages = try walk(main, query, page: size)
        #expect(pages.flatMap(\.self) == all)
        #expect(pages.dropLast().allSatisfy { $0.count == size })
        #expect(pages.count == (all.count + size - 1) / size)
      }
    }
    #expect(try main.fetch(Note.where { $0.rank > 9 }, page: 3).objects.isEmpty)
    #expect(try main.fetch(Note.where { $0.rank > 9 }, page: 3).next == nil)
    #expect(try main.fetch(Note.all, page: .max).objects.count == 10)
    #expect(try main.fetch(Note.all, page: -3).objects.count == 1)
  }

  @Test(arguments: Place.usual)
  func `changes before the place of a page move nothing`(_ place: Place) async throws {
    let test = try await notes(place, 9)
    let main = test.store.main
    let query = Note.all.sorted(by: \.rank)
    let first = try main.fetch(query, page: 4)
    let next = try #require(first.next)
    let rest = try main.fetch(query).dropFirst(4).map(\.text)
    // The object at the place goes, one before it comes, and one behind it.
    try main.delete(first.objects[3])
    try main.insert(Note.self).rank = 0
    let late = try main.insert(Note.self)
    (late.rank, late.text) = (5, "late")
    #expect(try main.fetch(query, page: 100, after: next).objects.map(\.text) == rest + ["late"])
    try await main.save()
    #expect(try main.fetch(query, page: 100, after: next).objects.map(\.text) == rest + ["late"])
    // Another condition, in the same order.
    #expect(
      try main.fetch(Note.where { $0.rank == 2 }.sorted(by: \.rank), page: 100, after: next).objects.map(\.rank)
        == [2, 2, 2])
    let child = try main.child()
    try #require(try child.object(late.entityID)).rank = -1
    #expect(try child.fetch(query, page: 100, after: next).objects.map(\.text) == rest)
    let read = try await test.store.read { try $0.fetch(query, page: 2, after: next).objects.map(\.text) }
    #expect(read == Array(rest.prefix(2)))
  }

  @Test(arguments: Place.usual)
  func `a page cursor of another order is refused`(_ place: Place) async throws {
    let test = try await notes(place, 3)
    let main = test.store.main
    let place = try #require(try main.fetch(Note.all.sorted(by: \.rank), page: 1).next)
    for query in [
      Note.all, Note.all.sorted(by: \.text), Note.all.sorted(by: \.rank, .descending),
      Note.all.sorted(by: \.rank, nils: .last), Note.all.sorted(by: \.rank).sorted(by: \.text),
      Note.all.sorted(by: \.rank).reversed(),
    ] {
      #expect(errorKind { _ = try main.fetch(query, page: 1, after: place) } == .invalidQuery)
    }
    #expect(try main.fetch(Note.where { $0.rank < 9 }.sorted(by: \.rank), page: 9, after: place).objects.count == 2)
  }

  /// The SQL of two orders may differ in a bound value alone.
  @Test(arguments: Place.usual)
  func `a page cursor of an order by another value is refused`(_ place: Place) async throws {
    let test = try await notes(place, 3)
    let main = test.store.main
    func byRank(times factor: Int) -> EntityQuery<Note> { Note.all.sorted { $0.rank * factor } }
    let next = try #require(try main.fetch(byRank(times: 2), page: 1).next)
    for factor in [-2, 22] {
      #expect(errorKind { _ = try main.fetch(byRank(times: factor), page: 1, after: next) } == .invalidQuery)
    }
    #expect(try main.fetch(byRank(times: 2), page: 9, after: next).objects.count == 2)
  }

  @Test(arguments: Place.usual)
  func `a page cursor is kept as JSON`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let rows: [(String?, Double?)] = [("é", nil), (nil, -.infinity), ("x", 0.1), ("x", .infinity), ("e\u{301}", 1 / 3)]
    for (uid, (email, score)) in rows.enumerated() {
      let person = try main.insert(Person.self)
      (person.uid, person.email, person.score) = (uid + 1, email, score)
    }
    try await main.save()
    for query in [Person.all.sorted(by: \.score), Person.all.sorted(by: \.email, .descending).sorted(by: \.score)] {
      var found: [Person] = []
      var page = try main.fetch(query, page: 1)
      found += page.objects
      while let next = page.next {
        let kept = try JSONDecoder().decode(PageCursor<Person>.self, from: JSONEncoder().encode(next))
        #expect(kept == next)
        page = try main.fetch(query, page: 1, after: kept)
        found += page.objects
      }
      #expect(found == (try main.fetch(query)))
    }
  }

  /// A page costs as much wherever it begins, with and without unsaved changes.
  @Test(arguments: Place.usual, [false, true])
  func `an index finds the place`(_ place: Place, isChanged: Bool) async throws {
    let test = try TestStore(place)
    try await test.store.background { context in
      for number in 0..<2_000 { try context.insert(Note.self).rank = number }
    }
    let main = test.store.main
    if isChanged { try main.insert(Note.self).rank = 1_000 }
    let counter = WorkCounter(on: main.connection)
    for order in [EntityQuery<Note>.Order.ascending, .descending] {
      let query = Note.all.sorted(by: \.rank, order)
      var next = try #require(try main.fetch(query, page: 10).next)
      let early = try counter.work { next = try #require(try main.fetch(query, page: 10, after: next).next) }
      for _ in 0..<150 { next = try #require(try main.fetch(query, page: 10, after: next).next) }
      let late = try counter.work { _ = try main.fetch(query, page: 10, after: next) }
      #expect(late < early * 2, "\(late) steps, and \(early) at the beginning")
    }
  }
}
