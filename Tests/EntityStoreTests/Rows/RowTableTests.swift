import TestSchema
import TestSupport
import Testing

@testable import EntityStore

@Suite struct RowTableTests {
  /// The table agrees with a dictionary, whatever is added and removed, and hands its rows out in order.
  @Test func `a table of rows is a dictionary`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(state: seed)
    var table = RowTable<Int>()
    var model: [Int64: Int] = [:]
    for step in 0..<20_000 {
      let pk = Int64.random(in: 0..<(step / 4_000 % 2 == 0 ? 3_000 : 40), using: &random)
      let value: Int? = Int.random(in: 0..<3, using: &random) > step / 10_000 ? step : nil
      table[pk] = value
      model[pk] = value
      #expect(table.count == model.count, "seed \(seed)")
      #expect(table[pk] == value, "seed \(seed)")
      if Int.random(in: 0..<5_000, using: &random) == 0 {
        table.removeAll()
        model = [:]
      }
    }
    #expect(table.sortedRows == model.keys.sorted(), "seed \(seed)")
    #expect(Dictionary(uniqueKeysWithValues: table.map { ($0.key, $0.value) }) == model, "seed \(seed)")
  }

  /// Row ids that are removed in any order are gone, and the others have their positions.
  @Test func `an index of rows forgets the row ids that are removed`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(state: seed)
    var index = RowIndex()
    var model: [Int64] = []
    for step in 0..<20_000 {
      if Int.random(in: 0..<3, using: &random) > step / 7_000 {
        let pk = Int64.random(in: 0..<3_000, using: &random)
        #expect(index.add(pk).isNew == !model.contains(pk), "seed \(seed)")
        if !model.contains(pk) { model.append(pk) }
      } else if let position = model.indices.randomElement(using: &random) {
        index.remove(at: position)
        model.swapAt(position, model.count - 1)
        model.removeLast()
      }
      #expect(index.pks.count == model.count, "seed \(seed)")
      if step % 1_000 == 0 {
        for pk in 0..<Int64(3_000) { #expect(index.position(of: pk) == model.firstIndex(of: pk), "seed \(seed)") }
      }
    }
    #expect(index.pks == model, "seed \(seed)")
  }

  @Test func `a table of uids is a dictionary`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(state: seed)
    let table = UIDTable()
    var model: [StoredValue: Int64] = [:]
    // More integers than have the fast table, and more removals than additions in the second half.
    for step in 0..<20_000 {
      let number = Int64.random(in: 0..<4_000, using: &random)
      let uid: StoredValue = step % 7 == 0 ? .text("\(number)") : .integer(number)
      if Int.random(in: 0..<3, using: &random) > step / 10_000 {
        table.add(uid, Int64(step))
        model[uid] = Int64(step)
      } else if let pk = model[uid] {
        table.remove(uid, -1)
        #expect(table[uid] == pk, "seed \(seed)")
        table.remove(uid, pk)
        model[uid] = nil
      }
      #expect(table.count == model.count, "seed \(seed)")
      #expect(table[uid] == model[uid], "seed \(seed)")
    }
    for (uid, pk) in model { #expect(table[uid] == pk, "seed \(seed)") }
    table.removeAll()
    #expect(table.count == 0)
    #expect(model.keys.allSatisfy { table[$0] == nil })
  }

  @Test(arguments: [1, 63, 64, 65, 127, 128]) func `a column mask has all its properties`(_ count: Int) {
    let all = ColumnMask.all(count)
    #expect(all.count == count)
    #expect(Array(all.indices) == Array(0..<count))
    var odd = ColumnMask()
    for index in stride(from: 1, to: count, by: 2) { odd.insert(index) }
    #expect(Array(all.subtracting(odd).indices) == Array(stride(from: 0, to: count, by: 2)))
    #expect(all.contains(count - 1))
    odd.remove(count - 1)
    #expect(!odd.contains(count - 1))
  }

  /// A unit of a response finds an object that somebody holds as long as that lasts, and holds no other one after its batch.
  @Test(arguments: Place.usual) func `an object that is in use outlives its batch`(_ place: Place) async throws {
    let test = try TestStore(place)
    let core = test.store.core
    try await core.unit { rows in
      let context = ContextAnswers.ofResponse(core, rows)
      defer { context.finish() }
      let model = try core.schema.model(Person.self)
      let held = try context.insert(Person.self)
      held.name = "Ada"
      weak let other = try context.insert(Person.self)
      other?.name = "Bob"
      let pk = try #require(other?._$state.pk)
      try context.saving.flush()
      #expect(context.loaded.objects[model.number][held._$state.pk] === held)
      #expect(other == nil)
      #expect(context.loaded.objects[model.number][pk] == nil)
      #expect((context.answers.existing(model, pk: pk) as? Person)?.name == "Bob")
    }
  }

  @Test(arguments: Place.usual) func `an object that outlives its unit does not hold the unit's context`(_ place: Place)
    async throws
  {
    let test = try TestStore(place)
    let core = test.store.core
    let boss = try await test.store.addPerson(1, "Ada")
    weak let context = try await core.unit { rows in
      let context = ContextAnswers.ofResponse(core, rows)
      let person = try context.insert(Person.self)
      person.boss = try context.object(boss)
      try context.saving.flush()
      context.finish()
      // The link is followed after the end of the unit.
      _ = person.boss?.name
      return Weak(context)
    }.object
    #expect(context == nil)
  }

  /// SQLite checks a link at once where its target has a row.
  @Test(arguments: Place.usual) func `the targets of links are written first`(_ place: Place) async throws {
    let test = try TestStore(place)
    let schema = test.store.core.schema
    #expect(schema.writeOrder.sorted() == Array(schema.entities.indices))
    for (place, number) in schema.writeOrder.enumerated() {
      for property in schema.entities[number].properties {
        guard case .toOne(let target, _, _) = property.kind, target != number else { continue }
        let isBefore = schema.writeOrder.prefix(place).contains(target)
        let isInCircle = schema.entities[target].properties.contains {
          if case .toOne = $0.kind { true } else { false }
        }
        #expect(isBefore || isInCircle, "\(schema.entities[number].name).\(property.name)")
      }
    }
  }
}

/// A context that may be gone.
///
/// `@unchecked Sendable`: the reference is written once, before it is handed over, and the runtime loads a weak reference
/// as one step on any thread. Of the context itself nothing is used: the test asks whether it is `nil`.
private struct Weak: @unchecked Sendable {
  weak var object: EntityContext?

  init(_ object: EntityContext) { self.object = object }
}
