import Foundation
import TestSchema

@testable import EntityStore

/// Another store on the file commits, and the first one merges its commits row by row, by the history.
extension FaultScenario {
  static let merges = [merging, sharing]

  /// The other store works without a fault.
  private static let merging = FaultScenario(
    name: "merge", old: fillWithHistory, entities: people, options: .history(.keepingAll),
    steps: [
      .otherInsert(1, .beside), .look, .otherEdit(.beside), .look, .edit(3), .otherDeletion(.beside), .look,
      .otherPrune(.beside), .look, .save(6),
    ], hold: { try await checkHistory($0) }, objects: { try peopleObjects($0) }, hasOtherWriters: true)

  /// The calls of both stores fail.
  private static let sharing = FaultScenario(
    name: "two stores", old: fillWithHistory, entities: people, options: .history(.keepingAll),
    steps: [.otherInsert(1, .through), .look, .save(2), .otherDeletion(.through), .otherPrune(.through), .look],
    hold: { try await checkHistory($0) }, objects: { try peopleObjects($0) })
}

extension FaultStep {
  /// The file system of another store.
  enum Way: Sendable { case beside, through }

  private static func other(
    _ name: String, _ way: Way, _ run: @escaping @Sendable (EntityStore) async throws -> Void,
    isThere: @escaping @Sendable (EntityContext) throws -> (found: Int, all: Int)
  ) -> FaultStep {
    FaultStep(
      name: "other \(name)",
      run: { store in
        guard let file = store.core.location.fileURL else { return }
        var options = store.core.options
        (options.history, options.author) = (nil, "other")
        let other = try EntityStore(
          way == .beside ? .file(file) : store.core.location, entities: CommitSequence.entities, busyTimeout: .ample,
          options: options)
        let result: Result<Void, any Error>
        do { result = .success(try await run(other)) } catch { result = .failure(error) }
        try await other.close()
        try result.get()
      }, isThere: isThere)
  }

  static func otherInsert(_ number: Int, _ way: Way) -> FaultStep {
    let insert = insert(number)
    return other("insert", way, { try await insert.run($0) }, isThere: insert.isThere)
  }

  static func otherEdit(_ way: Way) -> FaultStep {
    other(
      "edit", way,
      { other in
        try await other.background { context in
          try context.fetch(Person.self, uid: 1000)?.age = 77
          for note in try context.fetch(Note.where { $0.rank >= 20 && $0.rank < 30 }) { note.text = "of the other" }
        }
      },
      isThere: { context in
        let notes = try context.count(Note.where { $0.text == "of the other" })
        return (notes + (try context.count(Person.where { $0.age == 77 })), 11)
      })
  }

  static func otherDeletion(_ way: Way) -> FaultStep {
    other(
      "deletion", way, { other in try await other.background { try $0.delete($0.fetch(Note.where { $0.rank < 10 })) } },
      isThere: noteDeletion.isThere)
  }

  /// A commit that leaves the history before the first store merges it.
  static func otherPrune(_ way: Way) -> FaultStep {
    other(
      "prune", way,
      { other in
        try await other.background { try $0.insert(Note.self).rank = 500 }
        try await other.history.prune(upTo: other.history.token())
      }, isThere: { _ in (0, 0) })
  }

  /// Reads of the main context, which have to be those of the file.
  static let look = FaultStep(
    name: "look",
    run: { store in
      let mine = try FaultObjects.texts(FaultScenario.peopleObjects(store.main))
      // The error of a property is thrown by the next read.
      _ = try store.main.count(Person.all)
      guard !store.main.hasChanges else { return }
      let found = try await store.read { try FaultObjects.texts(FaultScenario.peopleObjects($0)) }
      guard mine == found else {
        let keys = Set(mine.keys).union(found.keys).filter { mine[$0] != found[$0] }.sorted()
        throw FaultRun.Mistake(
          description: "the main context differs: \(keys.map { "\($0): \(mine[$0] ?? "-"), \(found[$0] ?? "-")" })")
      }
    }, isThere: { _ in (0, 0) })
}
