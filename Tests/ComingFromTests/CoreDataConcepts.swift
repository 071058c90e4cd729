import EntityClient
import Foundation

// The code of the article *Coming from Core Data and SwiftData*, beside that of TripModels.swift and TripViews.swift.

// Contexts.

func postpone(_ ids: [EntityID<Trip>], by seconds: Double, in store: EntityStore) async throws -> Int {
  try await store.background { context in  // one transaction, off the main actor
    let trips = try context.objects(ids)  // those that are still there, in the order of the ids
    for trip in trips {
      trip.startDate += seconds
      trip.endDate += seconds
    }
    return trips.count
  }  // saved and committed
}

// Fetch requests.

func tripPage(after date: Date) -> EntityQuery<Trip> {
  Trip.where { $0.startDate > date }  // predicate
    .sorted(by: \.startDate).sorted(by: \.name, .descending)  // sortDescriptors
    .limited(to: 20, offset: 1)  // fetchLimit, fetchOffset
    .prefetching { ($0.bucketList, $0.livingAccommodation) }  // relationshipKeyPathsForPrefetching
}

struct TripResults {
  var count: Int
  var ids: [EntityID<Trip>]
  var rows: [(String, Date)]
  var places: [String]
  var groups: [(String, Int, Date?)]
  var end: Date?
}

func results(in context: EntityContext) throws -> TripResults {
  let query = Trip.all.sorted(by: \.startDate)
  let rows = try context.fetch(query.select { ($0.name, $0.startDate) })  // propertiesToFetch, as dictionaries
  let places = try context.fetch(query.select { $0.destination }.distinct())  // returnsDistinctResults
  let groups = try context.fetch(
    query.grouped { $0.destination }  // propertiesToGroupBy
      .having { $0.count > 1 }  // havingPredicate
      .select { ($0.key, $0.count, $0.min { $0.startDate }) })  // NSExpression: count:, min:
  return TripResults(
    count: try context.count(query),  // countResultType, fetchCount
    ids: try context.ids(query),  // managedObjectIDResultType, fetchIdentifiers
    rows: rows, places: places, groups: groups,
    end: try context.aggregate(query) { $0.max { $0.endDate } })  // NSExpression: max:
}

func forEachTrip(in context: EntityContext, _ body: (Trip) throws -> Void) throws {
  let query = Trip.all.sorted(by: \.name)
  var page = try context.fetch(query, page: 100)  // fetchBatchSize, enumerate(batchSize:)
  try page.objects.forEach(body)
  while let next = page.next {
    page = try context.fetch(query, page: 100, after: next)
    try page.objects.forEach(body)
  }
}

// Predicates.

func tripPredicates(from first: Date, to last: Date) -> [EntityQuery<Trip>] {
  [
    Trip.where { $0.name == "Skiing" },  // name == "Skiing"
    Trip.where { !($0.destination == "Oslo") },  // NOT destination == "Oslo"
    Trip.where { $0.startDate.isIn(first...last) },  // startDate BETWEEN {first, last}
    Trip.where { $0.destination.isIn(["Rome", "Lima"]) },  // destination IN {"Rome", "Lima"}
    Trip.where { $0.name.hasPrefix("S") },  // name BEGINSWITH "S"
    Trip.where { $0.name.hasSuffix("ing") },  // name ENDSWITH "ing"
    Trip.where { $0.name.ignoringCase.contains("SKI") },  // name CONTAINS[c] "SKI"
    Trip.where { $0.livingAccommodation == nil },  // livingAccommodation == nil
    Trip.where { $0.livingAccommodation.isConfirmed == true },  // livingAccommodation.isConfirmed == YES
    Trip.where { $0.bucketList.any { $0.isInPlan } },  // ANY bucketList.isInPlan == YES
    Trip.where { $0.bucketList.all { $0.isInPlan } },  // ALL bucketList.isInPlan == YES
    Trip.where { !$0.bucketList.any { $0.isInPlan } },  // NONE bucketList.isInPlan == YES
    Trip.where { $0.bucketList.count > 1 },  // bucketList.@count > 1
    // SUBQUERY(bucketList, $item, $item.isInPlan == YES AND $item.hasReservation == YES).@count > 0
    Trip.where { $0.bucketList.any { $0.isInPlan && $0.hasReservation } },
  ]
}

// Live results.

@MainActor func tripsByDestination(in store: EntityStore) -> LiveQuery<Trip> {
  LiveQuery(Trip.all.sorted(by: \.destination).sorted(by: \.startDate), in: store)
}

func apply(_ change: QueryChange<Trip>, to rows: inout [EntityID<Trip>]) {
  let gone = change.removed.map(\.index) + change.moved.map(\.from)
  for index in gone.sorted(by: >) { rows.remove(at: index) }
  let come = change.inserted.map { ($0.index, $0.id) } + change.moved.map { ($0.to, $0.id) }
  for (index, id) in come.sorted(by: { $0.0 < $1.0 }) { rows.insert(id, at: index) }
}

// Merge policies.

@MainActor func rename(_ trip: Trip, to name: String, in store: EntityStore) async throws {
  trip.name = name
  do {
    try await store.main.save(conflicts: .fail)  // NSErrorMergePolicy
  } catch let error as StoreError where error.kind == .conflict {
    print(error.conflicts)  // each with its base, the edit here and the other value
    try await store.main.save(conflicts: .mine)  // NSMergeByPropertyObjectTrumpMergePolicy
  }
}

// Uniqueness.

@Entity final class Airport {
  @UID var code: String  // what an upsert finds the object by
  @Unique var city: String?  // what no two objects share
}

func importAirports(_ cities: [String: String], into store: EntityStore) async throws {
  try await store.background { context in
    for (code, city) in cities {
      try context.upsert(Airport.self, uid: code).city = city  // the one that is there, or a new one
    }
  }
}

// Migrations.

enum Version1 {
  @Entity final class Journey {
    var title: String
    var days: Int
    var fax: String?
  }
}

enum Version2 {
  @Entity(removed: "fax") final class Journey {
    @Renamed(from: "title") var name: String
    var hours: Int
    var isOver: Bool
  }
}

let journeySteps = [
  Migration("days become hours") { step in
    try step.convert("days", of: "Journey", to: Int.self, sql: "days * 24")
    try step.rename("days", of: "Journey", to: "hours")
  }
]

// History.

func describe(_ commit: StoreCommit) -> String {
  let trips = commit.changes(of: Trip.self)
  let columns = trips.updated.flatMap(\.columns.names)
  return "\(trips.inserted.count) new, \(trips.deleted.count) gone, changed: \(columns)"
}

func follow(_ store: EntityStore) async {
  for await commit in store.commits { print(commit.generations, describe(commit)) }
}

// Deletions of many objects.

func deleteTrips(endedBefore date: Date, in store: EntityStore) async throws -> Int {
  try await store.background { try $0.delete(Trip.where { $0.endDate < date }) }
}
