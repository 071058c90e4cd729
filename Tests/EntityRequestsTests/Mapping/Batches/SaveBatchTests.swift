import EntityClient
import EntityJSON
import Foundation
import Testing

@testable import EntityRequests
@testable import EntityStore

/// The rows of a save, and of an update by query, go to the file in batches, with the result that each has by itself.
@Suite @MainActor struct SaveBatchTests {
  private let store: EntityStore
  private let statements = RunStatements()
  private var main: EntityContext { store.main }

  init() async throws {
    store = try EntityStore([Scout.self, Tent.self, Whistle.self], rowsInBatch: 256, telling: statements)
    let scouts = (0..<40).map { ["id": JSONValue($0), "age": 10, "badge": JSONValue("\($0)")] as JSONValue }
    _ = try await store.receive(Scout.self, JSONValue(scouts))
    try store.mergeMain()
    _ = statements.take()
  }

  private func scouts(_ context: EntityContext) throws -> [Scout] { try context.fetch(Scout.all.sorted(by: \.uid)) }

  private func bases() throws -> [[PendingValue?]] {
    try main.pendingChanges(of: Scout.self).map { $0.edits.map(\.base) }
  }

  @Test func `a save takes a few statements for each batch`() async throws {
    let all = try scouts(main)
    for scout in all { scout.age += scout.uid }
    _ = statements.take()
    try await main.save()
    #expect(statements.take().count < 20)
    #expect(try await store.read { try $0.fetch(Scout.all.sorted(by: \.uid)).map(\.age) } == (0..<40).map { 10 + $0 })
    // The first one has another value by nothing.
    #expect(try main.count(Scout.where { $0.hasPendingChanges }) == 39)
    #expect(try bases() == Array(repeating: [.attribute(.integer(10))], count: 39))
  }

