import Foundation
import TestSchema

@testable import EntityStore

/// Saves of the main context that are undone and made again.
extension FaultScenario {
  static let undos = [undoing, undoingLists, undoingGroups, longTexts]

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

  /// Texts over several pages. SQLite takes memory for each of them where it is read, for some lengths twice.
  private static let longTexts = FaultScenario(
    name: "long texts", old: fillLongTexts, entities: people,
    steps: [.undoLimit, .longResponse, .longEdit, .longDeletion, .undo, .redo, .undo],
    hold: { store in
      try await store.read { context in
        for person in try context.fetch(Person.where { $0.uid >= 2000 })
        where person.name != FaultStep.longText(person.uid) {
          throw FaultRun.Mistake(
            description: "the name of \(person.uid) has \(person.name.utf8.count) of its bytes")
        }
      }
    }, objects: { try peopleObjects($0) })

  @Sendable static func fillLongTexts(_ file: URL) async throws {
    try await fill(file)
    let store = try EntityStore(.file(file), entities: people, busyTimeout: .ample)
    try await store.background(as: .server) { context in
      for uid in FaultStep.longDeleted.lowerBound..<FaultStep.longEdited.upperBound {
        let person = try context.insert(Person.self)
        (person.uid, person.name) = (uid, FaultStep.longText(uid))
      }
    }
    try await store.close()
  }

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

  // MARK: Long texts

  fileprivate static let longDeleted = 2000..<2008
  fileprivate static let longEdited = 2008..<2016
  private static let longNew = 2016..<2024

  private static func people(_ uids: Range<Int>) -> EntityQuery<Person> {
    Person.where { $0.uid >= uids.lowerBound && $0.uid < uids.upperBound }
  }

  /// The name of a person: people that follow each other have lengths that do, too.
  fileprivate static func longText(_ uid: Int) -> String { String(repeating: "n", count: 4000 + uid) }

  /// A save of the main context.
  private static func longSave(
    _ name: String, _ change: @escaping @MainActor @Sendable (EntityContext) throws -> Void,
    isThere: @escaping @Sendable (EntityContext) throws -> (found: Int, all: Int)
  ) -> FaultStep {
    FaultStep(
      name: name, isOfMain: true,
      run: { store in
        let main = store.main
        do {
          try change(main)
          try main.saving.throwMistakes()
        } catch {
          // A part of it is no step.
          main.rollback()
          throw error
        }
        try await main.save()
      }, isThere: isThere)
  }

  /// An edit of another property of objects with long texts.
  static let longEdit = longSave(
    "long edit", { main in for person in try main.fetch(people(longEdited)) { person.age = 9 } },
    isThere: { (try $0.count(people(longEdited).where { $0.age == 9 }), longEdited.count) })

  /// A deletion of objects with long texts. An undo brings the texts back.
  static let longDeletion = longSave(
    "long deletion", { main in try main.delete(main.fetch(people(longDeleted))) },
    isThere: { (longDeleted.count - (try $0.count(people(longDeleted))), longDeleted.count) })

  static let longResponse = FaultStep(
    name: "long response",
    run: { store in
      try await store.core.unit { rows in
        let context = ContextAnswers.ofResponse(store.core, rows)
        defer { context.finish() }
        let model = try rows.schema.model(Person.self)
        for uid in longNew {
          var row = RowValues(count: model.properties.count)
          row[Person.columns.uid.index] = .integer(Int64(uid))
          row[Person.columns.name.index] = .text(longText(uid))
          _ = try rows.insert(model, pk: rows.newPrimaryKey(), row, .response(.keepingEdits, newer: ColumnMask()))
        }
        try context.saving.throwMistakes()
      }
    }, isThere: { (try $0.count(people(longNew)), longNew.count) })

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
            try main.saving.throwMistakes()
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
