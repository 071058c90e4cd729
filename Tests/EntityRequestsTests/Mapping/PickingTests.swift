import EntityClient
import EntityTesting
import Foundation
import Testing

/// Children whose values stand in their parent.
@Suite struct PickingTests {
  @Test func pickingTakesWhatIsThere() {
    let parent: ResponseObject = [
      "id": 7, "a_street": "Main St. 1", "a_city": nil, "n": 1.10, "geo": ["lat": 59.9133301234567890123],
    ]
    #expect(parent.picking("id", "a_city", "nothing") == ["id": 7, "a_city": nil])
    let child = parent.picking(["a_street": "street", "a_city": "city", "a_zip": "zip", "geo.lat": "lat"])
    #expect(child.keys == ["street", "city", "lat"])
    #expect(child["lat"] == parent["geo.lat"])
    #expect(parent.picking("nothing").keys.isEmpty)
  }

  @Test func numbersStayAsTheyAreWritten() throws {
    let parent = try ResponseObject(parsing: Data(#"{"n": 123456789012345678901234567890.10, "s": "\u00e9"}"#.utf8))
    let child = parent.picking(["n": "m", "s": "t"])
    #expect(child["m"]?.lexeme == "123456789012345678901234567890.10" && child["t"]?.string == "é")
  }

  @Test func theChildIsUpdatedAndNotMadeAgain() async throws {
    let store = try EntityStore(.inMemory, entities: [Poster.self, Cover.self])
    let first = try await Poster.upsert(from: [["id": 1, "front_color": "red", "back_color": "blue"]], in: store)
    #expect(first.counts.inserted == 1)
    let again = try await Poster.upsert(from: [["id": 1, "front_color": "red", "back_color": "blue"]], in: store)
    #expect(again.counts.rowsWritten == 0)
    try await Poster.upsert(from: [["id": 1, "front_color": "green"]], in: store)
    try await Poster.upsert(from: [["id": 1]], in: store)
    try await Poster.upsert(from: [["id": 1, "back_color": nil]], in: store)
    let colors = try await store.read { context in
      let poster = try context.fetch(Poster.self, uid: 1)
      return try [poster?.front?.color, poster?.back?.color, "\(context.count(Cover.all))"]
    }
    #expect(colors == ["green", nil, "2"])
  }

  @Test func errorsNameTheParentsPlace() async throws {
    let store = try EntityStore(.inMemory, entities: [Poster.self, Cover.self])
    let error = try await requestError { try await Poster.upsert(from: [["id": 1, "front_color": [5]]], in: store) }
    #expect(error.description.contains("front.color"))
    #expect(throws: MappingError.self) { try (["color": "a"] as ResponseObject).upsert(Cover.self) }
  }
}

/// Its two covers stand in its own fields.
final class Poster: ManagedEntity, RemoteEntity {
  static var basePath: String { "posters" }

  struct Columns: Sendable {
    let uid = Column<Poster, Int>(0, "uid")
    let front = Column<Poster, Cover?>(1, "front")
    let back = Column<Poster, Cover?>(2, "back")
  }

  static let columns = Columns()

  static var properties: [PropertyDescriptor] {
    [
      .property(\Poster.uid, columns.uid, key: "id", uid: true), .property(\Poster.front, columns.front),
      .property(\Poster.back, columns.back),
    ]
  }

  func update(with response: ResponseObject) throws {
    try response.picking(["front_color": "color"]).assign(to: &front, for: "front")
    if let back = try response.picking(["back_color": "color"]).upsert(Cover.self, for: "back") { self.back = back }
  }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }

  var _$$uid = Slot<Int>()
  var _$$front = Slot<Cover?>()
  var _$$back = Slot<Cover?>()

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }
  var front: Cover? {
    get { _get(\.front, Self.columns.front, _$$front) }
    set { _set(\.front, Self.columns.front, _$$front, newValue) { _$$front = $0 } }
  }
  var back: Cover? {
    get { _get(\.back, Self.columns.back, _$$back) }
    set { _set(\.back, Self.columns.back, _$$back, newValue) { _$$back = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.front, &_$$front)
    _load(row, Self.columns.back, &_$$back)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.front, _$$front)
    _store(&row, Self.columns.back, _$$back)
  }
}
