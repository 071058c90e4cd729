import Adapters
import EntityRequests
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests through the libcurl adapter.
struct AdapterTransfers {
  private let adapter: CurlAdapter
  private let width: Int

  init(width: Int) throws {
    self.width = width
    adapter = .benchmarked(width)
    _ = try TransportServer.url("")
  }

  /// Sends `each` small GETs in each of as many tasks as run at once. Returns the sum of the digests.
  func get(_ each: Int, _ digest: @escaping @Sendable (Data) -> UInt64) throws -> UInt64 {
    let (adapter, width) = (adapter, width)
    let request = URLRequest(url: try TransportServer.url("small"))
    return try wait {
      try await withThrowingTaskGroup(of: UInt64.self) { group in
        for _ in 0..<width {
          group.addTask {
            var sum: UInt64 = 0
            for _ in 0..<each {
              let response = try await adapter.send(request, body: .none, progress: nil)
              try response.check()
              sum &+= digest(response.body)
            }
            return sum
          }
        }
        return try await group.reduce(0, &+)
      }
    }
  }

  /// Moves one large body; returns that of the response, unless it is read piece by piece.
  func move(_ work: BodyWork, _ path: String, _ bytes: Data) throws -> Data {
    let adapter = adapter
    var request = URLRequest(url: try TransportServer.url(path))
    let isUpload = work == .bufferedUp || work == .streamedUp
    request.httpMethod = isUpload ? "PUT" : "GET"
    let sent = request
    return try wait {
      switch work {
      case .bufferedDown: return try await adapter.send(sent, body: .none, progress: nil).check()
      case .bufferedUp: return try await adapter.send(sent, body: .data(bytes), progress: nil).check()
      case .streamedUp:
        return try await adapter.send(sent, body: .stream(bytes.inPieces), progress: nil).check()
      case .streamedDown:
        let response = try await adapter.stream(sent, body: .none, progress: nil)
        var count = 0
        while let piece = try await response.next() { count += piece.count }
        guard response.status == 200, count == bytes.count else {
          throw ContestError(description: "\(response.status), and \(count) bytes")
        }
        return Data()
      }
    }
  }
}

/// Requests from a client's verb to a decoded value.
struct ClientTransfers {
  private struct User: Decodable, Sendable {
    var id: Int
    var email: String
    var age: Int
    var score: Double
    var tags: [String]
  }

  private let client: Client
  private let width: Int

  init(width: Int) throws {
    self.width = width
    client = try Client(adapter: CurlAdapter.benchmarked(width), baseURL: try TransportServer.url(""))
  }

  func get(_ each: Int) throws {
    let (client, width) = (client, width)
    try wait {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<width {
          group.addTask {
            for _ in 0..<each {
              let user = try await client.get("small", as: User.self).value
              guard user.id == 4711 else { throw ContestError(description: "the user has another id") }
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }
}

extension CurlAdapter {
  fileprivate static func benchmarked(_ width: Int) -> CurlAdapter {
    var configuration = Configuration()
    configuration.connectionsPerHost = width
    return CurlAdapter(configuration)
  }
}

extension HTTPResponse {
  @discardableResult
  fileprivate func check() throws -> Data {
    guard status == 200 else { throw ContestError(description: "the server answered \(status)") }
    return body
  }
}

extension Data {
  /// A stream of pieces of 64 KiB.
  fileprivate var inPieces: RequestBodyStream {
    let bytes = self
    return RequestBodyStream(length: Int64(count)) {
      let offset = Mutex(0)
      return {
        let begin = offset.withLock { offset in
          defer { offset += 64 << 10 }
          return offset
        }
        return begin < bytes.count ? bytes.dropFirst(begin).prefix(64 << 10) : nil
      }
    }
  }
}
