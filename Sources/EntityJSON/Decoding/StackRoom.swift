#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// The room that is left on the stack of a thread, for one recursion on it.
///
/// A text from outside may nest 512 levels deep. Code that reads it recursively takes stack at each level: kilobytes
/// where users' own `init(from:)` takes part, and several times as much in a debug build. A queue's thread has half a
/// megabyte on Apple's systems. Without a check, the program would end there with a signal.
package struct StackRoom {
  /// It is looked up once: for the main thread, Linux reads it from a file.
  private var known: (end: UInt, size: UInt)??

  package init() {}

  /// Whether a recursion must end here with an error: a quarter of the stack is left, or 128 kB if that is less.
  ///
  /// - Parameter depth: The depth of the recursion. The first levels are not checked.
  package mutating func isShort(at depth: Int) -> Bool {
    guard depth >= 8 else { return false }
    let bounds = known ?? Self.bounds()
    known = .some(bounds)
    guard let stack = bounds else { return false }
    var local: UInt8 = 0
    let here = withUnsafePointer(to: &local) { UInt(bitPattern: $0) }
    // The code runs on another stack, which the system does not know.
    guard here > stack.end, here - stack.end < stack.size else { return false }
    return here - stack.end < min(stack.size / 4, 128 << 10)
  }

  /// The address towards which the stack grows down, and its size in bytes; `nil` where the system does not tell.
  private static func bounds() -> (end: UInt, size: UInt)? {
    #if canImport(Darwin)
      let (start, size) = (pthread_get_stackaddr_np(pthread_self()), pthread_get_stacksize_np(pthread_self()))
      return (UInt(bitPattern: start) - UInt(size), UInt(size))
    #elseif canImport(Glibc)
      guard let attributesOfThread else { return nil }
      return withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
        guard let attributes = buffer.baseAddress, attributesOfThread(pthread_self(), attributes) == 0 else {
          return nil
        }
        defer { pthread_attr_destroy(attributes) }
        var (end, size): (UnsafeMutableRawPointer?, Int) = (nil, 0)
        guard pthread_attr_getstack(attributes, &end, &size) == 0, let end else { return nil }
        return (UInt(bitPattern: end), UInt(size))
      }
    #else
      return nil
    #endif
  }
  #if canImport(Glibc)
    private typealias AttributesOfThread =
      @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> CInt

    /// `pthread_getattr_np`. Glibc's headers declare it only to programs that ask for GNU's extensions.
    private static let attributesOfThread: AttributesOfThread? = dlopen(nil, RTLD_NOW)
      .flatMap { dlsym($0, "pthread_getattr_np") }.map { unsafeBitCast($0, to: AttributesOfThread.self) }
  #endif
}
