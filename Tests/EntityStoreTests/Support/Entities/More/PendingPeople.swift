import EntityStore
import Foundation
import TestSchema
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

  /// The pending changes, as they are described, without values.
  func pendingTexts() async throws -> [String] { try await store.pending.changes().map(\.text) }
}

extension PendingChange {
  /// The description without values.
  var text: String {
    guard kind == .edit else { return description.components(separatedBy: ", with ")[0] }
    let object = description.components(separatedBy: ": ")[0]
    return "\(object): \(edits.map { "\($0.property) was edited" }.joined(separator: ", "))"
  }
}
