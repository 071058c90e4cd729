import EntityMacros
import EntityStore
import Testing

/// Entities of an app without a server: none has a uid.
@MainActor struct ListOwnerTests {
  private func filled(_ place: Place) throws -> (TestStore, Chore) {
    let test = try TestStore(place, [Chore.self, ChoreStep.self, ChoreTool.self])
    let main = test.store.main
    let chore = Chore()
    chore.steps = [ChoreStep(), ChoreStep()]
    chore.steps[0].tool = ChoreTool()
    try main.insert(chore)
    try main.saveAtOnce()
    return (test, chore)
  }

  @Test(arguments: Place.usual)
  func `the owner of a list stays when its members go`(_ place: Place) throws {
    let (test, chore) = try filled(place)
    let main = test.store.main
    try main.delete(chore.steps)
    try main.saveAtOnce()
    #expect(!chore.isDeleted)
    #expect(chore.steps.isEmpty)
    #expect(try main.count(Chore.all) == 1)
    // The tool has no list, and was the step's alone.
    #expect(try main.count(ChoreTool.all) == 0)
  }

  @Test(arguments: Place.usual)
  func `the owner of a list stays in a unit of work`(_ place: Place) async throws {
    let (test, chore) = try filled(place)
    let count = try await test.store.background { context in
      try context.delete(ChoreStep.all)
      return try context.count(Chore.all)
    }
    #expect(count == 1)
    #expect(!chore.isDeleted)
    #expect(try test.store.main.count(ChoreTool.all) == 0)
  }
}

@Entity final class Chore {
  var name: String
  @Relationship(inverse: \ChoreStep.chore, onDelete: .cascade) var steps: [ChoreStep]
}

@Entity final class ChoreStep {
  var name: String
  var chore: Chore?
  var tool: ChoreTool?
}

@Entity final class ChoreTool {
  var name: String
}
