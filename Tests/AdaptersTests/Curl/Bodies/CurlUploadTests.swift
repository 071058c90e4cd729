import Adapters
import EntityRequests
import Foundation
import Testing

@Suite(.untilItHangs)
struct CurlUploadTests {
  private struct Broken: Error { let secret = "secret" }

  /// Records the bytes of a body that arrive until the peer closes.
  private static func sink(_ whole: Log<Bool>, _ closed: Event) throws -> TestServer {
    try TestServer { connection in
      if try connection.readRequest() != nil {
        whole.add(true)
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
      connection.waitForClose()
      closed.set()
    }
  }

  private static let wrongLengths: [([Int], Int64)] = [
    ([3, 3], 7), ([3, 5], 7), ([7, 1], 7), ([7, 0, 1], 7), ([100_000, 100_000], 300_000), ([], 1), ([1], 0),
    ([300_000], 299_999),
  ]

  @Test(arguments: wrongLengths)
  func `a body of another length never arrives whole`(sizes: [Int], length: Int64) async throws {
    let whole = Log<Bool>()
    let closed = Event()
    let server = try Self.sink(whole, closed)
    let body = RequestBody.stream(
      RequestBodyStream(length: length) {
        let rest = Pieces(sizes.map { pattern($0) })
        return {
          // Time for a piece to arrive, if it is sent too early.
          for _ in 0..<5000 { await Task.yield() }
          return await rest.next()
        }
      })
    let error = try #require(try await CurlAdapter().failure(request("PUT", server.url()), body: body))
    #expect(error.kind == .sending)
    if length == 0 {
      #expect(!error.mayHaveBeenProcessed)
      #expect(server.connections == 0)
    } else {
      await closed.wait()
    }
    #expect(whole.all.isEmpty)
  }

  @Test(arguments: [0, 1, 5], [nil, 500_000 as Int64?])
  func `a body that throws ends the request`(pieces: Int, length: Int64?) async throws {
    let whole = Log<Bool>()
    let closed = Event()
    let server = try Self.sink(whole, closed)
    let body = RequestBody.stream(
      RequestBodyStream(length: length) {
        let rest = Pieces((0..<pieces).map { _ in pattern(100) })
        return {
          if let piece = await rest.next() { return piece }
          throw Broken()
        }
      })
    let error = try #require(try await CurlAdapter().failure(request("PUT", server.url()), body: body))
    #expect(error.kind == .sending)
    #expect(error.message.contains("Broken"))
    #expect(!error.message.contains("secret"))
    await closed.wait()
    #expect(whole.all.isEmpty)
  }

  @Test func `nothing is pulled for a server that is not there`() async throws {
    let port = try TestServer.unusedPort()
    let opened = Event()
    let body = RequestBody.stream(
      RequestBodyStream(length: 5) {
        opened.set()
        return { nil }
      })
    let error = try await CurlAdapter().failure(request("PUT", URL(string: "http://127.0.0.1:\(port)/")!), body: body)
    #expect(error?.kind == .connection)
    #expect(!opened.isSet)
  }

  @Test func `pieces travel when they are there`() async throws {
    let seen = Log<Int>()
    let steps = [Event(), Event(), Event()]
    let server = try TestServer { connection in
      _ = try connection.readHead()
      for step in steps {
        seen.add(try connection.readChunk()?.count ?? -1)
        step.set()
      }
      _ = try connection.readChunk()
      try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
    }
    // The next piece is made only after the server has the one before: a pause and a resume for each.
    let body = RequestBody.stream(
      RequestBodyStream(length: nil) {
        let rest = Pieces([Data([1]), Data([1, 2]), Data([1, 2, 3])])
        let waits = Waits(steps)
        return {
          await waits.next()
          return await rest.next()
        }
      })
    #expect(try await CurlAdapter().send(request("POST", server.url()), body: body).status == 204)
    #expect(seen.all == [1, 2, 3])
  }

  /// The server answers without the rest of the body, which may never come.
  @Test(arguments: [301, 307, 401, 413, 500], [nil, 100 as Int64?])
  func `an answer that wants no body is not held up by it`(status: Int, length: Int64?) async throws {
    let never = Event()
    let server = try TestServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 \(status) X\r\nContent-Length: 2\r\nLocation: /x\r\n\r\nok")
      connection.waitForClose()
    }
    for pieces in [0, 1] {
      let body = RequestBody.stream(
        RequestBodyStream(length: length) {
          let rest = Pieces((0..<pieces).map { _ in pattern(10) })
          return {
            if let piece = await rest.next() { return piece }
            await never.wait()
            return nil
          }
        })
      let response = try await CurlAdapter().send(request("PUT", server.url()), body: body)
      #expect(response.status == status)
      #expect(response.body == Data("ok".utf8))
    }
    never.set()
  }

  @Test func `a slow server holds the body back`() async throws {
    let stalled = Event()
    let pulled = Log<Int>()
    let server = try TestServer { connection in
      let head = try connection.readHead()
      stalled.block()
      let length = TestRequest(head: head ?? "", body: []).values("Content-Length").first.flatMap(Int.init) ?? 0
      let body = try connection.read(length)
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Got: \(body?.count ?? -1)\r\n\r\n")
    }
    let size = 32 << 20
    let body = RequestBody.stream(
      RequestBodyStream(length: Int64(size)) {
        let piece = pattern(64 << 10)
        let rest = Pieces((0..<512).map { _ in piece })
        return {
          pulled.add(piece.count)
          return await rest.next()
        }
      })
    // The counts stop when the sockets are full; the stall is over when they have not moved for half a second.
    let adapter = CurlAdapter { $0.idleTimeout = .milliseconds(500) }
    let error = try #require(try await adapter.failure(request("PUT", server.url()), body: body))
    #expect(error.kind == .timeout)
    #expect(pulled.all.reduce(0, +) < size)
    stalled.set()
    let again = CurlAdapter()
    let response = try await again.send(request("PUT", server.url()), body: body)
    #expect(response.headers["X-Got"] == "\(size)")
  }
}

private actor Waits {
  private var rest: [Event?]
  init(_ events: [Event]) { rest = [nil] + events }
  func next() async {
    guard !rest.isEmpty else { return }
    await rest.removeFirst()?.wait()
  }
}
