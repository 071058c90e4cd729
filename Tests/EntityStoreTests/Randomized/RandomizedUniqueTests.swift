import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Random moves of unique values among rows, with inserts and deletes, in one save or one unit with queries in between. It
/// succeeds exactly when no two rows are alike at the end, and then the rows are those of a plain array.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@MainActor
struct RandomizedUniqueTests {
  @Test(arguments: Place.usual, [true, false])
  func `rows agree with a plain array`(_ place: Place, _ isUnit: Bool) async throws {
    var (refused, rounds) = (0, 0)
    await Seeds.each(place == .memory ? 60 : 15, sanitized: 3, "\(place.rawValue), isUnit \(isUnit)") { seed, _ in
      var run = try Moves(place, seed, isUnit: isUnit)
      try await run.go()
      refused += run.refused
      rounds += Moves.rounds
    }
    // Both happen, but for a seed by itself.
    guard Seeds.one == nil else { return }
    #expect(refused > 0)
    #expect(refused < rounds)
  }
}

private struct Moves {
  let test: TestStore
  let isUnit: Bool
  var random: SeededRandom
  /// The saved values, by row.
  var saved: [EntityID<Locker>: LockerValues] = [:]
  var refused = 0

  static let rounds = 12

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init(_ place: Place, _ seed: UInt64, isUnit: Bool) throws {
    test = try TestStore(place, Locker.world)
    self.isUnit = isUnit
    random = SeededRandom(state: seed)
  }

  @MainActor
  mutating func go() async throws {
    for round in 0..<Self.rounds {
      let (before, generator) = (saved, random)
      var result: (model: [EntityID<Locker>: LockerValues], random: SeededRandom, log: [String])
      result = (saved, random, [])
      var thrown: StoreError?
      if isUnit {
        do {
          result = try await test.store.background { context in
            let result = try Self.change(context, before, generator, asks: true)
            guard Self.isDistinct(result.model) else {
              guard errorKind({ try context.save() }) == .uniqueViolation else {
                throw Failure(description: "two alike were saved: \(result.log)")
              }
              throw Refused(random: result.random)
            }
            return result
          }
        } catch let error as Refused {
          random = error.random
          refused += 1
          try await check(round, result.log)
          continue
        }
      } else {
        let main = test.store.main
        result = try Self.change(main, before, generator, asks: false)
        do { try await main.save() } catch let error as StoreError { thrown = error }
        guard Self.isDistinct(result.model) == (thrown == nil) else {
          throw Failure(description: "round \(round): \(result.log): \(thrown?.description ?? "two alike were saved")")
        }
      }
      random = result.random
      if let thrown {
        guard thrown.kind == .uniqueViolation, thrown.objects.count == 2 else { throw thrown }
        refused += 1
        test.store.main.rollback()
      } else {
        saved = result.model
      }
      try await check(round, result.log)
    }
  }

  struct Refused: Error {
    let random: SeededRandom
  }

  private func check(_ round: Int, _ log: [String]) async throws {
    let rows = try await test.store.read { context in
      Dictionary(uniqueKeysWithValues: try context.fetch(Locker.self).map { ($0.entityID, $0.values) })
    }
    guard rows == saved else { throw Failure(description: "round \(round): \(log): \(rows) in place of \(saved)") }
  }

  private static func isDistinct(_ model: [EntityID<Locker>: LockerValues]) -> Bool {
    func areDistinct<V: Hashable>(_ values: [V]) -> Bool { Set(values).count == values.count }
    return areDistinct(model.values.compactMap(\.uid)) && areDistinct(model.values.compactMap(\.code))
      && areDistinct(model.values.map(\.number)) && areDistinct(model.values.map(\.seal))
  }

  /// Changes objects and the model alike.
  private static func change(
    _ context: EntityContext, _ saved: [EntityID<Locker>: LockerValues], _ generator: SeededRandom, asks: Bool
  ) throws -> (model: [EntityID<Locker>: LockerValues], random: SeededRandom, log: [String]) {
    var (model, random, log) = (saved, generator, [String]())
    var objects = try context.fetch(Locker.self)
    func number() -> Int { Int.random(in: 1...8, using: &random) }
    for _ in 0..<Int.random(in: 0...2, using: &random) where !objects.isEmpty {
      let object = objects.remove(at: Int.random(in: 0..<objects.count, using: &random))
      model[object.entityID] = nil
      try context.delete(object)
      log.append("delete \(object.entityID.pk)")
    }
    for _ in 0..<(objects.count < 6 ? Int.random(in: 0...3, using: &random) : 0) {
      let object = try context.insert(Locker.self)
      object.set(LockerValues(uid: nil, code: nil, number: 100 + object.row, seal: Data("\(object.row)".utf8)))
      object.uid = 100 + object.row
      model[object.entityID] = object.values
      objects.append(object)
      log.append("insert \(object.row)")
    }
    // A permutation of the values, and now and then a value of its own, which another one may have.
    for property in 0..<4 {
      // A new object whose uid a row has in the end, or in a unit for a while, may be the same object: that is another
      // matter. So they exchange their uids wholly, and in a unit not at all.
      let isExchange = property == 0 && objects.contains(where: \.isInserted)
      let part = isExchange && asks ? objects.filter { !$0.isInserted } : objects
      let isWhole = isExchange && !asks
      let order = part.map(\.values).shuffled(using: &random)
      for (object, values) in zip(part, order).shuffled(using: &random) where isWhole || Bool.random(using: &random) {
        let isOwn = !isExchange && Int.random(in: 0..<5, using: &random) == 0
        switch property {
        case 0: object.uid = isOwn ? number() : values.uid ?? number()
        case 1: object.code = isOwn ? (Bool.random(using: &random) ? nil : "\(number())") : values.code
        case 2: object.number = isOwn ? number() : values.number
        default: object.seal = isOwn ? Data([UInt8(number())]) : values.seal
        }
        model[object.entityID] = object.values
        log.append("\(object.row): \(object.values)")
        if asks, Int.random(in: 0..<6, using: &random) == 0 {
          _ = try context.fetch(Locker.where { $0.number > 3 })
          guard object.values == model[object.entityID] else {
            throw Failure(description: "\(log): a query changed it")
          }
          log.append("query")
        }
      }
    }
    for object in objects where object.values != model[object.entityID] {
      throw Failure(description: "\(log): \(object.values) in place of \(String(describing: model[object.entityID]))")
    }
    return (model, random, log)
  }
}

extension Locker {
  fileprivate var row: Int { Int(entityID.pk) }
}
