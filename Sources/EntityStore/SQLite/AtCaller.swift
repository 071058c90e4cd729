import Synchronization

/// Passes a value on in the isolation of the caller. A `nonisolated(nonsending)` function that has awaited work
/// elsewhere passes its result and its error through this function:
///
/// ```swift
/// do { return atCaller(try await worker.run(work)) } catch { throw atCaller(error) }
/// ```
///
/// The callers of such a function rely on its return to their executor, and do not hop themselves. Swift 6.3.1 leaves
/// out the hop back where no later instruction needs the executor: before a `throw`, and before the `return` of a
/// function that the optimizer has specialized. The caller then goes on on a thread that is not its actor's. The write
/// to memory in this function is such an instruction, and so is the call of a function that is not inlined.
///
/// A function that only awaits `nonisolated(nonsending)` functions has no hop, and needs nothing. `scripts/isolation`
/// calls every public function in a release build, and checks where the caller goes on. It also reports when the
/// compiler is fixed.
@inline(never)
package func atCaller<T>(_ value: consuming T) -> T {
  Landing.mark.store(true, ordering: .relaxed)
  return value
}

private enum Landing {
  static let mark = Atomic(false)
}
