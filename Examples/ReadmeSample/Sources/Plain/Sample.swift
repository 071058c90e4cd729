import Adapters
import EntityClient
import Foundation

nonisolated final class User: ManagedEntity {
  var uid: Int {
    get { _get(\.uid, Self.columns.uid, _$$uid) }
    set { _set(\.uid, Self.columns.uid, _$$uid, newValue) { _$$uid = $0 } }
  }
  var email: String? {
    get { _get(\.email, Self.columns.email, _$$email) }
    set { _set(\.email, Self.columns.email, _$$email, newValue) { _$$email = $0 } }
  }
  var createdAt: Date? {
    get { _get(\.createdAt, Self.columns.createdAt, _$$createdAt) }
    set { _set(\.createdAt, Self.columns.createdAt, _$$createdAt, newValue) { _$$createdAt = $0 } }
  }
  var address: Address? {  // to-one
    get { _get(\.address, Self.columns.address, _$$address) }
    set { _set(\.address, Self.columns.address, _$$address, newValue) { _$$address = $0 } }
  }

  // From here on it is what the @Entity macro will write.
  struct Columns: Sendable {
    let uid = Column<User, Int>(0, "uid")
    let email = Column<User, String?>(1, "email")
    let createdAt = Column<User, Date?>(2, "createdAt")
    let address = Column<User, Address?>(3, "address")
  }
  static let columns = Columns()
  static var properties: [PropertyDescriptor] {
    [
      .property(\User.uid, columns.uid, key: "id", uid: true), .property(\User.email, columns.email),
      .property(\User.createdAt, columns.createdAt),  // read from "created_at"
      .property(\User.address, columns.address),
    ]
  }
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var _$$uid = Slot<Int>(), _$$email = Slot<String?>(), _$$createdAt = Slot<Date?>(), _$$address = Slot<Address?>()
  func _$load(_ row: RowReader) {
    _load(row, Self.columns.uid, &_$$uid)
    _load(row, Self.columns.email, &_$$email)
    _load(row, Self.columns.createdAt, &_$$createdAt)
    _load(row, Self.columns.address, &_$$address)
  }
  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.uid, _$$uid)
    _store(&row, Self.columns.email, _$$email)
    _store(&row, Self.columns.createdAt, _$$createdAt)
    _store(&row, Self.columns.address, _$$address)
  }
}

nonisolated final class Address: ManagedEntity {  // no uid: it lives in its user
  var city: String? {
    get { _get(\.city, Self.columns.city, _$$city) }
    set { _set(\.city, Self.columns.city, _$$city, newValue) { _$$city = $0 } }
  }

  struct Columns: Sendable {
    let city = Column<Address, String?>(0, "city")
  }
  static let columns = Columns()
  static var properties: [PropertyDescriptor] { [.property(\Address.city, columns.city)] }
  let _$state: ObjectState
  init(_ state: ObjectState) { _$state = state }
  var _$$city = Slot<String?>()
  func _$load(_ row: RowReader) { _load(row, Self.columns.city, &_$$city) }
  func _$store(into row: inout RowValues) { _store(&row, Self.columns.city, _$$city) }
}

nonisolated extension User: RemoteEntity {  // the request category
  static var basePath: String { "users/" }  // absolute, or relative to the base URL
  func update(with response: ResponseObject) throws {  // optional: by default the declared mapping
    try response.assign("email", to: &email)  // absent key: untouched; null: nil
    try response.assign("created_at", to: &createdAt)
    try response.assign("address", to: &address)  // upserts the object under the key
  }
}

nonisolated extension User {  // helpers that a project adds
  static func user(uid: Int) async throws -> EntityID<User>? { try await get("\(uid)").ids.first }
  nonisolated(nonsending) func saveEmail() async throws { try await put { try $0.setJSON(dictionary(for: \.email)) } }
}

@MainActor func sample(baseURL: String, file: URL) async throws {
  let store = try EntityStore(.file(file), entities: [User.self, Address.self])  // or .inMemory
  try Client.install(Client(adapter: CurlAdapter(), store: store, baseURL: baseURL))  // the one global hook

  let users = try await User.get(query: ["page": 1], progress: { print($0.fraction) }).objects  // on the main actor
  print("\(users.count) users, the first in \(users.first?.address?.city ?? "-")")

  users.first?.email = "new@example.com"
  try await users.first?.saveEmail()

  let request = try User.request(.get, "42")  // a mutable URLRequest, for any HTTP client…
  print(request.url?.path ?? "-")
  let data = Data(#"{"id": 42, "email": null}"#.utf8)
  let response = try await User.upsert(from: data, in: store)  // …and the way back for what another client delivered
  print(response.counts.updated + response.counts.inserted, "written")

  let ids = try await store.background { context in try context.fetch(User.where { $0.email == nil }).map(\.entityID) }
  print(try store.main.objects(ids).map(\.uid))
}
