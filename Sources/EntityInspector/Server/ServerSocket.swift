#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// The socket's own methods have these names.
private let closeDescriptor = close
private let sendBytes = send

#if canImport(Glibc)
  private let streamSocket = Int32(SOCK_STREAM.rawValue)
  private let noSignal = Int32(MSG_NOSIGNAL)
  private let bothWays = Int32(SHUT_RDWR)
  private let oneWay = Int32(SHUT_WR)
#else
  private let streamSocket = SOCK_STREAM
  private let noSignal = Int32(0)
  private let bothWays = SHUT_RDWR
  private let oneWay = SHUT_WR
#endif

/// A socket of 127.0.0.1 that blocks. One thread uses it.
struct ServerSocket {
  /// A call of the system that failed.
  struct Failure: Error {
    let call: String
    let code: Int32

    /// The system's words for it.
    var reason: String { String(cString: strerror(code)) }
  }

  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Listens on a port of 127.0.0.1, which no other machine reaches.
  ///
  /// - Parameter port: 0 for a free port.
  /// - Throws: ``Failure``.
  static func listening(on port: UInt16) throws -> (socket: ServerSocket, port: Int) {
    let listener = try check(socket(AF_INET, streamSocket, 0), "socket")
    do {
      // The port of a former run may be taken again at once.
      var isOn = Int32(1)
      setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      address.sin_port = port.bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      try withUnsafeMutablePointer(to: &address) {
        try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          try check(bind(listener, $0, size), "bind")
          try check(listen(listener, 64), "listen")
          try check(getsockname(listener, $0, &size), "getsockname")
        }
      }
      return (ServerSocket(listener), Int(UInt16(bigEndian: address.sin_port)))
    } catch {
      _ = closeDescriptor(listener)
      throw error
    }
  }

  @discardableResult
  private static func check(_ result: Int32, _ call: String) throws -> Int32 {
    guard result >= 0 else { throw Failure(call: call, code: errno) }
    return result
  }

  /// Waits for a connection.
  ///
  /// - Returns: `nil` once the socket is shut down.
  func accept() -> ServerSocket? {
    while true {
      #if canImport(Glibc)
        let accepted = Glibc.accept(descriptor, nil, nil)
      #else
        let accepted = Darwin.accept(descriptor, nil, nil)
      #endif
      if accepted >= 0 {
        #if !canImport(Glibc)
          // A write to a closed connection must not raise a signal.
          var isOn = Int32(1)
          setsockopt(accepted, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(accepted, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        return ServerSocket(accepted)
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      // No file or memory is free, and nothing tells when one is. Without a wait, the loop would keep a processor busy.
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(50_000)
      default: return nil
      }
    }
  }

  /// Waits for bytes.
  ///
  /// - Returns: The bytes, at most 16 KiB; none at the end of the connection; `nil` where none came in time.
  func read(within milliseconds: Int32) -> [UInt8]? {
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&event, 1, max(0, milliseconds)) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? Array(bytes[..<count]) : []
  }

  /// - Throws: ``Failure`` where the other side is gone, or takes nothing for ten seconds.
  func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { sendBytes(descriptor, $0.baseAddress, $0.count, noSignal) }
      guard count > 0 else { throw Failure(call: "send", code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Ends the connection. Bytes that the other side still sends are read first, for at most a second: to close on unread
  /// bytes would take the response back.
  func end() {
    shutdown(descriptor, oneWay)
    var patience = 20
    while patience > 0, let bytes = read(within: 50), !bytes.isEmpty { patience -= 1 }
    close()
  }

  func close() { _ = closeDescriptor(descriptor) }

  /// Ends the wait of ``accept()``.
  func stopListening() {
    #if canImport(Glibc)
      shutdown(descriptor, bothWays)
    #else
      // A listening socket can't be shut down there.
      close()
    #endif
  }
}
