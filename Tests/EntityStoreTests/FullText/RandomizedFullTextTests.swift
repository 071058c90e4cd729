import EntityStore
import Foundation
import TestSupport
import Testing

/// Searches for words by SQLite and by Swift, in texts of random words, while objects are edited, saved, deleted and rolled
/// back: in the main context, in a child, in a unit and in a read.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=10000` runs so many.
@MainActor
struct RandomizedFullTextTests {
  private struct Difference: Error, CustomStringConvertible { let description: String }

  nonisolated private static let vocabulary = [
    "tea", "Tea", "téa", "teapot", "milk", "MILKY", "oat", "x", "ñandú", "Nandu",
  ]

  @Test(arguments: Place.usual)
  func `searches find the same objects as Swift`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 24 : 6, sanitized: 2, place.rawValue) { seed, steps in
      var random = SeededRandom(seed)
      let test = try TestStore(place, Memo.all)
      let main = test.store.main
      var uid = 0
      for round in 0..<12 {
        await Task.yield()
        let child = random.chance(3) ? try main.child() : nil
        let context = child ?? main
        try Self.change(context, &random, &uid)
        try Self.compare(context, &random, "round \(round)")
        if let child, random.chance(2) { try child.saveAtOnce() }
        try Self.compare(main, &random, "round \(round), main")
        switch random.below(7) {
        case 0: try await main.save()
        case 1: main.rollback()
        case 2 where !main.hasChanges:
          // By query, in a unit.
          let (asked, given) = (Self.word(&random), Self.text(&random))
          let (deletes, seed) = (random.chance(3), random.next())
          try await test.store.background { context in
            var asking = SeededRandom(seed)
            let query = Memo.where { $0.matches(asked) }.sorted(by: \.uid).limited(to: 2)
            if deletes { try context.delete(query) } else { try context.update(query) { $0.set(\.body, to: given) } }
            try Self.compare(context, &asking, "round \(round), unit after a query")
          }
        case 3 where !main.hasChanges:
          let (number, asking) = (uid, SeededRandom(random.next()))
          uid = try await test.store.background { [number, asking] context in
            var (number, asking) = (number, asking)
            try Self.change(context, &asking, &number)
            try Self.compare(context, &asking, "round \(round), unit")
            return number
          }
        case 4:
          let asking = SeededRandom(random.next())
          try await test.store.read { context in
            var asking = asking
            try Self.compare(context, &asking, "round \(round), read")
          }
        default: break
        }
        try Self.compare(main, &random, "round \(round), end")
        steps += "\(round) "
      }
      guard place == .file else { return }
      let raw = try RawConnection(test.folder.file.path, vfs: nil, busyTimeout: 60_000)
      try raw.run("INSERT INTO \"_search,Memo\" (\"_search,Memo\", rank) VALUES ('integrity-check', 1)")
    }
  }

  nonisolated private static func change(_ context: EntityContext, _ random: inout SeededRandom, _ uid: inout Int)
    throws
  {
    for _ in 0..<(1 + random.below(4)) {
      let memos = try context.fetch(Memo.all)
      switch random.below(5) {
      case 0, 1:
        uid += 1
        let memo = try context.insert(Memo.self)
        (memo.uid, memo.title, memo.body) = (uid, random.chance(3) ? nil : text(&random), text(&random))
        memo.stars = random.below(4)
      case 2: random.element(memos)?.title = text(&random)
      case 3: random.element(memos)?.body = text(&random)
      default: if let memo = random.element(memos) { try context.delete(memo) }
      }
    }
  }

  nonisolated private static func word(_ random: inout SeededRandom) -> String {
    vocabulary[random.below(vocabulary.count)]
  }

  nonisolated private static func text(_ random: inout SeededRandom) -> String {
    (0..<random.below(4)).map { _ in word(&random) }.joined(separator: random.element([" ", "-", ", ", "\n"]) ?? " ")
  }

  nonisolated private static func compare(
    _ context: EntityContext, _ random: inout SeededRandom, _ step: String
  ) throws {
    let all = try context.fetch(Memo.all.sorted(by: \.uid))
    for _ in 0..<3 {
      let words = (0...random.below(2)).map { _ in word(&random) }
      // Signs that mean something to FTS5 are no part of a word, wherever they are.
      let signs = ["", "", "\"", "-", "^", "(", "*", ":"]
      let asked = words.map { "\(random.element(signs) ?? "")\($0)\(random.element(signs) ?? "")" }
        .joined(separator: " ")
      let (other, stars) = (word(&random), random.below(4))
      let isFound = Set(all.filter { holds($0, words) }.map(\.uid))
      let first = all.filter { isFound.contains($0.uid) }.prefix(2).map(\.uid)
      func check(_ name: String, _ query: EntityQuery<Memo>, _ holds: (Memo) -> Bool) throws {
        let found = try context.fetch(query.sorted(by: \.uid)).map(\.uid)
        let expected = all.filter(holds).map(\.uid)
        guard found == expected else {
          throw Difference(description: "\(step): '\(asked)'\(name) finds \(found), not \(expected)")
        }
      }
      let query = Memo.where { $0.matches(asked) }
      try check("", query) { isFound.contains($0.uid) }
      // A search within other conditions, and as a subquery.
      try check(" inverted", query.inverted()) { !isFound.contains($0.uid) }
      try check(" or '\(other)'", Memo.where { $0.matches(asked) || $0.matches(other) }) {
        isFound.contains($0.uid) || holds($0, [other])
      }
      try check(" and stars", query.where { $0.stars > stars }) { isFound.contains($0.uid) && $0.stars > stars }
      try check(" and not '\(other)'", query.and(Memo.where { !$0.matches(other) })) {
        isFound.contains($0.uid) && !holds($0, [other])
      }
      try check(" but the first two", query.sorted(by: \.uid).limited(to: 2).inverted().unsorted()) {
        !first.contains($0.uid)
      }
    }
  }

  nonisolated private static func holds(_ memo: Memo, _ words: [String]) -> Bool {
    let known = "\(memo.title ?? "") \(memo.body)".split { " -,\n".contains($0) }.map { folded(String($0)) }
    return words.indices.allSatisfy { index in
      let word = folded(words[index])
      return index == words.count - 1 ? known.contains { $0.hasPrefix(word) } : known.contains(word)
    }
  }

  nonisolated private static func folded(_ text: String) -> String {
    text.lowercased().replacing("é", with: "e").replacing("ñ", with: "n").replacing("ú", with: "u")
  }
}
