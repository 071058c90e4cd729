import Adapters
import EntityRequests
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The engine's thread stands still while libcurl reads a file of authorities from a pipe. In a process of its own, for
/// all transfers of the process stand still.
@Suite(.untilItHangs)
struct CurlLongTurnTests {
  @Test func `the length of a turn is no silence`() async {
    await #expect(processExitsWith: .success) {
      try await untilTheMachineKeepsUp { try await isReadAfterALongTurn($0) }
    }
  }
}

/// Whether a response whose bytes came within a long turn was whole.
private func isReadAfterALongTurn(_ unit: Duration) async throws -> Bool {
  let fifo = FileManager.default.temporaryDirectory.appending(path: "authorities-\(UUID().uuidString)")
  try #require(mkfifo(fifo.path, 0o600) == 0)
  let (isAsked, mayConnect, mayEnd) = (Event(), Event(), Event())
  let proxy = try TestServer { connection in
    _ = try connection.readHead()
    isAsked.set()
    mayConnect.block()
    try connection.send("HTTP/1.1 200 OK\r\n\r\n")
    connection.waitForClose()
  }
  let server = try TestServer { connection in
    _ = try connection.readRequest()
    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na")
    // Returns when libcurl reads.
    let writer = open(fifo.path, O_WRONLY)
    unlink(fifo.path)
    do {
      defer { close(writer) }
      connection.pause(unit * 60)
      try connection.send("b")
    }
    mayEnd.block()
    try connection.send("c")
  }
  let proxyURL = try #require(URL(string: "http://127.0.0.1:\(proxy.port)"))
  let blocking = CurlAdapter {
    $0.proxy = .server(proxyURL)
    $0.trust = .file(fifo)
  }
  let target = try #require(URL(string: "https://127.0.0.1:1/"))
  async let blocked = blocking.failure(request("GET", target))
  // libcurl works on transfers in the order of their beginnings: the one that stands still comes first.
  await isAsked.wait()
  let adapter = CurlAdapter { $0.idleTimeout = unit * 20 }
  do {
    let response = try await adapter.stream(request("GET", server.url()), body: .none, progress: nil)
    var body = try await response.next() ?? Data()
    mayConnect.set()
    #expect(try await blocked?.kind == .tls)
    // Some turns later.
    let other = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    _ = try await CurlAdapter().send(request("GET", other.url()))
    mayEnd.set()
    while let piece = try await response.next() { body += piece }
    #expect(body == Data("abc".utf8))
    return true
  } catch let error as TransportError where error.kind == .timeout {
    mayConnect.set()
    mayEnd.set()
    return false
  }
}
