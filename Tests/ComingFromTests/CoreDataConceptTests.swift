import EntityClient
import Foundation
import Testing

/// The code of the article *Coming from Core Data and SwiftData* does as the article says.
@MainActor struct CoreDataConceptTests {
  private func day(_ number: Double) -> Date { Date(timeIntervalSince1970: 1_780_000_000 + number * 86_400) }

  private func inEachStore(_ test: @MainActor (EntityStore) async throws -> Void) async throws {
    for place in Place.allCases {
      try await place.run { try await test(filled($0)) }
    }
  }

  private func filled(_ location: StoreLocation) async throws -> EntityStore {
    let store = try openTrips(location)
    let trips = [
      Trip("Break", to: "Oslo", from: day(20), until: day(24)),
      Trip("Family", to: "Rome", from: day(5), until: day(9)),
      Trip("Skiing", to: "Oslo", from: day(-9), until: day(-2)),
      Trip("Meeting", to: "Lima", from: day(-1), until: day(1)),
    ]
    trips[0].bucketList = [BucketListItem("Fjord", isInPlan: true), BucketListItem("Museum")]
    trips[1].bucketList = [BucketListItem("Forum", isInPlan: true)]
    trips[1].bucketList[0].hasReservation = true
    trips[0].livingAccommodation = LivingAccommodation("Harbor Hotel", at: "2 Quay")
    trips[1].livingAccommodation = LivingAccommodation("Grandma's", at: "Via Appia")
    trips[1].livingAccommodation?.isConfirmed = true
    for trip in trips { try store.main.insert(trip) }
    try await store.main.save()
    return store
  }

  private func names(_ query: EntityQuery<Trip>, in store: EntityStore) throws -> [String] {
    try store.main.fetch(query).map(\.name)
  }

  // A closure in a macro's argument and one in the next statement get one symbol (6.3.1): a function of its own has none.
  private func trip(_ name: String, in store: EntityStore) throws -> Trip {
    try #require(try store.main.fetchOne(Trip.where { $0.name == name }))
  }

  @Test func `a unit of work takes ids and the main context has its changes`() async throws {
    try await inEachStore { store in
      let trip = try trip("Break", in: store)
      let ids = try store.main.ids(Trip.where { $0.destination == "Oslo" })
      let count = try await postpone(ids, by: 86_400, in: store)
      #expect(ids.count == 2)
      #expect(count == 2)
      #expect(trip.startDate == day(21))
      #expect(try store.main.object(trip.entityID) === trip)
      _ = try await store.background { try $0.delete(Trip.where { $0.name == "Skiing" }) }
      let rest = try await postpone(ids, by: 86_400, in: store)
      #expect(rest == 1)
    }
  }

  @Test func `a query has what a fetch request has`() async throws {
    try await inEachStore { store in
      let tie = Trip("Zoo", to: "Rome", from: day(5), until: day(6))
      try store.main.insert(tie)
      #expect(try names(tripPage(after: day(-5)), in: store) == ["Zoo", "Family", "Break"])
      try await store.main.save()
      store.main.resetStatistics()
      let trips = try store.main.fetch(tripPage(after: day(-5)))
      #expect(trips.map { $0.bucketList.count } == [0, 1, 2])
      #expect(trips.map { $0.livingAccommodation?.isConfirmed } == [nil, true, false])
      #expect(store.main.statistics.lists + store.main.statistics.faults == 0)
    }
  }

  @Test func `a query gives counts, ids, values and groups`() async throws {
    try await inEachStore { store in
      let found = try results(in: store.main)
      #expect(found.count == 4)
      #expect(try store.main.objects(found.ids).map(\.name) == ["Skiing", "Meeting", "Family", "Break"])
      #expect(found.rows.map(\.0) == ["Skiing", "Meeting", "Family", "Break"])
      #expect(found.rows.map(\.1) == [day(-9), day(-1), day(5), day(20)])
      #expect(found.places == ["Oslo", "Lima", "Rome"])
      #expect(found.groups.map(\.0) == ["Oslo"])
      #expect(found.groups.map(\.1) == [2])
      #expect(found.groups.map(\.2) == [day(-9)])
      #expect(found.end == day(24))
    }
  }

  @Test func `pages go through all objects once`() async throws {
    try await inEachStore { store in
      try await store.background { context in
        for number in 1...250 {
          try context.insert(Trip("walk \(number)", to: "Park", from: .distantPast, until: .distantFuture))
        }
        var seen: [String] = []
        try forEachTrip(in: context) { seen.append($0.name) }
        #expect(seen.count == 254)
        #expect(seen == seen.sorted())
      }
    }
  }

  @Test func `a predicate finds the objects that the predicate format finds`() async throws {
    try await inEachStore { store in
      let found = try tripPredicates(from: day(-1), to: day(5)).map { try names($0, in: store) }
      let expected: [[String]] = [
        ["Skiing"], ["Family", "Meeting"], ["Family", "Meeting"], ["Family", "Meeting"], ["Skiing"],
        ["Skiing", "Meeting"], ["Skiing"], ["Skiing", "Meeting"], ["Family"], ["Break", "Family"],
        ["Family", "Skiing", "Meeting"], ["Skiing", "Meeting"], ["Break"], ["Family"],
      ]
      #expect(found == expected)
    }
  }

