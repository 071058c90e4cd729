import EntityMacros
import EntityStore
import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// Queries that find words.
@MainActor
struct FullTextTests {
  static let texts: [(String?, String)] = [
    ("Café Nord", "Rock and roll"), (nil, "Roll of rocks, x-y"), ("ΑΘΗΝΑ", "he said \"hi\" to Åse"),
    ("rock", "and nothing else; roll"),
  ]

  private func filled(_ place: Place, isSaved: Bool) async throws -> (test: TestStore, main: EntityContext) {
    let test = try TestStore(place, Memo.all)
    let main = test.store.main
    for (uid, (title, body)) in Self.texts.enumerated() {
      let memo = try main.insert(Memo.self)
      (memo.uid, memo.title, memo.body) = (uid + 1, title, body)
    }
    if isSaved { try await main.save() }
    return (test, main)
  }

  private func found(_ context: EntityContext, _ pattern: SearchPattern) throws -> [Int] {
    try context.fetch(Memo.where { $0.matches(pattern) }).map(\.uid)
  }

  @Test(arguments: Place.usual, [false, true])
  func `words are found in any text of the entity`(_ place: Place, isSaved: Bool) async throws {
    let (test, main) = try await filled(place, isSaved: isSaved)
    #expect(try main.fetch(Memo.where { $0.matches("cafe") }).map(\.uid) == [1])
    for (text, uids) in [
      ("CAFÉ", [1]), ("caf", [1]), ("nord cafe", [1]), ("cafe roll", [1]), ("cafe rocks", []), ("rock", [1, 2, 4]),
      ("rock roll", [1, 4]), ("roll rock", [1, 2, 4]), ("αθηνα", [3]), ("ase", [3]), ("\"hi", [3]), ("x-y", [2]),
      ("y-x", []), ("rock - roll", [1, 4]), ("-", []), ("", []), (" \n", []), ("NOT", [4]), ("and", [1, 4]),
      ("title:", []), ("rock\0", [1, 2, 4]), ("\"\u{301}", []), ("(rock", [1, 2, 4]), ("rock*", [1, 2, 4]), ("'", []),
    ] {
      #expect(try found(main, .allWords(text)) == uids, "\(text)")
    }
    #expect(try found(main, .anyWord("cafe αθ")) == [1, 3])
    #expect(try found(main, .anyWord("")) == [])
    #expect(try found(main, .phrase("rock and roll")) == [1])
    #expect(try found(main, .phrase("rock roll")) == [])
    #expect(try found(main, .phrase("roc")) == [])
    #expect(try found(main, .fts5("title: ro*")) == [4])
    #expect(try found(main, .fts5("rock NOT cafe")) == [4])
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `a search is a condition`(_ place: Place, isSaved: Bool) async throws {
    let (test, main) = try await filled(place, isSaved: isSaved)
    let folder = try main.insert(MemoFolder.self)
    folder.uid = 7
    try main.fetch(Memo.self, uid: 4)?.folder = folder
    if isSaved { try await main.save() }
    let rocks = Memo.where { $0.matches("rock") }
    #expect(try main.fetch(rocks.where { $0.title != nil }).map(\.uid) == [1, 4])
    #expect(try main.fetch(Memo.where { !$0.matches("rock") }).map(\.uid) == [3])
    #expect(try main.fetch(rocks.sorted(by: \.uid, .descending).limited(to: 2)).map(\.uid) == [4, 2])
    #expect(try main.count(rocks) == 3)
    #expect(try main.exists(Memo.where { $0.matches("rock") && $0.matches("else") }))
    #expect(try main.fetch(MemoFolder.where { $0.memos.any(in: rocks) }).map(\.uid) == [7])
    #expect(try main.fetch(rocks.select { $0.uid }) == [1, 2, 4])
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `the best matches come first`(_ place: Place, isSaved: Bool) async throws {
    let test = try TestStore(place, Memo.all)
    let main = test.store.main
    let filler = String(repeating: " filler", count: 200)
    for (uid, body) in ["tea" + filler, "tea tea tea", "none", "tea and milk", "milk"].enumerated() {
      let memo = try main.insert(Memo.self)
      (memo.uid, memo.body) = (uid + 1, body)
    }
    if isSaved { try await main.save() }
    #expect(try main.fetch(Memo.where { $0.matches("tea") }.sorted(byRelevanceTo: "tea")).map(\.uid) == [2, 4, 1])
    #expect(try main.fetch(Memo.all.sorted(byRelevanceTo: "tea")).map(\.uid) == [2, 4, 1, 3, 5])
    let query = Memo.where { $0.matches("tea") }.sorted(byRelevanceTo: "tea")
    let first = try main.fetch(query, page: 2)
    #expect(
      try first.objects.map(\.uid) + main.fetch(query, page: 2, after: first.next).objects.map(\.uid) == [2, 4, 1])
    withExtendedLifetime(test) {}
  }

  @Test func `a wrong pattern is reported`() async throws {
    let (test, main) = try await filled(.memory, isSaved: true)
    for pattern in ["\"open", "a AND", "nope: x", "*", "", "a\0"] {
      #expect(errorKind { _ = try found(main, .fts5(pattern)) } == .invalidQuery, "\(pattern)")
    }
    for pattern in ["secret: x", "*secret", "NEAR(a, secret)", "a secret.b"] {
      let error = #expect(throws: StoreError.self) { _ = try found(main, .fts5(pattern)) }
      #expect(error?.kind == .invalidQuery)
      #expect(error?.message.contains("none of FTS5") == true, "\(pattern)")
      #expect(error.map { "\($0)".contains("secret") } == false)
    }
    // A search beside a mistake of another kind.
    for uid in [1, 4] { try main.fetch(Memo.self, uid: uid)?.stars = .max }
    let rocks = Memo.where { $0.matches("rock") }
    #expect(errorKind { _ = try main.aggregate(rocks) { $0.sum { $0.stars } } } == .invalidValue)
    main.rollback()
    // The first statement of a connection that uses FTS5 is one that is checked.
    let checked = Memo.where { $0.matches("rock") && SQL("\($0.uid) > \(1)") }
    #expect(try await test.store.read { try $0.fetch(checked).map(\.uid) } == [2, 4])
    #expect(try found(main, .fts5("rock")) == [1, 4])
    #expect(errorKind { _ = try main.fetch(MemoFolder.where { $0.matches("x") }) } == .invalidQuery)
    withExtendedLifetime(test) {}
  }

  @Test func `a search of no text is refused`() throws {
    #expect(errorKind { _ = try EntityStore(.inMemory, entities: [NumberSearch.self]) } == .invalidSchema)
    #expect(errorKind { _ = try EntityStore(.inMemory, entities: [RankSearch.self]) } == .invalidSchema)
    #expect(errorKind { _ = try EntityStore(.inMemory, entities: [TwiceSearch.self]) } == .invalidSchema)
    // SQLite's tables of one index would have the name of the other.
    let error = #expect(throws: StoreError.self) {
      try EntityStore(.inMemory, entities: [WordShelf_data.self, WordShelf.self])
    }
    #expect(error?.kind == .invalidSchema)
    #expect(error?.message.contains("'WordShelf' and 'WordShelf_data'") == true)
  }

