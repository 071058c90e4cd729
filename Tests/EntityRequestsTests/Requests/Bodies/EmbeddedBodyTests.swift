import EntityClient
import EntityTesting
import Foundation
import Testing

/// A trip with its legs, which have no uid: they live in it.
@Entity final class Trip: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  @Relationship(inverse: \Leg.trip, ordered: true) var legs: [Leg]
  var stop: Stop?

  static var basePath: String { "trips" }
}

@Entity final class Leg {
  @Key("from.city") var city: String?
  @Transformed(by: DateFormat.self) var day: Date?
  var trip: Trip?
  /// Another trip, by its uid.
  var back: Trip?
  var stop: Stop?

  enum DateFormat: Transformers.DateFormat { static var format: String { "dd.MM.yyyy" } }
}

@Entity final class Stop {
  var name: String?
  var next: Stop?
}

/// Embedded objects in the body of a request.
@Suite(.client(entities: [Trip.self, Leg.self, Stop.self, Board.self, Card.self, Pin.self])) @MainActor
struct EmbeddedBodyTests {
  private let main: EntityContext

  init() throws { main = try Client.current.store.main }

  private func text(_ object: JSONObject) -> String { object.value.description }

  @Test func `an embedded object is nested with all its properties`() async throws {
    let body: JSONValue = [
      "id": 1,
      "legs": [
        ["from": ["city": "Oslo"], "day": "02.05.2026", "back": 7, "stop": ["name": "a", "next": ["name": "b"]]],
        ["from": ["city": "Rome"]],
      ], "stop": nil,
    ]
    let trip = try #require(try await Trip.upsert(from: body).object)
    #expect(
      try text(trip.jsonObject(for: \.uid, \.stop, \.legs))
        == #"{"id":1,"legs":[{"back":7,"day":"02.05.2026","from":{"city":"Oslo"},"#
        + #""stop":{"name":"a","next":{"name":"b","next":null}}},"#
        + #"{"back":null,"day":null,"from":{"city":"Rome"},"stop":null}],"stop":null}"#)
    // The server's own words again change nothing.
    let response = try await Trip.upsert(from: trip.jsonObject(for: \.uid, \.legs, \.stop).value)
    #expect(response.counts.inserted + response.counts.updated + response.counts.deleted == 0)
  }

  @Test func `a verb sends and acknowledges embedded objects`() async throws {
    let trip = try #require(try await Trip.upsert(from: ["id": 1, "legs": [["from": ["city": "Oslo"]]]]).object)
    trip.legs[0].city = "Bergen"
    let leg = try main.insert(Leg.self)
    leg.city = "Rome"
    trip.legs.append(leg)
    trip.stop = try main.insert(Stop.self)
    trip.stop?.name = "s"
    try await main.save()
    let answer: JSONValue = [
      "id": 1, "legs": [["from": ["city": "Bergen"]], ["from": ["city": "Rome"]]], "stop": ["name": "s"],
    ]
    try StubAdapter.current.on(.put, "/trips/1", .json(answer))
    try await trip.put(\.legs, \.stop)
    #expect(trip.legs.count == 2)
    #expect(trip.legs[1] === leg)
    let pending = try await Client.current.store.pending.changes()
    #expect(pending.isEmpty)
    #expect(try main.count(Leg.all) == 2)
    #expect(try main.count(Stop.all) == 1)
  }

  @Test(arguments: [false, true]) func `a new object is posted with its embedded objects`(_ saves: Bool) async throws {
    let trip = try main.insert(Trip.self)
    let leg = try main.insert(Leg.self)
    leg.city = "Oslo"
    trip.legs = [leg]
    if saves { try await main.save() }
    try StubAdapter.current.on(.post, "/trips", .json(["id": 5, "legs": [["from": ["city": "Oslo"]]]]))
    try await trip.post(\.title, \.legs)
    let sent = try JSONValue(parsing: #require(try StubAdapter.current.requests.first?.body))
    #expect(
      sent.description
        == #"{"legs":[{"back":null,"day":null,"from":{"city":"Oslo"},"stop":null}],"title":null}"#)
    #expect(trip.uid == 5)
    #expect(trip.legs.first === leg)
    #expect(!main.hasChanges)
  }

  /// The trip has its place in the body, and the server has no uid of it yet.
  @Test func `a link to a parent without uid is left out`() throws {
    let trip = try main.insert(Trip.self)
    let leg = try main.insert(Leg.self)
    (leg.city, leg.back) = ("Oslo", trip)
    trip.legs = [leg]
    #expect(try text(trip.jsonObject(for: \.legs)) == #"{"legs":[{"day":null,"from":{"city":"Oslo"},"stop":null}]}"#)
    trip.uid = 4
    #expect(
      try text(trip.jsonObject(for: \.legs))
        == #"{"legs":[{"back":4,"day":null,"from":{"city":"Oslo"},"stop":null}]}"#)
    leg.back = try main.insert(Trip.self)
    #expect(throws: RequestError.self) { try trip.jsonObject(for: \.legs) }
  }

  @Test func `lists that are not ordered are nested too`() async throws {
    let board = try #require(
      try await Board.upsert(from: ["id": 1, "cards": [["text": "a"]], "pins": [["text": "p", "size": 2]]]).object)
    #expect(
      try text(board.jsonObject(for: \.cards, \.pins, \.cover))
        == #"{"cards":[{"size":0,"text":"a"}],"cover":null,"pins":[{"size":2,"text":"p"}]}"#)
  }

  @Test func `an object without a context is sent with its embedded objects too`() throws {
    let (trip, leg, stop) = (Trip(), Leg(), Stop())
    (leg.city, stop.name, leg.stop) = ("Oslo", "s", stop)
    trip.legs = [leg]
    #expect(
      try text(trip.jsonObject(for: \.legs))
        == #"{"legs":[{"back":null,"day":null,"from":{"city":"Oslo"},"#
        + #""stop":{"name":"s","next":null}}]}"#)
  }

  @Test func `an object that is embedded in itself is refused`() async throws {
    let trip = try main.insert(Trip.self)
    let (one, other) = (try main.insert(Stop.self), try main.insert(Stop.self))
    (trip.stop, one.next, other.next) = (one, other, one)
    let error = try await requestError { try trip.jsonObject(for: \.stop) }
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("embedded in itself"))
    // A chain that ends is sent as far as a reader takes it.
    other.next = nil
    #expect(try text(trip.jsonObject(for: \.stop)).contains(#"{"name":null,"next":null}"#))
    var last = other
    for _ in 0..<62 {
      let next = try main.insert(Stop.self)
      last.next = next
      last = next
    }
    _ = try trip.jsonObject(for: \.stop)
    last.next = try main.insert(Stop.self)
    #expect(try await requestError { try trip.jsonObject(for: \.stop) }.kind == .invalidRequest)
  }
}
