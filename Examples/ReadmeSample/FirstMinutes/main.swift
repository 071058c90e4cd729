import EntityClient
import Foundation

@Entity final class User {
  @UID @Key("id") var uid: Int
  var name: String
  var email: String?
}
extension User: RemoteEntity { static var basePath: String { "users" } }

let store = try EntityStore(.inMemory, entities: [User.self])
let json = Data(#"[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Grace", "email": "grace@example.com"}]"#.utf8)
try await User.upsert(from: json, in: store)
print(try store.main.fetch(User.where { $0.email == nil }).map(\.name))
