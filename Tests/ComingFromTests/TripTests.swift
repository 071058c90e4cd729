import EntityClient
import Foundation
import Observation
import Testing

/// Each step of SwiftData's sample SampleTrips, and the form of *Adding and editing persistent data in your app*
/// (https://developer.apple.com/documentation/swiftdata/adding-and-editing-persistent-data-in-your-app).
@MainActor struct TripTests {
  private func day(_ number: Double) -> Date {
    Date(timeIntervalSince1970: 1_780_000_000 + number * 86_400)
  }

  private func inEachStore(_ test: @MainActor (EntityStore) async throws -> Void) async throws {
    for place in Place.allCases {
      try await place.run { try await test(filled($0)) }
    }
  }

  /// Four trips, of which one is over on day 0.
  private func filled(_ location: StoreLocation) async throws -> EntityStore {
    let store = try openTrips(location)
    let trips = [
      Trip("Spring break", to: "Oslo", from: day(20), until: day(24)),
      Trip("Grandparents", to: "Rome", from: day(5), until: day(9)),
      Trip("Skiing", to: "Oslo", from: day(-9), until: day(-2)),
      Trip("Conference", to: "Lima", from: day(-1), until: day(1)),
    ]
    trips[0].bucketList = [BucketListItem("Fjord"), BucketListItem("Museum")]
    trips[0].livingAccommodation = LivingAccommodation("Harbor Hotel", at: "2 Quay")
    trips[1].bucketList = [BucketListItem("Forum"), BucketListItem("Fountain")]
    trips[1].livingAccommodation = LivingAccommodation("Grandma's", at: "Via Appia")
    for trip in trips { try store.main.insert(trip) }
    try await store.main.save()
    return store
  }

  private func trip(_ name: String, in store: EntityStore) throws -> Trip {
    try #require(try store.main.fetchOne(Trip.where { $0.name == name }))
  }

  @Test(arguments: Place.allCases)
  func `a trip is there with its items when the store is opened again`(_ place: Place) async throws {
    try await place.run { location in
      let store = try openTrips(location)
      let new = Trip("Spring break", to: "Oslo", from: day(20), until: day(24))
      new.bucketList = [BucketListItem("Fjord", details: "By boat", isInPlan: true)]
      new.livingAccommodation = LivingAccommodation("Harbor Hotel", at: "2 Quay")
      try store.main.insert(new)
      #expect(store.main.hasChanges)
      try await store.main.save()
      #expect(!store.main.hasChanges)

      // A file is opened by a store of its own; one in memory ends with its store.
      let later = place == .file ? try openTrips(location) : store
      let trip = try #require(try later.main.fetch(Trip.self).first)
      #expect((trip === new) == (place == .memory))
      #expect([trip.name, trip.destination] == ["Spring break", "Oslo"])
      #expect([trip.startDate, trip.endDate] == [day(20), day(24)])
      #expect(trip.bucketList.map(\.title) == ["Fjord"])
      #expect(trip.bucketList.first?.isInPlan == true)
      #expect(trip.bucketList.first?.trip === trip)
      #expect(trip.livingAccommodation?.address == "2 Quay")
      #expect(trip.livingAccommodation?.isConfirmed == false)
    }
  }

  @Test func `the list has the trips to come, the next trip first`() async throws {
    try await inEachStore { store in
      let list = TripList(today: day(0), in: store)
      #expect(list.trips.map(\.name) == ["Conference", "Grandparents", "Spring break"])
      // Another start, and another end: no fetch, no save.
      try trip("Spring break", in: store).startDate = day(1)
      try trip("Conference", in: store).endDate = day(-1)
      #expect(list.trips.map(\.name) == ["Spring break", "Grandparents"])
    }
  }

  @Test func `the list hears of a trip that a task adds`() async throws {
    try await inEachStore { store in
      let list = TripList(today: day(0), in: store)
      let start = day(2)
      await confirmation { told in
        await withCheckedContinuation { (heard: CheckedContinuation<Void, Never>) in
          withObservationTracking {
            #expect(list.trips.count == 3)
          } onChange: {
            told()
            heard.resume()
          }
          Task {
            try await store.background { context in
              _ = try context.insert(Trip("Picnic", to: "Park", from: start, until: start + 3_600))
            }
          }
        }
      }
      #expect(list.trips.map(\.name) == ["Conference", "Picnic", "Grandparents", "Spring break"])
    }
  }

