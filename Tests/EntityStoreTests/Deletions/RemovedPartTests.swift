import Foundation
import Testing

@testable import EntityStore

/// Properties and entities that the app removed: the file keeps their values, and they stand in nobody's way.
struct RemovedPartTests {
  @Test(arguments: Place.usual)
  func `values are kept and listed`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let store = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], busyTimeout: .ample)
    let parts = try await store.read { try $0.removedParts() }.map(\.description).sorted()
    #expect(
      parts == [
        "'Guest.age': Int32 (3)", "'Guest.code': String (2)", "'Guest.nickname': String (2)",
        "'Guest.perks': [Perk] (7)", "'Guest.room': -> Room (3)", "'Perk' (3)",
      ])
    #expect(try hotel.rows("SELECT _edited FROM Guest ORDER BY uid") == ["fullName", "-", "-"])
    try hotel.check(V3.all, removed: ["Perk"])
    // They block no insertion, and no deletion of what they refer to.
    try await store.background { context in
      try context.insert(V3.Guest.self).uid = 4
      for room in try context.fetch(V3.Room.all) where room.uid != 3 { try context.delete(room) }
    }
    try await store.background { context in
      try context.delete(try #require(try context.fetch(V3.Guest.self, uid: 2)))
    }
    #expect(try hotel.rows("SELECT count(*) FROM Guest") == ["3"])
  }

  @Test(arguments: Place.usual)
  func `parts that come back find their values and edits`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let before = (try hotel.guests(), try hotel.pairs("Guest,perks", "Guest"))
    do {
      let store = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], busyTimeout: .ample)
      // While they are away, the second room goes, the third guest too, and a fourth one comes.
      try await store.background { context in
        try context.delete(try #require(try context.fetch(V3.Room.self, uid: 2)))
        try context.delete(try #require(try context.fetch(V3.Guest.self, uid: 3)))
        try context.insert(V3.Guest.self).uid = 4
      }
    }
    let store = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
    #expect(
      try hotel.guests().map { $0.replacing("age,nickname", with: "nickname,age") }.dropLast().map(Self.sorted)
        == before.0.dropLast().map(Self.sorted))
    #expect(try hotel.guests("uid, fullName, nickname, code, age").last == "4||-|-|0")
    #expect(try hotel.pairs("Guest,perks", "Guest") == before.1.filter { !$0.hasPrefix("3") })
    let rooms = try await store.read { try $0.fetch(V1.Guest.all.sorted(by: \.uid)).map { $0.room?.label ?? "-" } }
    #expect(rooms == ["R1", "-", "-"])
    #expect(try await store.read { try $0.removedParts() }.isEmpty)
    try hotel.check(V1.all)
  }

  /// With the names of edited properties in order.
  private static func sorted(_ row: String) -> String {
    let parts = row.split(separator: "|", omittingEmptySubsequences: false)
    return parts.dropLast().joined(separator: "|") + "|"
      + (parts.last ?? "").split(separator: ",").sorted().joined(separator: ",")
  }

  @Test(arguments: Place.usual)
  func `a property of another type is a new property`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    _ = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], busyTimeout: .ample)
    let store = try EntityStore(hotel.location, entities: OtherTypes.all, removed: ["Perk"], busyTimeout: .ample)
    #expect(
      try await store.read {
        try $0.fetch(OtherTypes.Guest.all.sorted(by: \.uid)).map { [$0.nickname, Int($0.years)] }
      }
        == [[nil, 36], [nil, 22], [nil, 23]])
    try await store.background { try #require(try $0.fetch(OtherTypes.Guest.self, uid: 2)).nickname = 7 }
    #expect(try await store.read { try $0.removedParts() }.map(\.description).contains("'Guest.nickname': String (2)"))
    // Removed again, there are two of one name; each comes back where its type is declared.
    _ = try EntityStore(hotel.location, entities: BackAgain.all, removed: ["Perk"], busyTimeout: .ample)
    let again = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
    #expect(try hotel.guests("uid, nickname, age") == ["1|ada|36", "2|n2|22", "3|-|23"])
    #expect(
      try await again.read { try $0.removedParts() }.map(\.description).sorted() == ["'Guest.nickname': Int64 (1)"])
    try hotel.check(V1.all)
  }

  @Test(arguments: Place.usual)
  func `all removed parts are removed step by step and dropped`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    _ = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], busyTimeout: .ample)
    let drop = [Migration("drop") { try $0.dropRemoved() }]
    let store = try EntityStore(
      hotel.location, entities: Later.all, removed: ["Perk"], migrations: drop, busyTimeout: .ample)
    #expect(
      try await store.read { try $0.removedParts() }.map(\.description).sorted() == [
        "'Room.label': String (3)", "'Room.owner': -> Guest (3)",
      ])
    try hotel.check(Later.all, removed: ["Perk"], migrations: drop)
    let more = drop + [Migration("drop the label") { try $0.drop("label", of: "Room") }]
    let last = try EntityStore(
      hotel.location, entities: Later.all, removed: ["Perk"], migrations: more, busyTimeout: .ample)
    #expect(try await last.read { try $0.removedParts() }.map(\.property) == ["owner"])
    #expect(try hotel.rows("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%removed,label%'") == ["0"])
    try hotel.check(Later.all, removed: ["Perk"], migrations: more)
  }

  @Test(arguments: Place.usual)
  func `an object that turns out to be another object takes the kept values`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let store = try EntityStore(hotel.location, entities: V3.all, removed: ["Perk"], busyTimeout: .ample)
    let new = try await store.background { try $0.insert(V3.Guest.self).entityID }
    try await store.background { try #require(try $0.object(new)).uid = 1 }
    _ = try EntityStore(hotel.location, entities: V1.all, busyTimeout: .ample)
    #expect(try hotel.guests("uid, nickname, code, age").first == "1|ada|c1|36")
    #expect(try hotel.rows("SELECT instr(_edited, 'nickname') > 0 FROM Guest WHERE uid = 1") == ["1"])
  }

  @Test func `an entity that is declared is not removed`() {
    #expect(errorKind { _ = try EntityStore(.inMemory, entities: V1.all, removed: ["Guest"]) } == .invalidSchema)
  }
}