  @Test func `edits of rows with edits keep the server's values`() async throws {
    for scout in try scouts(main) { scout.age = 20 }
    try await main.save()
    for scout in try scouts(main) {
      scout.age = 30
      scout.name = "Edited"
    }
    _ = statements.take()
    try await main.save()
    #expect(statements.take().count < 20)
    let base: [PendingValue?] = [.attribute(.text("")), .attribute(.integer(10))]
    #expect(try bases() == Array(repeating: base, count: 40))
    // The answer to one of them ends its edits.
    let answer = try JSONValue(parsing: Data(#"[{"id":7,"name":"Server","age":11}]"#.utf8))
    _ = try await store.receive(Scout.self, answer) { $0.localEdits = .overwrite }
    #expect(try main.count(Scout.where { $0.hasPendingChanges }) == 39)
  }

  @Test func `new objects are inserted together and count as made here`() async throws {
    for number in 100..<140 {
      let scout = try main.insert(Scout.self)
      (scout.uid, scout.badge) = (number, "\(number)")
      scout.tent = try main.insert(Tent.self)
      scout.tent?.uid = number
    }
    _ = statements.take()
    try await main.save()
    #expect(statements.take().filter { $0.hasPrefix("INSERT") }.count < 8)
    let scouts = try main.fetch(Scout.where { $0.uid >= 100 })
    #expect(scouts.count == 40)
    #expect(scouts.allSatisfy { $0.isMadeHere && $0.tent?.uid == $0.uid })
  }

  @Test func `a new object with another object's uid fails the save by name`() async throws {
    for number in 30..<50 { try main.insert(Scout.self).uid = number }
    let error = await #expect(throws: StoreError.self) { try await main.save() }
    #expect(error?.kind == .uniqueViolation)
    #expect(error?.objects.isEmpty == false)
    main.rollback()
    #expect(try await store.read { try $0.count(Scout.all) } == 40)
  }

  @Test func `unique values change places in one save`() async throws {
    let all = try scouts(main)
    for (place, scout) in all.enumerated() { scout.badge = "\((place + 1) % all.count)" }
    try await main.save()
    let badges = try await store.read { try $0.fetch(Scout.all.sorted(by: \.uid)).map(\.badge) }
    #expect(badges == (0..<40).map { "\(($0 + 1) % 40)" })
    for scout in all.suffix(20) { scout.badge = "same" }
    let error = await #expect(throws: StoreError.self) { try await main.save() }
    #expect(error?.kind == .uniqueViolation)
    #expect(all.last?.badge == "same")
    #expect(try await store.read { try $0.count(Scout.where { $0.badge == "same" }) } == 0)
  }

  @Test func `a conflict names its object among many and nothing is saved`() async throws {
    let all = try scouts(main)
    for scout in all { scout.age = 50 }
    try await store.background(as: .server) { context in
      for scout in try context.fetch(Scout.where { $0.uid == 5 || $0.uid == 25 }) { scout.age = 60 }
    }
    let error = await #expect(throws: StoreError.self) { try await main.save(conflicts: .fail) }
    #expect(error?.conflicts.map(\.uid) == ["5", "25"])
    #expect(error?.conflicts.map(\.base) == Array(repeating: .attribute(.integer(10)), count: 2))
    #expect(error?.conflicts.map(\.theirs) == Array(repeating: .attribute(.integer(60)), count: 2))
    #expect(try await store.read { try $0.count(Scout.where { $0.age == 50 }) } == 0)
    try await main.save(conflicts: .theirs)
    #expect(try await store.read { try $0.count(Scout.where { $0.age == 50 }) } == 38)
    #expect(all.filter { $0.age == 60 }.map(\.uid) == [5, 25])
  }

  @Test func `a row that others have deleted fails the save by name`() async throws {
    let all = try scouts(main)
    for scout in all { scout.age = 50 }
    try await store.background { context in
      for scout in try context.fetch(Scout.where { $0.uid == 9 }) { try context.delete(scout) }
    }
    let error = await #expect(throws: StoreError.self) { try await main.save(conflicts: .mine) }
    #expect(error?.kind == .objectDeleted)
    #expect(error?.objects == [all[9].entityID.untyped])
    #expect(try await store.read { try $0.count(Scout.where { $0.age == 50 }) } == 0)
  }

  @Test func `a save of many rows is undone`() async throws {
    main.undoManager.limit = .saves(5)
    for scout in try scouts(main) { scout.age = 50 }
    for number in 100..<120 { try main.insert(Scout.self).uid = number }
    try await main.save()
    #expect(try await main.undoManager.undo())
    #expect(try await store.read { try $0.fetch(Scout.all).map(\.age) } == Array(repeating: 10, count: 40))
    #expect(try main.count(Scout.where { $0.hasPendingChanges }) == 0)
    #expect(try await main.undoManager.redo())
    #expect(try main.count(Scout.where { $0.hasPendingChanges }) == 60)
  }

  @Test func `an update by query takes a few statements`() async throws {
    let all = try scouts(main)
    let changed = try await store.background { context in
      try context.update(Scout.where { $0.uid < 30 }) { $0.set(\.age) { $0.age + $0.uid } }
    }
    #expect(changed == 30)
    #expect(statements.take().count < 25)
    try store.mergeMain()
    #expect(all.map(\.age) == (0..<40).map { $0 < 30 ? 10 + $0 : 10 })
    #expect(try bases() == Array(repeating: [.attribute(.integer(10))], count: 29))
  }

  @Test func `an update by query that gives two rows a unique value changes nothing`() async throws {
    let error = await #expect(throws: StoreError.self) {
      try await store.background { context in try context.update(Scout.all) { $0.set(\.badge, to: "same") } }
    }
    #expect(error?.kind == .uniqueViolation)
    #expect(try await store.read { try $0.count(Scout.where { $0.badge == "same" }) } == 0)
  }

  @Test func `a commit names its rows where a batch had to be undone`() async throws {
    let placeholder: JSONValue = [["id": 1, "owner": 110]]
    _ = try await store.receive(Whistle.self, placeholder)
    try store.mergeMain()
    var changes = store.changes(of: Scout.where { $0.uid < 50 }).makeAsyncIterator()
    _ = await changes.next()
    for number in 100..<120 { try main.insert(Scout.self).uid = number }
    try scouts(main)[39].age = 77
    try await main.save()
    let change = try await changes.next()?.get()
    #expect(change?.updated.count == 1)
    #expect(change?.inserted.count == 0)
  }

  @Test func `an update by query follows a target that turned out to be another object`() async throws {
    let whistles = (0..<20).map { ["id": JSONValue($0), "owner": $0 == 0 ? 110 : nil] as JSONValue }
    _ = try await store.receive(Whistle.self, JSONValue(whistles))
    try await store.background { context in
      let holder = try #require(try context.fetch(Whistle.where { $0.uid == 0 }).first?.owner)
      try context.insert(Scout.self).uid = 110
      _ = try context.update(Whistle.all) { $0.set(\.owner, to: holder) }
    }
    let owners = try await store.read { try $0.fetch(Whistle.all).map { $0.owner?.uid } }
    #expect(owners == Array(repeating: 110, count: 20))
  }

  @Test func `the uid of a placeholder ends a batch and undoes nothing`() async throws {
    let placeholder: JSONValue = [["id": 1, "owner": 110]]
    _ = try await store.receive(Whistle.self, placeholder)
    try store.mergeMain()
    for number in 100..<140 { try main.insert(Scout.self).uid = number }
    _ = statements.take()
    try await main.save()
    #expect(statements.take().filter { $0.hasPrefix("INSERT INTO \"Scout\"") }.count <= 3)
    #expect(try await store.read { try $0.count(Scout.where { $0.uid >= 100 }) } == 40)
    let owner = try await store.read { try $0.fetch(Whistle.all).first?.owner?.uid }
    #expect(owner == 110)
  }

  @Test func `a deletion that the server is yet to hear of leaves batches on`() async throws {
    for scout in try scouts(main) {
      if scout.uid == 0 { try main.delete(scout) } else { scout.age = 50 }
    }
    try await main.save()
    for scout in try scouts(main) { scout.age = 60 }
    _ = statements.take()
    try await main.save()
    #expect(statements.take().count < 20)
  }

  @Test func `an undone batch leaves one line of a row in the history`() async throws {
    var options = StoreOptions()
    options.history = .keepingAll
    let store = try EntityStore(.inMemory, entities: [Scout.self, Tent.self, Whistle.self], options: options)
    let scouts = (0..<40).map { ["id": JSONValue($0), "badge": JSONValue("\($0)")] as JSONValue }
    _ = try await store.receive(Scout.self, JSONValue(scouts))
    let before = try await lines(store)
    try await store.background { context in
      let scouts = try context.fetch(Scout.all.sorted(by: \.uid))
      scouts[0].name = "First"
      try context.save()
      for scout in scouts { scout.name = "Again" }
      // The file refuses the batch: two rows change places.
      (scouts[1].badge, scouts[2].badge) = ("2", "1")
    }
    let after = try await lines(store)
    #expect(after - before == 40)
  }

  private func lines(_ store: EntityStore) async throws -> Int64 {
    try await store.read {
      try $0.connection.rows("SELECT count(*) FROM \(HistoryTables.changes)") { $0.int64(0) }.first ?? 0
    }
  }
}
