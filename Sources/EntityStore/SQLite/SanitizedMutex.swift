#if ENTITYCLIENT_TSAN
  import Foundation

  /// A stand-in for `Synchronization.Mutex` in builds for the thread sanitizer.
  ///
  /// On Linux, `Mutex` waits on a futex inside the standard library, which the sanitizer does not see: it would report
  /// every access under the lock as a race. It sees pthread's mutexes. In such builds, each module that uses `Mutex`
  /// gives this type that name.
  ///
  /// `@unchecked Sendable`: the value is only reached under the lock.
  package struct SanitizedMutex<Value>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    package init(_ initial: sending Value) {
      lock = .allocate(capacity: 1)
      pthread_mutex_init(lock, nil)
      value = .allocate(capacity: 1)
      value.initialize(to: initial)
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deallocate()
      value.deinitialize(count: 1)
      value.deallocate()
    }

    package borrowing func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return try body(&value.pointee)
    }
  }

  typealias Mutex = SanitizedMutex
#endif
