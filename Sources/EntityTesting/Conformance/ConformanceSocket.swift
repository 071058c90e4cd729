#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A system call that failed.
package struct SocketError: Error {
  let call: String
  let code: Int32
}

@discardableResult
func check(_ result: Int32, _ call: String) throws -> Int32 {
  guard result >= 0 else { throw SocketError(call: call, code: errno) }
  return result
}

#if canImport(Glibc)
  private let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
  private let streamSocket = SOCK_STREAM
#endif

/// A socket that listens on a free port of 127.0.0.1.
///
/// - Parameter backlog: The number of connections that may wait to be accepted.
func listeningSocket(backlog: Int32) throws -> (descriptor: Int32, port: Int) {
  let listener = try check(socket(AF_INET, streamSocket, 0), "socket")
  var address = loopback(port: 0)
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  try withUnsafeMutablePointer(to: &address) {
    try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      try check(bind(listener, $0, size), "bind")
      try check(listen(listener, backlog), "listen")
      try check(getsockname(listener, $0, &size), "getsockname")
    }
  }
  return (listener, Int(UInt16(bigEndian: address.sin_port)))
}

private func loopback(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  address.sin_port = port.bigEndian
  return address
}

/// A port that drops the first packet of each connection, because its queue of waiting connections is full.
final class FullPort: Sendable {
  let port: Int
  private let descriptors: [Int32]

  /// - Throws: ``SocketError``.
  init() throws {
    let (listener, port) = try listeningSocket(backlog: 0)
    var descriptors = [listener]
    // A system takes a few more connections than it was told.
    for _ in 0..<16 {
      let descriptor = socket(AF_INET, streamSocket, 0)
      do {
        try check(descriptor, "socket")
      } catch {
        for descriptor in descriptors { close(descriptor) }
        throw error
      }
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      var address = loopback(port: UInt16(port))
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      descriptors.append(descriptor)
    }
    (self.port, self.descriptors) = (port, descriptors)
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
