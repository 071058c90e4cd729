import CRivals
import Foundation
import Synchronization

// A benchmark is synchronous and runs on the main thread, which takes no turn of the main actor meanwhile. These functions
// have it take them.

/// Runs `body` on the main actor. A benchmark is a synchronous function, which has no isolation that the compiler knows, and
/// `main` calls it on the main thread, which is the main actor's. `assumeIsolated` looks at the thread, and traps on another.
func onMain<T: Sendable>(_ body: @MainActor () throws -> T) rethrows -> T { try MainActor.assumeIsolated(body) }

/// Runs `work` on the main actor, and all else that waits for a turn there, until `work` ends.
func runMain<T: Sendable>(_ work: @escaping @MainActor () async throws -> T) throws -> T {
  let outcome = MainOutcome<T>()
  Task { @MainActor in
    do { outcome.set(.success(try await work())) } catch { outcome.set(.failure(error)) }
  }
  while true {
    if let result = outcome.result { return try result.get() }
    _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
  }
}

/// Takes the turns of the main actor that wait, and those that they ask for.
func drainMain() throws { try runMain { for _ in 0..<4 { await Task.yield() } } }

private final class MainOutcome<T: Sendable>: Sendable {
  private let value = Mutex<Result<T, any Error>?>(nil)

  var result: Result<T, any Error>? { value.withLock { $0 } }

  func set(_ result: Result<T, any Error>) { value.withLock { $0 = result } }
}

/// The longest time that the main actor was busy without a turn for this function, as a click or a frame would wait: of the
/// time that passed, and of that on the processor, which other programs do not disturb.
///
/// - Parameter isOver: Whether the work has ended that is waited for.
@MainActor func longestTurn(until isOver: () -> Bool) async -> Cost {
  var (seconds, cpuSeconds) = (0.0, 0.0)
  var left = 4
  while left > 0 {
    let (time, cpu) = (ContinuousClock.now, thread_cpu_seconds())
    await Task.yield()
    cpuSeconds = max(cpuSeconds, thread_cpu_seconds() - cpu)
    seconds = max(seconds, (ContinuousClock.now - time) / .seconds(1))
    if isOver() { left -= 1 }
  }
  return Cost(seconds: seconds, cpuSeconds: cpuSeconds)
}
