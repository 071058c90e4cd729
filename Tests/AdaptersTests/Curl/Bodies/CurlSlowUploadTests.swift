import Adapters
import EntityRequests
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server that takes a body little by little, over sockets that hold little.
@Suite(.untilItHangs)
struct CurlSlowUploadTests {
  @Test func `an upload that moves is not idle`() async throws {
    try await untilTheMachineKeepsUp { unit in
      let server = try TestServer { connection in
        _ = try connection.readRequest()
        shrinkBuffers(ofPort: connection.peerPort)
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        _ = try connection.readHead()
        // Three times as long as the limit. libcurl asks for the whole body at the beginning.
        for _ in 0..<30 {
          _ = try connection.read(512)
          connection.rest(unit * 4)
        }
        try connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
        connection.waitForClose()
      }
      shrinkBuffers(ofPort: server.port)
      let adapter = CurlAdapter { $0.idleTimeout = unit * 40 }
      guard try await adapter.failure(request("GET", server.url())) == nil else { return false }
      do {
        let response = try await adapter.send(request("PUT", server.url()), body: .data(pattern(60_000)))
        #expect(response.status == 413)
        // Else the buffers were larger than was asked for, or the connection another one.
        #expect(response.metrics?.isConnectionReused == true)
        return true
      } catch let error as TransportError where error.kind == .timeout {
        return false
      }
    }
  }

  /// A fourth of the limit may be added to it.
  @Test func `an upload that stops is idle`() async throws {
    try await untilTheMachineKeepsUp { unit in
      let server = try TestServer { connection in
        _ = try connection.readHead()
        connection.rest(unit * 80)
        try connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
        connection.waitForClose()
      }
      let adapter = CurlAdapter { $0.idleTimeout = unit * 40 }
      let error = try await adapter.failure(request("PUT", server.url()), body: .data(pattern(16 << 20)))
      return error?.kind == .timeout && error?.mayHaveBeenProcessed == true
    }
  }
}

extension TestConnection {
  /// Passes time on the server's thread, whatever the peer does.
  fileprivate func rest(_ time: Duration) { poll(nil, 0, Int32(time / .milliseconds(1))) }

  fileprivate var peerPort: Int? { port(descriptor, getpeername) }
}

/// Makes the buffers of the process's sockets at a port as small as the system lets them be. The sockets that a listening one
/// accepts have its buffers.
private func shrinkBuffers(ofPort own: Int?) {
  for descriptor in 0..<Int32(4096) where own != nil && port(descriptor, getsockname) == own {
    var size = Int32(1024)
    for option in [SO_SNDBUF, SO_RCVBUF] {
      setsockopt(descriptor, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<Int32>.size))
    }
  }
}

private func port(
  _ descriptor: Int32, _ name: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
) -> Int? {
  var address = sockaddr_in()
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let code = withUnsafeMutablePointer(to: &address) { address in
    address.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &size) }
  }
  guard code == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
  return Int(UInt16(bigEndian: address.sin_port))
}
