import TestSupport
import Testing

@testable import EntityStore

/// The main context, a child, and a child of that one, against layers of plain values.
@MainActor
struct RandomizedDraftTests {
  /// The values of a person. Every value that is set is a new one: to set a value back ends an edit, and is tested elsewhere.
  fileprivate struct Values: Equatable {
    var age: Int?
    var email: String?
    var boss: Int64?
  }

  /// The unsaved changes of one context.
  private struct Layer {
    var values: [Int64: Values] = [:]
    var deleted: Set<Int64> = []
    var inserted: Set<Int64> = []

    var isEmpty: Bool { values.isEmpty && deleted.isEmpty && inserted.isEmpty }
  }

  private struct Mismatch: Error { let text: String }

  /// The rows, and the layers over them: the main context's first.
  private struct Model {
    var rows: [Int64: Values] = [:]
    var layers = [Layer(), Layer(), Layer()]

    func people(_ level: Int) -> Set<Int64> {
      var people = Set(rows.keys)
      for layer in layers[...level] { people = people.union(layer.inserted).subtracting(layer.deleted) }
      return people
    }

    func values(_ pk: Int64, _ level: Int) -> Values {
      var values = rows[pk] ?? Values()
      for edit in layers[...level].compactMap({ $0.values[pk] }) { values.take(edit) }
      if let boss = values.boss, !people(level).contains(boss) { values.boss = nil }
      return values
    }

    /// Whether a context above has changes of an object.
    func isChanged(_ pk: Int64, above level: Int) -> Bool {
      layers[(level + 1)...].contains { $0.values[pk] != nil || $0.deleted.contains(pk) }
    }

    /// Whether any context has.
    func isChanged(_ pk: Int64) -> Bool { isChanged(pk, above: -1) || layers.contains { $0.inserted.contains(pk) } }

    func isBoss(_ pk: Int64) -> Bool {
      rows.values.contains { $0.boss == pk } || layers.contains { $0.values.values.contains { $0.boss == pk } }
    }

    mutating func save(_ level: Int) {
      let layer = layers[level]
      layers[level] = Layer()
      guard level > 0 else {
        for pk in layer.inserted { rows[pk] = Values() }
        for (pk, edit) in layer.values { rows[pk]?.take(edit) }
        for pk in layer.deleted { rows[pk] = nil }
        return
      }
      layers[level - 1].inserted.formUnion(layer.inserted)
      for (pk, edit) in layer.values { layers[level - 1].values[pk, default: Values()].take(edit) }
      for pk in layer.deleted {
        layers[level - 1].values[pk] = nil
        if layers[level - 1].inserted.remove(pk) == nil { layers[level - 1].deleted.insert(pk) }
      }
    }
  }

