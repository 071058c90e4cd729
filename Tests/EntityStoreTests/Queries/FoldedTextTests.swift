import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Text without regard to case and accents, in conditions, orders, groups and pages.
@MainActor
struct FoldedTextTests {
  private func notes(_ place: Place, _ texts: [String], isSaved: Bool) async throws -> TestStore {
    let test = try TestStore(place)
    for text in texts { try test.store.main.insert(Note.self).text = text }
    if isSaved { try await test.store.main.save() }
    return test
  }

  // MARK: Which texts are equal

  private enum Sameness { case text, letters, accents, none }

  /// Two texts, and what to leave out so that they are equal.
  private static let pairs: [(String, String, Sameness)] = [
    ("ada", "ada", .text), ("", "", .text), ("Ada", "aDA", .letters), ("ÉMILE", "émile", .letters),
    ("ЖУК", "жук", .letters),
    // Two spellings of one character, and marks in any order.
    ("caf\u{E9}", "cafe\u{301}", .letters), ("q\u{307}\u{323}", "q\u{323}\u{307}", .letters),
    ("각", "\u{1100}\u{1161}\u{11A8}", .letters), ("\u{212B}", "å", .letters),
    // One letter is several in the other case, or has two forms in one case.
    ("Straße", "STRASSE", .letters), ("ẞ", "ss", .letters), ("ﬁn", "FIN", .letters), ("ΟΔΟΣ", "οδος", .letters),
    ("σ", "ς", .letters),
    ("ſ", "S", .letters), ("ᾳ", "ΑΙ", .letters),
    // Accents above, below and through a letter; points.
    ("Émile", "emile", .accents), ("Ångström", "angstrom", .accents), ("ağaç", "agac", .accents), ("й", "И", .accents),
    ("שָׁלוֹם", "שלום", .accents), ("İ", "i", .accents), ("e\u{301}\u{327}", "e", .accents),
    // Letters of their own, other lengths, a NUL within.
    ("ø", "o", .none), ("ı", "i", .none), ("ı", "I", .none), ("か", "が", .none), ("कि", "कु", .none), ("가", "각", .none),
    ("a", "a\0", .none), ("a\0É", "a\0e", .accents), ("a\0b", "a\0c", .none), ("a", "", .none),
    ("\u{301}", "", .accents),
    ("ß", "s", .none), ("😀", "😁", .none),
  ]

