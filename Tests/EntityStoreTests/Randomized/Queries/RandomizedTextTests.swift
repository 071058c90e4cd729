import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Random texts folded and collated, by SQL and in Swift.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it.
@MainActor
struct RandomizedTextTests {
  private struct Difference: Error, CustomStringConvertible { let description: String }

  /// Letters with cases of other lengths, marks, Jamo, right-to-left letters with points, ignorable ones, and a NUL.
  private static let scalars: [Unicode.Scalar] = [
    "a", "A", "b", "e", "i", "I", "s", "S", "z", "0", " ", "-", "é", "É", "å", "Ä", "ß", "ẞ", "ø", "ı", "İ", "ﬁ", "ſ",
    "σ",
    "ς", "Σ", "й", "\u{301}", "\u{308}", "\u{323}", "\u{327}", "\u{345}", "각", "\u{1100}", "\u{1161}", "\u{11A8}", "ש",
    "\u{5C1}",
    "क", "\u{941}", "か", "\u{3099}", "\u{200D}", "\u{0}", "😀", "\u{10FFFF}", "ꭰ", "Ꭰ",
  ]

  private static func text(_ random: inout SeededRandom) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<random.below(6) { text.append(scalars[random.below(scalars.count)]) }
    return String(text)
  }

  /// The same text for who leaves out case and spelling: each scalar in a case of its own, composed or not.
  private static func respelled(_ text: String, _ random: inout SeededRandom) -> String {
    var other = ""
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      switch random.below(3) {
      // The dotless ı has a capital letter that is another one's.
      case 0 where scalar != "ı":
        other.unicodeScalars.append(contentsOf: scalar.properties.uppercaseMapping.unicodeScalars)
      case 1: other.unicodeScalars.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
      default: other.unicodeScalars.append(scalar)
      }
    }
    return random.chance(2) ? other.precomposedStringWithCanonicalMapping : other
  }

  @Test(arguments: Place.usual)
  func `SQL finds and sorts as Swift does`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 20 : 4, sanitized: 1, place.rawValue) { seed, _ in
      var random = SeededRandom(seed)
      let test = try TestStore(place)
      let main = test.store.main
      for _ in 0..<70 { try main.insert(Note.self).text = Self.text(&random) }
      try await main.save()
      for _ in 0..<30 { try main.insert(Note.self).text = Self.text(&random) }
      let all = try main.fetch(Note.all)
      for note in all where random.chance(8) { note.text = Self.text(&random) }
      for _ in 0..<30 {
        // Other tests need the main actor too.
        await Task.yield()
        let fold: TextFold = random.element([.asciiCase, .unicodeCase, .unicodeCaseAndAccents]) ?? .asciiCase
        let some = random.chance(2) ? Self.text(&random) : random.element(all)?.text ?? ""
        let text = fold == .asciiCase ? some : Self.respelled(some, &random)
        if fold != .asciiCase, fold.folded(text) != fold.folded(some) {
          throw Difference(description: "\(Array(text.utf8)) and \(Array(some.utf8)) are not equal")
        }
        try Self.check(fold, text, all, in: main)
      }
    }
  }

  private static func check(_ fold: TextFold, _ text: String, _ all: [Note], in context: EntityContext) throws {
    func folded(_ row: QueryRow<Note>) -> QueryValue<String?> {
      switch fold {
      case .asciiCase: row.text.ignoringASCIICase
      case .unicodeCase: row.text.ignoringCase
      case .unicodeCaseAndAccents: row.text.ignoringCaseAndAccents
      }
    }
    let wanted = Array(fold.folded(text).utf8)
    func expect(_ name: String, _ query: EntityQuery<Note>, _ holds: ([UInt8]) -> Bool) throws {
      let found = try context.fetch(query)
      let expected = all.filter { holds(Array(fold.folded($0.text).utf8)) }
      guard found == expected else {
        throw Difference(
          description: "\(fold) \(name) \(Array(text.utf8)): \(found.map { Array($0.text.utf8) }), not "
            + "\(expected.map { Array($0.text.utf8) })")
      }
    }
    try expect("==", Note.where { folded($0) == text }) { $0 == wanted }
    try expect("!=", Note.where { folded($0) != text }) { $0 != wanted }
    try expect("isIn", Note.where { folded($0).isIn([text, "?"]) }) { $0 == wanted || $0 == Array("?".utf8) }
    try expect("hasPrefix", Note.where { folded($0).hasPrefix(text) }) { $0.starts(with: wanted) }
    try expect("hasSuffix", Note.where { folded($0).hasSuffix(text) }) { $0.reversed().starts(with: wanted.reversed()) }
    try expect("contains", Note.where { folded($0).contains(text) }) { bytes in
      wanted.isEmpty || bytes.indices.contains { bytes[$0...].starts(with: wanted) }
    }
    let sorted = all.sorted { left, right in
      let (own, others) = (fold.folded(left.text), fold.folded(right.text))
      return own.utf8.elementsEqual(others.utf8)
        ? left.entityID.pk < right.entityID.pk : own.utf8.lexicographicallyPrecedes(others.utf8)
    }
    guard try context.fetch(Note.all.sorted(by: folded)) == sorted else {
      throw Difference(description: "the order of \(fold)")
    }
  }

  /// The order has no circles: neither SQLite nor a walk through pages could bear one.
  @Test(arguments: ["de", "nb", "sv", "cs"])
  func `collations are the order of Swift`(_ name: String) async throws {
    let locale = Locale(identifier: name)
    await Seeds.each(8, sanitized: 1, name) { seed, _ in
      var random = SeededRandom(seed)
      let test = try TestStore(.memory)
      let main = test.store.main
      for _ in 0..<60 { try main.insert(Note.self).text = Self.text(&random) }
      let all = try main.fetch(Note.all)
      func order(_ left: Note, _ right: Note) -> ComparisonResult {
        TextCollation.compare(left.text, right.text, locale)
      }
      for left in all {
        await Task.yield()
        for right in all {
          guard order(left, right).rawValue == -order(right, left).rawValue else {
            throw Difference(description: "\(Array(left.text.utf8)) and \(Array(right.text.utf8))")
          }
        }
      }
      let sorted = all.sorted {
        order($0, $1) == .orderedAscending || order($0, $1) == .orderedSame && $0.entityID.pk < $1.entityID.pk
      }
      let query = Note.all.sorted(by: \.text, locale: locale)
      var page = try main.fetch(query, page: 7)
      var walked = page.objects
      while let next = page.next {
        page = try main.fetch(query, page: 7, after: next)
        walked += page.objects
      }
      guard try main.fetch(query) == sorted, walked == sorted else {
        throw Difference(description: "the order of \(name)")
      }
      for text in (0..<20).map({ _ in Self.text(&random) }) {
        let found = try main.fetch(Note.where { $0.text.collated(by: locale) < text })
        guard found == all.filter({ TextCollation.compare($0.text, text, locale) == .orderedAscending }) else {
          throw Difference(description: "\(name): before \(Array(text.utf8))")
        }
      }
    }
  }
}
