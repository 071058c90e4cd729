import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server on a free port of 127.0.0.1, with a thread for each connection. The thread runs a script, which decides
/// every byte that the server writes. The server's log decides the result. The tests of the package's own adapters use
/// it too.
package final class ConformanceServer: Sendable {
  package let port: Int
  private let listener: Int32
  private let log: Log

  final class Log: Sendable {
    private struct State {
      var connections = 0
      var count = 0
      var requests: [ConformanceRequest] = []
    }

    private let state = Mutex(State())
    private let keepsRequests: Bool

    init(keepsRequests: Bool) { self.keepsRequests = keepsRequests }

    func add(_ request: ConformanceRequest) {
      state.withLock { state in
        state.count += 1
        if keepsRequests { state.requests.append(request) }
      }
    }
    func addConnection() { state.withLock { $0.connections += 1 } }
    var all: [ConformanceRequest] { state.withLock { $0.requests } }
    var count: Int { state.withLock { $0.count } }
    var connections: Int { state.withLock { $0.connections } }
  }

  /// - Parameters:
  ///   - keepsRequests: Whether the log keeps the requests; otherwise it only counts them.
  ///   - script: Runs for each connection. The connection ends with the script.
  /// - Throws: ``SocketError``.
  package init(
    keepsRequests: Bool = true, _ script: @escaping @Sendable (ConformanceConnection) throws -> Void
  ) throws {
    (listener, port) = try listeningSocket(backlog: 128)
    let listener = listener
    let log = Log(keepsRequests: keepsRequests)
    self.log = log
    Thread {
      while true {
        let accepted = accept(listener, nil, nil)
        guard accepted >= 0 else { break }
        log.addConnection()
        #if !canImport(Glibc)
          // A write to a closed connection must not raise a signal.
          var isOn = Int32(1)
          setsockopt(accepted, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
        Thread {
          let connection = ConformanceConnection(accepted, log)
          try? script(connection)
          connection.close()
        }.start()
      }
      #if canImport(Glibc)
        close(listener)
      #endif
    }.start()
  }

  deinit {
    // This ends the wait for a connection.
    #if canImport(Glibc)
      shutdown(listener, Int32(SHUT_RDWR))
    #else
      // A listening socket can't be shut down.
      close(listener)
    #endif
  }

  /// The complete requests, in the order of their arrival.
  package var requests: [ConformanceRequest] { log.all }
  /// The number of complete requests.
  package var requestCount: Int { log.count }
  /// The number of accepted connections.
  package var connections: Int { log.connections }

  func url(_ path: String = "/") throws -> URL { try Self.url(port: port, path) }

  static func url(port: Int, _ path: String = "/") throws -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw SocketError(call: "URL", code: 0) }
    return url
  }

  /// Responds to every request of a connection.
  static func answering(
    _ answer: @escaping @Sendable (ConformanceRequest) -> String
  ) throws -> ConformanceServer {
    try ConformanceServer { connection in
      while let request = try connection.readRequest() { try connection.send(answer(request)) }
    }
  }

  /// A response with a body of a known length.
  static func response(_ status: String = "200 OK", _ headers: String = "", _ body: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
  }

  static func bytes(_ status: String = "200 OK", _ headers: String = "", _ body: String = "") -> [UInt8] {
    Array(response(status, headers, body).utf8)
  }
}

/// A request as it arrived.
package struct ConformanceRequest: Sendable {
  package let head: String
  package let body: [UInt8]

  package init(head: String, body: [UInt8]) { (self.head, self.body) = (head, body) }

  /// Method and target.
  package var line: String { head.split(separator: " ").prefix(2).joined(separator: " ") }

  package func values(_ name: String) -> [String] {
    head.split(separator: "\r\n").dropFirst().compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
      return parts[1].trimmingCharacters(in: .whitespaces)
    }
  }
}
