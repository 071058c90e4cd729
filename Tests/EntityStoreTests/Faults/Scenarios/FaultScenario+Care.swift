import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// The work of a store beside units and saves: copies, packing, its history, its index of words, changes by query.
extension FaultScenario {
  static let care = [backup, vacuum, checkpoint, checking, history, search, madeSearch, byQuery]

  private static let backup = FaultScenario(
    name: "backup", old: fill, entities: people, steps: [.insert(1), .backup, .insert(2), .backup])

  private static let vacuum = FaultScenario(
    name: "vacuum", old: fill, entities: people, steps: [.insert(1), .cascade, .vacuum, .read(0), .insert(2)])

  private static let checkpoint = FaultScenario(
    name: "checkpoint", old: fill, entities: people,
    steps: [.insert(1), .checkpoint, .read(0), .insert(2), .checkpoint])

  private static let checking = FaultScenario(
    name: "check", old: fillLongTexts, entities: people,
    steps: [.check(.quick), .insert(1), .check(.full)])

  private static let history = FaultScenario(
    name: "history",
    old: fillWithHistory, entities: people, options: .history(.keepingAll),
    steps: [.insert(1), .save(2), .cascade, .prune, .insert(4)],
    hold: { store in try await Self.checkHistory(store) })

  private static let search = FaultScenario(
    name: "search",
    old: {
      try await Self.fillMemos($0, Memo.all) { context in
        for uid in 1...7 {
          let memo = try context.insert(Memo.self)
          (memo.uid, memo.body) = (uid, uid == 1 ? "first" : String(repeating: "old ", count: 400))
        }
      }
    },
    entities: Memo.all, steps: [.memos(1), .memoSave(2), .memoEdit, .memoDeletion, .memos(3), .check(.full)],
    read: { _ = try $0.fetch(Memo.where { $0.matches("tea") }) })

  /// The file has no index of words before.
  private static let madeSearch = FaultScenario(
    name: "made search",
    old: {
      try await Self.fillMemos($0, [PlainMemo.Memo.self]) { context in
        for uid in 1...20 {
          let memo = try context.insert(PlainMemo.Memo.self)
          (memo.uid, memo.body) = (uid, String(repeating: "tea milk ", count: 60))
        }
      }
    }, entities: Memo.all, steps: [.memos(2)],
    read: { context in
      let found = try context.count(Memo.where { $0.matches("tea milk") && $0.uid < 21 })
      guard found == 20 else { throw FaultRun.Mistake(description: "the index has \(found) of 20") }
    })

  private static let byQuery = FaultScenario(
    name: "by query", old: fill, entities: people,
    steps: [.insert(1), .update(in: .unit), .delete(in: .unit), .read(0), .update(in: .main), .delete(in: .main)])

  @Sendable private static func fillMemos(
    _ file: URL, _ entities: [any ManagedEntity.Type], _ fill: @escaping @Sendable (EntityContext) throws -> Void
  ) async throws {
    let store = try EntityStore(.file(file), entities: entities, busyTimeout: .ample)
    try await store.background(as: .server, fill)
    try await store.close()
  }

  @Sendable static func fillWithHistory(_ file: URL) async throws {
    try await fill(file)
    try await EntityStore(.file(file), entities: people, busyTimeout: .ample, options: .history(.keepingAll)).close()
  }

  /// The history has each commit that stands, and no other.
  static func checkHistory(_ store: EntityStore) async throws {
    let commits = try await store.history.commits()
    let generation = try await store.core.read { try $0.connection.generation() }
    let numbers = commits.map(\.generation)
    guard let first = numbers.first ?? Optional(generation + 1), numbers == Array(first..<generation + 1) else {
      throw FaultRun.Mistake(description: "the history has the commits \(numbers), up to \(generation)")
    }
    // Rows that are there now, of commits that were not pruned.
    let inserted = Set(commits.flatMap { $0.changes(of: Person.self).inserted })
    let (people, gone) = try await store.read { context in
      (Set(try context.ids(Person.where { $0.uid != 1000 })), try context.fetch(Person.self, uid: 1000) == nil)
    }
    guard inserted.isSubset(of: people) else {
      throw FaultRun.Mistake(description: "the history has people that are not there")
    }
    let deleted = commits.flatMap { $0.changes(of: Person.self).deleted }.map(\.uid)
    guard deleted.count <= 1, deleted.isEmpty || gone && deleted == ["1000"] else {
      throw FaultRun.Mistake(description: "the history has the deletions \(deleted)")
    }
  }
}

