import EntityStore
import TestSchema

/// The store and the persons of tests of drafts.
@MainActor
class DraftSuite {
  /// Held for as long as the test runs.
  private var store: EntityStore?

  func people(_ place: Place) throws -> (test: TestStore, main: EntityContext, ada: Person, bob: Person) {
    let test = try TestStore(place)
    store = test.store
    let main = test.store.main
    let people = try ["Ada", "Bob"].enumerated().map { number, name in
      let person = try main.insert(Person.self)
      (person.uid, person.name, person.age) = (number + 1, name, 30 + number)
      return person
    }
    try main.save()
    return (test, main, people[0], people[1])
  }
}
