import EntityRedaction
public import EntityRequests
import Synchronization
import Testing
public import HTTPFoundation

/// An adapter that records the responses of another adapter's server into a file, and replays them without a network.
///
/// ```swift
/// try await RecordingAdapter.use("sync", around: CurlAdapter()) { recording in
///   let client = try Client(adapter: recording, store: store, baseURL: "https://api.example.com/")
///   try await Client.withClient(client) { try await User.get() }
/// }
/// ```
///
/// The file is `Recordings/sync.har` beside the test's file. The replay is strict: each request must be the next one of
/// the recording, by method, URL and body, and each request of the recording must be sent. Everything else fails the
/// test. The environment variable `ENTITYCLIENT_RECORD` makes tests record the file again: `1` for all recordings, or
/// names separated by commas. Secrets are taken out before the file is written; see ``RecordingRedaction``.
///
/// Put decorators around it, so that a replay runs them: `recording.retrying()`.
public final class RecordingAdapter: RequestAdapter {
  /// Whether a file is read or written.
  public enum Mode: Sendable {
    case replay, record

    /// The mode from the environment variable `ENTITYCLIENT_RECORD`.
    ///
    /// - Parameter name: The name of the recording.
    public static func environment(_ name: String) -> Mode {
      let value = ProcessInfo.processInfo.environment["ENTITYCLIENT_RECORD"] ?? ""
      return value == "1" || value.split(separator: ",").contains { $0 == name } ? .record : .replay
    }
  }

  /// The order in which requests are replayed.
  public enum Order: Sendable {
    /// In the order of the recording.
    case strict
    /// In any order, for requests that are sent at once. Equal requests get their responses in the order of the
    /// recording.
    case any
  }

  private struct State {
    /// With their secrets, in the order in which the requests began; `nil` for a request that is under way or was
    /// cancelled.
    var recorded: [RecordedInteraction?] = []
    var left: [(number: Int, interaction: RecordedInteraction)] = []
    /// Whether a request was unexpected: requests after it fail only as a consequence.
    var hasFailed = false
  }

  /// Whether this adapter records or replays.
  public let mode: Mode
  /// The file.
  public let file: URL
  private let order: Order
  private let redaction: RecordingRedaction
  private let adapter: (any RequestAdapter)?
  private let state: Mutex<State>

  /// An adapter for one file. ``finish()`` ends the recording or the replay.
  /// ``use(_:around:mode:order:redaction:file:_:)`` calls it.
  ///
  /// - Parameters:
  ///   - name: The name of the file, without extension. Slashes are folders.
  ///   - adapter: Sends the requests to record; a replay needs none.
  ///   - mode: Whether to record; `nil` leaves it to the environment.
  ///   - order: The order in which requests are replayed.
  ///   - redaction: Takes out the secrets.
  ///   - file: The test's file.
  /// - Throws: ``RecordingError`` for a missing file, for a file that is no HAR, and for a recording without an
  ///   adapter.
  public init(
    _ name: String, around adapter: (any RequestAdapter)? = nil, mode: Mode? = nil, order: Order = .strict,
    redaction: RecordingRedaction = .standard, file: String = #filePath
  ) throws {
    (self.mode, self.order) = (mode ?? .environment(name), order)
    (self.redaction, self.adapter) = (redaction, adapter)
    self.file = URL(fileURLWithPath: file).deletingLastPathComponent()
      .appending(path: "Recordings/\(name).har", directoryHint: .notDirectory)
    var state = State()
    switch self.mode {
    case .record:
      guard adapter != nil else { throw RecordingError("A recording needs an adapter that sends requests.") }
    case .replay:
      guard let data = try? Data(contentsOf: self.file) else {
        throw RecordingError(
          "There is no recording \(self.file.path). Record it: set ENTITYCLIENT_RECORD=\(name) once for the test.")
      }
      do {
        // The file may come from another program, or from another redaction.
        state.left = try HARFile(data).interactions.enumerated().map {
          ($0.offset + 1, redaction.withRequestRedacted($0.element))
        }
      } catch {
        throw RecordingError("\(self.file.path) is no HAR: \(error)")
      }
    }
    self.state = Mutex(state)
  }