extension FaultStep {
  /// A copy beside the file, which is whole or not there.
  static let backup = FaultStep(
    name: "backup",
    run: { store in
      guard let folder = store.core.location.fileURL?.deletingLastPathComponent() else { return }
      let copy = folder.appending(path: "copy.sqlite")
      func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("copy") }
        return Dictionary(
          uniqueKeysWithValues: try names.map { ($0, try Data(contentsOf: folder.appending(path: $0))) })
      }
      let before = try files()
      do { try await store.backup(to: copy, replaces: true) } catch {
        guard try files() == before else {
          throw FaultRun.Mistake(description: "a refused copy left \(try files().keys)")
        }
        throw error
      }
      let other = try EntityStore(.file(copy), entities: CommitSequence.entities, busyTimeout: .ample)
      let problems = try await other.check(.full)
      let notes = try await other.read { try $0.count(Note.all) }
      try await other.close()
      guard problems.isEmpty, notes == noteCount, try files().count == 1 else {
        throw FaultRun.Mistake(description: "the copy has \(notes) notes, \(problems), \(try files().keys)")
      }
    }, isThere: { _ in (0, 0) })

  static let vacuum = FaultStep(name: "vacuum", run: { try await $0.vacuum() }, isThere: { _ in (0, 0) })

  static let checkpoint = FaultStep(
    name: "checkpoint", run: { _ = try await $0.checkpoint() }, isThere: { _ in (0, 0) })

  /// A look for damage. A sound file has none, whatever fails meanwhile.
  static func check(_ depth: StoreCheck.Depth) -> FaultStep {
    FaultStep(
      name: "check",
      run: { store in
        let problems = try await store.check(depth)
        guard problems.isEmpty else { throw FaultRun.Mistake(description: "a sound file has \(problems)") }
      }, isThere: { _ in (0, 0) })
  }

  /// The commits up to the present one leave the history.
  static let prune = FaultStep(
    name: "prune",
    run: { store in
      let token = try await store.history.token()
      try await store.history.prune(upTo: token)
    }, isThere: { _ in (0, 0) })

  // MARK: Words

  private static func words(_ number: Int) -> EntityQuery<Memo> { Memo.where { $0.matches("word\(number)") } }

  private static func makeMemos(_ number: Int, _ context: EntityContext) throws {
    for index in 0..<4 {
      let memo = try context.insert(Memo.self)
      (memo.uid, memo.body) = (number * 100 + index, String(repeating: "word\(number) tea ", count: 80))
    }
  }

  private static func memos(
    _ number: Int, isOfMain: Bool, _ run: @escaping @MainActor @Sendable (EntityStore) async throws -> Void
  ) -> FaultStep {
    FaultStep(
      name: isOfMain ? "memo save" : "memos", isOfMain: isOfMain, run: run,
      // The words and the rows agree.
      isThere: { context in
        let rows = try context.count(Memo.where { $0.uid >= number * 100 && $0.uid < number * 100 + 100 })
        return (rows + (try context.count(words(number))), 8)
      })
  }

  static func memos(_ number: Int) -> FaultStep {
    memos(number, isOfMain: false) { try await $0.background { try makeMemos(number, $0) } }
  }

  static func memoSave(_ number: Int) -> FaultStep {
    memos(number, isOfMain: true) { store in
      let main = store.main
      if try main.fetch(Memo.self, uid: number * 100) == nil {
        do { try makeMemos(number, main) } catch {
          // A part of it is no step.
          main.rollback()
          throw error
        }
      }
      try await main.save()
    }
  }

  /// An edit of the first memo, by query.
  static let memoEdit = FaultStep(
    name: "memo edit",
    run: { store in
      try await store.background { context in
        _ = try context.update(Memo.where { $0.uid == 1 }) {
          $0.set(\.body, to: String(repeating: "coffee ", count: 300))
        }
      }
    },
    isThere: { (try $0.count(Memo.where { $0.matches("coffee") && $0.uid == 1 }), 1) })

  /// The deletion of objects that a search finds.
  static let memoDeletion = FaultStep(
    name: "memo deletion",
    run: { store in try await store.background { _ = try $0.delete(Memo.where { $0.matches("old") }) } },
    isThere: { (6 - (try $0.count(Memo.where { $0.matches("old") && $0.uid < 8 })), 6) })

  // MARK: By query

  enum Place: String, Sendable { case unit, main }

  private static func changing(
    _ name: String, _ place: Place, _ change: @escaping @Sendable (EntityContext) throws -> Void,
    _ isThere: @escaping @Sendable (EntityContext) throws -> (found: Int, all: Int)
  ) -> FaultStep {
    FaultStep(
      name: "\(name) in \(place)", isOfMain: place == .main,
      run: { store in
        guard place == .main else { return try await store.background { try change($0) } }
        do { try change(store.main) } catch {
          // A part of it is no step.
          store.main.rollback()
          throw error
        }
        try await store.main.save()
      }, isThere: isThere)
  }

  /// One text for the notes of odd ranks, or of even ones.
  static func update(in place: Place) -> FaultStep {
    let odd = place == .unit ? 1 : 0
    let query = Note.where { $0.rank >= 20 }.where { $0.rank.isIn(stride(from: odd, to: noteCount, by: 2).map(\.self)) }
    return changing(
      "update", place,
      { try $0.update(query) { $0.set(\.text, to: String(repeating: "updated ", count: 100)) } },
      { (try $0.count(query.where { $0.text.hasPrefix("updated") }), 5) })
  }

  static func delete(in place: Place) -> FaultStep {
    let query = place == .unit ? Note.where { $0.rank < 10 } : Note.where { $0.rank >= 10 && $0.rank < 20 }
    return changing("delete", place, { try $0.delete(query) }, { (10 - (try $0.count(query)), 10) })
  }
}
