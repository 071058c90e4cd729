import EntityClient
import Observation

/// Updated by hand, and does in its update what the response says: `save`, `rollback` or `delete`.
final class Unruly: ManagedEntity, RemoteEntity {
  static var basePath: String { "unruly" }

  struct Columns: Sendable {
    let uid = Column<Unruly, Int>(0, "uid")
    let name = Column<Unruly, String?>(1, "name")
    let part = Column<Unruly, Cover?>(2, "part")
    let friend = Column<Unruly, Unruly?>(3, "friend")
    let followers = Column<Unruly, [Unruly]>(4, "followers")
  }

  static let columns = Columns()

  static var properties: [PropertyDescriptor] {
    [
      .property(\Unruly.uid, columns.uid, key: "id", uid: true),
      .property(\Unruly.name, columns.name),
      .property(\Unruly.part, columns.part),
      .property(\Unruly.friend, columns.friend),
      .property(\Unruly.followers, columns.followers, inverse: Unruly.columns.friend),
    ]
  }

  func update(with response: ResponseObject) throws {
    try response.assign("name", to: &name)
    switch response["do"]?.string {
    case "save": try entityContext?.save()
    case "rollback": entityContext?.rollback()
    case "delete": try entityContext?.delete(self)
    default: break
    }
    try response.assign("part", to: &part)
    try response.assign("friend", to: &friend)
    if response.contains("followers") { followers = try response.upsert([Unruly].self, from: "followers") ?? [] }
  }

  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }

  var _$$uid = Slot<Int>()
  var _$$name = Slot<String?>()
  var _$$part = Slot<Cover?>()
  var _$$friend = Slot<Unruly?>()
  var _$$followers = Slot<[Unruly]>()

  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }
  var name: String? {
    get { _get(\.name, Self.columns.name, _$$name) }
    set { _set(\.name, Self.columns.name, _$$name, newValue) { _$$name = $0 } }
  }
  var part: Cover? {
    get { _get(\.part, Self.columns.part, _$$part) }
    set { _set(\.part, Self.columns.part, _$$part, newValue) { _$$part = $0 } }
  }
  var friend: Unruly? {
    get { _get(\.friend, Self.columns.friend, _$$friend) }
    set { _set(\.friend, Self.columns.friend, _$$friend, newValue) { _$$friend = $0 } }
  }

  var followers: [Unruly] {
    get { _get(\.followers, Self.columns.followers, _$$followers) }
    set { _set(\.followers, Self.columns.followers, _$$followers, newValue) { _$$followers = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.name, &_$$name)
    _load(row, Self.columns.part, &_$$part)
    _load(row, Self.columns.friend, &_$$friend)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.name, _$$name)
    _store(&row, Self.columns.part, _$$part)
    _store(&row, Self.columns.friend, _$$friend)
  }
}

func unruly() throws -> EntityStore { try EntityStore(.inMemory, entities: [Unruly.self, Cover.self]) }
