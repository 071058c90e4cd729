import Adapters
import EntityClient
import Foundation

@Entity final class User {
  @UID @Key("id") var uid: Int
  var email: String?
}
extension User: RemoteEntity { static var basePath: String { "users" } }

let server = CommandLine.arguments.dropFirst().first ?? "https://jsonplaceholder.typicode.com"
let store = try EntityStore(.inMemory, entities: [User.self])  // .named("app") is a file
try Client.install(Client(adapter: CurlAdapter().standard(), store: store, baseURL: server))

let users = try await User.get(query: ["page": 1]).objects  // GET /users?page=1, one transaction
print(users.count > 1, users.first?.email != nil)

if let user = users.first {
  user.email = "ada@example.com"  // an edit: no response overwrites it until the server has it
  let response = try await user.put(\.email)  // PUT /users/1 {"email":"ada@example.com"}
  print(response.status, user.email ?? "-", user.pendingColumns.isEmpty)
}
