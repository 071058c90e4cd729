import Adapters
import EntityRequests
import Foundation
import Testing

@Suite(.untilItHangs)
struct CurlProgressTests {
  @Test func `a chunked body reports received bytes before it ends`() async throws {
    let lastPiece = Event()
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = Array(pattern(100_000))
      for _ in 0..<99 { try connection.sendChunk(chunk) }
      lastPiece.block()
      try connection.sendChunk(chunk)
      try connection.sendChunk([])
    }
    let counts = Log<TransferProgress>()
    let response = try await CurlAdapter().send(request("GET", server.url()), body: .none) { progress in
      counts.add(progress)
      // Every byte so far, though nothing more comes: a throttled count must not be kept back for the next byte.
      if progress.bytesReceived == 9_900_000 { lastPiece.set() }
    }
    #expect(response.body.count == 10_000_000)
    let received = counts.all.map(\.bytesReceived)
    #expect(received == received.sorted())
    #expect((received.first ?? 0) > 0)
    #expect((received.first ?? 0) <= 9_900_000)
    #expect(received.last == 10_000_000)
    #expect(counts.all.allSatisfy { $0.bytesToReceive == nil })
    #expect(counts.all.allSatisfy { $0.bytesToSend == 0 })
    #expect(counts.all.allSatisfy { $0.bytesSent == 0 })
    #expect(received.count < 200)
  }

  @Test func `slow pieces are reported one by one`() async throws {
    let steps = (0..<5).map { _ in Event() }
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n")
      for step in steps {
        try connection.send([UInt8](repeating: 1, count: 10))
        step.block()
      }
    }
    let counts = Log<TransferProgress>()
    _ = try await CurlAdapter().send(request("GET", server.url()), body: .none) { progress in
      counts.add(progress)
      steps[Int(progress.bytesReceived) / 10 - 1].set()
    }
    #expect(counts.all.map(\.bytesReceived) == [10, 20, 30, 40, 50])
    #expect(counts.all.allSatisfy { $0.bytesToReceive == 50 })
  }

  @Test(arguments: [5_000_000 as Int64?, nil])
  func `an upload reports sent bytes`(length: Int64?) async throws {
    let rest = Event()
    let server = try TestServer { connection in
      _ = try connection.readHead()
      rest.block()
      if length == nil {
        while try connection.readChunk()?.isEmpty == false {}
      } else {
        _ = try connection.read(5_000_000)
      }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    let counts = Log<TransferProgress>()
    let body = stream((0..<50).map { _ in pattern(100_000) }, length: length)
    _ = try await CurlAdapter().send(request("PUT", server.url()), body: body) { progress in
      counts.add(progress)
      // Reported while the server has read nothing of the body.
      if progress.bytesSent > 0 { rest.set() }
    }
    let sent = counts.all.map(\.bytesSent)
    #expect(sent == sent.sorted())
    #expect(sent.last == 5_000_000)
    #expect(counts.all.allSatisfy { $0.bytesToSend == length })
  }

  @Test func `the final counts come before the return and also for nothing`() async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let counts = Log<TransferProgress>()
    _ = try await CurlAdapter().send(request("DELETE", server.url()), body: .none) { counts.add($0) }
    #expect(counts.all == [TransferProgress(bytesToSend: 0)])
    _ = try await CurlAdapter().send(request("POST", server.url()), body: .data(pattern(10))) { counts.add($0) }
    #expect(counts.all.last == TransferProgress(bytesSent: 10, bytesToSend: 10))
  }

  @Test func `a progress handler that blocks holds up its own request only`() async throws {
    let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
    let adapter = CurlAdapter()
    let isBlocked = Event()
    let goOn = Event()
    async let slow = adapter.send(request("GET", server.url()), body: .none) { _ in
      isBlocked.set()
      goOn.block()
    }
    await isBlocked.wait()
    #expect(try await adapter.send(request("GET", server.url())).status == 200)
    goOn.set()
    #expect(try await slow.status == 200)
  }
}
