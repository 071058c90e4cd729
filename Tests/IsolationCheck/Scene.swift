import Adapters
import Dispatch
import EntityJSON
import EntityRequests
import EntityStore
import EntityTesting
import Synchronization
import HTTPFoundation

struct Stop: Error {}

/// A store and a client whose calls end as the mode says.
///
/// Each call stands by itself, followed by ``saw(_:_:on:)``: within a closure the compiler's hop after the closure
/// would hide the fault that is looked for.
final class Scene: Sendable {
  let mode: Mode
  let report: Report
  let store: EntityStore
  let client: Client
  let server: LocalServer
  private let blocker = Blocker()

  init(_ mode: Mode, _ report: Report) throws {
    self.mode = mode
    self.report = report
    let timeout: Duration = mode == .busy ? .milliseconds(5) : .seconds(60)
    store = try EntityStore(.inMemory, entities: [Word.self], busyTimeout: timeout)
    let stub = StubAdapter()
    let answer: StubAnswer = mode == .throwing ? .error(Stop()) : .json([["id": 1, "text": "one"]])
    let single: StubAnswer = mode == .throwing ? .error(Stop()) : .json(["id": 1, "text": "one"])
    for method: HTTPMethod in [.get, .head, .post, .put, .patch, .delete] {
      stub.on(
        method, "/words", method == .get ? answer : method == .delete ? .status(mode == .throwing ? 500 : 204) : single)
      stub.on(method, "/words/*/next", single)
      stub.on(method, "/words/*", method == .delete ? .status(mode == .throwing ? 500 : 204) : single)
    }
    stub.on(
      .get, "/events",
      mode == .throwing
        ? .status(404) : .text("event: word\ndata: {\"id\": 1}\n\n", contentType: "text/event-stream"))
    client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    server = try LocalServer(answers: mode != .throwing)
  }

  /// Whether calls that need neither the writer nor a reader fail.
  var fails: Bool { mode == .throwing || mode == .cancelled }

  /// Notes one call: it must have ended as the mode says, and the caller must be on its actor.
  ///
  /// - Parameter failure: The error of the call, which is taken from it.
  func saw(_ function: String, _ failure: inout (any Error)?, fails: Bool? = nil, on actor: any Actor) {
    let error = failure
    failure = nil
    let place = Caller.current
    report.note(function)
    let expected = Caller.name(actor)
    if place != expected {
      report.fail("\(function), \(mode.rawValue): the caller on \(expected) goes on on \(place)")
    }
    let mustFail = fails ?? (mode != .returning)
    if mustFail != (error != nil) {
      report.fail("\(function), \(mode.rawValue): \(error.map { "threw \($0)" } ?? "threw nothing")")
    }
    if mode == .cancelled, let error, !(error is CancellationError) {
      report.fail("\(function), cancelled: threw \(error)")
    }
  }

  /// A folder of its own.
  func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("isolation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Holds up the writer and all readers, in the mode for it.
  func hold(on actor: isolated any Actor) async {
    guard mode == .busy else { return }
    await blocker.begin(store)
  }

  func letGo() { blocker.end() }
}

/// Units and reads that stay until they are told to go.
private final class Blocker: Sendable {
  /// One for each time: those of the last time may not have gone yet, and would share it with these.
  private let go = Mutex(DispatchSemaphore(value: 0))
  private let count = 5

  @concurrent func begin(_ store: EntityStore) async {
    let go = DispatchSemaphore(value: 0)
    self.go.withLock { $0 = go }
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    // Those of the last time may not have gone yet, and the deadline is short.
    Task.detached {
      let stay: @Sendable (EntityContext) -> Bool = { _ in
        arrival.yield()
        go.wait()
        return true
      }
      while (try? await store.background(stay)) != true {}
    }
    for _ in 1..<count {
      Task.detached {
        let stay: @Sendable (EntityContext) -> Bool = { _ in
          arrival.yield()
          go.wait()
          return true
        }
        while (try? await store.read(stay)) != true {}
      }
    }
    var arrived = 0
    for await _ in arrivals {
      arrived += 1
      if arrived == count { break }
    }
  }

  func end() {
    let go = go.withLock { $0 }
    for _ in 0..<count { go.signal() }
  }
}
