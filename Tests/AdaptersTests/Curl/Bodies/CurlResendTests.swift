import Adapters
import EntityRequests
import Foundation
import Testing

/// A kept connection that the server closes under the next request.
///
/// In processes of their own: all adapters of a process share one pool, and other tests may push the connection out of
/// it.
@Suite(.untilItHangs)
struct CurlResendTests {
  @Test func `one connection serves many requests`() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer.answering { request in
        switch request.method {
        case "HEAD": Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".utf8)
        case "DELETE": Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
        default: Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n".utf8)
        }
      }
      for method in ["GET", "HEAD", "POST", "DELETE", "PUT", "GET"] {
        _ = try await CurlAdapter().send(request(method, server.url()))
      }
      #expect(server.requests.count == 6)
      #expect(server.connections == 1)
    }
  }

  @Test func `a POST is never sent twice`() async {
    await #expect(processExitsWith: .success) {
      for method in ["POST", "PATCH"] {
        let server = try forgetfulServer()
        let adapter = CurlAdapter()
        _ = try await adapter.send(request("GET", server.url("/warm")))
        let error = try #require(
          try await adapter.failure(request(method, server.url("/pay")), body: .data(Data("1".utf8))))
        #expect(error.kind == .connection)
        #expect(error.mayHaveBeenProcessed)
        #expect(error.message.contains("\(method) is not sent twice"))
        #expect(server.requests.map(\.method) == ["GET", method])
      }
    }
  }

  @Test func `an idempotent request is sent again`() async {
    await #expect(processExitsWith: .success) {
      for (method, size) in [("GET", 0), ("DELETE", 0), ("PUT", 100_000)] {
        let server = try forgetfulServer()
        let adapter = CurlAdapter()
        let sent = Log<Int64>()
        _ = try await adapter.send(request("GET", server.url("/warm")))
        let body: RequestBody = size > 0 ? .data(pattern(size)) : .none
        let response = try await adapter.send(request(method, server.url()), body: body) { sent.add($0.bytesSent) }
        #expect(response.status == 200)
        #expect(server.requests.map(\.method) == ["GET", method, method])
        #expect(server.requests.dropFirst().allSatisfy { $0.body.count == size })
        #expect(sent.all == sent.all.sorted())
        #expect(sent.all.last == Int64(size))
      }
    }
  }

  @Test func `metrics of a request that is sent again count the whole time and one request`() async {
    await #expect(processExitsWith: .success) {
      let (arrived, go) = (Event(), Event())
      let server = try TestServer { connection in
        while let request = try connection.readRequest() {
          if request.target == "/again", !arrived.isSet {
            arrived.set()
            go.block()
            return
          }
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
      }
      let adapter = CurlAdapter()
      _ = try await adapter.send(request("GET", server.url("/warm")))
      let sent = Task { try await adapter.send(request("PUT", server.url("/again")), body: .data(pattern(10))) }
      await arrived.wait()
      let begin = ContinuousClock.now
      // It takes a while; how long is measured.
      _ = try await adapter.send(request("GET", server.url("/other")))
      let held = ContinuousClock.now - begin
      go.set()
      let metrics = try #require(try await sent.value.metrics)
      #expect(try #require(metrics.firstByte) >= held && #require(metrics.total) >= #require(metrics.firstByte))
      let last = try #require(server.requests.last { $0.target == "/again" })
      #expect(metrics.bytesSent == Int64(last.head.utf8.count + last.body.count))
    }
  }

  /// libcurl counts the requests that a handle sends again, and gives up after five.
  @Test func `a server that closes each kept connection answers every request`() async {
    await #expect(processExitsWith: .success) {
      let server = try forgetfulServer()
      let adapter = CurlAdapter()
      for number in 1...14 {
        #expect(try await adapter.send(request("GET", server.url("/\(number)"))).status == 200)
      }
      #expect(server.requests.count == 27)
    }
  }

  /// The first connection goes while the body's next piece is waited for. A body that is sent again does not wait, so
  /// the server's silence counts.
  @Test func `a body that is sent again does not count as waiting`() async {
    await #expect(processExitsWith: .success) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        // Several, for whether bytes are there when libcurl asks for them again is a race.
        for _ in 0..<40 { group.addTask { try await untilTheMachineKeepsUp { try await isSentAgainWhilePaused($0) } } }
        try await group.waitForAll()
      }
    }
  }

  @Test func `a stream that was read is not sent again`() async {
    await #expect(processExitsWith: .success) {
      let server = try forgetfulServer()
      let adapter = CurlAdapter()
      _ = try await adapter.send(request("GET", server.url("/warm")))
      let error = try #require(
        try await adapter.failure(request("PUT", server.url()), body: stream([pattern(10)], length: 10)))
      #expect(error.kind == .connection)
      #expect(error.mayHaveBeenProcessed)
      #expect(server.requests.map(\.method) == ["GET", "PUT"])
    }
  }
}

/// Answers the first request of a connection, takes the second and closes.
private func forgetfulServer() throws -> TestServer {
  try TestServer { connection in
    _ = try connection.readRequest()
    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    _ = try connection.readRequest()
  }
}

/// Whether the body was sent again before the server's silence ended the request.
private func isSentAgainWhilePaused(_ unit: Duration) async throws -> Bool {
  let server = try TestServer { connection in
    if try connection.readRequest()?.method == "GET" {
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      _ = try connection.readHead()
      _ = try connection.read(10)
      connection.pause(unit * 20)
      connection.reset()
    } else {
      connection.waitForClose()
    }
  }
  // The adapters of a process share their connections.
  _ = try await CurlAdapter().send(request("GET", server.url("/warm")))
  let adapter = CurlAdapter {
    $0.idleTimeout = unit * 200
    $0.totalTimeout = unit * 200 + .seconds(60)
  }
  let never = Event()
  let opened = Log<Bool>()
  let body = RequestBody.stream(
    RequestBodyStream(length: 20, isReplayable: true) {
      let isFirst = opened.all.isEmpty
      opened.add(true)
      let rest = Pieces([pattern(10), pattern(10)])
      let handedOut = Log<Bool>()
      return {
        if isFirst, handedOut.all.count == 1 { await never.wait() }
        handedOut.add(true)
        return await rest.next()
      }
    })
  let error = try #require(try await adapter.failure(request("PUT", server.url()), body: body))
  never.set()
  #expect(error.message.contains("no byte moved"))
  if opened.all.count == 1 { return false }
  #expect(opened.all.count == 2)
  #expect(server.requests.map { "\($0.method) \($0.body.count)" } == ["GET 0", "PUT 20"])
  return true
}
