import Foundation

/// A value that several threads use, one at a time.
///
/// Not the standard library's `Mutex`: on Linux that waits in the kernel by itself, so the thread sanitizer does not see
/// it and takes every use for a race. What lies behind this lock is pthread's, which it does see.
///
/// `@unchecked Sendable`: the value is touched in `withLock` only, which holds the lock.
package final class Lock<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) { self.value = value }

  /// `body` must not wait, and not use this lock again.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
