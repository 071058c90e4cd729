import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Answers each connection on a free port of 127.0.0.1 with two bytes, or with nothing.
final class LocalServer: Sendable {
  struct Failure: Error {}

  let url: URL
  private let listener: Int32

  init(answers: Bool) throws {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, type, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    let port = UInt16(bigEndian: address.sin_port)
    guard isListening, let url = URL(string: "http://127.0.0.1:\(port)/") else { throw Failure() }
    self.listener = listener
    self.url = url
    Thread {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        var head = [UInt8](repeating: 0, count: 4096)
        _ = recv(connection, &head, head.count, 0)
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8)
        if answers { _ = send(connection, answer, answer.count, 0) }
        close(connection)
      }
      close(listener)
    }.start()
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}
