import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// The connection's own method has this name.
private let sendBytes = send

#if canImport(Glibc)
  private let noSignal = Int32(MSG_NOSIGNAL)
#else
  private let noSignal = Int32(0)
#endif

/// A server on a free port of 127.0.0.1 with a thread for each connection, which runs a script: the bytes that it writes are
/// those of the script, and its log is the oracle.
final class ConformanceServer: Sendable {
  let port: Int
  private let listener: Int32
  private let log: Log

  final class Log: Sendable {
    private let requests = Mutex<[ConformanceRequest]>([])
    func add(_ request: ConformanceRequest) { requests.withLock { $0.append(request) } }
    var all: [ConformanceRequest] { requests.withLock { $0 } }
  }

  /// - Throws: ``SocketError``.
  init(_ script: @escaping @Sendable (ConformanceConnection) throws -> Void) throws {
    #if canImport(Glibc)
      let listener = try check(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), "socket")
    #else
      let listener = try check(socket(AF_INET, SOCK_STREAM, 0), "socket")
    #endif
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
    let log = Log()
    self.log = log
    Thread {
      while true {
        let accepted = accept(listener, nil, nil)
        guard accepted >= 0 else { break }
        #if !canImport(Glibc)
          // A peer that is gone makes no signal.
          var isOn = Int32(1)
          setsockopt(accepted, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
        Thread {
          let connection = ConformanceConnection(accepted, log)
          try? script(connection)
          connection.end()
        }.start()
      }
      #if canImport(Glibc)
        close(listener)
      #endif
    }.start()
  }

  deinit {
    // Ends the wait for a connection.
    #if canImport(Glibc)
      shutdown(listener, Int32(SHUT_RDWR))
    #else
      // A listening socket can't be shut down.
      close(listener)
    #endif
  }

  /// The requests that arrived whole, in their order.
  var requests: [ConformanceRequest] { log.all }

  func url(_ path: String = "/") throws -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw SocketError(call: "URL", code: 0) }
    return url
  }

  /// Answers every request of a connection.
  static func answering(
    _ answer: @escaping @Sendable (ConformanceRequest) -> String
  ) throws -> ConformanceServer {
    try ConformanceServer { connection in
      while let request = try connection.request() { try connection.send(answer(request)) }
    }
  }

  /// A response with a body of a known length.
  static func response(_ status: String = "200 OK", _ headers: String = "", _ body: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
  }
}

/// A request as it arrived.
struct ConformanceRequest: Sendable {
  let head: String
  let body: [UInt8]

  /// Method and target.
  var line: String { head.split(separator: " ").prefix(2).joined(separator: " ") }

  func values(_ name: String) -> [String] {
    head.split(separator: "\r\n").dropFirst().compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
      return parts[1].trimmingCharacters(in: .whitespaces)
    }
  }
}

/// One connection; its script runs on a thread of its own and may block.
final class ConformanceConnection {
  private let descriptor: Int32
  private let log: ConformanceServer.Log
  private var buffer: [UInt8] = []

  init(_ descriptor: Int32, _ log: ConformanceServer.Log) { (self.descriptor, self.log) = (descriptor, log) }

  /// The next request with its whole body; `nil` when the peer closed.
  func request() throws -> ConformanceRequest? {
    guard let head = try bytes(upTo: "\r\n\r\n") else { return nil }
    let start = ConformanceRequest(head: String(decoding: head, as: UTF8.self), body: [])
    var body: [UInt8] = []
    if let length = start.values("Content-Length").first.flatMap({ Int($0) }) {
      guard let found = try bytes(length) else { return nil }
      body = found
    } else if start.values("Transfer-Encoding") == ["chunked"] {
      while true {
        guard let line = try bytes(upTo: "\r\n"),
          // Behind the size may stand extensions (RFC 9112 §7.1.1).
          let size = Int(
            String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
              .trimmingCharacters(in: .whitespacesAndNewlines), radix: 16)
        else { return nil }
        if size == 0 { break }
        guard let chunk = try bytes(size), try bytes(2) != nil else { return nil }
        body += chunk
      }
      // Trailers end with an empty line.
      while true {
        guard let line = try bytes(upTo: "\r\n") else { return nil }
        if line.count == 2 { break }
      }
    }
    let request = ConformanceRequest(head: start.head, body: body)
    log.add(request)
    return request
  }

  private func bytes(upTo end: String) throws -> [UInt8]? {
    let end = Array(end.utf8)
    while true {
      if let range = buffer.firstRange(of: end) {
        defer { buffer.removeSubrange(..<range.upperBound) }
        return Array(buffer[..<range.upperBound])
      }
      guard try fill() else { return nil }
    }
  }

  /// - Parameter count: As the adapter says; `nil` comes for a negative one.
  private func bytes(_ count: Int) throws -> [UInt8]? {
    guard count >= 0 else { return nil }
    while buffer.count < count { guard try fill() else { return nil } }
    defer { buffer.removeSubrange(..<count) }
    return Array(buffer[..<count])
  }

  private func fill() throws -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw SocketError(call: "recv", code: errno) }
    buffer += bytes[..<count]
    return count > 0
  }

  func send(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { sendBytes(descriptor, $0.baseAddress, $0.count, noSignal) }
      guard count > 0 else { throw SocketError(call: "write", code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Returns when the peer closed the connection.
  func waitForClose() {
    while (try? fill()) == true { buffer = [] }
  }

  func end() { close(descriptor) }
}

/// A call of the system that failed.
struct SocketError: Error {
  let call: String
  let code: Int32
}

@discardableResult
private func check(_ result: Int32, _ call: String) throws -> Int32 {
  guard result >= 0 else { throw SocketError(call: call, code: errno) }
  return result
}

extension StubGate {
  /// Waits until the gate is open, on a thread that may block.
  func block() {
    let semaphore = DispatchSemaphore(value: 0)
    Task {
      try? await wait()
      semaphore.signal()
    }
    semaphore.wait()
  }
}
