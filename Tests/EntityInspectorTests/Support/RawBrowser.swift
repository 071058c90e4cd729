import EntityJSON
import Foundation

#if canImport(Glibc)
  import Glibc
  private let noSignal = Int32(MSG_NOSIGNAL)
#else
  import Darwin
  private let noSignal = Int32(0)
#endif

/// Sends requests byte by byte, as no HTTP library would, and keeps the cookie that the inspector sets.
struct RawBrowser: Sendable {
  struct Reply: Sendable {
    let status: Int
    let head: String
    let body: String

    func field(_ name: String) -> String? {
      head.split(separator: "\r\n").dropFirst().map { $0.split(separator: ":", maxSplits: 1) }
        .first { $0[0].lowercased() == name.lowercased() }
        .flatMap { $0.count == 2 ? $0[1].trimmingCharacters(in: .whitespaces) : nil }
    }
  }

  struct Failure: Error {
    let call: String
  }

  let port: Int
  /// The path that all pages are below.
  let root: String
  let cookie: String

  /// Opens the URL that an inspector printed.
  init(_ url: URL) throws {
    port = url.port ?? 0
    let reply = try Self.send(port, "GET /?\(url.query() ?? "") HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    root = reply.field("Location") ?? ""
    cookie = String((reply.field("Set-Cookie") ?? "").prefix { $0 != ";" })
  }

  /// A page below the root.
  func get(_ path: String, _ fields: [String] = []) throws -> Reply {
    try Self.send(port, Self.head(root + path, ["Host: 127.0.0.1:\(port)", "Cookie: \(cookie)"] + fields))
  }

  /// The twin of a page in JSON.
  func json(_ path: String) throws -> JSONValue {
    try JSONValue(parsing: Data(get(path).body.utf8))
  }

  /// A page from a thread of its own: an app that answers the page needs the threads of tasks.
  func app(_ path: String) async throws -> String {
    try await withCheckedThrowingContinuation { done in
      Thread { done.resume(with: Result { try get(path).body }) }.start()
    }
  }

  static func head(_ target: String, _ fields: [String], method: String = "GET") -> String {
    (["\(method) \(target) HTTP/1.1"] + fields).map { "\($0)\r\n" }.joined() + "\r\n"
  }

  /// Sends bytes and reads until the server closes.
  static func send(_ port: Int, _ text: String) throws -> Reply {
    let stream = try RawStream(port)
    try stream.write(text)
    var reply = ""
    while let more = try stream.read() { reply += more }
    let parts = reply.firstRange(of: "\r\n\r\n").map { (reply[..<$0.lowerBound], reply[$0.upperBound...]) }
    let (head, body) = parts ?? (reply[...], "")
    let words = head.split(separator: " ")
    return Reply(status: words.count > 1 ? Int(words[1]) ?? 0 : 0, head: String(head), body: String(body))
  }

  /// A connection on which events arrive.
  func events(after generation: Int64) throws -> RawStream {
    let stream = try RawStream(port)
    try stream.write(
      Self.head("\(root)events?after=\(generation)", ["Host: 127.0.0.1:\(port)", "Cookie: \(cookie)"]))
    return stream
  }
}

/// A connection to 127.0.0.1 that blocks.
final class RawStream {
  private let descriptor: Int32

  init(_ port: Int) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw RawBrowser.Failure(call: "connect") }
  }

  deinit { close(descriptor) }

  func write(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, noSignal) }
      guard count > 0 else { throw RawBrowser.Failure(call: "send") }
      rest = rest.dropFirst(count)
    }
  }

  /// The bytes that come next; `nil` at the end.
  func read() throws -> String? {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  /// Reads until a text has come, and returns all that came.
  func read(until text: String) throws -> String {
    var all = ""
    while !all.contains(text) {
      guard let more = try read() else { throw RawBrowser.Failure(call: "the stream ended after: \(all)") }
      all += more
    }
    return all
  }
}
