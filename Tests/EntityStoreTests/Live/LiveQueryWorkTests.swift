import CSQLite
import EntityStore
import Foundation
import Observation
import Synchronization
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// The commits that a live query runs again for, and those that cost it nothing.
@MainActor
struct LiveQueryWorkTests {
  private static let adults = Person.where { $0.age >= 18 }.sorted(by: \.name)

  @Test(arguments: Place.usual)
  func `a commit that cannot touch the result runs no SQL`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada", age: 30)
    let live = LiveQuery(Self.adults, in: test.store)
    let main = test.store.main
    #expect(live.objects.count == 1)
    try await test.store.edit(id) { $0.email = "a@b" }
    try await test.store.background { try $0.insert(Note.self).text = "x" }
    try main.merging.merge()
    let counter = WorkCounter(on: main.connection)
    #expect(counter.work { _ = live.objects } == 0)
    // An edit and its save, too.
    let person = try #require(live.objects.first)
    person.score = 1
    #expect(counter.work { _ = live.objects } == 0)
    try main.saveAtOnce()
    #expect(counter.work { _ = live.objects } == 0)
    // One that may touch it runs the query.
    try await test.store.edit(id) { $0.age = 31 }
    try main.merging.merge()
    #expect(counter.work { _ = live.objects } > 0)
  }

  @Test(arguments: Place.usual)
  func `the save of an edit that the result has runs no SQL`(_ place: Place) throws {
    let test = try TestStore(place)
    let live = LiveQuery(Self.adults, in: test.store)
    let main = test.store.main
    let person = try main.insert(Person.self)
    person.age = 20
    #expect(live.objects == [person])
    try main.saveAtOnce()
    let counter = WorkCounter(on: main.connection)
    #expect(counter.work { _ = live.objects } == 0)
  }

  @Test(arguments: Place.usual)
  func `a commit runs only the results that it touches`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    try await test.store.background { context in
      for uid in 0..<100 {
        let person = try context.insert(Person.self)
        person.uid = uid
        person.age = uid
      }
    }
    let all = (0..<100).map { age in
      LiveQuery(Person.where { $0.age == age && $0.name != "x" }.sorted(by: \.name), in: test.store)
    }
    #expect(all.allSatisfy { $0.objects.count == 1 })
    let people = try main.fetch(Person.all)
    let counter = WorkCounter(on: main.connection)
    // A row leaves one result and comes into another one; the others run no SQL.
    try await test.store.edit(people[5].entityID) { $0.age = 6 }
    try main.merging.merge()
    let others = all.indices.filter { $0 != 5 && $0 != 6 }
    #expect(counter.work { for index in others { _ = all[index].objects } } == 0)
    #expect(others.allSatisfy { all[$0].objects == [people[$0]] })
    #expect(all[5].objects.isEmpty)
    #expect(Set(all[6].objects.map(\.uid)) == [5, 6])
    // A new row.
    try await test.store.addPerson(100, "Ada", age: 7)
    try main.merging.merge()
    let rest = all.indices.filter { !(5...7).contains($0) }
    #expect(counter.work { for index in rest { _ = all[index].objects } } == 0)
    #expect(rest.allSatisfy { all[$0].objects == [people[$0]] })
    #expect(all[7].objects.count == 2)
    // A row that goes.
    try await test.store.background { context in
      try context.delete(try #require(try context.fetch(Person.self, uid: 8)))
    }
    try main.merging.merge()
    #expect(counter.work { for index in rest where index != 8 { _ = all[index].objects } } == 0)
    #expect(all[8].objects.isEmpty)
    // An unsaved value counts, and not that of the row.
    people[9].age = 10
    #expect(all[10].objects.count == 2)
    try await test.store.edit(people[9].entityID) { $0.name = "x" }
    try main.merging.merge()
    #expect(all[10].objects == [people[10]])
    #expect(all[9].objects.isEmpty)
  }

  @Test func `each of many results follows its own columns`() async throws {
    let test = try TestStore(.memory)
    let main = test.store.main
    try await test.store.background { context in
      for uid in 0..<900 { try context.insert(Person.self).uid = uid }
    }
    let all = (1...100).map { age in LiveQuery(Person.where { $0.age == age }, in: test.store) }
    for live in all { #expect(live.objects.isEmpty) }
    try await test.store.background { context in
      for person in try context.fetch(Person.all) { person.score = 1 }
    }
    let person = try #require(try main.fetch(Person.all).first)
    for score in 0..<10 { person.score = Double(score) }
    let counter = WorkCounter(on: main.connection)
    #expect(counter.work { for live in all { _ = live.objects } } == 0)
    person.age = 7
    #expect(all[6].objects == [person])
    person.age = 8
    #expect(all[6].objects.isEmpty)
    #expect(all[7].objects == [person])
  }
}
