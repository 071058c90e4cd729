import EntityTesting
import Synchronization
import TestSupport

/// The common parts of the persons and clients of a seed.
final class SimulatedWorld {
  struct Fault: Error, CustomStringConvertible { let description: String }

  let server: SimulatedServer
  let service: SimulatedService
  let clock = VirtualClock()
  var random: SeededRandom
  var elapsed: Double
  var faults: [String] = []
  /// The client that made an object again, by the code: two would double it.
  var restorers: [String: Int] = [:]
  /// The distance of the commits after which the whole file is checked.
  var checkDistance = Int64.max
  private var last: Int

  static let start = 1_800_000_000.0

  init(
    _ server: SimulatedServer, _ service: SimulatedService, _ random: SeededRandom, elapsed: Double = 0, last: Int = 0
  ) {
    (self.server, self.service, self.random) = (server, service, random)
    (self.elapsed, self.last) = (elapsed, last)
  }

  /// A world that goes on from here with a server of its own.
  func copy(_ server: SimulatedServer) -> SimulatedWorld {
    let copy = SimulatedWorld(server, service, random, elapsed: elapsed, last: last)
    (copy.restorers, copy.checkDistance) = (restorers, checkDistance)
    return copy
  }

  /// Whether a read of a collection has all of its objects: not so by a replica, until the faults end.
  var readsWhole: Bool { !service.hasReplica || server.state.withLock { $0.failsOneIn == 0 } }

  func log(_ line: String) { server.log(line) }

  /// A text that occurs once.
  func token(_ prefix: String) -> String { "\(prefix)\(number())" }

  func number() -> Int {
    last += 1
    return last
  }

  func advance(_ seconds: Double) {
    elapsed += seconds
    log("\(Int(seconds)) s pass")
    clock.advance(by: .seconds(seconds))
    server.advance(to: elapsed)
  }

  func throwFaults() throws {
    let violations = server.state.withLock { state in
      defer { state.violations = [] }
      return state.violations
    }
    faults += violations
    if !faults.isEmpty { throw Fault(description: faults.joined(separator: "; ")) }
  }
}
