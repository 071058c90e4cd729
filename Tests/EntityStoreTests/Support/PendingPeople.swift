import EntityStore
import Testing

extension TestStore {
  /// A store with persons that the server knows.
  static func ofServer(_ place: Place, _ names: [String] = ["Ada", "Bob"]) async throws -> TestStore {
    let test = try TestStore(place)
    try await test.store.background(as: .server) { context in
      for (index, name) in names.enumerated() {
        let person = try context.insert(Person.self)
        (person.uid, person.name, person.email) = (index + 1, name, "\(name)@example.com")
      }
    }
    return test
  }

  /// A person of the main context.
  @MainActor func person(_ uid: Int) throws -> Person {
    try #require(try store.main.fetch(Person.self, uid: uid))
  }

  /// The pending changes, as they are described.
  func pendingTexts() async throws -> [String] { try await store.pending.changes().map(\.description) }
}