  @Test(arguments: Place.allCases)
  func everyContextSeesTheOnesBelowAndItsOwn(_ place: Place) async {
    await Seeds.each(40, sanitized: 6, "\(place)") { seed, steps in
      var random = SeededRandom(seed)
      let test = try TestStore(place)
      let main = test.store.main
      // A child has the policy that its parent has when it is made.
      main.conflictPolicy = .mine
      let child = try main.child()
      let contexts = [main, child, try child.child()]
      var model = Model()
      // Some objects are held, others are made anew for each look.
      var held: [Person] = []
      var last = 0
      func object(_ pk: Int64, _ level: Int) throws -> Person {
        guard let person = try contexts[level].object(EntityID<Person>(pk: pk)) else {
          throw Mismatch(text: "\(pk) is missing at \(level)")
        }
        return person
      }
      for step in 0..<60 {
        let level = random.below(3)
        let context = contexts[level]
        let people = model.people(level).sorted()
        last += 1
        let pk = random.element(people)
        switch random.below(12) {
        case 0, 1:
          let person = try context.insert(Person.self)
          held.append(person)
          steps += "\(step): insert \(person._$state.pk) at \(level)\n"
          model.layers[level].inserted.insert(person._$state.pk)
        case 2...5:
          guard let pk else { continue }
          let person = try object(pk, level)
          steps += "\(step): edit \(pk) at \(level)\n"
          if random.chance(2) {
            person.age = last
            model.layers[level].values[pk, default: Values()].age = last
          } else {
            person.email = "\(last)"
            model.layers[level].values[pk, default: Values()].email = "\(last)"
          }
          if random.chance(2) { held.append(person) }
        case 6:
          guard let pk, let boss = random.element(people), model.values(pk, level).boss != boss,
            model.layers[level].values[pk]?.boss == nil
          else { continue }
          steps += "\(step): \(boss) is the boss of \(pk) at \(level)\n"
          try object(pk, level).boss = try object(boss, level)
          model.layers[level].values[pk, default: Values()].boss = boss
        case 7:
          guard let pk, !model.isChanged(pk, above: level), !model.isBoss(pk) else { continue }
          steps += "\(step): delete \(pk) at \(level)\n"
          try context.delete(try object(pk, level))
          model.layers[level].values[pk] = nil
          if model.layers[level].inserted.remove(pk) == nil { model.layers[level].deleted.insert(pk) }
        case 8, 9:
          steps += "\(step): save \(level)\n"
          if level == 0, random.chance(2) { try await context.save() } else { try context.saveAtOnce() }
          model.save(level)
        case 10:
          guard model.layers[(level + 1)...].allSatisfy(\.isEmpty) else { continue }
          steps += "\(step): roll back \(level)\n"
          context.rollback()
          model.layers[level] = Layer()
        default:
          guard let pk = random.element(model.rows.keys.sorted()), !model.isChanged(pk) else { continue }
          steps += "\(step): a unit edits \(pk)\n"
          let age = last
          try await test.store.edit(EntityID<Person>(pk: pk)) { $0.age = age }
          model.rows[pk]?.age = age
          try main.merge()
        }
        if held.count > 8 { held.removeFirst(4) }
        for level in contexts.indices where random.chance(2) { try check(model, level, contexts[level]) }
      }
      for level in contexts.indices { try check(model, level, contexts[level]) }
      for level in contexts.indices.reversed() { try contexts[level].saveAtOnce() }
      for level in contexts.indices.reversed() { model.save(level) }
      for level in contexts.indices { try check(model, level, contexts[level]) }
    }
  }

  private func check(_ model: Model, _ level: Int, _ context: EntityContext) throws {
    let expected = model.people(level).sorted()
    let found = try context.fetch(Person.self).map(\._$state.pk).sorted()
    guard found == expected else { throw Mismatch(text: "at \(level): \(found), not \(expected)") }
    for pk in expected {
      guard let person = try context.object(EntityID<Person>(pk: pk)) else { throw Mismatch(text: "no \(pk)") }
      let wanted = model.values(pk, level)
      let values = Values(
        age: person.age == 0 ? nil : person.age, email: person.email, boss: person.boss?._$state.pk)
      guard values == wanted else { throw Mismatch(text: "\(pk) at \(level): \(values), not \(wanted)") }
      let reports = person.reports.map(\._$state.pk).sorted()
      let bossed = expected.filter { model.values($0, level).boss == pk }
      guard reports == bossed else { throw Mismatch(text: "reports of \(pk) at \(level): \(reports), not \(bossed)") }
    }
    let old = try context.count(Person.where { $0.age > 20 })
    let wanted = expected.count { (model.values($0, level).age ?? 0) > 20 }
    guard old == wanted else { throw Mismatch(text: "\(old) over 20 at \(level), not \(wanted)") }
  }
}

extension RandomizedDraftTests.Values {
  fileprivate mutating func take(_ edit: Self) {
    age = edit.age ?? age
    email = edit.email ?? email
    boss = edit.boss ?? boss
  }
}
