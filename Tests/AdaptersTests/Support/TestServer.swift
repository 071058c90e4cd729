import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A raw-socket HTTP server on a free port of 127.0.0.1, with a thread per connection that runs a script.
///
/// It knows nothing of its contents: scripts write the bytes they like, and its records are the oracle of the tests.
final class TestServer: Sendable {
  typealias Script = @Sendable (TestConnection) throws -> Void

  let port: Int
  private let listener: Int32
  private let record: Record

  final class Record: Sendable {
    fileprivate let state = Mutex((connections: 0, requests: [TestRequest]()))
    func add(_ request: TestRequest) { state.withLock { $0.requests.append(request) } }
  }

  init(_ script: @escaping Script) throws {
    let listener = try check(socket(AF_INET, streamSocket, 0), "socket")
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafeMutablePointer(to: &address) {
      try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        try check(bind(listener, $0, size), "bind")
        try check(listen(listener, 128), "listen")
        try check(getsockname(listener, $0, &size), "getsockname")
      }
    }
    self.listener = listener
    port = Int(UInt16(bigEndian: address.sin_port))
    let record = Record()
    self.record = record
    Thread {
      while true {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else { break }
        record.state.withLock { $0.connections += 1 }
        Thread {
          let connection = TestConnection(socket, record)
          try? script(connection)
          connection.close()
        }.start()
      }
      close(listener)
    }.start()
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  var requests: [TestRequest] { record.state.withLock { $0.requests } }
  var connections: Int { record.state.withLock { $0.connections } }

  func url(_ path: String = "/") -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

  /// Answers every request of a connection.
  static func answering(_ answer: @escaping @Sendable (TestRequest) -> [UInt8]) throws -> TestServer {
    try TestServer { connection in
      while let request = try connection.readRequest() { try connection.send(answer(request)) }
    }
  }

  static func answering(_ answer: String) throws -> TestServer {
    try answering { _ in Array(answer.utf8) }
  }

  /// A port that was free a moment ago.
  static func unusedPort() throws -> Int { try TestServer { _ in }.port }
}

/// The bytes that one connection sent.
struct TestRequest: Sendable {
  var head: String
  var body: [UInt8]
  var method: String { String(head.split(separator: " ", maxSplits: 1).first ?? "") }
  var target: String { head.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

  func values(_ name: String) -> [String] {
    head.split(separator: "\r\n").dropFirst().compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
      return parts[1].trimmingCharacters(in: .whitespaces)
    }
  }
}

struct SocketError: Error { let call: String, code: Int32 }

@discardableResult
func check(_ result: Int32, _ call: String) throws -> Int32 {
  guard result >= 0 else { throw SocketError(call: call, code: errno) }
  return result
}

#if canImport(Glibc)
  let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
  let streamSocket = SOCK_STREAM
#endif
