import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Trait where Self == TimeLimitTrait {
  /// The limit of tests that wait for a peer. It ends a test that hangs; no machine is so slow that another one reaches it.
  static var untilItHangs: Self { .timeLimit(.minutes(15)) }
}

/// Tests limits of time with a longer and longer unit of time, until the machine keeps up with one.
///
/// Such a test says which of two moments comes first. A machine that stands still for a while changes the order, and an
/// attempt with longer limits is needed. An implementation that does it wrong has the wrong order with every unit.
///
/// - Parameter attempt: Returns whether the machine kept up. Where it did not, the attempt expects nothing.
func untilTheMachineKeepsUp(
  sourceLocation: SourceLocation = #_sourceLocation, _ attempt: (_ unit: Duration) async throws -> Bool
) async throws {
  for milliseconds in [2, 8, 32, 128, 512] where try await attempt(.milliseconds(milliseconds)) { return }
  Issue.record("the limits end in the wrong order, however long they are", sourceLocation: sourceLocation)
}

extension TestConnection {
  /// Passes time on the server's thread; also ends when the peer sends or closes.
  func pause(_ time: Duration) {
    var descriptor = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
    poll(&descriptor, 1, time.milliseconds)
  }

  /// Whether the peer took nothing for that long, its buffers and ours being full.
  func isStalled(_ time: Duration) -> Bool {
    var descriptor = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&descriptor, 1, time.milliseconds) == 0
  }
}

extension Duration {
  fileprivate var milliseconds: Int32 { Int32(self / .milliseconds(1)) }
}
