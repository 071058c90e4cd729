import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

// The connection's own methods have these names.
private let sendBytes = send
private let closeSocket = close

/// One accepted connection; its script runs on a thread of its own and may block.
final class TestConnection {
  private var socket: Int32
  var descriptor: Int32 { socket }
  private var buffer: [UInt8] = []
  private let record: TestServer.Record

  init(_ socket: Int32, _ record: TestServer.Record) {
    self.socket = socket
    self.record = record
  }

  /// The next request with its whole body; `nil` when the peer closed.
  func readRequest() throws -> TestRequest? {
    guard let head = try readHead() else { return nil }
    var request = TestRequest(head: head, body: [])
    if let length = request.values("Content-Length").first.flatMap(Int.init) {
      guard let body = try read(length) else { return nil }
      request.body = body
    } else if request.values("Transfer-Encoding") == ["chunked"] {
      guard let body = try readChunks() else { return nil }
      request.body = body
    }
    record.add(request)
    return request
  }

  /// A request's head alone, up to its empty line.
  func readHead() throws -> String? {
    let end = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      if let range = buffer[searched...].firstRange(of: end) {
        let head = String(decoding: buffer[..<range.upperBound], as: UTF8.self)
        buffer.removeSubrange(..<range.upperBound)
        return head
      }
      searched = max(0, buffer.count - 3)
      guard try fill() else { return nil }
    }
  }

  func read(_ count: Int) throws -> [UInt8]? {
    while buffer.count < count { guard try fill() else { return nil } }
    defer { buffer.removeSubrange(..<count) }
    return Array(buffer[..<count])
  }

  /// Reads bytes and keeps none of them.
  ///
  /// - Returns: How many came, at most `count`.
  func drain(_ count: Int) throws -> Int {
    var drained = min(buffer.count, count)
    buffer.removeSubrange(..<drained)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    while drained < count {
      let received = recv(socket, &bytes, min(bytes.count, count - drained), 0)
      guard received > 0 else { break }
      drained += received
    }
    return drained
  }

  private func readLine() throws -> String? {
    while true {
      if let range = buffer.firstRange(of: Array("\r\n".utf8)) {
        let line = String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
        buffer.removeSubrange(..<range.upperBound)
        return line
      }
      guard try fill() else { return nil }
    }
  }

  /// One chunk of a chunked body; empty at its end, `nil` when the peer closed before.
  func readChunk() throws -> [UInt8]? {
    guard let line = try readLine(), let size = Int(line, radix: 16), let chunk = try read(size),
      try readLine() != nil
    else { return nil }
    return chunk
  }

  private func readChunks() throws -> [UInt8]? {
    var body: [UInt8] = []
    while let chunk = try readChunk() {
      if chunk.isEmpty { return body }
      body += chunk
    }
    return nil
  }

  private func fill() throws -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(socket, &bytes, bytes.count, 0)
    guard count >= 0 else { throw SocketError(call: "recv", code: errno) }
    buffer += bytes[..<count]
    return count > 0
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        sendBytes(socket, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw SocketError(call: "send", code: errno) }
      sent += count
    }
  }

  func sendChunk(_ bytes: [UInt8]) throws {
    try send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8))
  }

  /// Returns when the peer closed or reset the connection; bytes that it still sends are dropped.
  func waitForClose() {
    while (try? fill()) == true { buffer = [] }
  }

  func close() {
    guard socket >= 0 else { return }
    _ = closeSocket(socket)
    socket = -1
  }

  /// Closes with a RST in place of a FIN.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }
}
