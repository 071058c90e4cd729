import TestSchema

@testable import EntityStore

/// Objects that a test holds in the main context while calls fail: they are as the file says, or gone with their rows.
@MainActor struct FaultObjects {
  private let scenario: FaultScenario
  private var held: [ObjectIdentifier: any ManagedEntity] = [:]

  init(_ scenario: FaultScenario) { self.scenario = scenario }

  /// Holds all that there is now.
  mutating func hold(in main: EntityContext) throws {
    for object in try scenario.objects?(main) ?? [] { held[ObjectIdentifier(object)] = object }
  }

  func compare(with store: EntityStore) async throws {
    // Changes of a refused save are in the objects, and not in the file.
    guard let objects = scenario.objects, !store.main.hasChanges else { return }
    let rows = try await store.read { try Self.texts(try objects($0)) }
    // The objects hear of the last commits.
    _ = try objects(store.main)
    for object in held.values {
      let (found, expected) = (object.isDeleted ? nil : try Self.text(object), rows[Self.key(object)])
      guard found == expected else {
        throw FaultRun.Mistake(description: "an object is '\(found ?? "deleted")', its row '\(expected ?? "gone")'")
      }
    }
  }

  /// The objects of a context, as texts by their ids.
  nonisolated static func texts(_ objects: [any ManagedEntity]) throws -> [String: String] {
    Dictionary(uniqueKeysWithValues: try objects.map { (key($0), try text($0)) })
  }

  private nonisolated static func key(_ object: any ManagedEntity) -> String {
    "\(object._$state.model.name) \(object._$state.pk)"
  }

  private nonisolated static func text(_ object: any ManagedEntity) throws -> String {
    switch object {
    case let person as Person:
      "\(person.uid) \(person.name) \(person.age) \(person.team?.uid ?? "-") \(person.notes.map(\.rank).sorted())"
    case let note as Note: "\(note.rank) \(note.text) \(note.person?.uid ?? 0)"
    case let team as Team: "\(team.uid) \(team.members.map(\.uid).sorted())"
    case let article as Article: "\(article.uid) \(article.author.uid) \(article.tags.map(\.uid).sorted())"
    default: throw FaultRun.Mistake(description: "no text for '\(object._$state.model.name)'")
    }
  }
}