  @Test(arguments: Place.usual, [false, true])
  func `each text is equal to those that differ in what is left out`(_ place: Place, isSaved: Bool) async throws {
    let test = try await notes(place, Self.pairs.map(\.0), isSaved: isSaved)
    let main = test.store.main
    for (number, (left, right, sameness)) in Self.pairs.enumerated() {
      let row = try main.fetch(Note.all)[number].entityID
      func finds(_ condition: (QueryRow<Note>) -> EntityPredicate) throws -> Bool {
        try main.ids(Note.where(condition)).contains(row)
      }
      let (ignoresCase, ignoresBoth) = (sameness == .text || sameness == .letters, sameness != .none)
      #expect(try finds { $0.text == right } == (sameness == .text), "\(left) \(right)")
      #expect(try finds { $0.text.ignoringCase == right } == ignoresCase, "\(left) \(right)")
      #expect(try finds { $0.text.ignoringCaseAndAccents == right } == ignoresBoth, "\(left) \(right)")
      #expect(try finds { $0.text.ignoringCase != right } == !ignoresCase, "\(left) \(right)")
      #expect(try finds { $0.text.ignoringCase.isIn(["?", right]) } == ignoresCase, "\(left) \(right)")
    }
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `a folded text has an order and is compared with columns`(_ place: Place, isSaved: Bool) async throws {
    let test = try await notes(place, ["b", "A", "É", ""], isSaved: isSaved)
    let main = test.store.main
    func texts(_ condition: (QueryRow<Note>) -> EntityPredicate) throws -> [String] {
      try main.fetch(Note.where(condition)).map(\.text)
    }
    #expect(try texts { $0.text.ignoringCase < "B" } == ["A", ""])
    #expect(try texts { $0.text.ignoringCaseAndAccents > "D" } == ["É"])
    #expect(try texts { $0.text.ignoringCase.isIn("A"..."B") } == ["b", "A"])
    #expect(try texts { $0.text.ignoringCase.isIn("A"..<"B") } == ["A"])
    #expect(try texts { $0.text.ignoringCase.isEmpty } == [""])
    #expect(try texts { $0.text.ignoringCase == nil } == [])
    #expect(try texts { $0.text == $0.text.ignoringCase } == ["b", "A", "É", ""])
    #expect(try texts { $0.text.ignoringCase >= $0.text } == ["b", "A", "É", ""])
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `parts of texts are found`(_ place: Place, isSaved: Bool) async throws {
    let test = try await notes(place, ["Crème Brûlée", "creme", "CRÈME", "Grießbrei", ""], isSaved: isSaved)
    let main = test.store.main
    func texts(_ condition: (QueryRow<Note>) -> EntityPredicate) throws -> [String] {
      try main.fetch(Note.where(condition)).map(\.text)
    }
    #expect(try texts { $0.text.ignoringCase.hasPrefix("crè") } == ["Crème Brûlée", "CRÈME"])
    #expect(try texts { $0.text.ignoringCaseAndAccents.hasPrefix("crè") } == ["Crème Brûlée", "creme", "CRÈME"])
    // A letter with its accent is one letter: "cre" is no beginning of "crème".
    #expect(try texts { $0.text.ignoringCase.hasPrefix("cre") } == ["creme"])
    #expect(try texts { $0.text.ignoringCase.hasSuffix("BRÛLÉE") } == ["Crème Brûlée"])
    #expect(try texts { $0.text.ignoringCaseAndAccents.hasSuffix("lee") } == ["Crème Brûlée"])
    #expect(try texts { $0.text.ignoringCase.contains("SSB") } == ["Grießbrei"])
    #expect(try texts { $0.text.ignoringCaseAndAccents.contains("E BRU") } == ["Crème Brûlée"])
    #expect(try texts { $0.text.ignoringCase.contains("") }.count == 5)
    #expect(try texts { !$0.text.ignoringCase.contains("e") } == [""])
    #expect(try texts { $0.text.ignoringCaseAndAccents.isIn([]) } == [])
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `texts of links and columns compare`(_ place: Place, isSaved: Bool) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let rows = [("Zoë", "ZOE"), ("Ada", nil), ("éva", "ÉVA")]
    for (uid, (name, email)) in rows.enumerated() {
      let person = try main.insert(Person.self)
      (person.uid, person.name, person.email) = (uid + 1, name, email)
      person.boss = try main.fetch(Person.self, uid: uid)
    }
    if isSaved { try await main.save() }
    func names(_ condition: (QueryRow<Person>) -> EntityPredicate) throws -> [String] {
      try main.fetch(Person.where(condition)).map(\.name)
    }
    #expect(try names { $0.name.ignoringCase == $0.email.ignoringCase } == ["éva"])
    #expect(try names { $0.name.ignoringCase != $0.email.ignoringCase } == ["Zoë", "Ada"])
    #expect(try names { $0.name.ignoringCaseAndAccents == $0.email.ignoringCase } == ["Zoë", "éva"])
    #expect(try names { $0.boss.name.ignoringCaseAndAccents == "zoe" } == ["Ada"])
    #expect(try names { $0.reports.any { $0.name.ignoringCase == "ÉVA" } } == ["Ada"])
    // Rows without a text.
    #expect(try names { $0.email.ignoringCase != "zoe" } == ["Ada", "éva"])
    #expect(try names { $0.email.ignoringCase == "" }.isEmpty)
    #expect(try names { $0.email.ignoringCase.contains("") } == ["Zoë", "éva"])
    withExtendedLifetime(test) {}
  }

  // MARK: Orders, pages, groups

  @Test(arguments: Place.usual, [false, true])
  func `folded text sorts and pages`(_ place: Place, isSaved: Bool) async throws {
    let texts = ["b", "É", "a", "e", "B", "E\u{301}", "f", "A", "é"]
    let test = try await notes(place, texts, isSaved: isSaved)
    let main = test.store.main
    let query = Note.all.sorted { $0.text.ignoringCaseAndAccents }
    // Equal ones come in the order in which they were made.
    let sorted = ["a", "A", "b", "B", "É", "e", "E\u{301}", "é", "f"]
    #expect(try main.fetch(query).map { Array($0.text.utf8) } == sorted.map { Array($0.utf8) })
    #expect(try main.fetch(Note.all.sorted(.descending) { $0.text.ignoringCase }).map(\.text).first == "É")
    #expect(try main.fetch(query.reversed()).map(\.text) == sorted.reversed())
    for size in 1...4 {
      var page = try main.fetch(query, page: size)
      var walked = page.objects
      while let next = page.next {
        page = try main.fetch(query, page: size, after: next)
        walked += page.objects
      }
      #expect(walked.map(\.text) == sorted)
    }
    // A place in the order of another fold is none in this one.
    let place = try #require(try main.fetch(query, page: 1).next)
    let other = Note.all.sorted { $0.text.ignoringCase }
    #expect(errorKind { _ = try main.fetch(other, page: 1, after: place) } == .invalidQuery)
    #expect(
      try query.sql("*").rendered(main.core.schema) { $0.name.quoted }.sql
        == #"SELECT * FROM "Note" AS t0 WHERE 1 ORDER BY _entity_fold(t0."text", 1), t0._pk"#)
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `folded text can be grouped and selected as a value`(_ place: Place, isSaved: Bool) async throws {
    let test = try await notes(place, ["Oslo", "OSLO", "Åre", "are", "Rome"], isSaved: isSaved)
    let main = test.store.main
    let groups: [(String?, Int)] = try main.fetch(
      Note.all.grouped { $0.text.ignoringCaseAndAccents }.select { ($0.key, $0.count) })
    #expect(groups.map(\.0) == ["are", "oslo", "rome"])
    #expect(groups.map(\.1) == [2, 2, 1])
    let cities: [String?] = try main.fetch(Note.all.select { $0.text.ignoringCase }.distinct())
    #expect(cities == ["oslo", "åre", "are", "rome"])
    let count: Int = try main.aggregate(Note.all) { $0.distinctCount { $0.text.ignoringCaseAndAccents } }
    #expect(count == 3)
    withExtendedLifetime(test) {}
  }

  // MARK: Contexts, live queries, the file

  @Test(arguments: Place.usual)
  func `text is folded in each context`(_ place: Place) async throws {
    let test = try await notes(place, ["Émile"], isSaved: true)
    let query = Note.where { $0.text.ignoringCaseAndAccents == "EMILE" }.sorted(
      by: \.text, locale: Locale(identifier: "fr"))
    #expect(try test.store.main.count(query) == 1)
    #expect(try test.store.main.child().fetch(query).count == 1)
    #expect(try await test.store.read { try $0.fetch(query).count } == 1)
    let found = try await test.store.background { context in
      try context.insert(Note.self).text = "émile"
      return try context.fetch(query).map(\.text)
    }
    #expect(found == ["émile", "Émile"])
  }

  @Test(arguments: Place.usual)
  func `live queries hear of folded texts`(_ place: Place) async throws {
    let test = try await notes(place, ["Émile", "Zoë"], isSaved: true)
    let main = test.store.main
    let live = LiveQuery(
      Note.where { $0.text.ignoringCaseAndAccents.hasPrefix("e") }.sorted { $0.text.ignoringCase }, in: test.store)
    #expect(live.objects.map(\.text) == ["Émile"])
    // An unsaved change, one of a unit, and one of the order alone.
    let zoe = try main.fetch(Note.all)[1]
    zoe.text = "ÉVA"
    #expect(live.objects.map(\.text) == ["Émile", "ÉVA"])
    let id = zoe.entityID
    try await main.save()
    try await test.store.background { try $0.object(id)?.text = "éa" }
    #expect(live.objects.map(\.text) == ["éa", "Émile"])
    try await test.store.background { try $0.object(id)?.text = "Zoë" }
    #expect(live.objects.map(\.text) == ["Émile"])
  }

  /// Another program has neither the function nor the collations.
  @Test func `the file needs no function and no collation of the package`() async throws {
    let test = try await notes(.file, ["Émile", "emile"], isSaved: true)
    let main = test.store.main
    #expect(try main.fetch(Note.all.sorted { $0.text.ignoringCase }).count == 2)
    #expect(try main.fetch(Note.all.sorted(by: \.text, locale: Locale(identifier: "nb"))).count == 2)
    try await main.save()
    let raw = try RawConnection(test.folder.file.path, vfs: nil, busyTimeout: 600_000)
    #expect(try raw.text("PRAGMA integrity_check") == "ok")
    #expect(try raw.int(#"SELECT count(*) FROM "Note""#) == 2)
    #expect(try raw.int("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%fold%' OR sql LIKE '%collate%'") == 0)
    try raw.run(#"UPDATE "Note" SET "text" = 'x'"#)
    // Nor can anybody put the function into it.
    try await test.store.core.unit { rows in
      _ = #expect(throws: StoreError.self) {
        try rows.connection.execute(#"CREATE INDEX folded ON "Note" (_entity_fold("text", 1))"#)
      }
    }
  }

  // MARK: Long texts

  /// Each piece is normalised by itself, so the longest one decides on the time for a byte.
  @Test(arguments: [1_000, 2_000, 4_000, 200_000])
  func `a long text is folded in short pieces`(_ count: Int) {
    for unit in ["é", "中", "각", "\u{1100}\u{1161}\u{11A8}", "e\u{301}\u{323}", "का", "👩‍👩‍👧", "é "] {
      let text = String(repeating: unit, count: count)
      let pieces = TextFold.pieces(of: text)
      let longest = pieces.map(\.utf8.count).max() ?? 0
      #expect(longest < TextFold.pieceSize + unit.utf8.count, "\(unit)")
      #expect(pieces.count <= text.utf8.count / TextFold.pieceSize + 1, "\(unit)")
      #expect(pieces.joined().unicodeScalars.elementsEqual(text.unicodeScalars), "\(unit)")
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `a text in pieces is folded as a whole`(seed: UInt64) {
    var random = SeededRandom(seed)
    let special: [ClosedRange<UInt32>] = [
      0x41...0x5A, 0xC0...0x17F, 0x300...0x345, 0x370...0x3FF, 0x591...0x5C7, 0x900...0x97F, 0x9BE...0x9D7,
      0xB3E...0xB57, 0xCC0...0xCD6, 0xDCF...0xDDF, 0x1100...0x11FF, 0x1B05...0x1B44, 0x1E00...0x1FFF, 0x200B...0x200F,
      0x2126...0x212B, 0xAC00...0xAC40, 0xFB00...0xFB4F, 0x11099...0x110BA, 0x1D15E...0x1D172, 0x1F466...0x1F469,
      0x0...0x20, 0x0...0x10FFFF,
    ]
    for _ in 0..<20 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...900, using: &random) {
        guard let range = special.randomElement(using: &random),
          let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random))
        else { continue }
        text.append(scalar)
      }
      let string = String(text)
      for fold in [TextFold.unicodeCase, .unicodeCaseAndAccents] {
        let whole = fold.foldedAtOnce(string)
        #expect(fold.folded(string).unicodeScalars.elementsEqual(whole.unicodeScalars))
      }
    }
  }
}
