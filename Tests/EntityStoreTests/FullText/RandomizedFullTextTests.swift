import EntityStore
import Foundation
import TestSupport
import Testing

/// Searches for words by SQLite and by Swift, in texts of random words, while objects are edited, saved, deleted and rolled
/// back, in the main context and in a child.
@MainActor
struct RandomizedFullTextTests {
  private struct Difference: Error, CustomStringConvertible { let description: String }

  private static let vocabulary = ["tea", "Tea", "téa", "teapot", "milk", "MILKY", "oat", "x", "ñandú", "Nandu"]

  @Test(arguments: Place.allCases)
  func searchesFindTheSameObjectsAsSwift(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 60 : 15, sanitized: 2, place.rawValue) { seed, steps in
      var random = SeededRandom(seed)
      let test = try TestStore(place, Memo.all)
      let main = test.store.main
      var uid = 0
      for round in 0..<12 {
        await Task.yield()
        let child = random.chance(3) ? try main.child() : nil
        let context = child ?? main
        for _ in 0..<(1 + random.below(4)) {
          let memos = try context.fetch(Memo.all)
          switch random.below(5) {
          case 0, 1:
            uid += 1
            let memo = try context.insert(Memo.self)
            (memo.uid, memo.title, memo.body) = (uid, random.chance(3) ? nil : text(&random), text(&random))
          case 2: if !memos.isEmpty { memos[random.below(memos.count)].title = text(&random) }
          case 3: if !memos.isEmpty { memos[random.below(memos.count)].body = text(&random) }
          default: if !memos.isEmpty { try context.delete(memos[random.below(memos.count)]) }
          }
        }
        try compare(context, &random, "round \(round)")
        if let child, random.chance(2) { try child.saveAtOnce() }
        try compare(main, &random, "round \(round), main")
        switch random.below(5) {
        case 0: try await main.save()
        case 1: main.rollback()
        case 2 where !main.hasChanges:
          // By query, in a unit.
          let (asked, given) = (Self.vocabulary[random.below(Self.vocabulary.count)], text(&random))
          let deletes = random.chance(3)
          try await test.store.background { context in
            let query = Memo.where { $0.matches(asked) }.sorted(by: \.uid).limited(to: 2)
            if deletes { try context.delete(query) } else { try context.update(query) { $0.set(\.body, to: given) } }
          }
        default: break
        }
        try compare(main, &random, "round \(round), end")
        steps += "\(round) "
      }
      guard place == .file else { return }
      let raw = try RawConnection(test.folder.file.path, vfs: nil, busyTimeout: 60_000)
      try raw.run("INSERT INTO \"_search,Memo\" (\"_search,Memo\", rank) VALUES ('integrity-check', 1)")
    }
  }

  private func text(_ random: inout SeededRandom) -> String {
    (0..<random.below(4)).map { _ in Self.vocabulary[random.below(Self.vocabulary.count)] }.joined(separator: " ")
  }

  private func compare(_ context: EntityContext, _ random: inout SeededRandom, _ step: String) throws {
    for _ in 0..<3 {
      let words = (0...random.below(2)).map { _ in Self.vocabulary[random.below(Self.vocabulary.count)] }
      let asked = words.joined(separator: " ")
      let found = try context.fetch(Memo.where { $0.matches(asked) }.sorted(by: \.uid)).map(\.uid)
      let expected = try context.fetch(Memo.all.sorted(by: \.uid)).filter { Self.holds($0, words) }.map(\.uid)
      guard found == expected else {
        throw Difference(description: "\(step): '\(asked)' finds \(found), not \(expected)")
      }
    }
  }

  private static func holds(_ memo: Memo, _ words: [String]) -> Bool {
    let known = "\(memo.title ?? "") \(memo.body)".split(separator: " ").map { folded(String($0)) }
    return words.indices.allSatisfy { index in
      let word = folded(words[index])
      return index == words.count - 1 ? known.contains { $0.hasPrefix(word) } : known.contains(word)
    }
  }

  private static func folded(_ text: String) -> String {
    text.lowercased().replacing("é", with: "e").replacing("ñ", with: "n").replacing("ú", with: "u")
  }
}
