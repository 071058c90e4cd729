import CSQLite
import EntityStore
import Foundation
import Observation
import Synchronization
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Observers of the result of a live query, and its failures.
@MainActor
struct LiveQueryObserverTests {
  private static let adults = Person.where { $0.age >= 18 }.sorted(by: \.name)

  @Test(arguments: Place.usual)
  func `observers hear of another result`(_ place: Place) async throws {
    let test = try TestStore(place)
    let live = LiveQuery(Self.adults, in: test.store)
    #expect(live.objects.isEmpty)
    await change(of: live) { try await test.store.addPerson(1, "Ada", age: 30) }
    #expect(live.objects.map(\.name) == ["Ada"])
    // Ten commits before the next turn of the main actor.
    await change(of: live) {
      for uid in 2...11 {
        try test.store.core.blockingUnit { rows in
          let model = try rows.schema.model(Person.self)
          var row = RowValues(count: model.properties.count)
          row[Person.columns.uid.index] = .integer(Int64(uid))
          row[Person.columns.age.index] = .integer(40)
          _ = try rows.write(model, pk: rows.newPrimaryKey(), row, .effect)
        }
      }
    }
    #expect(live.objects.count == 11)
  }

  @Test(arguments: Place.usual)
  func `observers hear nothing where the result is the same`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada", age: 30)
    let live = LiveQuery(Self.adults, in: test.store)
    let watcher = Watcher { _ = live.objects }
    try await test.store.edit(id) { $0.age = 31 }
    try await test.store.addPerson(2, "Bob", age: 1)
    #expect(live.objects.map(\.age) == [31])
    #expect(!watcher.fired)
  }

  @Test(arguments: Place.usual)
  func `a failure is reported, and the query goes on`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    try await test.store.addPerson(1, "Ada", age: 30)
    let live = LiveQuery(Self.adults, in: test.store)
    #expect(live.objects.count == 1)
    let error = Watcher { _ = live.error }
    try await test.store.addPerson(2, "Bob", age: 30)
    try main.merging.merge()
    sqlite3_progress_handler(main.connection.handle, 1, { _ in 1 }, nil)
    #expect(live.objects.count == 1)
    #expect(live.error is StoreError)
    for _ in 0..<20 { await Task.yield() }
    #expect(error.fired)
    sqlite3_progress_handler(main.connection.handle, 0, nil, nil)
    #expect(live.objects.count == 2)
    #expect(live.error == nil)
    for _ in 0..<20 { await Task.yield() }
    #expect(error.fired)
  }

  @Test(arguments: Place.usual)
  func `after a failure the next commit is heeded unasked`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let live = LiveQuery(Self.adults, in: test.store)
    #expect(live.objects.isEmpty)
    sqlite3_progress_handler(main.connection.handle, 1, { _ in 1 }, nil)
    try main.insert(Person.self).age = 20
    let watcher = Watcher { _ = live.objects }
    #expect(live.error is StoreError)
    // The run that the edit asked for fails as well.
    for _ in 0..<20 { await Task.yield() }
    sqlite3_progress_handler(main.connection.handle, 0, nil, nil)
    #expect(!watcher.fired)
    await change(of: live) { try await test.store.addPerson(1, "Ada", age: 30) }
    #expect(live.objects.count == 2)
    #expect(live.error == nil)
  }

  @Test(arguments: Place.usual)
  func `an observer that edits and reads gets the last result`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let live = LiveQuery(Self.adults, in: store)
    #expect(live.objects.isEmpty)
    let isFirst = Mutex(true)
    withObservationTracking {
      _ = live.objects
    } onChange: {
      // Called again by its own change.
      let isOver = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return !isFirst
      }
      guard !isOver else { return }
      // A turn of the main actor calls observers.
      MainActor.assumeIsolated {
        do { try store.main.insert(Person.self).age = 40 } catch { Issue.record(error) }
        #expect(live.objects.count == 2)
      }
    }
    try store.main.insert(Person.self).age = 30
    #expect(live.objects.count == 1)
    for _ in 0..<20 { await Task.yield() }
    #expect(live.objects.count == 2)
  }

  /// The read that runs the query finds a commit which no turn of the main actor was told of yet, and its observers edit.
  @Test func `an edit by an observer of a commit that the run found counts`() async throws {
    let test = try TestStore(.file)
    let main = test.store.main
    let ada = try #require(try main.object(try await test.store.addPerson(1, "Ada", age: 30)))
    let bob = try await test.store.addPerson(2, "Bob", age: 3)
    let live = LiveQuery(Self.adults, in: test.store)
    #expect(live.objects == [ada])
    let store = test.store
    withObservationTracking {
      _ = ada.email
    } onChange: {
      // A turn of the main actor calls observers.
      MainActor.assumeIsolated {
        do { try store.main.object(bob)?.age = 50 } catch { Issue.record(error) }
      }
    }
    let other = try RawConnection(test.folder.file.path, vfs: nil)
    ada.age = 31
    try other.run(
      """
      BEGIN IMMEDIATE; UPDATE Person SET email = 'x';
      UPDATE _entity_store SET value = value + 1 WHERE key = 'generation'; COMMIT
      """)
    #expect(live.objects.map(\.name) == ["Ada"])
    for _ in 0..<20 { await Task.yield() }
    #expect(live.objects.map(\.name) == ["Ada", "Bob"])
  }
}
