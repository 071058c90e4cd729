import Adapters
import EntityClient
import EntityTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// HTTP/2, with a libcurl that is safe with it. `scripts/integration` runs these with a newer one than the system's. One
/// after the other: all adapters share their connections. Those that the server drops are of a port of their own.
@Suite(
  "HTTP/2", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: HTTP2Service.isSpoken, "needs the service http2, and libcurl 8.2 or newer"))
struct HTTP2Tests {
  @Test(arguments: AdapterUnderTest.overCurl)
  func `many requests share connections`(over one: AdapterUnderTest) async throws {
    let service = HTTP2Service(one)
    let paths = (0..<60).map { service.path("ok/\($0)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for path in paths {
        group.addTask {
          let response = try await service.send("GET", .both, path)
          #expect(String(decoding: response.body, as: UTF8.self) == path)
        }
      }
      try await group.waitForAll()
    }
    let entries = try await service.log(paths[0].dropLast(2))
    #expect(entries.count == 60)
    #expect(entries.allSatisfy { $0.version == "2" })
    #expect(Set(entries.map(\.connection)).count < 60)
  }

  /// Each has its status and half of its body, and no length.
  @Test(arguments: AdapterUnderTest.overCurl, ["reset", "drop", "goaway"])
  func `a body that is cut off is an error`(over one: AdapterUnderTest, fault: String) async throws {
    let service = HTTP2Service(one)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        let path = service.path("\(fault)/\(number)")
        group.addTask {
          let error = try await service.failure("POST", .only, path)
          #expect(error?.mayHaveBeenProcessed == true)
        }
      }
      try await group.waitForAll()
    }
    await #expect(throws: TransportError.self) {
      let request = try service.request("GET", .only, service.path(fault))
      let response = try await service.adapter.stream(request, body: .none, progress: nil)
      while try await response.next() != nil {}
    }
  }

  /// libcurl 8.23 takes the body for whole, and does not say how its stream ended.
  @Test(arguments: AdapterUnderTest.overCurl)
  func `a body that is cut off without an error is taken for whole`(over one: AdapterUnderTest) async throws {
    let service = HTTP2Service(one)
    let error = try await service.failure("POST", .both, service.path("no-error"))
    withKnownIssue("libcurl reports success", isIntermittent: true) { #expect(error != nil) }
  }

  @Test(arguments: AdapterUnderTest.overCurl)
  func `a request that the server refuses is an error`(over one: AdapterUnderTest) async throws {
    let service = HTTP2Service(one)
    let path = service.path("refuse")
    #expect(try await service.failure("POST", .both, path) != nil)
    #expect(try await service.send("GET", .both, service.path("ok")).status == 200)
  }

  @Test(arguments: AdapterUnderTest.overCurl)
  func `a server that ends its connection answers, and the next request goes elsewhere`(over one: AdapterUnderTest)
    async throws
  {
    let service = HTTP2Service(one)
    for number in 0..<10 {
      #expect(try await service.send("GET", .single, service.path("last/\(number)")).body == Data("last".utf8))
    }
  }

  @Test(arguments: AdapterUnderTest.overCurl)
  func `large bodies are whole both ways`(over one: AdapterUnderTest) async throws {
    let service = HTTP2Service(one)
    let size = 3_000_000
    #expect(try await service.send("GET", .both, service.path("bytes/\(size)")).body.count == size)
    let request = try service.request("GET", .both, service.path("bytes/\(size)"))
    let response = try await service.adapter.stream(request, body: .none, progress: nil)
    var count = 0
    while let piece = try await response.next() { count += piece.count }
    #expect(count == size)

    let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let pieces = RequestBodyStream(length: nil) {
      let counter = PieceCounter()
      return { await counter.next() < 3 ? data.prefix(100_000) : nil }
    }
    for (body, count) in [(RequestBody.data(data), size), (.stream(pieces), 300_000)] {
      let path = service.path("upload/\(count)-")
      let response = try await service.send("PUT", .both, path, body)
      #expect(response.status == 200)
      let metrics = try #require(response.metrics)
      // The body once, and a head.
      #expect((100..<1000).contains(try #require(metrics.bytesSent) - Int64(count)))
      #expect(metrics.httpVersion == "HTTP/2")
      #expect(try await service.log(path[...]).map(\.bytes) == [count])
    }
  }

  @Test(arguments: AdapterUnderTest.overCurl)
  func `a refusal that comes before the end of an upload is the response`(over one: AdapterUnderTest) async throws {
    let service = HTTP2Service(one)
    let body = RequestBody.data(Data(repeating: 7, count: 3_000_000))
    #expect(try await service.send("PUT", .both, service.path("early"), body).status == 413)
  }

  @Test(arguments: AdapterUnderTest.overCurl, ["hold", "half-hold"])
  func `a cancelled request resets its stream and spares the others`(over one: AdapterUnderTest, name: String)
    async throws
  {
    let service = HTTP2Service(one)
    let path = service.path(name)
    let task = Task { try await service.send("GET", .both, path) }
    while try await service.log(path[...]).isEmpty {}
    // This one is under way when the other one ends.
    let (isBegun, isLast) = (StubGate(), StubGate())
    let other = service.path("ok")
    let body = RequestBodyStream(length: nil) {
      let counter = PieceCounter()
      return {
        switch await counter.next() {
        case 0: return Data("a".utf8)
        case 1:
          isBegun.open()
          try await isLast.wait()
          return Data("b".utf8)
        default: return nil
        }
      }
    }
    async let answer = service.send("PUT", .both, other, .stream(body))
    try await isBegun.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    while try await service.resets(path[...]).isEmpty {}
    isLast.open()
    #expect(try await answer.status == 200)
    #expect(try await service.log(other[...]).map(\.bytes) == [2])
  }

  @Test(arguments: AdapterUnderTest.overCurl)
  func `a server that allows one stream at a time answers all requests`(over one: AdapterUnderTest) async throws {
    let service = HTTP2Service(one)
    let paths = (0..<20).map { service.path("ok/\($0)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for path in paths {
        group.addTask {
          let response = try await service.send("GET", .single, path)
          #expect(String(decoding: response.body, as: UTF8.self) == path)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test(arguments: AdapterUnderTest.overCurl) func `a HEAD has no body`(over one: AdapterUnderTest) async throws {
    let service = HTTP2Service(one)
    let response = try await service.send("HEAD", .both, service.path("ok"))
    #expect(response.status == 200 && response.body.isEmpty)
  }
}

/// libcurl before 8.2 takes bodies of HTTP/2 that are cut off for whole, so HTTP/1.1 is spoken.
@Suite(
  "HTTP/2 with an old libcurl", .enabled(if: HTTP2Service.isDeclined, "needs the service http2, and an old libcurl"))
struct OldHTTP2Tests {
  @Test(arguments: AdapterUnderTest.overCurl)
  func `a server of both HTTP versions is asked by HTTP1`(over one: AdapterUnderTest) async throws {
    let service = HTTP2Service(one)
    let path = service.path("ok")
    #expect(try await service.send("GET", .both, path).body == Data(path.utf8))
    #expect(try await service.log(path[...]).map(\.version) == ["1.1"])
  }

  @Test(arguments: AdapterUnderTest.overCurl)
  func `a server of HTTP2 alone is an error`(over one: AdapterUnderTest) async throws {
    let service = HTTP2Service(one)
    let path = service.path("ok")
    let error = try #require(try await service.failure("POST", .only, path))
    #expect(error.kind == .connection)
    #expect(error.message.contains("127.0.0.1:"))
    #expect(try await service.log(path[...]).isEmpty)
  }
}

/// The certificate is of this run, and only libcurl's adapter can be told to trust it. With the system's libcurl: the newer
/// one finds no authorities at all.
@Suite(
  "HTTP/2 and an authority that the system does not know",
  .enabled(if: HTTP2Service.isStarted, "needs the service http2"))
struct HTTP2AuthorityTests {
  @Test(arguments: AdapterUnderTest.all.filter { $0.differs(in: .authorities) })
  func `a server that does not prove its identity gets no request`(over one: AdapterUnderTest) async throws {
    let service = HTTP2Service(one)
    let path = service.path("ok")
    #expect(try await service.failure("GET", .both, path)?.kind == .tls)
    #expect(try await service.log(path[...]).isEmpty)
  }
}

private actor PieceCounter {
  private var count = -1
  func next() -> Int {
    count += 1
    return count
  }
}
