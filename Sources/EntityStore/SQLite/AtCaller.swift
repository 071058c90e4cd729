import Synchronization

/// Hands a value on in the isolation of the caller. A `nonisolated(nonsending)` function that awaited work elsewhere
/// takes the result and the error through this function:
///
/// ```swift
/// do { return atCaller(try await worker.run(work)) } catch { throw atCaller(error) }
/// ```
///
/// The callers of such a function take it that it comes back on their executor, and do not hop themselves. Swift 6.3.1
/// leaves out the hop back where no instruction that needs the executor follows: before a `throw`, and before the `return` of
/// a function that the optimizer has specialized. The caller then goes on on another thread than its actor's. The write to
/// memory in here is such an instruction, and the call of a function that is not inlined is another one.
///
/// A function that awaits only `nonisolated(nonsending)` functions has no hop, and needs nothing. `scripts/isolation` calls
/// every public function in release and looks where the caller goes on; it also tells when the compiler is mended.
@inline(never)
package func atCaller<T>(_ value: consuming T) -> T {
  Landing.mark.store(true, ordering: .relaxed)
  return value
}

private enum Landing {
  static let mark = Atomic(false)
}
