import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Text in the order of a language.
@MainActor
struct CollatedTextTests {
  private func notes(_ place: Place, _ texts: [String], isSaved: Bool) async throws -> TestStore {
    let test = try TestStore(place)
    for text in texts { try test.store.main.insert(Note.self).text = text }
    if isSaved { try await test.store.main.save() }
    return test
  }

  private let norwegian = Locale(identifier: "nb_NO")
  private let german = Locale(identifier: "de")

  @Test(arguments: Place.usual, [false, true])
  func `each language has an order of its own`(_ place: Place, isSaved: Bool) async throws {
    let test = try await notes(place, ["Ål", "Zug", "Ære", "Øre", "apfel", "Apfel", "Äpfel", "b"], isSaved: isSaved)
    let main = test.store.main
    func texts(_ locale: Locale, _ order: EntityQuery<Note>.Order = .ascending) throws -> [String] {
      try main.fetch(Note.all.sorted(by: \.text, locale: locale, order)).map(\.text)
    }
    #expect(try texts(german) == ["Ære", "Ål", "apfel", "Apfel", "Äpfel", "b", "Øre", "Zug"])
    #expect(try texts(norwegian) == ["apfel", "Apfel", "b", "Zug", "Äpfel", "Ære", "Øre", "Ål"])
    #expect(try texts(norwegian, .descending) == texts(norwegian).reversed())
    #expect(
      try main.fetch(Note.where { $0.text.collated(by: norwegian) > "Z" }.sorted { $0.text.collated(by: norwegian) })
        .map(\.text) == ["Zug", "Äpfel", "Ære", "Øre", "Ål"])
    #expect(try main.count(Note.where { $0.text.collated(by: german) < "b" }) == 5)
    #expect(try main.count(Note.where { $0.text.collated(by: german) <= "b" }) == 6)
    #expect(try main.count(Note.where { $0.text.collated(by: german) >= "b" }) == 3)
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `pages and nils follow the order`(_ place: Place, isSaved: Bool) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    // Both spellings of é are equal: then the row ids decide.
    let emails = ["ø", nil, "caf\u{E9}", "a", "cafe\u{301}", nil, "z", "caf\u{E9}"]
    for (uid, email) in emails.enumerated() {
      let person = try main.insert(Person.self)
      (person.uid, person.email) = (uid + 1, email)
    }
    if isSaved { try await main.save() }
    let query = Person.all.sorted(by: \.email, locale: norwegian, nils: .last)
    let expected = [4, 3, 5, 8, 7, 1, 2, 6]
    #expect(try main.fetch(query).map(\.uid) == expected)
    for size in 1...5 {
      var page = try main.fetch(query, page: size)
      var walked = page.objects
      while let next = page.next {
        page = try main.fetch(query, page: size, after: next)
        walked += page.objects
      }
      #expect(walked.map(\.uid) == expected)
    }
    let next = try #require(try main.fetch(query, page: 1).next)
    let other = Person.all.sorted(by: \.email, locale: german, nils: .last)
    #expect(errorKind { _ = try main.fetch(other, page: 1, after: next) } == .invalidQuery)
    #expect(
      try Person.all.sorted { $0.boss.name.collated(by: norwegian) }.sql("*").rendered(main.core.schema) {
        $0.name.quoted
      }.sql
        == #"SELECT * FROM "Person" AS t0 WHERE t0._placeholder = 0 ORDER BY (SELECT p."name" FROM "Person" AS p WHERE p._pk = t0."boss") COLLATE "_entity_nb_NO", t0._pk"#
    )
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual)
  func `limits and composition keep the order`(_ place: Place) async throws {
    let test = try await notes(place, ["å", "a", "z", "b"], isSaved: true)
    let main = test.store.main
    let last = Note.all.sorted(by: \.text, locale: norwegian, .descending).limited(to: 2)
    #expect(try main.fetch(last).map(\.text) == ["å", "z"])
    #expect(try main.fetch(last.reversed()).map(\.text) == ["z", "å"])
    #expect(try main.fetch(last.where { $0.text != "z" }).map(\.text) == ["å"])
    let values: [String] = try main.fetch(last.select { $0.text }.distinct())
    #expect(values == ["å", "z"])
    let live = LiveQuery(last, in: test.store)
    #expect(live.objects.map(\.text) == ["å", "z"])
    let id = try main.fetch(Note.all)[1].entityID
    try await test.store.background { try $0.object(id)?.text = "ø" }
    #expect(live.objects.map(\.text) == ["å", "ø"])
  }

  /// The name of a locale is an app's, or a user's.
  @Test(arguments: ["", "xx_YY", "de@collation=phonebook", #"a"b; DROP TABLE "Note"--"#, "a\0b", "日本"])
  func `any name of a locale sorts`(_ name: String) async throws {
    let test = try await notes(.memory, ["b", "a"], isSaved: true)
    #expect(
      try test.store.main.fetch(Note.all.sorted(by: \.text, locale: Locale(identifier: name))).map(\.text) == [
        "a", "b",
      ])
  }
}
