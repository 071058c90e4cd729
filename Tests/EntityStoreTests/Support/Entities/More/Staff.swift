import TestSchema

@testable import EntityStore

/// Two saved people in the main context of a store.
@MainActor
struct Staff {
  let test: TestStore
  let main: EntityContext
  let ada: Person
  let bob: Person

  var store: EntityStore { test.store }

  init(_ place: Place) throws {
    test = try TestStore(place)
    main = test.store.main
    (ada, bob) = (try main.insert(Person.self), try main.insert(Person.self))
    (ada.uid, ada.name, ada.age) = (1, "Ada", 30)
    (bob.uid, bob.name, bob.age) = (2, "Bob", 31)
    try main.save()
  }
}
