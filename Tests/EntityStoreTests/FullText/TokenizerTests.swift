import EntityMacros
import EntityStore
import Foundation
import Testing

@testable import EntityStore

/// The words of each tokenizer, as the article on searching says.
@MainActor
struct TokenizerTests {
  private static let texts = ["Café Nord", "green tea", "connected things", "Straße", "緑茶を飲む", "tea and xylophone"]

  private func found<E: ManagedEntity>(
    _ place: Place, _ type: E.Type, isSaved: Bool, fill: (E, Int, String) -> Void, uid: KeyPath<E, Int>
  ) async throws -> (SearchPattern) throws -> [Int] {
    let test = try TestStore(place, [E.self])
    let main = test.store.main
    for (number, text) in Self.texts.enumerated() { fill(try main.insert(E.self), number, text) }
    if isSaved { try await main.save() }
    return { pattern in
      try withExtendedLifetime(test) { try main.fetch(E.where { $0.matches(pattern) }).map { $0[keyPath: uid] } }
    }
  }

  @Test(arguments: Place.usual, [false, true])
  func `words of Unicode have neither case nor accents`(_ place: Place, isSaved: Bool) async throws {
    let found = try await found(
      place, PlainCard.self, isSaved: isSaved,
      fill: {
        $0.uid = $1; $0.text = $2
      }, uid: \.uid)
    for (text, uids) in [
      ("cafe", [0]), ("CAFÉ", [0]), ("strasse", []), ("STRAß", [3]), ("connecti", []), ("connec", [2]), ("緑茶", [4]),
      ("茶を", []), ("tea xy", [5]), ("een", []),
    ] {
      #expect(try found(.allWords(text)) == uids, "\(text)")
    }
  }

  @Test(arguments: Place.usual, [false, true])
  func `accents may count`(_ place: Place, isSaved: Bool) async throws {
    let found = try await found(
      place, AccentCard.self, isSaved: isSaved,
      fill: {
        $0.uid = $1; $0.text = $2
      }, uid: \.uid)
    for (text, uids) in [("cafe", []), ("CAFÉ", [0]), ("strasse", []), ("tea", [1, 5])] {
      #expect(try found(.allWords(text)) == uids, "\(text)")
    }
  }

  @Test(arguments: Place.usual, [false, true])
  func `English words count by their stem`(_ place: Place, isSaved: Bool) async throws {
    let found = try await found(
      place, StemCard.self, isSaved: isSaved,
      fill: {
        $0.uid = $1; $0.text = $2
      }, uid: \.uid)
    for (text, uids) in [
      ("connection", [2]), ("thing connections", [2]), ("connect", [2]), ("connecti", []), ("cafe", [0]),
      ("strasse", []),
    ] {
      #expect(try found(.allWords(text)) == uids, "\(text)")
    }
  }

  @Test(arguments: Place.usual, [false, true])
  func `three characters find parts of words`(_ place: Place, isSaved: Bool) async throws {
    let found = try await found(
      place, TriCard.self, isSaved: isSaved,
      fill: {
        $0.uid = $1; $0.text = $2
      }, uid: \.uid)
    for (text, uids) in [
      ("EEN", [1]), ("cafe", []), ("CAFÉ", [0]), ("strasse", []), ("STRAß", [3]), ("茶を飲", [4]), ("nect hin", [2]),
      ("tea", [1, 5]), ("xyl tea", [5]),
      // A word of fewer characters finds nothing, beside others too.
      ("xy", []), ("tea xy", []), ("xy tea", []), ("緑茶", []), ("tea -", []), ("", []), ("\0x\0y\0", []),
    ] {
      #expect(try found(.allWords(text)) == uids, "\(text)")
    }
    #expect(try found(.anyWord("tea xy")) == [1, 5])
    #expect(try found(.anyWord("xy")) == [])
    #expect(try found(.phrase("n t")) == [1])
    #expect(try found(.phrase("te")) == [])
  }

  /// They have an index of their own.
  @Test(arguments: Place.usual)
  func `unsaved objects are ranked among themselves`(_ place: Place) async throws {
    let test = try TestStore(place, [PlainCard.self])
    let main = test.store.main
    let filler = String(repeating: " filler", count: 200)
    func add(_ uid: Int, _ text: String) throws {
      let card = try main.insert(PlainCard.self)
      (card.uid, card.text) = (uid, text)
    }
    for uid in 1...3 { try add(uid, "tea" + String(repeating: filler, count: uid)) }
    try await main.save()
    for uid in 4...6 { try add(uid, "tea" + String(repeating: filler, count: 7 - uid)) }
    let query = PlainCard.where { $0.matches("tea") }.sorted(byRelevanceTo: "tea")
    let uids = try main.fetch(query).map(\.uid)
    #expect(uids.filter { $0 < 4 } == [1, 2, 3])
    #expect(uids.filter { $0 > 3 } == [6, 5, 4])
  }
}

@Entity private final class PlainCard {
  @UID var uid: Int
  var text: String
  static var fullTextSearch: FullTextSearch<PlainCard>? { FullTextSearch(\.text) }
}

@Entity private final class AccentCard {
  @UID var uid: Int
  var text: String
  static var fullTextSearch: FullTextSearch<AccentCard>? { FullTextSearch(\.text, tokenizer: .unicodeWithAccents) }
}

@Entity private final class StemCard {
  @UID var uid: Int
  var text: String
  static var fullTextSearch: FullTextSearch<StemCard>? { FullTextSearch(\.text, tokenizer: .english) }
}

@Entity private final class TriCard {
  @UID var uid: Int
  var text: String
  static var fullTextSearch: FullTextSearch<TriCard>? { FullTextSearch(\.text, tokenizer: .trigram) }
}
