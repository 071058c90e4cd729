import EntityStore
import TestSchema
import Testing

@MainActor
struct QueryTests {
  private func filled(_ place: Place) async throws -> TestStore {
    let test = try TestStore(place)
    try await test.store.background { context in
      for (uid, (name, email, age)) in [
        ("Ada", "a@x", 36), ("Bob", nil, 20), ("Cid", "c@x", 20), ("Dan", nil, 50),
      ].enumerated() {
        let person = try context.insert(Person.self)
        person.uid = uid + 1
        person.name = name
        person.email = email
        person.age = age
        person.score = uid == 0 ? nil : Double(uid)
      }
    }
    return test
  }

  private func names(_ test: TestStore, _ query: EntityQuery<Person>) throws -> [String] {
    let names = try test.store.main.fetch(query).map(\.name)
    #expect(try test.store.main.count(query) >= names.count)
    return names
  }

  @Test(arguments: Place.usual)
  func `conditions find their rows`(_ place: Place) async throws {
    let test = try await filled(place)
    #expect(try names(test, Person.where { $0.email == nil }) == ["Bob", "Dan"])
    #expect(try names(test, Person.where { $0.email != nil }) == ["Ada", "Cid"])
    #expect(try names(test, Person.where { $0.email != "a@x" }) == ["Bob", "Cid", "Dan"])
    #expect(try names(test, Person.where { $0.email == "a@x" }) == ["Ada"])
    #expect(try names(test, Person.where { $0.age > 20 && $0.email == nil }) == ["Dan"])
    #expect(try names(test, Person.where { $0.age > 40 || $0.name == "Ada" }) == ["Ada", "Dan"])
    #expect(try names(test, Person.where { $0.score < 2.5 }) == ["Bob", "Cid"])
    #expect(try names(test, Person.where { !($0.score < 2.5) }) == ["Ada", "Dan"])
    #expect(try names(test, Person.where { !($0.email == nil) }) == ["Ada", "Cid"])
    #expect(try names(test, Person.where { !(!($0.score >= 2)) }) == ["Cid", "Dan"])
    #expect(try names(test, Person.where { $0.age <= 20 }) == ["Bob", "Cid"])
    #expect(try names(test, Person.where { $0.name.isIn(["Ada", "Dan", "Zed"]) }) == ["Ada", "Dan"])
    #expect(try names(test, Person.where { $0.email.isIn([nil, "c@x"]) }) == ["Bob", "Cid", "Dan"])
    #expect(try names(test, Person.where { $0.name.isIn([]) }) == [])
    #expect(try names(test, Person.where { !$0.name.isIn(["Ada"]) }) == ["Bob", "Cid", "Dan"])
    #expect(try names(test, Person.where { $0.name == "' OR 1=1 --" }) == [])
  }

