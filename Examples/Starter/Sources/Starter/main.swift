import Adapters
import EntityClient

let server = CommandLine.arguments.dropFirst().first ?? "https://jsonplaceholder.typicode.com"
let store = try EntityStore(.named("starter"), entities: [User.self])
try Client.install(Client(adapter: CurlAdapter().standard(), store: store, baseURL: server))

let response = try await User.get()
print("\(response.counts.inserted) new, \(response.counts.updated) changed, \(response.counts.unchanged) as they were")

for user in try store.main.fetch(User.where { $0.email != nil }.sorted(by: \.name).limited(to: 5)) {
  print(user.uid, user.name ?? "-", user.email ?? "-")
}