  @Test func `the search looks at name and destination`() async throws {
    try await inEachStore { store in
      let list = TripList(today: day(0), in: store)
      list.searchText = "oslo"
      #expect(list.trips.map(\.name) == ["Spring break"])
      list.searchText = "GRAND"
      #expect(list.trips.map(\.name) == ["Grandparents"])
      list.searchText = "100%"
      #expect(list.trips.isEmpty)
      list.searchText = ""
      #expect(list.trips.count == 3)
    }
  }

  @Test func `the items of one trip are searched`() async throws {
    try await inEachStore { store in
      let rome = try trip("Grandparents", in: store)
      #expect(
        try store.main.fetch(items(of: rome.entityID, matching: "")).map(\.title) == [
          "Forum", "Fountain",
        ])
      #expect(
        try store.main.fetch(items(of: rome.entityID, matching: "um")).map(\.title) == ["Forum"])
      #expect(try store.main.fetch(items(of: rome.entityID, matching: "Fjord")).isEmpty)
    }
  }

  @Test func `both sides of an item's trip are in step`() async throws {
    try await inEachStore { store in
      let (oslo, rome) = (try trip("Spring break", in: store), try trip("Grandparents", in: store))
      let fjord = try #require(oslo.bucketList.first)
      fjord.trip = rome  // one side is set…
      #expect(oslo.bucketList.map(\.title) == ["Museum"])  // …and both lists have it
      #expect(rome.bucketList.count == 3)
      rome.bucketList.removeAll { $0 === fjord }
      #expect(fjord.trip == nil)
      try oslo.bucketList.append(store.main.insert(BucketListItem("Opera")))
      try await store.main.save()
      #expect(
        try store.main.fetch(BucketListItem.where { $0.trip == nil }).map(\.title) == ["Fjord"])
      #expect(try store.main.fetchOne(BucketListItem.where { $0.title == "Opera" })?.trip === oslo)
    }
  }

  @Test func `a deleted trip takes its items and its accommodation along`() async throws {
    try await inEachStore { store in
      let list = TripList(today: day(0), in: store)
      let oslo = try #require(list.trips.last)
      let museum = try #require(oslo.bucketList.last)
      try await list.delete(at: [0, 2])
      #expect(list.trips.map(\.name) == ["Grandparents"])
      #expect(oslo.isDeleted)
      #expect(museum.isDeleted)
      #expect(museum.title == "Museum")  // its last values can be read
      let left = try await store.read { context in
        try (
          context.count(Trip.all), context.fetch(BucketListItem.all).map(\.title),
          context.fetch(LivingAccommodation.all).map(\.placeName)
        )
      }
      #expect(left.0 == 2)
      #expect(left.1 == ["Forum", "Fountain"])
      #expect(left.2 == ["Grandma's"])
    }
  }

  @Test func `a trip stays when its items go`() async throws {
    try await inEachStore { store in
      let oslo = try trip("Spring break", in: store)
      try store.main.delete(oslo.bucketList)
      try await store.main.save()
      #expect(!oslo.isDeleted)
      #expect(oslo.bucketList.isEmpty)
      #expect(try await store.read { try $0.exists(Trip.where { $0.name == "Spring break" }) })
      #expect(try store.main.count(LivingAccommodation.all) == 2)
    }
  }

  @Test func `a form for a new trip adds it when it is saved`() async throws {
    try await inEachStore { store in
      let list = TripList(today: day(0), in: store)
      let editor = try TripEditor(nil, in: store)
      #expect(editor.title == "Add Trip")
      #expect(editor.trip.name == "")
      editor.trip.name = "Picnic"
      editor.trip.endDate = day(3)
      #expect(editor.canSave)
      editor.trip.startDate = day(4)
      #expect(!editor.canSave)
      editor.trip.startDate = day(2)
      #expect(list.trips.count == 3)
      #expect(!store.main.hasChanges)
      try await editor.save()
      #expect(list.trips.map(\.name) == ["Conference", "Picnic", "Grandparents", "Spring break"])
      #expect(list.trips[1].entityID == editor.trip.entityID)
      #expect(try await store.read { try $0.exists(Trip.where { $0.name == "Picnic" }) })
    }
  }

  @Test func `a form for a trip changes it when it is saved`() async throws {
    try await inEachStore { store in
      let oslo = try trip("Spring break", in: store)
      let editor = try TripEditor(oslo, in: store)
      #expect(editor.title == "Edit Trip")
      #expect(editor.trip.name == "Spring break")
      #expect(!editor.canSave)
      editor.trip.name = "Easter"
      try editor.addItem("Opera")
      editor.trip.livingAccommodation?.isConfirmed = true
      #expect(oslo.name == "Spring break")
      #expect(oslo.bucketList.count == 2)
      #expect(oslo.livingAccommodation?.isConfirmed == false)
      try await editor.save()
      #expect(oslo.name == "Easter")
      #expect(oslo.bucketList.map(\.title) == ["Fjord", "Museum", "Opera"])
      #expect(oslo.livingAccommodation?.isConfirmed == true)
      #expect(
        try await store.read { try $0.count(BucketListItem.where { $0.trip.name == "Easter" }) }
          == 3)
    }
  }

  @Test func `a cancelled form leaves nothing`() async throws {
    try await inEachStore { store in
      let oslo = try trip("Spring break", in: store)
      let editor = try TripEditor(oslo, in: store)
      editor.trip.name = "Easter"
      try editor.trip.entityContext?.delete(try #require(editor.trip.bucketList.first))
      editor.cancel()
      let other = try TripEditor(nil, in: store)
      other.trip.name = "Picnic"
      other.cancel()
      #expect(!store.main.hasChanges)
      #expect(oslo.name == "Spring break")
      #expect(oslo.bucketList.count == 2)
      #expect(try store.main.count(Trip.all) == 4)
    }
  }

  @Test func `changes that are not saved are undone`() async throws {
    try await inEachStore { store in
      let list = TripList(today: day(0), in: store)
      let (oslo, rome) = (try trip("Spring break", in: store), try trip("Grandparents", in: store))
      oslo.destination = "Bergen"
      rome.name = "Family"
      try store.main.delete(rome)
      try store.main.insert(Trip("Picnic", to: "Park", from: day(2), until: day(3)))
      #expect(list.trips.map(\.name) == ["Conference", "Picnic", "Spring break"])
      try store.main.rollback(oslo)  // of one object
      #expect(oslo.destination == "Oslo")
      #expect(store.main.hasChanges)
      store.main.rollback()  // of all
      #expect(list.trips.map(\.name) == ["Conference", "Grandparents", "Spring break"])
      #expect(!rome.isDeleted)
      #expect(!store.main.hasChanges)
    }
  }

  @Test func `a preview has trips in memory of its own`() async throws {
    let (one, other) = (try previewTrips(), try previewTrips())
    #expect(
      TripList(today: day(0), in: one).trips.map(\.destination) == ["Yosemite", "Yellowstone"])
    try one.main.delete(Trip.all)
    try await one.main.save()
    #expect(try await one.read { try $0.count() } == 0)
    #expect(try await other.read { try $0.count() } == 3 * 4)
    #expect(
      try other.main.fetch(Trip.all).allSatisfy {
        $0.bucketList.count == 2 && $0.livingAccommodation != nil
      })
  }
}

/// The sample's app and its widget, each with a store of its own on one file.
@MainActor struct TripWidgetTests {
  @Test func `the app hears of what the widget confirms`() async throws {
    try await Place.file.run { location in
      let (app, widget) = (try openTrips(location), try openTrips(location))
      let trip = try await app.background { context in
        let trip = Trip("Spring break", to: "Oslo", from: .distantPast, until: .distantFuture)
        trip.livingAccommodation = LivingAccommodation("Harbor Hotel", at: "2 Quay")
        try context.insert(trip)
        try context.insert(Trip("Picnic", to: "Park", from: .distantPast, until: .distantFuture))
        return trip.entityID
      }
      var unread = confirmedTrips(in: app).makeAsyncIterator()
      #expect(try await unread.next(isolation: #isolation)?.get() == [])
      try await confirm(trip, in: widget)
      #expect(try await unread.next(isolation: #isolation)?.get() == [trip])
      #expect(try app.main.object(trip)?.livingAccommodation?.isConfirmed == true)
    }
  }
}
