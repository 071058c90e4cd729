import EntityClient
import EntityTesting
import TestSupport
import Testing

/// After any answers and edits, the properties that no answer had are those that a dictionary remembers.
@Suite struct RandomizedCoverageTests {
  @Test(arguments: 1...(Seeds.isSanitized ? 3 : 30)) func `coverage equals its model`(seed: UInt64) async throws {
    var run = CoverageRun(store: try Tour.store(), random: SeededRandom(seed))
    for _ in 1...25 { try await run.step() }
  }
}

private struct CoverageRun {
  let store: EntityStore
  var random: SeededRandom
  /// For each entity and uid, the properties that no answer had.
  private var model: [String: [Int: Set<String>]] = [:]
  /// The singer of each track, as the answers say.
  private var singers: [Int: Int?] = [:]
  /// Values by key, so that some answers repeat what is there.
  private static let values: [JSONValue] = [nil, "a", "b"]

  init(store: EntityStore, random: SeededRandom) {
    self.store = store
    self.random = random
  }

  private static let keys: [String: [String]] = [
    "singers": ["name", "bio", "age", "hall", "tracks"], "tracks": ["title", "words", "singer"],
    "halls": ["place", "rent", "rooms"], "rooms": ["size"],
  ]

  private mutating func flip(_ of: Int = 2) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  /// An answer has an object, or names it.
  private mutating func heard(_ entity: String, _ id: Int, _ keys: some Sequence<String>) {
    model[entity, default: [:]][id, default: Set(Self.keys[entity] ?? [])].subtract(keys)
  }

  mutating func step() async throws {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: try await edit()
    case 1...3: try await receive(TourTrack.self, "tracks")
    case 4...5: try await receive(TourHall.self, "halls")
    default: try await receive(TourSinger.self, "singers")
    }
    #expect(try await shown() == model.mapValues { $0.mapValues { $0.sorted() } })
  }

  private func shown() async throws -> [String: [Int: [String]]] {
    var all: [String: [Int: [String]]] = [:]
    all["singers"] = try await store.missing(TourSinger.self)
    all["tracks"] = try await store.missing(TourTrack.self)
    all["halls"] = try await store.missing(TourHall.self)
    all["rooms"] = try await store.missing(TourRoom.self)
    return all.filter { !$0.value.isEmpty }.mapValues { $0.mapValues { $0.sorted() } }
  }

  private mutating func edit() async throws {
    let id = Int.random(in: 1...12, using: &random)
    guard model["singers"]?[id] != nil else { return }
    let isBio = flip()
    let value = "mine \(Int.random(in: 0..<1_000_000, using: &random))"
    try await store.background { context in
      let singer = try context.fetch(TourSinger.all.including(.placeholders).where { $0.id == id }).first
      if isBio { singer?.bio = value } else { singer?.name = value }
    }
    heard("singers", id, [isBio ? "bio" : "name"])
  }

  private mutating func receive<E: RemoteEntity>(_ type: E.Type, _ entity: String) async throws {
    var objects: [JSONValue] = []
    // Each object once: which of two nested ones counts is another test's question.
    var free = Array(1...12).shuffled(using: &random)
    var tracks = Array(1...30).shuffled(using: &random)
    for _ in 0..<Int.random(in: 1...12, using: &random) where !free.isEmpty {
      objects.append(object(entity, free.removeLast(), &tracks))
    }
    let answer = JSONValue(objects)
    _ = try await store.receive(type, answer)
    #expect(try await store.receive(type, answer).counts.rowsWritten == 0)
  }

  private mutating func object(_ entity: String, _ id: Int, _ tracks: inout [Int]) -> JSONValue {
    var fields: [String: JSONValue] = ["id": JSONValue(id)]
    for key in Self.keys[entity] ?? [] where flip() {
      switch key {
      case "age", "size":
        fields[key] = key == "size" && flip() ? nil as JSONValue : JSONValue(Int.random(in: 0...1, using: &random))
      case "rent": fields[key] = flip() ? nil as JSONValue : 1.5
      case "hall", "singer":
        // Halls of singers have other uids than those that a list of halls has.
        let target = Int.random(in: 1...3, using: &random) + (key == "hall" ? 100 : 0)
        fields[key] = flip(3) ? nil as JSONValue : JSONValue(target)
        if fields[key] != nil as JSONValue { heard(key == "hall" ? "halls" : "singers", target, []) }
        if key == "singer" { singers[id] = fields[key] == nil as JSONValue ? .some(nil) : target }
      case "tracks":
        let members = tracks.isEmpty ? [] : [tracks.removeLast()]
        for (track, singer) in singers where singer == id && !members.contains(track) {
          singers[track] = .some(nil)
          heard("tracks", track, ["singer"])
        }
        for track in members {
          singers[track] = id
          heard("tracks", track, ["singer", "title"])
        }
        fields[key] = JSONValue(members.map { ["id": JSONValue($0), "title": "t"] })
      case "rooms":
        let room = Int.random(in: 1...5, using: &random)
        fields[key] = [JSONValue(room)]
        heard("rooms", room, [])
      default: fields[key] = Self.values.randomElement(using: &random)
      }
    }
    heard(entity, id, fields.keys)
    return JSONObject(fields).value
  }
}
