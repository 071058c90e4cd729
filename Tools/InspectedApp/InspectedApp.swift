import EntityClient
import EntityInspector
import Foundation

/// The app that `scripts/inspector-test` looks at: its store is in memory, it has two live queries, and it does what the lines of its
/// standard input say: it makes an outbox, too.
@main struct InspectedApp {
  @MainActor static func main() async throws {
    var options = StoreOptions()
    (options.history, options.author) = (.keepingAll, "app")
    let store = try EntityStore(.inMemory, entities: [Team.self, Person.self], options: options)
    let client = try Client(
      adapter: Server(), store: store, baseURL: "https://api.example.com/",
      headers: ["Authorization": "Bearer \(Server.secret)"])
    try Client.install(client)
    let inspector = try Inspector.start(client, allowsRelease: true)
    try await Person.get(query: ["page": "1", "api_key": Server.secret])

    let team = LiveQuery(Person.where { $0.team.name == "Team <1>" }.sorted(by: \.name), in: store)
    let people = LiveQuery(Person.all, in: store)
    var outbox: Outbox?
    try change(store)
    print(inspector.url.absoluteString, team.objects.count, people.objects.count)
    fflush(nil)

    for await line in lines() {
      switch line {
      case "outbox":
        outbox = try Outbox(client)
        _ = try await outbox?.send()
      case "get all": try await Person.get("all")
      case "get": try await Person.get(query: ["page": "2"])
      case "edit":
        let first = try store.main.fetch(Person.where { $0.uid == 1 })
        first.first?.name += "!"
        try await store.main.save()
      default: print("no such command")
      }
    }
    withExtendedLifetime((inspector, outbox, team, people)) {}
  }

  /// An edit that the server refuses, a new person in a new team, and a deletion.
  @MainActor private static func change(_ store: EntityStore) throws {
    let context = store.main
    for person in try context.fetch(Person.where { $0.uid == 2 }) { person.name = "Renamed" }
    let team = try context.insert(Team.self)
    team.name = "New team"
    let person = try context.insert(Person.self)
    (person.name, person.team) = ("New person", team)
    for person in try context.fetch(Person.where { $0.uid == 3 }) { try context.delete(person) }
    try context.save()
  }

  /// The lines of the standard input. A thread of its own waits for them, so that the main actor is free.
  private static func lines() -> AsyncStream<String> {
    AsyncStream { lines in
      Thread {
        while let line = readLine() { lines.yield(line) }
        lines.finish()
      }.start()
    }
  }
}
