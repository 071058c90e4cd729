import EntityStore
import Observation
import Synchronization
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Observers whose closure reads while others commit. Observation counts an observer only when its closure has ended.
@MainActor
struct ReadingObserverTests {
  private static let adults = Person.where { $0.age >= 18 }.sorted(by: \.name)

  @Test(arguments: Place.usual)
  func `a value that was read before the closure met a commit is told`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let ada = try #require(try main.object(try await test.store.addPerson(1, "Ada", age: 30)))
    let bob = try #require(try main.object(try await test.store.addPerson(2, "Bob", age: 40)))
    let told = watch {
      #expect([ada.age, bob.age] == [30, 40])
      age(test, 50)
      // The context takes the commit over here.
      #expect((try? main.count(Self.adults)) == 2)
    }
    #expect([ada.age, bob.age] == [50, 50])
    #expect(await isTrue(told))
  }

  @Test(arguments: Place.usual)
  func `a deletion that the closure met is told`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let ada = try #require(try main.object(try await test.store.addPerson(1, "Ada", age: 30)))
    let told = watch {
      #expect(!ada.isDeleted)
      unit(test) { rows in
        let model = try rows.schema.model(Person.self)
        try rows.deletion.delete([RowKey(entity: model.number, pk: ada.entityID.pk)])
      }
      #expect((try? main.count(Person.all)) == 0)
    }
    #expect(ada.isDeleted)
    #expect(await isTrue(told))
  }

  @Test(arguments: Place.usual)
  func `a result that the closure read before a commit is told`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada", age: 1)
    let live = LiveQuery(Self.adults, in: test.store)
    let told = watch {
      #expect(live.objects.isEmpty)
      age(test, 50)
      #expect(live.objects.count == 1)
    }
    #expect(await isTrue(told))
  }

  @Test(arguments: Place.usual)
  func `the first result is no news`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada", age: 30)
    let live = LiveQuery(Self.adults, in: test.store)
    let told = watch { #expect(live.objects.count == 1) }
    #expect(await !isTrue(told))
  }

  @Test(arguments: Place.usual)
  func `a draft's observer that met a commit is told`(_ place: Place) async throws {
    let test = try TestStore(place)
    let child = try test.store.main.child()
    let ada = try #require(try child.object(try await test.store.addPerson(1, "Ada", age: 30)))
    let told = watch {
      #expect(ada.age == 30)
      age(test, 50)
      #expect((try? child.count(Self.adults)) == 1)
    }
    #expect(ada.age == 50)
    #expect(await isTrue(told))
  }

  private func watch(_ read: () -> Void) -> Published<Bool> {
    let told = Published(false)
    withObservationTracking(read) { told.change { $0 = true } }
    return told
  }

  /// Whether something is true after some turns of the main actor.
  private func isTrue(_ told: Published<Bool>) async -> Bool {
    for _ in 0..<20 { await Task.yield() }
    return told.value
  }

  /// Commits an age of all people, as another context does, before the main actor has a turn.
  private func age(_ test: TestStore, _ age: Int64) {
    unit(test) { rows in
      let model = try rows.schema.model(Person.self)
      for pk in try rows.connection.rows("SELECT _pk FROM \(model.table)", [], read: { $0.int64(0) }) {
        var row = RowValues(count: model.properties.count)
        row[Person.columns.age.index] = .integer(age)
        _ = try rows.write(model, pk: pk, row, .effect)
      }
    }
  }

  private func unit(_ test: TestStore, _ work: (RowWriter) throws -> Void) {
    do { try test.store.core.blockingUnit(work) } catch { Issue.record(error) }
  }
}
