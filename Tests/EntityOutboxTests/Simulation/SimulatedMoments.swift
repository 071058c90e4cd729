import EntityClient
import Foundation
import Synchronization
import TestSupport

/// The files of all clients at commits of one of them, with the server and the persons' knowledge of the same moment.
final class SimulatedMoments: Sendable {
  struct Moment {
    let number: Int
    let folder: URL
    let server: SimulatedServer.State
    let underWay: [(call: SimulatedServer.Call, hasArrived: Bool)]
    let elapsed: Double
    let restorers: [String: Int]
    let persons: [(memory: SimulatedMemory, settings: SimulatedPerson.Settings)]
  }

  private struct State {
    var moments: [Moment] = []
    var commits = 0
    var keep: (@Sendable (Int) throws -> Moment)?
    var error: (any Error)?
    var clients: Set<ObjectIdentifier> = []
    var random: SeededRandom
  }

  /// One commit of so many is kept; all in the long form.
  private let distance: Int
  private let state: Mutex<State>

  init(_ seed: UInt64) {
    distance = Seeds.isLong ? 1 : 7
    state = Mutex(State(random: SeededRandom(seed &+ 0xC0F)))
  }

  /// Keeps the commits of a client from now on, until ``stop()``.
  func watch(
    _ person: SimulatedPerson, of persons: [SimulatedPerson], _ world: SimulatedWorld, in folder: URL
  ) throws {
    let known = persons.map { (memory: $0.memory, settings: $0.settings) }
    let clients = persons.map(\.client)
    let (server, elapsed, restorers) = (world.server, world.elapsed, world.restorers)
    state.withLock { state in
      state.keep = { number in
        let place = folder.appending(path: "moment-\(number)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for (number, client) in clients.enumerated() {
          try client.copy(to: place.appending(path: "\(number).sqlite"))
        }
        return Moment(
          number: number, folder: place, server: server.state.withLock(\.self),
          underWay: clients.flatMap(\.line.tickets).map { ($0.call, $0.isAnswer) }, elapsed: elapsed,
          restorers: restorers, persons: known)
      }
    }
    guard state.withLock({ $0.clients.insert(ObjectIdentifier(person.client.store)).inserted }) else { return }
    person.client.onCommit { [weak self] in self?.commit() }
  }

  func stop() { state.withLock { $0.keep = nil } }

  private func commit() {
    state.withLock { state in
      guard let keep = state.keep else { return }
      state.commits += 1
      guard state.random.chance(distance) || state.moments.isEmpty else { return }
      do {
        state.moments.append(try keep(state.commits))
      } catch {
        state.error = error
      }
    }
  }

  var description: String { state.withLock { "\($0.commits) commits of \($0.clients.count) clients" } }

  /// - Throws: The error of a copy that could not be made.
  func all() throws -> [Moment] {
    try state.withLock { state in
      if let error = state.error { throw error }
      return state.moments
    }
  }
}
