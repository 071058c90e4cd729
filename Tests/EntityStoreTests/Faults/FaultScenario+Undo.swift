import Foundation

@testable import EntityStore

/// Saves of the main context that are undone and made again.
extension FaultScenario {
  static let undos = [undoing, undoingLists, undoingGroups]

  private static let undoing = FaultScenario(
    name: "undo", old: fill, entities: people,
    steps: [.undoLimit, .edit(1), .save(2), .undo, .redo, .noteDeletion, .undo, .undo, .redo],
    objects: { try peopleObjects($0) })

  private static let undoingLists = FaultScenario(
    name: "undo of lists", old: fill, entities: people,
    steps: [.undoLimit, .pairSave(2), .saveAtOnce(3), .undo, .undo, .redo, .redo, .undo],
    objects: { try peopleObjects($0) })

  private static let undoingGroups = FaultScenario(
    name: "undo of groups", old: fill, entities: people,
    steps: [.undoLimit, .save(1), .beginGroup, .edit(2), .save(3), .endGroup, .undo, .undo, .redo, .redo],
    objects: { try peopleObjects($0) })

  @Sendable static func peopleObjects(_ context: EntityContext) throws -> [any ManagedEntity] {
    let (people, notes): ([any ManagedEntity], [any ManagedEntity]) = (
      try context.fetch(Person.all), try context.fetch(Note.all)
    )
    let (teams, articles): ([any ManagedEntity], [any ManagedEntity]) = (
      try context.fetch(Team.all), try context.fetch(Article.all)
    )
    return people + notes + teams + articles
  }
}

extension FaultStep {
  static let undoLimit = FaultStep(
    name: "limit", run: { $0.main.undoManager.limit = .saves(20) }, isThere: { _ in (0, 0) })

  static let undo = FaultStep(name: "undo", kind: .undo, run: { _ in }, isThere: { _ in (0, 0) })
  static let redo = FaultStep(name: "redo", kind: .redo, run: { _ in }, isThere: { _ in (0, 0) })

  static let beginGroup = FaultStep(name: "group", kind: .beginGroup, run: { _ in }, isThere: { _ in (0, 0) })
  static let endGroup = FaultStep(name: "end of group", kind: .endGroup, run: { _ in }, isThere: { _ in (0, 0) })

  /// A save that deletes objects. An undo brings them back.
  static let noteDeletion = FaultStep(
    name: "note deletion", isOfMain: true,
    run: { store in
      let main = store.main
      do { try main.delete(main.fetch(Note.where { $0.rank < 10 })) } catch {
        // A part of it is no step.
        main.rollback()
        throw error
      }
      try await main.save()
    }, isThere: { (10 - (try $0.count(Note.where { $0.rank < 10 })), 10) })

  /// A save of new objects with lists of a many-to-many relationship.
  static func pairSave(_ number: Int) -> FaultStep {
    FaultStep(
      name: "pair save", isOfMain: true,
      run: { store in
        let main = store.main
        if try main.fetch(Writer.self, uid: number) == nil {
          do {
            try makePairs(number, main)
            // The error of a setter waits for the next call, which would be the save.
            try main.throwMistakes()
          } catch {
            // A part of it is no step.
            main.rollback()
            throw error
          }
        }
        try await main.save()
      }, isThere: pairs(number).isThere)
  }
}
