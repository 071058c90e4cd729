import TestSchema
import Testing

@testable import EntityStore

/// Ordered to-many and many-to-many relationships, and those to objects without uid.
@MainActor
struct OrderedListTests {
  @Test(arguments: Place.usual, MixList.allCases)
  func `the order of the array is kept`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list, [3, 1, 2])
    #expect(shop.numbers == [3, 1, 2])
    try list.set(shop.mix, [2, 91, 3, 92, 1])
    #expect(shop.numbers == [2, 91, 3, 92, 1])
    #expect(try await shop.saved() == [3, 1, 2])
    try shop.save()
    #expect(!shop.main.hasChanges)
    #expect(shop.numbers == [2, 91, 3, 92, 1])
    #expect(try await shop.saved() == [2, 91, 3, 92, 1])
    try list.set(shop.mix, [1, 2, 1, 3, 2])
    #expect(shop.numbers == [1, 2, 3])
    try shop.save()
    #expect(try await shop.saved() == [1, 2, 3])
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `each change of the array works`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    var model = [1, 2, 3, 4, 5]
    for change: (inout [Int]) -> Void in [
      { $0.append(91) }, { $0.insert(92, at: 0) }, { $0.insert(93, at: 3) }, { $0.swapAt(1, 4) }, { $0.remove(at: 2) },
      { $0.reverse() }, { $0.sort() }, { $0.insert($0.removeLast(), at: 1) }, { $0.removeAll() }, { $0 = [4, 91, 2] },
    ] {
      change(&model)
      try list.edit(shop.mix, change)
      #expect(shop.numbers == model)
      try shop.save()
      #expect(shop.numbers == model)
      #expect(try await shop.saved() == model)
    }
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `the list helpers append members`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    try list.edit(shop.mix) { $0.swapAt(0, 4) }
    try list.add(91, to: shop.mix)
    try list.add(6, to: shop.mix)
    try list.add(2, to: shop.mix)
    try list.add(92, to: shop.mix)
    #expect(shop.numbers == [5, 2, 3, 4, 1, 91, 6, 92])
    try shop.save()
    #expect(try await shop.saved() == [5, 2, 3, 4, 1, 91, 6, 92])
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `only rows that moved are written`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list, Array(101...200))
    #expect(try shop.positions() == 0)
    // The main context has made it: its row id is lower than those of the unit.
    try list.edit(shop.mix) { $0.append(201) }
    try shop.save()
    #expect(try shop.positions() == 1)
    try list.edit(shop.mix) { $0.insert(202, at: 50) }
    try shop.save()
    #expect(try shop.positions() == 2)
    try list.edit(shop.mix) { $0.insert($0.remove(at: 10), at: 90) }
    try shop.save()
    #expect(try shop.positions() == 3)
    try list.edit(shop.mix) { $0.insert($0.removeLast(), at: 0) }
    try shop.save()
    #expect(try shop.positions() == 3)
    try list.edit(shop.mix) { $0.append($0.removeFirst()) }
    try shop.save()
    #expect(try shop.positions() == 3)
    #expect(try await shop.saved() == shop.numbers)
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `a position without room is numbered anew`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    var model = [1, 2, 3, 4, 5]
    for number in 6...70 {
      model.insert(number, at: 1)
      try list.edit(shop.mix) { $0.insert(number, at: 1) }
      if number % 5 == 0 {
        try shop.save()
        #expect(try await shop.saved() == model)
      }
    }
    #expect(shop.numbers == model)
    // Later rows come behind all the same.
    try await shop.others { $0.append(71) }
    #expect(try await shop.saved() == model + [71])
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `a rollback brings the order back`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    try list.edit(shop.mix) { $0.swapAt(0, 4) }
    try shop.save()
    try list.set(shop.mix, [91, 3, 2, 1])
    shop.main.rollback()
    #expect(shop.numbers == [5, 2, 3, 4, 1])
    #expect(!shop.main.hasChanges)
    try list.edit(shop.mix) { $0.reverse() }
    #expect(shop.numbers == [1, 4, 3, 2, 5])
    try shop.main.rollback(shop.mix)
    #expect(shop.numbers == [5, 2, 3, 4, 1])
    #expect(!shop.main.hasChanges)
    // A unit that throws.
    await #expect(throws: CancellationError.self) {
      let (id, list) = (shop.id, shop.list)
      try await shop.test.store.background { context in
        try list.edit(try #require(try context.object(id))) { $0.reverse() }
        try context.save()
        throw CancellationError()
      }
    }
    #expect(try await shop.saved() == [5, 2, 3, 4, 1])
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `a failed save keeps the order`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    try list.edit(shop.mix) { $0.reverse() }
    let other = try shop.main.insert(Mix.self)
    other.number = 1
    #expect(errorKind { try shop.save() } == .uniqueViolation)
    #expect(shop.numbers == [5, 4, 3, 2, 1])
    #expect(try await shop.saved() == [1, 2, 3, 4, 5])
    try shop.main.delete(other)
    try shop.save()
    #expect(try await shop.saved() == [5, 4, 3, 2, 1])
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `two contexts move and insert members of an ordered list`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    try list.edit(shop.mix) { $0.insert($0.removeLast(), at: 0) }
    try list.edit(shop.mix) { $0.insert(91, at: 3) }
    #expect(shop.numbers == [5, 1, 2, 91, 3, 4])
    try await shop.others { $0.insert(92, at: 2) }
    try await shop.others { $0.swapAt(0, 1) }
    #expect(try await shop.saved() == [2, 1, 92, 3, 4, 5])
    try shop.save()
    let numbers = shop.numbers
    #expect(try await shop.saved() == numbers)
    #expect(Set(numbers) == [1, 2, 3, 4, 5, 91, 92])
    #expect(numbers.count == 7)
    // Theirs where nobody here moved it, and ours.
    #expect(try #require(numbers.firstIndex(of: 2)) < #require(numbers.firstIndex(of: 1)))
    #expect(numbers.first == 5 || numbers[1] == 5)
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `observers hear of a pure move`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    let (id, kind) = (shop.id, shop.list)
    var values = shop.test.store.observe { context in
      try context.object(id).map { kind.read($0) } ?? []
    }.makeAsyncIterator()
    #expect(try await values.next()?.get() == [1, 2, 3, 4, 5])
    let watcher = Watcher { _ = shop.numbers }
    let title = Watcher { _ = shop.mix.title }
    try list.edit(shop.mix) { $0.swapAt(0, 1) }
    #expect(watcher.fired)
    try shop.save()
    #expect(!watcher.fired)
    var commits = shop.test.store.commits.makeAsyncIterator()
    try await shop.others { $0.swapAt(3, 4) }
    try shop.main.merging.merge()
    #expect(watcher.fired)
    #expect(!title.fired)
    #expect(shop.numbers == [2, 1, 3, 5, 4])
    #expect(try await values.next()?.get() == [2, 1, 3, 5, 4])
    let commit = try #require(await commits.next())
    #expect(commit.changes(of: Mix.self).updated.map(\.columns.names) == [[list.rawValue]])
    #expect(commit.changes(of: Remark.self).isEmpty)
    #expect(commit.changes(of: Verse.self).isEmpty)
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `a new order is an edit of the list`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    _ = try await shop.test.store.core.unit { writer in
      try writer.connection.execute("UPDATE Mix SET _edited = NULL")
      for table in ["\"Mix,tunes\"", "Tune", "Remark", "Verse"] {
        try writer.connection.execute("UPDATE \(table) SET _edited = NULL")
      }
    }
    try list.edit(shop.mix) { $0.swapAt(0, 1) }
    #expect(shop.main.changes.properties(of: shop.mix) == [list.rawValue])
    #expect(shop.main.changes.changed.count == 1)
    try shop.save()
    #expect(try shop.edited() == [list.rawValue])
    let pending = try shop.main.pendingChanges()
    #expect(pending.flatMap(\.edits).map(\.property) == [list.rawValue])
    let (table, column) = list.column
    let marks = try shop.main.connection.rows("SELECT _edited FROM main.\(table) WHERE _edited IS NOT NULL") {
      $0.text(0)
    }
    #expect(marks == (list == .tunes ? [column] : []))
  }

  @Test(arguments: Place.usual)
  func `both sides have orders of their own`(_ place: Place) async throws {
    let shop = try await MixShop(place, .tunes)
    let tune = shop.mix.tunes[1]
    let others = try (2...4).map { number in
      let mix = try shop.main.insert(Mix.self)
      mix.number = number
      return mix
    }
    tune.mixes = [others[2], shop.mix, others[0], others[1]]
    shop.mix.tunes.swapAt(0, 4)
    #expect(tune.mixes.map(\.number) == [4, 1, 2, 3])
    try shop.save()
    tune.mixes.swapAt(0, 3)
    try shop.save()
    let read = try await shop.test.store.read { context in
      try (context.fetch(Tune.self, uid: 2)?.mixes.map(\.number), context.fetch(Mix.self, uid: 1)?.tunes.map(\.number))
    }
    #expect(read.0 == [3, 1, 2, 4])
    #expect(read.1 == [5, 2, 3, 4, 1])
    // A pair that is made through the other side is the last one.
    for tune in try shop.main.fetch(Tune.self) where tune.number > 90 { tune.mixes.append(shop.mix) }
    #expect(shop.numbers == [5, 2, 3, 4, 1, 91, 92, 93])
    try shop.save()
    #expect(try await shop.saved() == [5, 2, 3, 4, 1, 91, 92, 93])
  }

  @Test(arguments: Place.usual, [MixList.remarks, .verses])
  func `a member that comes by its own link is the last`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    try list.edit(shop.mix) { $0.insert($0.removeLast(), at: 0) }
    try shop.save()
    if list == .remarks {
      let new = try shop.main.insert(Remark.self)
      (new.number, new.mix) = (6, shop.mix)
      #expect(shop.numbers == [5, 1, 2, 3, 4, 6])
      // It leaves its position behind.
      let moved = shop.mix.remarks[0]
      moved.mix = nil
      moved.mix = shop.mix
    } else {
      let new = try shop.main.insert(Verse.self)
      (new.number, new.mix) = (6, shop.mix)
      let moved = shop.mix.verses[0]
      moved.mix = nil
      moved.mix = shop.mix
    }
    // Set back before it is saved, the link and the place are the row's.
    #expect(shop.numbers == [5, 1, 2, 3, 4, 6])
    let other = try shop.main.insert(Mix.self)
    other.number = 2
    if list == .remarks { shop.mix.remarks[0].mix = other } else { shop.mix.verses[0].mix = other }
    try shop.save()
    #expect(list.read(other) == [5])
    // An older one comes behind a newer one.
    if list == .remarks { shop.mix.remarks[0].mix = other } else { shop.mix.verses[0].mix = other }
    #expect(list.read(other) == [5, 1])
    shop.main.rollback()
    #expect(list.read(other) == [5])
    try list.set(shop.mix, [1, 2, 3, 4, 6, 5])
    if list == .remarks { shop.mix.remarks[5].mix = other } else { shop.mix.verses[5].mix = other }
    #expect(list.read(other) == [5])
    try shop.save()
    #expect(try await shop.saved() == [1, 2, 3, 4, 6])
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `a moved member that others deleted is no error`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    try list.edit(shop.mix) { $0.swapAt(1, 3) }
    try await shop.others { $0.removeAll { [2, 4].contains($0) } }
    try await shop.test.store.background { context in
      for remark in try context.fetch(Remark.self) where [2, 4].contains(remark.number) { try context.delete(remark) }
      for verse in try context.fetch(Verse.self) where [2, 4].contains(verse.number) { try context.delete(verse) }
      for tune in try context.fetch(Tune.self) where [2, 4].contains(tune.number) { try context.delete(tune) }
    }
    try shop.save()
    #expect(shop.numbers == [1, 3, 5])
    #expect(try await shop.saved() == [1, 3, 5])
  }

  @Test(arguments: Place.usual, [MixList.tunes, .remarks])
  func `two rows that are one object have one place`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list, [1, 2, 3])
    let id = shop.id
    try await shop.test.store.background { context in
      let mix = try #require(try context.object(id))
      if list == .tunes {
        let tune = try context.insert(Tune.self)
        tune.title = "made here"
        try context.save()
        mix.tunes.insert(tune, at: 1)
        try context.save()
        tune.number = 3
      } else {
        let remark = try context.insert(Remark.self)
        remark.text = "made here"
        try context.save()
        mix.remarks.insert(remark, at: 1)
        try context.save()
        remark.number = 3
      }
    }
    let saved = try await shop.saved()
    #expect(saved.sorted() == [1, 2, 3])
    try shop.main.merging.merge()
    #expect(shop.numbers == saved)
  }
}
