import TestSchema
import Testing

@testable import EntityStore

/// Children that are read again, by their own call or by that of their parent.
@MainActor
struct DraftRefreshTests {
  /// A program that the store hears nothing of.
  private func writeByHand(_ name: String, in staff: Staff) throws {
    try staff.store.core.blockingUnit {
      try $0.connection.prepare("UPDATE main.Person SET name = ? WHERE uid = 1").run([.text(name)])
    }
  }

  @Test(arguments: Place.usual)
  func `a refresh in a draft bases its edits on what the parent has`(_ place: Place) throws {
    let staff = try Staff(place)
    staff.main.conflictPolicy = .fail
    let draft = try staff.main.edit(staff.ada)
    draft.object.age = 50
    staff.ada.age = 40
    #expect(storeError { try draft.save() }?.kind == .conflict)
    try draft.context.refresh(draft.object)
    #expect(draft.object.age == 50)
    #expect(staff.ada.age == 40)
    try draft.save()
    #expect(staff.ada.age == 50)
    // An edit that is set back to the parent's value is none.
    draft.object.age = 60
    staff.ada.age = 55
    try draft.context.refresh(draft.object)
    draft.object.age = 55
    #expect(!draft.hasChanges)
    draft.object.age = 70
    try draft.context.refresh(draft.object, keepingEdits: false)
    #expect(draft.object.age == 55)
    #expect(!draft.hasChanges)
    #expect(errorKind { try draft.context.refresh(staff.ada) } == .wrongContext)
  }

  @Test(arguments: Place.usual)
  func `a refresh of the parent's object refreshes the copy`(_ place: Place) async throws {
    let staff = try Staff(place)
    let draft = try staff.main.edit(staff.ada)
    draft.object.age = 50
    let name = Watcher { _ = draft.object.name }
    try writeByHand("by hand", in: staff)
    try draft.context.refresh(draft.object)
    #expect(name.fired)
    #expect(draft.object.name == "by hand")
    #expect(staff.ada.name == "Ada")
    try writeByHand("again", in: staff)
    try staff.main.refresh(staff.ada)
    while !name.fired { await Task.yield() }
    #expect(staff.ada.name == "again")
    #expect(draft.object.name == "again")
    #expect(draft.object.age == 50)
    // A row that is gone.
    try staff.store.core.blockingUnit { try $0.connection.execute("DELETE FROM main.Person WHERE uid = 1") }
    let deleted = Watcher { _ = draft.object.isDeleted }
    try staff.main.refresh(staff.ada)
    while !deleted.fired { await Task.yield() }
    #expect(draft.object.isDeleted)
    #expect(errorKind { try draft.save() } == .objectDeleted)
  }

  @Test(arguments: Place.usual)
  func `a reset of a draft drops its own changes alone`(_ place: Place) throws {
    let staff = try Staff(place)
    let draft = try staff.main.edit(staff.ada)
    let inner = try draft.context.edit(draft.object)
    staff.ada.email = "main"
    draft.object.age = 50
    let new = try draft.context.insert(Person.self)
    inner.object.name = "inner"
    try writeByHand("by hand", in: staff)
    let name = Watcher { _ = draft.object.name }
    draft.context.reset()
    #expect(name.fired)
    #expect(draft.object.age == 30)
    #expect(draft.object.email == "main")
    // The parent has unsaved changes of the object, and reads it from what it knows.
    #expect(draft.object.name == "Ada")
    #expect(new.isDeleted)
    #expect(!draft.hasChanges)
    #expect(staff.ada.hasChanges)
    #expect(inner.object.name == "inner")
    #expect(inner.object.age == 30)
    try inner.save()
    try draft.save()
    #expect(staff.ada.name == "inner")
  }

  @Test(arguments: Place.usual)
  func `a reset of the parent leaves the edits of drafts`(_ place: Place) async throws {
    let staff = try Staff(place)
    let draft = try staff.main.edit(staff.ada)
    draft.object.age = 50
    staff.ada.email = "main"
    let new = try staff.main.insert(Person.self)
    let copy = try #require(try draft.context.object(new.entityID))
    let (name, email) = (Watcher { _ = draft.object.name }, Watcher { _ = draft.object.email })
    try writeByHand("by hand", in: staff)
    staff.main.reset()
    // One by one: a watcher tells of a change once.
    while !name.fired { await Task.yield() }
    while !email.fired { await Task.yield() }
    #expect(draft.object.name == "by hand")
    #expect(draft.object.email == nil)
    #expect(draft.object.age == 50)
    #expect(copy.isDeleted)
    #expect(try draft.context.count(Person.all) == 2)
    try draft.save()
    #expect(staff.ada.age == 50)
    try await staff.main.save()
    #expect(try await staff.store.read { try $0.fetch(Person.self, uid: 1)?.age } == 50)
  }

  // MARK: Reads that fail

  @Test(arguments: Place.usual)
  func `queries find the unsaved changes of each context after a read that failed`(_ place: Place) async throws {
    let staff = try Staff(place)
    let main = staff.main
    let child = try main.child()
    let copy = try #require(try child.object(staff.bob.entityID))
    func ages(_ context: EntityContext) throws -> [Int] {
      try context.fetch(Person.where { $0.age > 0 }.sorted(by: \.age)).map(\.age)
    }
    var steps = 0
    var round = 0
    while true {
      round += 1
      staff.ada.age = 1000 + round
      copy.age = 2000 + round
      let new = try child.insert(Person.self)
      new.age = 3000 + round
      let failure = StepFailure(after: steps)
      var found: [Int]?
      failure.run(on: main.connection) { found = try? ages(child) }
      let isOver = !failure.hasHappened
      if let found { #expect(found == [1000 + round, 2000 + round, 3000 + round], "step \(steps)") }
      #expect(try ages(main) == [31, 1000 + round], "step \(steps)")
      #expect(try ages(child) == [1000 + round, 2000 + round, 3000 + round], "step \(steps)")
      // One that empties the tables.
      child.rollback()
      main.rollback()
      let emptying = StepFailure(after: steps)
      emptying.run(on: main.connection) { _ = try? ages(child) }
      #expect(try ages(child) == [30, 31], "step \(steps)")
      #expect(try ages(main) == [30, 31], "step \(steps)")
      steps += 1 + steps / 50
      await Task.yield()
      if isOver { break }
    }
    #expect(round > 50)
  }

  @Test(arguments: Place.usual)
  func `queries find the values of others in edited objects after a read that failed`(_ place: Place) async throws {
    let staff = try Staff(place)
    let main = staff.main
    let id = staff.ada.entityID
    var (steps, round) = (0, 0)
    while true {
      round += 1
      let name = "n\(round)"
      staff.ada.age = 1000 + round
      try await staff.store.edit(id) { $0.name = name }
      let failure = StepFailure(after: steps)
      failure.run(on: main.connection) { _ = try? main.count(Person.where { $0.name == name }) }
      #expect(try main.count(Person.where { $0.name == name && $0.age == 1000 + round }) == 1, "step \(steps)")
      #expect(staff.ada.name == name)
      guard failure.hasHappened else { break }
      steps += 1 + steps / 100
    }
    #expect(round > 50)
  }
}
