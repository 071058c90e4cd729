import EntityClient
import EntityTesting
import SampleSchema
import Synchronization
import Testing
import HTTPFoundation

/// Keeps what it should report to, and reports when the transfer is over.
private final class LateAdapter: RequestAdapter {
  private let handlers = Mutex<[TransferProgressHandler]>([])
  let status: Int

  init(status: Int) { self.status = status }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    if let progress { handlers.withLock { $0.append(progress) } }
    progress?(TransferProgress(bytesReceived: 1, bytesToReceive: 4))
    return HTTPResponse(status: status, url: request.url, body: Data("[]".utf8))
  }

  func reportLate() -> Int {
    let all = handlers.withLock(\.self)
    for handler in all { handler(TransferProgress(bytesReceived: 3, bytesToReceive: 4)) }
    return all.count
  }
}

/// Reports of an adapter that come after its response, or after its failure.
@Suite struct LateProgressTests {
  @Test(arguments: [200, 500]) func `a progress report after the end reaches nobody`(_ status: Int) async throws {
    let adapter = LateAdapter(status: status)
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let client = try Client(adapter: adapter, store: store, baseURL: "https://api.example.com/")
    let count = Counter()
    try await Client.withClient(client) {
      _ = try? await User.get(progress: { _ in count.add() })
      _ = try? await client.get("users", as: [String].self, progress: { _ in count.add() })
      _ = try? await client.get("users", progress: { _ in count.add() })
      _ = try? await client.send(client.request(.get, "users"), progress: { _ in count.add() })
      var events = User.sending(.get).events.makeAsyncIterator()
      while let event = try? await events.next() {
        if case .progress = event { count.add() }
      }
      let heard = count.value
      #expect(heard >= 5)
      #expect(adapter.reportLate() == 5)
      let last = try await events.next()
      #expect(last == nil)
      #expect(count.value == heard)
    }
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock(\.self) }
  func add() { count.withLock { $0 += 1 } }
}
