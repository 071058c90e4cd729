import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// The connection's own methods have these names.
private let sendBytes = send
private let closeSocket = close

#if canImport(Glibc)
  private let noSignal = Int32(MSG_NOSIGNAL)
#else
  private let noSignal = Int32(0)
#endif

/// One connection. Its script runs on a thread of its own and may block.
package final class ConformanceConnection {
  /// The socket; -1 once it is closed.
  package private(set) var descriptor: Int32
  private let log: ConformanceServer.Log
  private var buffer: [UInt8] = []

  init(_ descriptor: Int32, _ log: ConformanceServer.Log) { (self.descriptor, self.log) = (descriptor, log) }

  /// The next request with its whole body; `nil` when the peer has closed.
  package func readRequest() throws -> ConformanceRequest? {
    guard let head = try readHead() else { return nil }
    let start = ConformanceRequest(head: head, body: [])
    var body: [UInt8] = []
    if let length = start.values("Content-Length").first.flatMap({ Int($0) }) {
      guard let found = try read(length) else { return nil }
      body = found
    } else if start.values("Transfer-Encoding") == ["chunked"] {
      while true {
        guard let chunk = try readChunk() else { return nil }
        if chunk.isEmpty { break }
        body += chunk
      }
    }
    let request = ConformanceRequest(head: head, body: body)
    log.add(request)
    return request
  }

  /// The head of a request alone, up to its empty line.
  package func readHead() throws -> String? {
    try bytes(upTo: "\r\n\r\n").map { String(decoding: $0, as: UTF8.self) }
  }

  /// One chunk of a chunked body. It is empty at the end of the body, after the trailers, and `nil` when the peer
  /// closed before.
  package func readChunk() throws -> [UInt8]? {
    guard let line = try bytes(upTo: "\r\n"),
      // Extensions may follow the size (RFC 9112 §7.1.1).
      let size = Int(
        String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
          .trimmingCharacters(in: .whitespacesAndNewlines), radix: 16)
    else { return nil }
    guard size == 0 else {
      guard let chunk = try read(size), try read(2) != nil else { return nil }
      return chunk
    }
    // Trailers end with an empty line.
    while true {
      guard let line = try bytes(upTo: "\r\n") else { return nil }
      if line.count == 2 { return [] }
    }
  }

  /// - Parameter count: The count from the adapter; a negative count gives `nil`.
  package func read(_ count: Int) throws -> [UInt8]? {
    guard count >= 0 else { return nil }
    while buffer.count < count { guard try fill() else { return nil } }
    defer { buffer.removeSubrange(..<count) }
    return Array(buffer[..<count])
  }

  /// Reads bytes and drops them.
  ///
  /// - Returns: The number of bytes that came, at most `count`.
  package func drain(_ count: Int) throws -> Int {
    var drained = min(buffer.count, count)
    buffer.removeSubrange(..<drained)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    while drained < count {
      let received = recv(descriptor, &bytes, min(bytes.count, count - drained), 0)
      guard received > 0 else { break }
      drained += received
    }
    return drained
  }

  private func bytes(upTo end: String) throws -> [UInt8]? {
    let end = Array(end.utf8)
    var searched = 0
    while true {
      if let range = buffer[searched...].firstRange(of: end) {
        defer { buffer.removeSubrange(..<range.upperBound) }
        return Array(buffer[..<range.upperBound])
      }
      searched = max(0, buffer.count - end.count + 1)
      guard try fill() else { return nil }
    }
  }

  private func fill() throws -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw SocketError(call: "recv", code: errno) }
    buffer += bytes[..<count]
    return count > 0
  }

  package func send(_ text: String) throws { try send(Array(text.utf8)) }

  package func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { sendBytes(descriptor, $0.baseAddress, $0.count, noSignal) }
      guard count > 0 else { throw SocketError(call: "send", code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Returns when the peer has closed or reset the connection. Bytes that the peer still sends are dropped.
  package func waitForClose() {
    while (try? fill()) == true { buffer = [] }
  }

  package func close() {
    guard descriptor >= 0 else { return }
    _ = closeSocket(descriptor)
    descriptor = -1
  }

  /// Closes with a RST instead of a FIN.
  package func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }
}
