import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// The main context, a child, and a child of that one, against layers of plain values.
@MainActor
struct RandomizedDraftTests {
  /// The values of a person. Every age and email that is set is a new one: to set a value back ends an edit, and is tested
  /// elsewhere.
  fileprivate struct Values: Equatable {
    var age: Int?
    var email: String?
    /// The link that was set; `.some(nil)` is one to nobody.
    var boss: Int64??

    var isEmpty: Bool { age == nil && email == nil && boss == nil }
  }

  /// The unsaved changes of one context.
  private struct Layer {
    var values: [Int64: Values] = [:]
    var deleted: Set<Int64> = []
    var inserted: Set<Int64> = []
    /// Inserted and deleted again. Links to them end with the save of the main context.
    var discarded: Set<Int64> = []

    var isEmpty: Bool { values.isEmpty && deleted.isEmpty && inserted.isEmpty }
  }

  private struct Mismatch: Error { let text: String }

  /// The rows, and the layers over them: the main context's first.
  private struct Model {
    var rows: [Int64: Values] = [:]
    var layers = [Layer(), Layer(), Layer()]

    func people(_ level: Int) -> Set<Int64> {
      guard level >= 0 else { return Set(rows.keys) }
      return people(level - 1).union(layers[level].inserted).subtracting(layers[level].deleted)
    }

    /// The row that the link of a person has, whether it is there or not.
    func link(_ pk: Int64, _ level: Int) -> Int64? {
      guard level >= 0 else { return rows[pk]?.boss ?? nil }
      return layers[level].values[pk]?.boss ?? link(pk, level - 1)
    }

    func values(_ pk: Int64, _ level: Int) -> Values {
      var values = rows[pk] ?? Values()
      for edit in layers[...level].compactMap({ $0.values[pk] }) { values.take(edit) }
      let boss = link(pk, level)
      values.boss = .some(boss.flatMap { people(level).contains($0) ? $0 : nil })
      return values
    }

    /// Whether any context has changes of an object.
    func isChanged(_ pk: Int64) -> Bool {
      layers.contains { $0.values[pk] != nil || $0.deleted.contains(pk) || $0.inserted.contains(pk) }
    }

    mutating func setBoss(_ boss: Int64?, of pk: Int64, _ level: Int) {
      guard link(pk, level) != boss else { return }
      let isUndone =
        layers[level].values[pk]?.boss != nil && !layers[level].inserted.contains(pk) && link(pk, level - 1) == boss
      layers[level].values[pk, default: Values()].boss = isUndone ? nil : .some(boss)
      if layers[level].values[pk]?.isEmpty == true { layers[level].values[pk] = nil }
    }

    mutating func delete(_ pk: Int64, _ level: Int) {
      layers[level].values[pk] = nil
      guard layers[level].inserted.remove(pk) != nil else {
        layers[level].deleted.insert(pk)
        return
      }
      layers[level].discarded.insert(pk)
      for above in layers.indices where above > level { layers[above].deleted.remove(pk) }
    }

    mutating func rollBack(_ level: Int) {
      let inserted = layers[level].inserted
      layers[level] = Layer()
      end(inserted, level)
    }

    mutating func rollBack(_ pk: Int64, _ level: Int) {
      layers[level].values[pk] = nil
      layers[level].deleted.remove(pk)
      if layers[level].inserted.remove(pk) != nil { end([pk], level) }
    }

    /// New people are dropped: nobody is linked to them.
    private mutating func end(_ pks: Set<Int64>, _ level: Int) {
      for above in layers.indices where above >= level {
        layers[above].deleted.subtract(pks)
        for (pk, edit) in layers[above].values where people(above).contains(pk) {
          if let boss = edit.boss, let boss, pks.contains(boss) { setBoss(nil, of: pk, above) }
        }
      }
    }

    /// Why the save of a child is refused.
    func refusal(_ level: Int) -> StoreError.Kind? {
      guard level > 0, !layers[level].isEmpty else { return nil }
      let (layer, below) = (layers[level], people(level - 1))
      if layer.values.keys.contains(where: { !below.contains($0) && !layer.inserted.contains($0) }) {
        return .objectDeleted
      }
      let links = layer.values.values.compactMap { $0.boss ?? nil }
      return links.contains { isMissing($0, level) } ? .brokenLink : nil
    }

    /// Whether a person is nowhere, for the save of a level.
    private func isMissing(_ pk: Int64, _ level: Int) -> Bool {
      if people(level - 1).contains(pk) || layers[level].inserted.contains(pk) { return false }
      if layers[level].discarded.contains(pk) { return false }
      return !layers[..<level].indices.contains {
        layers[$0].discarded.contains(pk) || (layers[$0].deleted.contains(pk) && people($0 - 1).contains(pk))
      }
    }

    /// Takes the edits back that hold up the save of a level.
    mutating func mend(_ pk: Int64, _ kind: StoreError.Kind, _ level: Int) {
      if kind == .brokenLink { setBoss(nil, of: pk, level) } else { rollBack(pk, level) }
    }

