import Foundation
import Testing

@testable import EntityStore

/// Runs a scenario in which one call fails, or all from one on, and looks at all that must hold then.
@MainActor struct FaultRun {
  /// How long the calls fail.
  enum Length: String, CaseIterable, Sendable {
    /// One call.
    case once
    /// All from that one on, until the scenario is over.
    case persisting
    /// All from that one on, while the store closes too: nobody is left who could undo what a refused commit wrote.
    case pastTheEnd
  }

  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  let scenario: FaultScenario
  let length: Length
  let faults: any FaultSource
  let location: StoreLocation
  /// Waits until nobody has the file open.
  let closed: () async -> Void
  /// All that was thrown.
  private(set) var errors: [StoreError] = []
  private var isFaulty = false
  private var isOpened = false
  /// The contents that the file may have after an opening.
  private let stages: FaultStages?
  private let sound: SoundFiles

  /// - Parameter sound: The files that other runs of the same scenario looked at.
  init(
    _ scenario: FaultScenario, _ length: Length, _ faults: any FaultSource, _ location: StoreLocation,
    _ stages: FaultStages?, _ sound: SoundFiles, closed: @escaping () async -> Void
  ) {
    (self.stages, self.sound) = (stages, sound)
    (self.scenario, self.length, self.faults, self.location, self.closed) = (scenario, length, faults, location, closed)
  }

  /// - Returns: Whether the scenario came to the call that was to fail.
  mutating func run(_ number: Int) async throws -> Bool {
    faults.fail(number, persists: length != .once)
    let areThere = try await live()
    await closed()
    let hasFailed = faults.heal() || isFaulty
    let file = try SoundFiles.File(location, areThere, isOpened: isOpened)
    if let file, sound.has(file) { return hasFailed }
    try stages?.check(location, isOpened: isOpened)
    try await afterwards(areThere)
    await closed()
    // The file by itself.
    try Hotel.check(location, scenario.entities, migrations: scenario.migrations)
    if let file { sound.add(file) }
    return hasFailed
  }

  /// The first store, which lives through the faults.
  ///
  /// - Returns: Whether the effect of each step must be there; `nil` for those of which nothing is known.
  private mutating func live() async throws -> [Bool?] {
    var effects = FaultEffects(scenario.steps)
    let store: EntityStore
    do {
      store = try scenario.open(location)
    } catch {
      try check(error, "opening")
      return effects.areThere
    }
    isOpened = true
    var held = FaultObjects(scenario)
    for (place, step) in scenario.steps.enumerated() {
      do { try held.hold(in: store.main) } catch { try check(error, "reading objects") }
      do { try await effects.run(place, in: store) } catch { try check(error, step.name) }
    }
    // Nobody undoes what a refused commit wrote where the disk fails until the store is closed.
    if length == .pastTheEnd { return effects.surelyThere }
    isFaulty = faults.heal()
    // The context tells of a property that it could not read.
    do { try scenario.read(store.main) } catch { try check(error, "the first read") }
    try await compare(store, effects.areThere, "the same store")
    try await held.compare(with: store)
    try await compare(try scenario.open(location), effects.areThere, "another store")
    // One that had to be opened as a file that nobody writes says so.
    guard store.core.location.whyFrozen == nil else { return effects.areThere }
    for (place, step) in scenario.steps.enumerated() where !effects.done.contains(place) {
      do { try await effects.run(place, in: store) } catch {
        throw Mistake(description: "'\(step.name)' is refused without a fault: \(error)")
      }
    }
    guard !store.main.hasChanges else { throw Mistake(description: "the main context has changes left") }
    try await compare(store, effects.areThere, "the same store after another try")
    try await held.compare(with: store)
    return effects.areThere
  }

  /// A store that is opened once all is well.
  private func afterwards(_ areThere: [Bool?]) async throws {
    let store: EntityStore
    do { store = try scenario.open(location) } catch {
      throw Mistake(description: "the store can't be opened afterwards: \(error)")
    }
    try await compare(store, areThere, "a later store")
    for step in scenario.steps where try await !isThere(step, store) { try await step.run(store) }
    try await compare(store, areThere.map { _ in true }, "a later store that goes on")
    // It reads the file once more, and makes each full-text index anew: too much for each case of the short form.
    guard Faults.areAll else { return }
    let problems = try await store.check(.full)
    guard problems.isEmpty else { throw Mistake(description: "the file has \(problems)") }
  }

  private func isThere(_ step: FaultStep, _ store: EntityStore) async throws -> Bool {
    let (found, all) = try await store.read { try step.isThere($0) }
    guard found == 0 || found == all else {
      throw Mistake(description: "\(found) of \(all) of '\(step.name)' is there")
    }
    return found == all
  }

  private func compare(_ store: EntityStore, _ areThere: [Bool?], _ which: String) async throws {
    do {
      for (step, mustBeThere) in zip(scenario.steps, areThere) {
        let isThere = try await isThere(step, store)
        guard let mustBeThere, isThere != mustBeThere, try await store.read({ try step.isThere($0).all }) > 0 else {
          continue
        }
        throw Mistake(
          description:
            "'\(step.name)' was \(mustBeThere ? "acknowledged and is gone" : "refused or undone, and is there")")
      }
      try await scenario.hold?(store)
      try scenario.read(store.main)
    } catch {
      throw Mistake(description: "\(which): \(error)")
    }
  }

  /// Kinds that say a fault of the disk, of its space or of its locks. A caller would look for another cause with any other.
  private static let kinds: [StoreError.Kind] = [
    .ioError, .cannotOpen, .diskFull, .writerBusy, .locked, .outOfMemory, .migrationFailed,
    // SQLite opens a file to read it where the system does not open it to write it.
    .readOnly,
  ]

  private mutating func check(_ error: any Error, _ place: String) throws {
    if let mistake = error as? Mistake { throw mistake }
    guard let error = error as? StoreError else {
      throw Mistake(description: "\(place) throws another error: \(type(of: error)) \(error)")
    }
    errors.append(error)
    guard !error.message.isEmpty, Self.kinds.contains(error.kind) else {
      throw Mistake(description: "\(place) throws '\(error.kind)', which says another cause: \(error)")
    }
  }
}
