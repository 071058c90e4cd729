import EntityClient
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A list that is streamed into a file, for `scripts/bench --stream COUNT`: the memory above that at the start, and the time for each
/// tenth of the objects.
struct StreamedIngest {
  let count: Int
  let streaming: Streaming

  init(count: Int, _ streaming: Streaming) {
    self.count = count
    self.streaming = streaming
  }

  func run() throws {
    let scratch = try Scratch()
    let store = try EntityStore(.file(scratch.file), entities: [DeclaredUser.self, DeclaredAddress.self])
    let list = GeneratedList(count: count)
    let client = try Client(adapter: list, store: store, baseURL: "https://example.com/")
    let streaming = streaming
    var cost = Cost(bytes: 0)
    let growth = try Memory.growth {
      cost = try Cost.of {
        let inserted = try wait {
          try await Client.withClient(client) {
            try await DeclaredUser.get(streaming: streaming).counts.inserted
          }
        }
        guard inserted == list.count else { throw ContestError(description: "\(inserted) users came") }
      }
    }
    let (bytes, steps) = list.report
    print("\(count) users, \(bytes / 1_000_000) MB: \(Int(growth)) MB above the start, \(Int(cost.seconds)) s")
    let times = steps.map { String(format: "%.3f", $0) }.joined(separator: " ")
    print("seconds for 100,000 users, in each tenth: \(times)")
  }
}

/// Makes the users of a list while they are asked for. The time in which they are made is not counted.
private final class GeneratedList: RequestAdapter {
  let count: Int
  private let state: Mutex<State>

  private struct State {
    var made = 0
    var bytes = 0
    /// The pieces that are made and not given.
    var pieces: ArraySlice<Data> = []
    /// Since the last tenth began, without the time in which users were made.
    var seconds = 0.0
    var steps: [Double] = []
    var given: ContinuousClock.Instant?
  }

  init(count: Int) {
    self.count = count
    state = Mutex(State())
  }

  var report: (bytes: Int, steps: [Double]) { state.withLock { ($0.bytes, $0.steps) } }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    throw ContestError(description: "The list is streamed.")
  }

  @concurrent func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    StreamedHTTPResponse(status: 200, headers: [:], url: request.url) { self.next() }
  }

  private func next() -> Data? {
    state.withLock { state in
      let now = ContinuousClock.now
      if let given = state.given { state.seconds += (now - given) / .seconds(1) }
      if state.pieces.isEmpty { make(&state) }
      defer { state.given = .now }
      return state.pieces.popFirst()
    }
  }

  private func make(_ state: inout State) {
    let step = max(1, count / 10)
    if state.made > 0, state.made % step == 0 {
      state.steps.append(state.seconds * 100_000 / Double(step))
      state.seconds = 0
    }
    guard state.made < count else { return }
    let next = min(state.made + min(10_000, step - state.made % step), count)
    var text = StandardUsers.json(ids: Array(state.made + 1...next))
    if state.made > 0 { text[0] = UInt8(ascii: ",") }
    if next < count { text.removeLast() }
    state.made = next
    state.bytes += text.count
    let data = Data(text)
    state.pieces = stride(from: 0, to: data.count, by: 65_536).map { data[$0..<min($0 + 65_536, data.count)] }[...]
  }
}
