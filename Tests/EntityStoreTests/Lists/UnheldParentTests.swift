import TestSchema
import Testing

@testable import EntityStore

/// Child contexts whose parent holds none of the objects that are edited: it reads their values when it takes the edits.
@MainActor
struct UnheldParentTests {
  @Test(arguments: Place.usual)
  func `an object that the parent does not hold is edited in a child`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada", age: 36)
    let child = try test.store.main.child()
    let ada = try #require(try child.fetch(Person.self, uid: 1))
    (ada.name, ada.age) = ("Ada L.", 37)
    try child.saveAtOnce()
    try test.store.main.saveAtOnce()
    let saved = try await test.store.read { context in
      try context.fetch(Person.self, uid: 1).map { "\($0.name) \($0.age)" }
    }
    #expect(saved == "Ada L. 37")
  }

  @Test(arguments: Place.usual)
  func `a conflict with an object that the parent does not hold has its values`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada", age: 36)
    let child = try test.store.main.child()
    let ada = try #require(try child.fetch(Person.self, uid: 1))
    ada.name = "Ada L."
    try #require(try test.store.main.fetch(Person.self, uid: 1)).name = "Countess"
    try test.store.main.saveAtOnce()
    let error = #expect(throws: StoreError.self) { try child.saveAtOnce() }
    #expect(error?.kind == .conflict)
    #expect(error?.conflicts.map { $0.theirs.as(String.self) } == ["Countess"])
    #expect(error?.conflicts.map { $0.base.as(String.self) } == ["Ada"])
  }
}
