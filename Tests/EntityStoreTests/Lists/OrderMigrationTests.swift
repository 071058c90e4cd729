import EntityMacros
import TestSchema
import Testing

@testable import EntityStore

enum MixBefore {
  @Entity final class Mix {
    @UID @Key("id") var number: Int
    var tunes: [Tune]
    @Relationship(inverse: \MixBefore.Remark.mix) var remarks: [Remark]
  }

  @Entity final class Tune {
    @UID @Key("id") var number: Int
    @Relationship(inverse: \MixBefore.Mix.tunes) var mixes: [Mix]
  }

  @Entity final class Remark {
    @UID @Key("id") var number: Int
    var mix: Mix?
  }

  static var all: [any ManagedEntity.Type] { [Mix.self, Tune.self, Remark.self] }
}

enum MixAfter {
  @Entity final class Mix {
    @UID @Key("id") var number: Int
    @Relationship(ordered: true) var tunes: [Tune]
    @Relationship(inverse: \MixAfter.Remark.mix, ordered: true) var remarks: [Remark]
  }

  @Entity final class Tune {
    @UID @Key("id") var number: Int
    @Relationship(inverse: \MixAfter.Mix.tunes) var mixes: [Mix]
  }

  @Entity final class Remark {
    @UID @Key("id") var number: Int
    var mix: Mix?
  }

  static var all: [any ManagedEntity.Type] { [Mix.self, Tune.self, Remark.self] }
}

/// The link that the positions are of has another name.
enum MixRenamed {
  @Entity final class Mix {
    @UID @Key("id") var number: Int
    @Relationship(ordered: true) @Renamed(from: "tunes") var songs: [Tune]
    @Relationship(inverse: \MixRenamed.Remark.owner, ordered: true) var remarks: [Remark]
  }

  @Entity final class Tune {
    @UID @Key("id") var number: Int
    @Relationship(inverse: \MixRenamed.Mix.songs) var mixes: [Mix]
  }

  @Entity final class Remark {
    @UID @Key("id") var number: Int
    @Renamed(from: "mix") var owner: Mix?
  }

  static var all: [any ManagedEntity.Type] { [Mix.self, Tune.self, Remark.self] }
}

/// Files whose lists become ordered, or are ordered no more.
struct OrderMigrationTests {
  @Test func `a list that becomes ordered has the order in which it was read`() async throws {
    let folder = try TemporaryFolder()
    let location = StoreLocation.file(folder.file)
    var store: EntityStore? = try EntityStore(location, entities: MixBefore.all)
    try await store?.background { context in
      let tunes = try [1, 2, 3].map { number in
        let tune = try context.insert(MixBefore.Tune.self)
        tune.number = number
        return tune
      }
      let mix = try context.insert(MixBefore.Mix.self)
      mix.number = 1
      // The pairs are made in another order than that of the tunes.
      try mix.add(tunes[2], to: \.tunes)
      try context.save()
      mix.tunes = tunes
      for number in [7, 8, 9] {
        let remark = try context.insert(MixBefore.Remark.self)
        (remark.number, remark.mix) = (number, mix)
      }
    }
    store = nil
    let plan = try EntityStore.migrationPlan(for: location, entities: MixAfter.all)
    #expect(
      plan.changes.map(\.description) == ["'Mix.remarks' is ordered", "'Mix.tunes' is ordered (3 rows)"], "\(plan)")
    #expect(plan.backup == nil)
    store = try EntityStore(location, entities: MixAfter.all)
    func lists() async throws -> [[Int]] {
      try await #require(store).read { context in
        let mix = try #require(try context.fetch(MixAfter.Mix.self, uid: 1))
        return [mix.tunes.map(\.number), mix.remarks.map(\.number)]
      }
    }
    #expect(try await lists() == [[1, 2, 3], [7, 8, 9]])
    try await store?.background { context in
      let mix = try #require(try context.fetch(MixAfter.Mix.self, uid: 1))
      let tune = try context.insert(MixAfter.Tune.self)
      tune.number = 4
      mix.tunes.append(tune)
      mix.tunes.swapAt(0, 1)
      mix.remarks.swapAt(0, 2)
    }
    #expect(try await lists() == [[2, 1, 3, 4], [9, 8, 7]])
    #expect(try EntityStore.migrationPlan(for: location, entities: MixAfter.all).isEmpty)
    // Without an order, and with it again.
    store = try EntityStore(location, entities: MixBefore.all)
    let unordered = try await store?.read { try $0.fetch(MixBefore.Mix.self, uid: 1)?.remarks.map(\.number) }
    #expect(unordered == [7, 8, 9])
    store = try EntityStore(location, entities: MixAfter.all)
    #expect(try await lists() == [[2, 1, 3, 4], [9, 8, 7]])
    store = try EntityStore(location, entities: MixRenamed.all)
    let renamed = try await store?.read { context in
      let mix = try #require(try context.fetch(MixRenamed.Mix.self, uid: 1))
      return [mix.songs.map(\.number), mix.remarks.map(\.number)]
    }
    #expect(renamed == [[2, 1, 3, 4], [9, 8, 7]])
  }
}
