import Foundation
import Synchronization
import TestSchema
import Testing

@testable import EntityStore

/// Where a test keeps its rows; tests of the store run on both.
enum Place: String, CaseIterable, CustomTestStringConvertible {
  case file, memory

  /// The places of a test for which a store in memory behaves as one in a file: `RandomizedPlaceTests` proves that it
  /// does. The file alone, and both where the environment has `ENTITYCLIENT_PLACES=all`.
  static let usual: [Place] =
    ProcessInfo.processInfo.environment["ENTITYCLIENT_PLACES"] == "all" ? allCases : [.file]

  var testDescription: String { rawValue }
}

/// A folder that is removed with its last reference.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("entity-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var file: URL { url.appendingPathComponent("store.sqlite") }
}

/// A store of its own for one test, in a folder that goes with it.
struct TestStore: Sendable {
  let store: EntityStore
  let folder: TemporaryFolder

  static let people: [any ManagedEntity.Type] = Person.world

  init(
    _ place: Place, _ entities: [any ManagedEntity.Type] = people, busyTimeout: Duration = .ample
  ) throws {
    folder = try TemporaryFolder()
    let location: StoreLocation = place == .file ? .file(folder.file) : .inMemory
    store = try EntityStore(location, entities: entities, busyTimeout: busyTimeout)
  }

  /// A store with one person, whom a unit of work made, in its main context.
  @MainActor
  static func withAda(_ place: Place, age: Int = 0) async throws -> (test: TestStore, person: Person) {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada", age: age)
    return (test, try #require(try test.store.main.object(id)))
  }
}

extension Duration {
  /// The deadline of work that waits for its own test: while others have the main actor or the pool, the turns of one
  /// may be minutes apart.
  static let ample = Duration.seconds(600)
}

/// The kind of the ``StoreError`` that `body` throws; `nil` when it throws none.
func errorKind(_ body: () throws -> Void) -> StoreError.Kind? {
  do {
    try body()
    return nil
  } catch {
    return (error as? StoreError)?.kind
  }
}

nonisolated(nonsending) func asyncErrorKind(_ body: nonisolated(nonsending) () async throws -> Void) async
  -> StoreError.Kind?
{
  do {
    try await body()
    return nil
  } catch {
    return (error as? StoreError)?.kind
  }
}

extension EntityStore {
  /// Begins a save of the main context, and returns once it has taken the changes of an object and stands in line.
  ///
  /// The caller holds the writer, for example with a ``Blocker``: the save can't end before the caller lets it go.
  @MainActor func beginSave(of object: some ManagedEntity) async -> Task<Void, any Error> {
    let save = await beginSave { object.isBeingSaved && core.gate.waiting > 0 }
    #expect(object.isBeingSaved && core.gate.waiting > 0, "nothing holds the writer, so the save is over already")
    return save
  }

  /// The same where the save may be refused before it begins: it is over then, and `isSaving` is not set.
  @MainActor func beginSave() async -> Task<Void, any Error> { await beginSave { main.saves.isSaving } }

  @MainActor private func beginSave(until holds: () -> Bool) async -> Task<Void, any Error> {
    let isOver = Mutex(false)
    let save = Task { @MainActor in
      defer { isOver.withLock { $0 = true } }
      try await main.save()
    }
    while !holds(), !isOver.withLock({ $0 }) { await Task.yield() }
    return save
  }

  /// A person made by a unit of work.
  @discardableResult
  func addPerson(_ uid: Int, _ name: String = "", age: Int = 0) async throws -> EntityID<Person> {
    try await background { context in
      let person = try context.insert(Person.self)
      person.uid = uid
      person.name = name
      person.age = age
      return person.entityID
    }
  }

  func edit(_ id: EntityID<Person>, _ change: @Sendable (Person) -> Void) async throws {
    try await background { context in change(try #require(try context.object(id))) }
  }
}

extension EntityContext {
  /// The synchronous save, for where overloading would pick the other one.
  func saveAtOnce() throws { try save() }
  func saveAtOnce(conflicts: ConflictPolicy) throws { try save(conflicts: conflicts) }
}

extension ManagedEntity {
  /// Whether a save that has not ended has taken it.
  var isBeingSaved: Bool { _$state.isBeingSaved }
}

/// Whether both hold the same instances.
func == <E: ManagedEntity>(left: [E], right: [E]) -> Bool {
  left.count == right.count && zip(left, right).allSatisfy { $0 === $1 }
}