  @Test(arguments: Place.usual)
  func `live queries follow the words`(_ place: Place) async throws {
    let (test, main) = try await filled(place, isSaved: true)
    let live = LiveQuery(Memo.where { $0.matches("tea") }, in: test.store)
    #expect(live.objects.isEmpty)
    try await test.store.background { context in try context.fetch(Memo.self, uid: 3)?.body = "green tea" }
    #expect(live.objects.map(\.uid) == [3])
    let memo = try #require(try main.fetch(Memo.self, uid: 1))
    memo.title = "Tea"
    #expect(live.objects.map(\.uid) == [1, 3])
    memo.title = "Coffee"
    #expect(live.objects.map(\.uid) == [3])
    main.rollback()
    #expect(live.objects.map(\.uid) == [3])
    // A text that is not searched says nothing.
    #expect(memo.stars == 0)
    let counter = WorkCounter()
    counter.count(on: main.connection)
    memo.stars = 4
    #expect(live.objects.map(\.uid) == [3])
    #expect(counter.total == 0)
    counter.stop(on: main.connection)
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual)
  func `children search the objects that they see`(_ place: Place) async throws {
    let (test, main) = try await filled(place, isSaved: true)
    try #require(try main.fetch(Memo.self, uid: 1)).title = "Tea"
    let child = try main.child()
    #expect(try found(child, .allWords("tea")) == [1])
    try #require(try child.fetch(Memo.self, uid: 2)).body = "more tea"
    try child.delete(try #require(try child.fetch(Memo.self, uid: 4)))
    #expect(try found(child, .allWords("tea")) == [1, 2])
    #expect(try found(child, .allWords("rock")) == [1])
    #expect(try found(main, .allWords("tea")) == [1])
    #expect(try found(main, .allWords("rock")) == [1, 2, 4])
    try child.saveAtOnce()
    #expect(try found(main, .allWords("tea")) == [1, 2])
    #expect(try found(main, .allWords("rock")) == [1])
    main.rollback()
    #expect(try found(main, .allWords("tea")) == [])
    #expect(try found(main, .allWords("rock")) == [1, 2, 4])
    withExtendedLifetime(test) {}
  }
}

@Entity private final class NumberSearch {
  @UID var uid: Int
  static var fullTextSearch: FullTextSearch<NumberSearch>? { FullTextSearch(\.uid) }
}

@Entity private final class WordShelf {
  @UID var uid: Int
  var name: String
  static var fullTextSearch: FullTextSearch<WordShelf>? { FullTextSearch(\.name) }
}

@Entity private final class WordShelf_data {
  @UID var uid: Int
  var name: String
  static var fullTextSearch: FullTextSearch<WordShelf_data>? { FullTextSearch(\.name) }
}

@Entity private final class RankSearch {
  @UID var uid: Int
  var rank: String
  static var fullTextSearch: FullTextSearch<RankSearch>? { FullTextSearch(\.rank) }
}

@Entity private final class TwiceSearch {
  @UID var uid: Int
  var name: String
  static var fullTextSearch: FullTextSearch<TwiceSearch>? { FullTextSearch(\.name, \.name) }
}
