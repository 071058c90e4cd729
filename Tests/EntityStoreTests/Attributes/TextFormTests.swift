import TestSchema
import Testing

@testable import EntityStore

/// Text is compared by its Unicode scalars: two spellings of one character are two texts, though Swift's `==` takes them
/// for one.
@MainActor
struct TextFormTests {
  private let composed = "caf\u{E9}"
  private let decomposed = "cafe\u{301}"

  private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }

  @Test(arguments: Place.usual)
  func `setting the other form of a text is a change`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let id = try await test.store.addPerson(1, composed)
    let person = try #require(try main.object(id))
    person.name = composed
    #expect(!person.hasChanges)
    person.name = decomposed
    #expect(person.hasChanges)
    #expect(bytes(person.name) == bytes(decomposed))
    try await main.save()
    let read = try await test.store.read { try $0.object(id)?.name }
    #expect(bytes(read) == bytes(decomposed))
    // Set back before it is saved it is none.
    person.email = composed
    try await main.save()
    person.email = decomposed
    #expect(person.hasChanges)
    person.email = composed
    #expect(!person.hasChanges)
  }

  @Test(arguments: Place.usual, [false, true])
  func `queries tell the two forms of a text apart`(_ place: Place, isSaved: Bool) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    person.uid = 1
    person.name = "Caf\u{E9} x"
    if isSaved { try await main.save() }
    func finds(_ query: EntityQuery<Person>) throws -> Bool { try main.count(query) == 1 }
    for (form, isFound) in [("Caf\u{E9}", true), ("Cafe\u{301}", false)] {
      let whole = form + " x"
      let end = form.dropFirst(3) + " x"
      #expect(try finds(Person.where { $0.name == whole }) == isFound)
      #expect(try finds(Person.where { $0.name != whole }) == !isFound)
      #expect(try finds(Person.where { $0.name.isIn([whole]) }) == isFound)
      #expect(try finds(Person.where { $0.name.isIn((0..<20).map { "\($0)" } + [whole]) }) == isFound)
      #expect(try finds(Person.where { $0.name.hasPrefix(form) }) == isFound)
      #expect(try finds(Person.where { $0.name.contains(form) }) == isFound)
      #expect(try finds(Person.where { $0.name.hasSuffix(String(end)) }) == isFound)
      #expect(try finds(Person.where { $0.name.ignoringASCIICase == whole.lowercased() }) == isFound)
      #expect(try finds(Person.where { $0.name.ignoringASCIICase.hasPrefix(form.lowercased()) }) == isFound)
      #expect(try finds(Person.where { $0.name.ignoringASCIICase.contains(form.uppercased().lowercased()) }) == isFound)
    }
  }

  @Test(arguments: Place.usual)
  func `uids tell the two forms of a text apart`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let one = try main.upsert(Team.self, uid: composed)
    let other = try main.upsert(Team.self, uid: decomposed)
    #expect(one !== other)
    try await main.save()
    #expect(try main.count(Team.all) == 2)
    #expect(try main.fetch(Team.self, uid: composed) === one)
    #expect(try main.fetch(Team.self, uid: decomposed) === other)
    // An answer about one is none about the other.
    let requests = test.store.core.requests
    let (older, newer) = (requests.begin(), requests.begin())
    requests.stamp([.init(.init(entity: 0, uid: .text(composed)), ColumnMask(1), isDeletion: true)], by: newer)
    if case .columns(let mask, _) = requests.newer(than: older, .init(entity: 0, uid: .text(decomposed))) {
      #expect(mask.isEmpty)
    } else {
      Issue.record("the other form's row counts as deleted")
    }
    requests.end(newer)
    requests.end(older)
  }

  @Test(arguments: Place.usual)
  func `a unique property tells the two forms of a text apart`(_ place: Place) async throws {
    let test = try TestStore(place, [ThingUnique.self])
    let things = try [composed, decomposed, composed].enumerated().map { index, name in
      let thing = try test.store.main.insert(ThingUnique.self)
      thing.uid = index
      thing.name = name
      return thing
    }
    #expect(await asyncErrorKind { try await test.store.main.save() } == .uniqueViolation)
    things[2].name = ""
    try await test.store.main.save()
  }

  @Test(arguments: Place.usual)
  func `a raw value in the other spelling is none of the cases`(_ place: Place) async throws {
    let test = try TestStore(place, [Guest.self])
    let decomposed = decomposed
    let id = try await test.store.core.unit { rows in
      let model = try rows.schema.model(Guest.self)
      var row = RowValues(count: model.properties.count)
      row[Guest.columns.place.index] = .text(decomposed)
      return EntityID<Guest>(pk: try rows.insert(model, pk: rows.newPrimaryKey(), row, .effect).pk)
    }
    let guest = try #require(try test.store.main.object(id))
    #expect(guest.place == .home)
    #expect(bytes(guest.unrecognizedValue(of: \.place)) == bytes(decomposed))
    guest.place = .café
    #expect(guest.hasChanges)
    try await test.store.main.save()
    #expect(try test.store.main.count(Guest.where { $0.place == .café }) == 1)
  }

  @Test func `stored values tell the two forms of a text apart`() {
    #expect(StoredValue.text(composed) != .text(decomposed))
    #expect(StoredValue.text(composed) == .text(composed))
    #expect(Set([StoredValue.text(composed), .text(decomposed), .text(composed)]).count == 2)
    #expect(StoredValue.real(0) == .real(-0.0))
    #expect(StoredValue.real(.nan) != .real(.nan))
    #expect(StoredValue.integer(1) != .real(1))
    #expect(StoredValue.null == .null)
  }
}