    mutating func save(_ level: Int) {
      let layer = layers[level]
      layers[level] = Layer()
      guard level > 0 else {
        for pk in layer.inserted { rows[pk] = Values() }
        for (pk, edit) in layer.values { rows[pk]?.take(edit) }
        for pk in layer.deleted { rows[pk] = nil }
        for (pk, row) in rows {
          if let boss = row.boss, let boss, rows[boss] == nil { rows[pk]?.boss = .some(nil) }
        }
        for above in layers.indices { layers[above].deleted.subtract(layer.deleted) }
        return
      }
      guard !layer.isEmpty else { return }
      layers[level - 1].inserted.formUnion(layer.inserted)
      layers[level - 1].discarded.formUnion(layer.discarded)
      for (pk, edit) in layer.values {
        var edit = edit
        let boss = edit.boss
        edit.boss = nil
        if !edit.isEmpty { layers[level - 1].values[pk, default: Values()].take(edit) }
        if let boss { setBoss(boss, of: pk, level - 1) }
      }
      for pk in layer.deleted { delete(pk, level - 1) }
    }
  }

  @Test(arguments: Place.usual)
  func `every context sees the contexts below it and its own changes`(_ place: Place) async {
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
      /// Saves a level, and takes back what holds that up.
      func save(_ level: Int) throws {
        while let kind = model.refusal(level) {
          let error = storeError { try contexts[level].saveAtOnce() }
          guard let error, error.kind == kind, let id = error.objects.first,
            let person = try contexts[level].object(id) as? Person
          else { throw Mismatch(text: "the save of \(level): \(String(describing: error)), not \(kind)") }
          steps += "  \(kind) of \(id.pk)\n"
          if kind == .brokenLink { person.boss = nil } else { try contexts[level].rollback(person) }
          model.mend(id.pk, kind, level)
        }
        try contexts[level].saveAtOnce()
        model.save(level)
      }
      for step in 0..<60 {
        let level = random.below(3)
        let context = contexts[level]
        let people = model.people(level).sorted()
        last += 1
        let pk = random.element(people)
        switch random.below(14) {
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
        case 6, 7:
          guard let pk, let boss = random.element(people) else { continue }
          steps += "\(step): \(boss) is the boss of \(pk) at \(level)\n"
          try object(pk, level).boss = try object(boss, level)
          model.setBoss(boss, of: pk, level)
        case 8:
          guard let pk else { continue }
          steps += "\(step): delete \(pk) at \(level)\n"
          try context.delete(try object(pk, level))
          model.delete(pk, level)
        case 9, 10:
          steps += "\(step): save \(level)\n"
          if level == 0, random.chance(2) {
            try await context.save()
            model.save(0)
          } else {
            try save(level)
          }
        case 11 where random.chance(2):
          steps += "\(step): roll back \(level)\n"
          context.rollback()
          model.rollBack(level)
        case 11, 12:
          let changed = model.layers[level]
          let all = Set(changed.values.keys).union(changed.deleted).union(changed.inserted)
          guard let pk = random.element(all.sorted()) else { continue }
          steps += "\(step): roll back \(pk) at \(level)\n"
          let id = AnyEntityID(entityName: "Person", pk: pk)
          guard let person = try context.object(id) as? Person else { throw Mismatch(text: "no \(pk) at \(level)") }
          try context.rollback(person)
          model.rollBack(pk, level)
        default:
          guard let pk = random.element(model.rows.keys.sorted()), !model.isChanged(pk) else { continue }
          steps += "\(step): a unit edits \(pk)\n"
          let age = last
          try await test.store.edit(EntityID<Person>(pk: pk)) { $0.age = age }
          model.rows[pk]?.age = age
          try main.merging.merge()
        }
        if held.count > 8 { held.removeFirst(4) }
        for level in contexts.indices where random.chance(2) { try check(model, level, contexts[level]) }
      }
      for level in contexts.indices { try check(model, level, contexts[level]) }
      for level in contexts.indices.reversed() { try save(level) }
      for level in contexts.indices { try check(model, level, contexts[level]) }
      guard contexts.allSatisfy({ !$0.hasChanges }) else { throw Mismatch(text: "changes are left") }
    }
  }

  private func check(_ model: Model, _ level: Int, _ context: EntityContext) throws {
    let expected = model.people(level).sorted()
    let found = try context.fetch(Person.self).map(\._$state.pk).sorted()
    guard found == expected else { throw Mismatch(text: "at \(level): \(found), not \(expected)") }
    guard context.hasChanges == !model.layers[level].isEmpty else {
      throw Mismatch(text: "at \(level): changes \(context.hasChanges)")
    }
    for pk in expected {
      guard let person = try context.object(EntityID<Person>(pk: pk)) else { throw Mismatch(text: "no \(pk)") }
      let wanted = model.values(pk, level)
      let values = Values(
        age: person.age == 0 ? nil : person.age, email: person.email, boss: .some(person.boss?._$state.pk))
      guard values == wanted else { throw Mismatch(text: "\(pk) at \(level): \(values), not \(wanted)") }
      let reports = person.reports.map(\._$state.pk).sorted()
      let bossed = expected.filter { model.values($0, level).boss == .some(pk) }
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
    if let edited = edit.boss { boss = .some(edited) }
  }
}