  @Test func `a live query has sections`() async throws {
    try await inEachStore { store in
      let live = tripsByDestination(in: store)
      let sections = live.sections(by: \.destination)
      #expect(sections.map(\.id) == ["Lima", "Oslo", "Rome"])
      #expect(sections[1].objects.map(\.name) == ["Skiing", "Break"])
      try store.main.fetchOne(Trip.where { $0.name == "Break" })?.destination = "Lima"
      #expect(live.sections(by: \.destination).map(\.objects.count) == [2, 1, 1])
    }
  }

  @Test func `changes bring a copy of a list up to date`() async throws {
    try await inEachStore { store in
      let query = Trip.all.sorted(by: \.name)
      var changes = store.changes(of: query).makeAsyncIterator()
      var rows: [EntityID<Trip>] = []
      let first = try #require(try await changes.next(isolation: #isolation)?.get())
      apply(first, to: &rows)
      #expect(try store.main.objects(rows).map(\.name) == ["Break", "Family", "Meeting", "Skiing"])
      try await store.background { context in
        try context.delete(Trip.where { $0.name == "Family" })
        try context.fetchOne(Trip.where { $0.name == "Break" })?.name = "Zoo"
        try context.insert(Trip("Nap", to: "Home", from: .distantPast, until: .distantFuture))
      }
      let second = try #require(try await changes.next(isolation: #isolation)?.get())
      apply(second, to: &rows)
      #expect(rows == second.ids)
      #expect(try store.main.objects(rows).map(\.name) == ["Meeting", "Nap", "Skiing", "Zoo"])
    }
  }

  @Test func `the save decides about a conflict`() async throws {
    try await inEachStore { store in
      let trip = try trip("Break", in: store)
      let id = trip.entityID
      trip.name = "Easter"
      try await store.background { try $0.object(id)?.name = "Pause" }
      await #expect(throws: StoreError.self) { try await store.main.save(conflicts: .fail) }
      #expect(trip.hasChanges)
      try await rename(trip, to: "Holiday", in: store)
      #expect(!trip.hasChanges)
      #expect(try await store.read { try $0.object(id)?.name } == "Holiday")
    }
  }

  @Test func `an upsert takes the object with the uid and an insert is refused`() async throws {
    for place in Place.allCases {
      try await place.run { location in
        let store = try EntityStore(location, entities: [Airport.self])
        try await importAirports(["OSL": "Oslo", "LIM": "Lima"], into: store)
        let oslo = try #require(try store.main.fetch(Airport.self, uid: "OSL"))
        try await importAirports(["OSL": "Gardermoen", "FCO": "Rome"], into: store)
        #expect(oslo.city == "Gardermoen")
        #expect(try store.main.count(Airport.all) == 3)
        for (code, city) in [("OSL", "Other"), ("TRF", "Rome")] {
          let new = try store.main.insert(Airport.self)
          new.code = code
          new.city = city
          let error = await #expect(throws: StoreError.self) { try await store.main.save() }
          #expect(error?.kind == .uniqueViolation)
          try store.main.rollback(new)
        }
      }
    }
  }

  @Test func `a file of the first version is brought to the second`() async throws {
    try await Place.file.run { location in
      let old = try EntityStore(location, entities: [Version1.Journey.self])
      try await old.background { context in
        let journey = try context.insert(Version1.Journey.self)
        journey.title = "Skiing"
        journey.days = 3
        journey.fax = "123"
      }
      try await old.close()
      let new = try EntityStore(location, entities: [Version2.Journey.self], migrations: journeySteps)
      let journey = try #require(try new.main.fetch(Version2.Journey.self).first)
      #expect(journey.name == "Skiing")
      #expect(journey.hours == 72)
      #expect(!journey.isOver)
      try await new.close()
    }
  }

  @Test func `a commit says what it changed`() async throws {
    try await inEachStore { store in
      var commits = store.commits.makeAsyncIterator()
      try await store.background { context in
        try context.fetchOne(Trip.where { $0.name == "Break" })?.name = "Pause"
        try context.delete(Trip.where { $0.name == "Skiing" })
        try context.insert(Trip("Nap", to: "Home", from: .distantPast, until: .distantFuture))
      }
      let commit = try #require(await commits.next(isolation: #isolation))
      #expect(describe(commit) == #"1 new, 1 gone, changed: ["name"]"#)
    }
  }

  @Test func `a deletion by query follows the rules`() async throws {
    try await inEachStore { store in
      let count = try await deleteTrips(endedBefore: day(9.5), in: store)
      #expect(count == 3)
      #expect(try store.main.fetch(BucketListItem.self).map(\.title) == ["Fjord", "Museum"])
      #expect(try store.main.count(LivingAccommodation.all) == 1)
    }
  }
}
