import EntityRequests
import EntityTesting
import Testing
import HTTPFoundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The server of the conformance suite reads any request that HTTP allows, and outlives all others.
@Suite(.untilItHangs) struct ConformanceServerTests {
  @Test(arguments: ["Content-Length: -1\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n-5\r\n"])
  func `a request of a negative size ends its connection`(_ rest: String) async throws {
    let one = try #require(ConformanceCase.all.first)
    await #expect(throws: TransportError.self) { try await one.check(RawAdapter { _ in Array(rest.utf8) }) }
  }

  @Test func `chunks may have extensions and trailers`() async throws {
    let one = try #require(ConformanceCase.all.first { $0.name == "bodies of each kind arrive whole" })
    try await one.check(
      RawAdapter { body in
        let start = "Transfer-Encoding: chunked\r\n\r\n\(String(body.count, radix: 16)) ; a=b\r\n"
        let end = "\r\n0;c\r\nX-One: 1\r\nX-Two: 2\r\n\r\n"
        return Array(start.utf8) + body + Array(end.utf8)
      })
  }
}

/// It writes the end of the head, and the body, as it is told.
private struct RawAdapter: RequestAdapter {
  let rest: @Sendable ([UInt8]) -> [UInt8]

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    let url = try #require(request.url)
    let head = "\(request.httpMethod ?? "GET") \(url.path(percentEncoded: true)) HTTP/1.1\r\nHost: a\r\n"
    let content = try await self.content(of: body)
    let bytes = Array(head.utf8) + rest(content)
    let port = UInt16(try #require(url.port))
    return try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result { try exchange(bytes, port) }) }.start()
    }
  }

  @concurrent private func content(of body: RequestBody) async throws -> [UInt8] {
    switch body {
    case .none: return []
    case .data(let data): return Array(data)
    case .file(let url): return Array(try Data(contentsOf: url))
    case .stream(let stream):
      var bytes: [UInt8] = []
      let next = try stream.open()
      while let piece = try await next() { bytes += piece }
      return bytes
    }
  }
}

#if canImport(Glibc)
  private let noSignal = Int32(MSG_NOSIGNAL)
  private let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
  private let noSignal = Int32(0)
  private let streamSocket = SOCK_STREAM
#endif

/// Sends bytes, and waits for the first ones of an answer.
private func exchange(_ bytes: [UInt8], _ port: UInt16) throws -> HTTPResponse {
  let descriptor = socket(AF_INET, streamSocket, 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  address.sin_port = port.bigEndian
  let connected = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard connected == 0 else { throw TransportError(.connection, "connect", mayHaveBeenProcessed: false) }
  var left = bytes[...]
  while !left.isEmpty {
    let count = left.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, noSignal) }
    guard count > 0 else { throw TransportError(.sending, "send", mayHaveBeenProcessed: true) }
    left = left.dropFirst(count)
  }
  var answer = [UInt8](repeating: 0, count: 4096)
  guard recv(descriptor, &answer, answer.count, 0) > 0 else {
    throw TransportError(.badResponse, "recv", mayHaveBeenProcessed: true)
  }
  return HTTPResponse(status: 200)
}