  @concurrent public func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    try Task.checkCancellation()
    let request = try await (request, StubRequest(request, body))
    switch mode {
    case .record: return try await record(request.0, request.1, body, progress)
    case .replay: return try replay(request.1, progress)
    }
  }

  private func interaction(
    _ request: StubRequest, _ outcome: Result<HTTPResponse, TransportError>
  ) -> RecordedInteraction {
    RecordedInteraction(
      method: request.method, url: request.url.absoluteString, headers: request.headers, body: request.body,
      outcome: outcome)
  }

  // MARK: Recording

  @concurrent private func record(
    _ request: URLRequest, _ recorded: StubRequest, _ body: RequestBody, _ progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    guard let adapter else { throw RecordingError("A recording needs an adapter that sends requests.") }
    let index = state.withLock { state in
      state.recorded.append(nil)
      return state.recorded.count - 1
    }
    // A stream was read for the recording.
    let body: RequestBody = if case .none = body { .none } else { .data(recorded.body) }
    let result: Result<HTTPResponse, any Error>
    do {
      result = .success(try await adapter.send(request, body: body, progress: progress))
    } catch {
      // A replay's task is cancelled by itself.
      if error is CancellationError { throw error }
      result = .failure(error)
    }
    let interaction = interaction(recorded, result.mapError(Self.recordable))
    state.withLock { $0.recorded[index] = interaction }
    return try result.get()
  }

  /// An error in the form for a file. The text of an error that is not a transport's may hold a secret.
  private static func recordable(_ error: any Error) -> TransportError {
    error as? TransportError
      ?? TransportError(.other, "The adapter threw \(type(of: error)).", mayHaveBeenProcessed: true)
  }

  // MARK: Replaying

  private func replay(_ request: StubRequest, _ progress: TransferProgressHandler?) throws -> HTTPResponse {
    let wanted = redaction.withRequestRedacted(interaction(request, .success(HTTPResponse(status: 200))))
    let found: Result<RecordedInteraction, UnrecordedRequest> = state.withLock { state in
      let places = order == .strict ? state.left.indices.prefix(1) : state.left.indices[...]
      // An interaction with a mark also matches other requests.
      if let index = places.first(where: { state.left[$0].interaction.isEqual(to: wanted) })
        ?? places.first(where: { state.left[$0].interaction.difference(from: wanted) == nil })
      {
        return .success(state.left.remove(at: index).interaction)
      }
      let next = state.left.first
      defer { state.hasFailed = true }
      return .failure(
        UnrecordedRequest(
          request: wanted.description, next: next.map { "number \($0.number), \($0.interaction)" },
          difference: next?.interaction.difference(from: wanted), isFirst: !state.hasFailed))
    }
    switch found {
    case .success(let interaction):
      var response = try interaction.outcome.get()
      response.url = request.url
      let (sent, received) = (Int64(request.body.count), Int64(response.body.count))
      progress?(
        TransferProgress(bytesSent: sent, bytesToSend: sent, bytesReceived: received, bytesToReceive: received))
      return response
    case .failure(let error):
      if error.isFirst { Issue.record(error) }
      throw error
    }
  }

  // MARK: The end

  /// Ends a recording by writing its file, and warns of bodies, and parts of forms, that were replaced by their size: the replay
  /// does not have them. Ends a replay by failing the test if interactions were not used.
  ///
  /// - Throws: The file system's error.
  public func finish() throws {
    let state = state.withLock { $0 }
    switch mode {
    case .record:
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      let interactions = redaction.redacted(state.recorded.compactMap { $0 })
      try HARFile(interactions).data.write(to: file, options: .atomic)
      let unread = UnreadBodies(interactions)
      if unread.count > 0 { unread.warn() }
    case .replay:
      guard !state.left.isEmpty, !state.hasFailed else { return }
      Issue.record(
        UnusedInteractions(interactions: state.left.map { "number \($0.number), \($0.interaction)" }))
    }
  }
}

/// Bodies of a recording, and of parts in them, that were replaced by their size, because nobody can look for secrets in them.
struct UnreadBodies: CustomStringConvertible {
  private(set) var count = 0
  private var interactions: [String] = []

  init(_ interactions: [RecordedInteraction]) {
    for interaction in interactions {
      let response = try? interaction.outcome.get()
      let messages = [(interaction.body, interaction.headers)] + (response.map { [($0.body, $0.headers)] } ?? [])
      let unread = messages.reduce(0) { $0 + Self.count(in: $1.0, $1.1["Content-Type"]) }
      count += unread
      if unread > 0 { self.interactions.append(interaction.description) }
    }
  }

  /// - Parameter body: A body after its redaction.
  private static func count(in body: Data, _ type: String?) -> Int {
    // Most bodies are not read once more.
    guard body.range(of: Data("bytes that are no text".utf8)) != nil else { return 0 }
    var pass = RedactionPass()
    _ = pass.body(body, type: type)
    return pass.notices
  }

  var description: String {
    "The recording has \(count == 1 ? "1 body" : "\(count) bodies") by the size alone, and the replay, too: the type or the first "
      + "character says that it is a text, and it can't be read as one. \(interactions.prefix(10).joined(separator: "; "))"
      + (interactions.count > 10 ? "; …" : "")
  }

  func warn() {
    #if compiler(>=6.3)
      Issue.record("\(self)", severity: .warning)
    #else
      print(self)
    #endif
  }
}

/// A request that is not the next request of a recording.
public struct UnrecordedRequest: Error, Sendable, CustomStringConvertible {
  let request: String
  let next: String?
  let difference: String?
  let isFirst: Bool

  public var description: String {
    guard let next else { return "Unrecorded request: \(request). The recording has no more." }
    return "Unrecorded request: \(request). The next of the recording is \(next)\(difference.map { ": \($0)" } ?? "")."
  }
}

/// Interactions of a recording that no request used.
public struct UnusedInteractions: Error, Sendable, CustomStringConvertible {
  let interactions: [String]

  public var description: String {
    "\(interactions.count) of the recording were not used: \(interactions.prefix(10).joined(separator: "; "))"
      + (interactions.count > 10 ? "; …" : "")
  }
}
