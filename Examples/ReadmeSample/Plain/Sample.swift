import Adapters
import EntityClient
import Foundation

@Entity final class User {
  @UID @Key("id") var uid: Int
  var email: String?
  var createdAt: Date?  // read from "created_at"
  var address: Address?  // to-one
}

@Entity final class Address {  // no uid: it lives in its user
  var city: String?
}

extension User: RemoteEntity {  // the request category
  static var basePath: String { "users" }  // absolute, or relative to the base URL
  func update(with response: ResponseObject) throws {  // optional: by default the declared mapping
    try response.assign("email", to: &email)  // absent key: untouched; null: nil
    try response.assign("created_at", to: &createdAt)
    try response.assign("address", to: &address)  // upserts the object under the key
  }
}

extension User {  // helpers that a project adds
  static func user(uid: Int) async throws -> EntityID<User>? { try await get("\(uid)").ids.first }
  nonisolated(nonsending) func saveEmail() async throws { try await put(\.email) }
}

@MainActor func sample(baseURL: String, file: URL) async throws {
  let store = try EntityStore(.file(file), entities: [User.self, Address.self])  // or .inMemory
  try Client.install(Client(adapter: CurlAdapter().standard(), store: store, baseURL: baseURL))  // the one global hook

  let users = try await User.get(query: ["page": 1], progress: { print($0.fraction) }).objects  // on the main actor
  print("\(users.count) users, the first in \(users.first?.address?.city ?? "-")")

  users.first?.email = "new@example.com"
  try await users.first?.saveEmail()

  let request = try User.request(.get, "42")  // a mutable URLRequest, for any HTTP client…
  print(request.url?.path ?? "-")
  let data = Data(#"{"id": 42, "email": null}"#.utf8)
  let response = try await User.upsert(from: data, in: store)  // …and the way back for another client's response
  print(response.counts.updated + response.counts.inserted, "written")

  let ids = try await store.background { context in try context.fetch(User.where { $0.email == nil }).map(\.entityID) }
  print(try store.main.objects(ids).map(\.uid))
}