  @Test(arguments: Place.usual)
  func `order and limit`(_ place: Place) async throws {
    let test = try await filled(place)
    #expect(
      try names(test, Person.all.sorted(by: \.age).sorted(by: \.name, .descending)) == ["Cid", "Bob", "Ada", "Dan"])
    #expect(try names(test, Person.all.sorted(by: \.age)) == ["Bob", "Cid", "Ada", "Dan"])
    #expect(try names(test, Person.all.sorted(by: \.email)) == ["Bob", "Dan", "Ada", "Cid"])
    #expect(try names(test, Person.all.sorted(by: \.age, .descending).limited(to: 2)) == ["Dan", "Ada"])
    #expect(try names(test, Person.all.limited(to: 2, offset: 3)) == ["Dan"])
    #expect(try names(test, Person.all.limited(to: 0)) == [])
    #expect(try names(test, Person.all.limited(to: -1, offset: -5)) == [])
  }

  @Test(arguments: Place.usual)
  func `a limit counts within the limit before it`(_ place: Place) async throws {
    let test = try await filled(place)
    let byAge = Person.all.sorted(by: \.age)
    #expect(try names(test, byAge.limited(to: 2).limited(to: 9)) == ["Bob", "Cid"])
    #expect(try names(test, byAge.limited(to: 3, offset: 1).limited(to: 1, offset: 1)) == ["Ada"])
    #expect(try names(test, byAge.limited(to: 2, offset: 1).limited(to: 9, offset: 2)) == [])
    #expect(try names(test, byAge.limited(to: .max, offset: .max).limited(to: .max, offset: .max)) == [])
    let main = test.store.main
    #expect(try main.fetchOne(byAge.limited(to: 2, offset: 2))?.name == "Ada")
    #expect(try main.fetchOne(byAge.limited(to: 0)) == nil)
    let values = byAge.select { $0.name }.limited(to: 3).limited(to: 3, offset: 1)
    #expect(try main.fetch(values) == ["Cid", "Ada"])
    #expect(try main.fetch(values.distinct()) == ["Cid", "Ada"])
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual)
  func `a count heeds the limit`(_ place: Place) async throws {
    let test = try await filled(place)
    let main = test.store.main
    #expect(try main.count(Person.all) == 4)
    #expect(try main.count(Person.all.limited(to: 3)) == 3)
    #expect(try main.count(Person.all.limited(to: 3, offset: 2)) == 2)
    #expect(try main.count(Person.all.limited(to: 3, offset: 9)) == 0)
    // Unsaved rows are within the limit, too.
    try main.insert(Person.self).name = "Eve"
    #expect(try main.count(Person.all.limited(to: 9, offset: 1)) == 4)
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual)
  func `relationships can be asked for`(_ place: Place) async throws {
    let test = try await filled(place)
    let main = test.store.main
    let ada = try #require(try main.fetch(Person.self, uid: 1))
    let bob = try #require(try main.fetch(Person.self, uid: 2))
    bob.boss = ada
    #expect(try names(test, Person.where { $0.boss == ada }) == ["Bob"])
    #expect(try names(test, Person.where { $0.boss == ada.entityID }) == ["Bob"])
    #expect(try names(test, Person.where { $0.boss == nil }) == ["Ada", "Cid", "Dan"])
    #expect(try names(test, Person.where { $0.boss != nil }) == ["Bob"])
    try await main.save()
    #expect(try names(test, Person.where { $0.boss != ada }) == ["Ada", "Cid", "Dan"])
  }

  @Test(arguments: Place.usual)
  func `unsaved changes take part`(_ place: Place) async throws {
    let test = try await filled(place)
    let main = test.store.main
    let ada = try #require(try main.fetch(Person.self, uid: 1))
    let bob = try #require(try main.fetch(Person.self, uid: 2))
    ada.age = 1
    try main.delete(bob)
    let eve = try main.insert(Person.self)
    eve.name = "Eve"
    eve.uid = 9
    #expect(try names(test, Person.all.sorted(by: \.age)) == ["Eve", "Ada", "Cid", "Dan"])
    #expect(try names(test, Person.where { $0.age == 36 }) == [])
    #expect(try main.fetch(Person.self, uid: 9) === eve)
    #expect(try main.fetch(Person.self, uid: 2) == nil)
    #expect(try main.count(Person.where { $0.age < 5 }) == 2)
    eve.age = 100
    #expect(try names(test, Person.where { $0.age > 40 }) == ["Eve", "Dan"])
    // Others see none of it.
    #expect(try await test.store.read { try $0.count(Person.where { $0.age < 5 }) } == 0)
    main.rollback()
    #expect(try names(test, Person.all) == ["Ada", "Bob", "Cid", "Dan"])
    ada.age = 2
    #expect(try names(test, Person.where { $0.age == 2 }) == ["Ada"])
    try await main.save()
    #expect(try names(test, Person.where { $0.age == 2 }) == ["Ada"])
  }

  @Test(arguments: Place.usual)
  func `a failed query leaves the overlay right`(_ place: Place) async throws {
    let test = try await filled(place)
    let main = test.store.main
    let ada = try #require(try main.fetch(Person.self, uid: 1))
    ada.age = 1
    // An integer without an absolute value: the statement fails within the transaction that made the overlay.
    let failing = Person.where { SQL("abs(-9223372036854775807 - 1) = age") || $0.age == -1 }
    for _ in 0..<2 {
      #expect(errorKind { _ = try main.fetch(failing) } == .sqlite)
      #expect(try names(test, Person.where { $0.age == 1 }) == ["Ada"])
      ada.age = 2
      #expect(errorKind { _ = try main.fetch(failing) } == .sqlite)
      #expect(try names(test, Person.where { $0.age == 2 }) == ["Ada"])
      ada.age = 1
    }
    main.rollback()
    #expect(try names(test, Person.where { $0.age == 36 }) == ["Ada"])
  }

  @Test(arguments: Place.usual)
  func `placeholders are skipped until they are filled`(_ place: Place) async throws {
    let test = try TestStore(place)
    let pk = try await test.store.core.unit { rows in
      try rows.row(try rows.schema.model(Person.self), uid: .integer(7))
    }
    let main = test.store.main
    #expect(try main.fetch(Person.all).isEmpty)
    #expect(try main.count(Person.all) == 0)
    #expect(try main.fetch(Person.self, uid: 7) == nil)
    let person = try #require(try main.object(EntityID<Person>(pk: pk)))
    #expect(person.isPlaceholder)
    #expect(person.uid == 7)
    let inserted = try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row[Person.columns.name.index] = .text("Ada")
      return try rows.write(model, pk: pk, row, .response(.keepingEdits, newer: ColumnMask())).isInserted
    }
    #expect(inserted)
    #expect(try main.fetch(Person.all) == [person])
    #expect(!person.isPlaceholder)
    #expect(person.name == "Ada")
  }

  @Test(arguments: Place.usual)
  func `editing a placeholder does not fill it`(_ place: Place) async throws {
    let test = try TestStore(place)
    let pk = try await test.store.core.unit { rows in
      try rows.row(try rows.schema.model(Person.self), uid: .integer(7))
    }
    let main = test.store.main
    let person = try #require(try main.object(EntityID<Person>(pk: pk)))
    person.name = "Ada"
    try await main.save()
    #expect(person.isPlaceholder)
    #expect(person.name == "Ada")
    #expect(try main.fetch(Person.self, uid: 7) == nil)
  }
}
