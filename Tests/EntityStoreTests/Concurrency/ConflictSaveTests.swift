import EntityStore
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The values that edits are based on: through saves that are under way, that fail and that are called off.
@MainActor
struct ConflictSaveTests {
  @Test(arguments: Place.usual)
  func `a merge leaves the value that an edit is based on`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.person.age = 1
    for age in 5...7 {
      try await desk.other { $0.age = age }
      try desk.main.merging.merge()
      // Set again, and back to the value that the row has by now.
      desk.person.age = age + 100
    }
    let error = try #require(storeError { try desk.main.saveAtOnce() })
    #expect(error.conflicts.map(\.base) == [.attribute(.integer(0))])
    #expect(error.conflicts.map(\.theirs) == [.attribute(.integer(7))])
    desk.person.age = 7
    #expect(!desk.person.hasChanges)
    desk.person.age = 8
    try await desk.main.save(conflicts: .fail)
    #expect(try await desk.age() == 8)
  }

  @Test(arguments: Place.usual)
  func `a rollback forgets the value that an edit was based on`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.person.age = 1
    try await desk.other { $0.age = 5 }
    desk.main.rollback()
    desk.person.age = 6
    try await desk.main.save(conflicts: .fail)
    desk.person.age = 7
    try await desk.other { $0.age = 8 }
    #expect(errorKind { try desk.main.saveAtOnce() } == .conflict)
    try desk.main.rollback(desk.person)
    #expect(desk.person.age == 8)
    desk.person.age += 1
    try desk.main.saveAtOnce()
    #expect(try await desk.age() == 9)
  }

  @Test(arguments: Place.usual)
  func `lists hear of a link that others set between the commit of a save and its end`(_ place: Place) async throws {
    let desk = try await Desk(place)
    let (store, main, id) = (desk.store, desk.main, desk.id)
    let ids = try await store.background(as: .server) { context in
      try ["a", "b"].map { uid in
        let team = try context.insert(Team.self)
        team.uid = uid
        return team.entityID
      }
    }
    let teams = try ids.map { try #require(try main.object($0)) }
    desk.person.team = teams[0]
    let block = Blocker(store)
    await block.begin()
    let save = await store.beginSave(of: desk.person)
    let next = Task.detached {
      try await store.background { try $0.object(id)?.team = try $0.object(ids[1]) }
    }
    while store.core.gate.waiting < 2 { await Task.yield() }
    let last = store.core.followers.generation + 2
    block.end()
    // The save can't end: this test has the main actor.
    while store.core.followers.generation < last { sched_yield() }
    try main.merging.merge()
    let lists = teams.map { team in Watcher { _ = team.members } }
    #expect(teams[0].members == [desk.person])
    try await save.value
    try await next.value
    #expect(lists[0].fired)
    #expect(lists[1].fired)
    #expect(teams[0].members.isEmpty)
    #expect(teams[1].members == [desk.person])
  }

  /// Not one by one: their lists are told of in turns of the main actor.
  @Test(arguments: Place.usual)
  func `lists hear of many links that others set between the commit of a save and its end`(_ place: Place) async throws
  {
    let desk = try await Desk(place)
    let (store, main) = (desk.store, desk.main)
    let teams = try ["a", "b"].map { uid in
      let team = try main.insert(Team.self)
      team.uid = uid
      return team
    }
    let people = try (10..<200).map { uid in
      let person = try main.insert(Person.self)
      person.uid = uid
      return person
    }
    try await main.save()
    for person in people { person.team = teams[0] }
    let (ids, other) = (people.map(\.entityID), teams[1].entityID)
    let block = Blocker(store)
    await block.begin()
    let save = await store.beginSave(of: people[0])
    let next = Task.detached {
      try await store.background { context in
        let team = try context.object(other)
        for id in ids { try context.object(id)?.team = team }
      }
    }
    while store.core.gate.waiting < 2 { await Task.yield() }
    let last = store.core.followers.generation + 2
    block.end()
    // The save can't end: this test has the main actor.
    while store.core.followers.generation < last { sched_yield() }
    try main.merging.merge()
    let lists = teams.map { team in Watcher { _ = team.members } }
    #expect(teams[0].members.count == people.count)
    try await save.value
    try await next.value
    for list in lists { while !list.fired { await Task.yield() } }
    #expect(teams[0].members.isEmpty)
    #expect(teams[1].members.count == people.count)
  }

  @Test(arguments: Place.usual)
  func `an edit during a save is based on the value being saved`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.main.conflictPolicy = .fail
    let block = Blocker(desk.store)
    await block.begin()
    desk.person.age = 1
    desk.person.name = "one"
    let save = await desk.store.beginSave(of: desk.person)
    desk.person.age = 2
    desk.person.age = 3
    block.end()
    try await save.value
    #expect(desk.person.hasChanges)
    try await desk.main.save()
    #expect(try await desk.age() == 3)
    // And what others do after the first save is a conflict of the second one.
    await block.begin()
    desk.person.age = 4
    let second = await desk.store.beginSave(of: desk.person)
    desk.person.age = 5
    block.end()
    try await second.value
    try await desk.other { $0.age = 9 }
    let error = try #require(storeError { try desk.main.saveAtOnce() })
    #expect(error.conflicts.map(\.base) == [.attribute(.integer(4))])
  }

  @Test(arguments: Place.usual)
  func `a save that fails gives edits back with the values that they are based on`(_ place: Place) async throws {
    let desk = try await Desk(place)
    let (main, id) = (desk.main, desk.id)
    // A unit that waits before the save commits between the edit and the save.
    let block = Blocker(desk.store)
    await block.begin()
    desk.person.age = 1
    let other = Task { try await desk.store.core.unit { rows in try Self.setAge(9, id, rows) } }
    while desk.store.core.gate.waiting == 0 { await Task.yield() }
    let save = await desk.store.beginSave(of: desk.person)
    desk.person.age = 2
    save.cancel()
    block.end()
    await #expect(throws: CancellationError.self) { try await save.value }
    try await other.value
    let error = try #require(storeError { try main.saveAtOnce(conflicts: .fail) })
    #expect(error.conflicts.map(\.base) == [.attribute(.integer(0))])
    #expect(error.conflicts.map(\.mine) == [.attribute(.integer(2))])
    #expect(error.conflicts.map(\.theirs) == [.attribute(.integer(9))])
    try main.saveAtOnce(conflicts: .byColumn(.merge(\Person.Columns.age) { $2 + ($1 - $0) }))
    #expect(desk.person.age == 11)
  }

  @Test(arguments: Place.usual)
  func `a save that fails with a conflict gives back edits that were made since`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.main.conflictPolicy = .fail
    desk.person.age = 1
    desk.person.name = "mine"
    try await desk.other { $0.age = 9 }
    let block = Blocker(desk.store)
    await block.begin()
    let save = await desk.store.beginSave(of: desk.person)
    desk.person.age = 2
    block.end()
    let kind = await asyncErrorKind { try await save.value }
    #expect(kind == .conflict)
    #expect(desk.person.age == 2)
    #expect(desk.person.name == "mine")
    let error = try #require(storeError { try desk.main.saveAtOnce() })
    #expect(error.conflicts.map(\.base) == [.attribute(.integer(0))])
    #expect(error.conflicts.map(\.mine) == [.attribute(.integer(2))])
    try desk.main.refresh(desk.person)
    try await desk.main.save()
    #expect(try await desk.age() == 2)
    #expect(try await desk.name() == "mine")
  }

  nonisolated private static func setAge(_ age: Int, _ id: EntityID<Person>, _ rows: RowWriter) throws {
    let model = try rows.schema.model(Person.self)
    var row = RowValues(count: model.properties.count)
    row[Person.columns.age.index] = .integer(Int64(age))
    _ = try rows.write(model, pk: id.pk, row, .effect)
  }

  @Test(arguments: Place.usual)
  func `a save on top of a cancelled save is no conflict`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.main.conflictPolicy = .fail
    let block = Blocker(desk.store)
    await block.begin()
    desk.person.age = 1
    let save = await desk.store.beginSave(of: desk.person)
    desk.person.age = 2
    save.cancel()
    block.end()
    // Before the first one has told that it is called off.
    try desk.main.saveAtOnce()
    await #expect(throws: CancellationError.self) { try await save.value }
    #expect(try await desk.age() == 2)
    desk.person.age = 3
    try await desk.main.save()
    #expect(try await desk.age() == 3)
  }

  @Test(arguments: Place.usual)
  func `an edit of a new object during its first save is based on that`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    person.age = 1
    let block = Blocker(test.store)
    await block.begin()
    let save = await test.store.beginSave(of: person)
    person.age = 2
    person.name = "later"
    block.end()
    try await save.value
    let id = person.entityID
    try await test.store.edit(id) { ($0.age, $0.name) = (9, "other") }
    let error = try #require(storeError { try main.saveAtOnce() })
    #expect(error.conflicts.map(\.base) == [.attribute(.text("")), .attribute(.integer(1))])
  }

  @Test(arguments: Place.usual)
  func `an edit during a save that gave way is based on the value that was dropped`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.main.conflictPolicy = .byColumn(.merge(\Person.Columns.age) { $2 + ($1 - $0) })
    desk.person.age = 1
    try await desk.other { $0.age = 10 }
    let block = Blocker(desk.store)
    await block.begin()
    let save = await desk.store.beginSave(of: desk.person)
    desk.person.age += 1
    block.end()
    try await save.value
    #expect(try await desk.age() == 11)
    #expect(desk.person.age == 2)
    try await desk.main.save()
    #expect(try await desk.age() == 12)
    #expect(desk.person.age == 12)
  }

  @Test(arguments: Place.usual)
  func `a value of a response is no edit, and an edit on top of it is an edit`(_ place: Place) async throws {
    let desk = try await Desk(place)
    let (main, person) = (desk.main, desk.person)
    main.conflictPolicy = .fail
    func respond(_ age: Int, _ policy: MergePolicy = .keepingEdits) {
      main.arrival.update = ObjectUpdate(policy: policy, state: person._$state, order: nil)
      person.age = age
      main.arrival.update = nil
    }
    respond(4)
    try await desk.other { $0.age = 5 }
    try await main.save()
    #expect(try await desk.age() == 4)
    respond(6)
    person.age = 7
    try await desk.other { $0.age = 8 }
    #expect(errorKind { try main.saveAtOnce() } == .conflict)
    respond(9, .overwritingEdits)
    try await main.save()
    #expect(try await desk.age() == 9)
  }

  @Test(arguments: Place.usual)
  func `an edit on top of an edit that was sent is based on the value that was sent`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.main.conflictPolicy = .fail
    desk.person.age = 1
    desk.person.name = "sent"
    let model = desk.person._$state.model
    let sent = SentEdits(of: desk.person, model.stored)
    desk.person.age = 2
    _ = try await desk.store.core.unit { try sent.acknowledge(on: $0) }
    try desk.main.merging.merge()
    sent.settle(desk.person)
    #expect(desk.person.hasChanges)
    try await desk.main.save()
    #expect(try await desk.age() == 2)
    #expect(try await desk.name() == "sent")
    // The server has 3 by then, so that the edit adds one to it, and not two.
    desk.person.age = 3
    let again = SentEdits(of: desk.person, model.stored)
    desk.person.age = 4
    _ = try await desk.store.core.unit { try again.acknowledge(on: $0) }
    try desk.main.merging.merge()
    again.settle(desk.person)
    try await desk.other { $0.age = 9 }
    let error = try #require(storeError { try desk.main.saveAtOnce() })
    #expect(error.conflicts.map(\.base) == [.attribute(.integer(3))])
  }

  @Test(arguments: Place.usual, [1, 2])
  func `a sent edit that the answer has written is no conflict`(_ place: Place, _ saved: Int) async throws {
    let desk = try await Desk(place)
    desk.person.age = 1
    let sent = SentEdits(of: desk.person, desk.person._$state.model.stored)
    desk.person.age = saved
    _ = try await desk.store.core.unit { try sent.acknowledge(on: $0) }
    // The save comes before the request has told the object.
    try desk.main.saveAtOnce(conflicts: .byColumn(.merge(\Person.Columns.age) { $2 + ($1 - $0) }))
    sent.settle(desk.person)
    #expect(try await desk.age() == saved)
  }

  @Test(arguments: Place.usual)
  func `live queries hear of edits that gave way`(_ place: Place) async throws {
    let desk = try await Desk(place)
    let live = LiveQuery(Person.where { $0.age >= 18 }, in: desk.store)
    desk.person.age = 20
    #expect(live.objects == [desk.person])
    try await desk.other { $0.age = 5 }
    try desk.main.merging.merge()
    #expect(live.objects == [desk.person])
    try desk.main.saveAtOnce(conflicts: .theirs)
    #expect(live.objects.isEmpty)
  }
}
