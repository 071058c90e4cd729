import Foundation
import Synchronization
import TestSchema
import Testing

@testable import EntityStore

/// How units of work, saves and reads wait for each other, and for others who write to the file.
@MainActor
struct WaitingTests {
  /// The deadline is real time, which other tests use up: where a turn did not come in time, a longer deadline is tried.
  /// A deadline for the whole line would fail with each. `GateLineTests` has a clock of its own.
  @Test(arguments: Place.usual)
  func `a long line of short units is no reason to fail`(_ place: Place) async throws {
    for deadline in [500, 2_000, 8_000, 32_000] where try await isLineServed(place, deadline: deadline) { return }
    Issue.record("units fail in a line that moves")
  }

  /// Whether units that together take twice as long as the deadline all run: the last ones then wait longer than that.
  ///
  /// - Parameter deadline: In milliseconds.
  private func isLineServed(_ place: Place, deadline: Int) async throws -> Bool {
    var count = 50
    // How long a unit takes depends on the machine.
    while let time = try await timeToServe(count, place, deadline: deadline) {
      if time > .milliseconds(2 * deadline) { return true }
      count *= 2
    }
    return false
  }

  /// How long it takes to serve so many units; `nil` where one of them fails.
  private func timeToServe(_ count: Int, _ place: Place, deadline: Int) async throws -> Duration? {
    let test = try TestStore(place, TestStore.people, busyTimeout: .milliseconds(deadline))
    let store = test.store
    let begin = ContinuousClock.now
    do {
      try await withThrowingTaskGroup { group in
        for number in 0..<count {
          group.addTask {
            try await store.background { context in
              for person in 0..<100 { try context.insert(Person.self).uid = number * 100 + person }
            }
          }
        }
        try await group.waitForAll()
      }
    } catch let error as StoreError where error.kind == .writerBusy {
      return nil
    }
    let time = ContinuousClock.now - begin
    #expect(try await store.read { try $0.count(Person.all) } == count * 100)
    return time
  }

  @Test(arguments: Place.usual)
  func `units behind one that does not end fail`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.people, busyTimeout: .milliseconds(50))
    let block = Blocker(test.store)
    await block.begin()
    for error in await errors(of: 20, in: test.store) {
      #expect(error?.kind == .writerBusy)
      #expect(error?.message.contains("one unit of work") == true)
    }
    block.end()
    while await asyncErrorKind({ try await test.store.addPerson(1) }) == .writerBusy {}
    #expect(try test.store.main.count(Person.all) == 1)
  }

  @Test(arguments: Place.usual)
  func `units behind another connection fail with its name`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.people, busyTimeout: .milliseconds(200))
    let other = try Connection(test.store.core.location, busyTimeout: .zero)
    try other.begin("IMMEDIATE")
    for error in await errors(of: 20, in: test.store) {
      #expect(
        error?.kind == .writerBusy,
        "\(String(describing: error))")
      #expect(
        error?.message.contains("another store is writing") == true,
        "\(String(describing: error))")
    }
    other.rollback()
    while await asyncErrorKind({ try await test.store.addPerson(1) }) == .writerBusy {}
    #expect(try test.store.main.count(Person.all) == 1)
  }

  @Test(arguments: Place.usual)
  func `reads behind reads that do not end fail`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.people, busyTimeout: .milliseconds(50))
    let store = test.store
    let go = DispatchSemaphore(value: 0)
    let reading = Shared(0)
    var reads: [Task<Void, any Error>] = []
    for _ in 0..<4 {
      reads.append(
        Task.detached {
          try await store.read { _ in
            reading.withLock { $0 += 1 }
            go.wait()
          }
        })
    }
    while reading.withLock({ $0 }) < 4 { await Task.yield() }
    defer { for _ in 0..<4 { go.signal() } }
    for _ in 0..<3 {
      #expect(await asyncErrorKind { try await store.read { _ in } } == .readersBusy)
    }
    // A task that is cancelled waits no longer.
    let cancelled = Task { try await store.read { _ in } }
    cancelled.cancel()
    await #expect(throws: (any Error).self) { try await cancelled.value }
    #expect(store.core.readers.waiting == 0)
    // Writing needs no reader.
    while await asyncErrorKind({ try await store.addPerson(1) }) == .writerBusy {}
    #expect(try store.main.count(Person.all) == 1)
    for _ in 0..<4 { go.signal() }
    for read in reads { try await read.value }
    // With the short deadline it may take more than one attempt, until the reads have let go.
    while await asyncErrorKind({ try await store.read { _ in } }) == .readersBusy {}
  }

  @Test(arguments: Place.usual, [true, false])
  func `a save of the main context goes before units that wait`(_ place: Place, isAsync: Bool) async throws {
    let test = try TestStore(place, TestStore.people, busyTimeout: .ample)
    let store = test.store
    let main = store.main
    let block = Blocker(store)
    await block.begin()
    let isSaved = Shared<[Bool]>([])
    var units: [Task<Void, any Error>] = []
    for _ in 0..<200 {
      units.append(
        Task.detached {
          try await store.background { context in
            let count = try context.count(Person.all)
            isSaved.withLock { $0.append(count == 1) }
          }
        })
    }
    while store.core.gate.waiting < 200 { await Task.yield() }
    let person = try main.insert(Person.self)
    person.uid = 1
    Thread {
      // The synchronous save holds up the main thread: another one sees that it waits.
      while store.core.gate.waiting < 201 { sched_yield() }
      block.end()
    }.start()
    if isAsync { try await main.save() } else { try main.saveAtOnce() }
    for unit in units { try await unit.value }
    #expect(isSaved.withLock { $0 } == Array(repeating: true, count: 200))
  }

  /// The errors of a number of units that are started at once; `nil` for one that succeeds.
  private func errors(of count: Int, in store: EntityStore) async -> [StoreError?] {
    await withTaskGroup(of: StoreError?.self) { group in
      for number in 0..<count {
        group.addTask {
          do {
            try await store.addPerson(number)
            return nil
          } catch {
            return error as? StoreError
          }
        }
      }
      var errors: [StoreError?] = []
      for await error in group { errors.append(error) }
      return errors
    }
  }
}

/// A value that several detached tasks change. They can't all have a `Mutex` of the test's.
private final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }

  func withLock<R: Sendable>(_ body: (inout Value) -> R) -> R { value.withLock { body(&$0) } }
}
