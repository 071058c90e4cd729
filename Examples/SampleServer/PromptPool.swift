import FlyingSocks

/// A socket pool whose sockets send at once.
///
/// FlyingFox writes the head and the body of an answer separately. With Nagle's algorithm (RFC 896) on, the body of a
/// small answer then waits for the acknowledgement of the head, which the client's system delays by up to 40 ms.
struct PromptPool<Base: AsyncSocketPool>: AsyncSocketPool {
  private let base: Base

  init(_ base: Base) {
    self.base = base
  }

  func prepare() async throws {
    try await base.prepare()
  }

  func run() async throws {
    try await base.run()
  }

  func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
    // FlyingFox offers no other place that sees the sockets: each one waits here to read, the listening one as well,
    // from which Linux's accepted sockets inherit the option. A socket that refuses is only slower.
    if events.contains(.read) { try? socket.setValue(true, for: .noDelay) }
    try await base.suspendSocket(socket, untilReadyFor: events)
  }
}

extension SocketOption where Self == BoolSocketOption {
  /// TCP_NODELAY of IPPROTO_TCP; both numbers are the same on Linux and Darwin.
  fileprivate static var noDelay: Self { BoolSocketOption(level: 6, name: 1) }
}
