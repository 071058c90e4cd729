import EntityClient
import Foundation

// The models of SwiftData's sample SampleTrips, property by property
// (https://developer.apple.com/documentation/coredata/adopting-swiftdata-for-a-core-data-app).

@Entity final class Trip {
  @Indexed var name: String
  var destination: String
  @Indexed var startDate: Date
  @Indexed var endDate: Date
  @Relationship(inverse: \BucketListItem.trip, onDelete: .cascade) var bucketList: [BucketListItem]
  @Relationship(inverse: \LivingAccommodation.trip, onDelete: .cascade) var livingAccommodation: LivingAccommodation?
}

@Entity final class BucketListItem {
  var title: String
  var details: String
  var hasReservation: Bool
  var isInPlan: Bool
  var trip: Trip?
}

@Entity final class LivingAccommodation {
  var placeName: String
  var address: String
  var isConfirmed: Bool
  var trip: Trip?
}

extension Trip {
  convenience init(_ name: String, to destination: String, from start: Date, until end: Date) {
    self.init()
    self.name = name
    self.destination = destination
    startDate = start
    endDate = end
  }
}

extension BucketListItem {
  convenience init(_ title: String, details: String = "", isInPlan: Bool = false) {
    self.init()
    self.title = title
    self.details = details
    self.isInPlan = isInPlan
  }
}

extension LivingAccommodation {
  convenience init(_ placeName: String, at address: String) {
    self.init()
    self.placeName = placeName
    self.address = address
  }
}

func openTrips(_ location: StoreLocation) throws -> EntityStore {
  try EntityStore(location, entities: [Trip.self, BucketListItem.self, LivingAccommodation.self])
}

@MainActor func previewTrips() throws -> EntityStore {
  let store = try openTrips(.inMemory)
  for (days, destination) in [(10.0, "Yosemite"), (-300, "Denali"), (40, "Yellowstone")] {
    let start = Date(timeIntervalSince1970: 1_780_000_000 + days * 86_400)
    let trip = Trip("\(destination) in spring", to: destination, from: start, until: start + 3 * 86_400)
    trip.bucketList = [BucketListItem("Hike", isInPlan: true), BucketListItem("Take pictures")]
    trip.livingAccommodation = LivingAccommodation("\(destination) Lodge", at: "1 Park Road")
    try store.main.insert(trip)  // and all that it is linked to
  }
  try store.main.save()
  return store
}
