import EntityClient
import Foundation

// The state and the actions of the sample's views, without SwiftUI.

func upcomingTrips(after date: Date, matching text: String) -> EntityQuery<Trip> {
  Trip.where { $0.endDate > date }
    .where { $0.name.ignoringASCIICase.contains(text) || $0.destination.ignoringASCIICase.contains(text) }
    .sorted(by: \.startDate)
}

/// The list of the trips to come, and its search field.
@MainActor final class TripList {
  private let store: EntityStore
  private let today: Date
  private let found: LiveQuery<Trip>

  init(today: Date, in store: EntityStore) {
    self.store = store
    self.today = today
    found = LiveQuery(upcomingTrips(after: today, matching: ""), in: store)
  }

  var trips: [Trip] { found.objects }

  var searchText = "" {
    didSet { found.query = upcomingTrips(after: today, matching: searchText) }
  }

  func delete(at offsets: [Int]) async throws {
    let shown = trips
    try store.main.delete(offsets.map { shown[$0] })
    try await store.main.save()
  }
}

/// The form for a new trip, and for one that is there.
@MainActor struct TripEditor {
  let title: String
  private let draft: Draft<Trip>
  private let store: EntityStore

  init(_ trip: Trip?, in store: EntityStore) throws {
    self.store = store
    title = trip == nil ? "Add Trip" : "Edit Trip"
    draft = try trip.map { try store.main.edit($0) } ?? store.main.draft(Trip.self)
  }

  var trip: Trip { draft.object }  // the fields of the form are its properties

  var canSave: Bool { draft.hasChanges && !trip.name.isEmpty && trip.startDate <= trip.endDate }

  func addItem(_ title: String) throws {
    try draft.context.insert(BucketListItem(title)).trip = trip  // of the draft, as its trip is
  }

  func save() async throws {
    try draft.save()
    try await store.main.save()
  }

  func cancel() { draft.rollback() }
}

func items(of trip: EntityID<Trip>, matching text: String) -> EntityQuery<BucketListItem> {
  BucketListItem.where { $0.trip == trip && $0.title.contains(text) }.sorted(by: \.title)
}

/// Confirms the accommodation of a trip, as the sample's widget does.
func confirm(_ trip: EntityID<Trip>, in store: EntityStore) async throws {
  try await store.background { context in
    try context.object(trip)?.livingAccommodation?.isConfirmed = true
  }
}

func confirmedTrips(in store: EntityStore) -> StoreObservation<[EntityID<Trip>]> {
  store.observe { context in
    try context.ids(Trip.where { $0.livingAccommodation.isConfirmed == true }.sorted(by: \.startDate))
  }
}
