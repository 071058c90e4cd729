public import EntityRequests
import Synchronization
import Testing
public import HTTPFoundation

/// An adapter that records what another one's server says into a file, and replays it without a network.
///
/// ```swift
/// try await RecordingAdapter.use("sync", around: CurlAdapter()) { recording in
///   let client = try Client(adapter: recording, store: store, baseURL: "https://api.example.com/")
///   try await Client.withClient(client) { try await User.get() }
/// }
/// ```
///
/// The file is `Recordings/sync.har` beside the test's file. It is replayed strictly: each request must be the next one of
/// the recording, by method, URL and body, and each of the recording must be sent. All else fails the test. With the
/// environment variable `ENTITYCLIENT_RECORD` the file is recorded again: `1` for all, or names with commas between. Secrets
/// are taken out before it is written; see ``RecordingRedaction``.
///
/// Decorators go around it, so that a replay runs them: `recording.retrying()`.
public final class RecordingAdapter: RequestAdapter {
  /// Whether a file is read or written.
  public enum Mode: Sendable {
    case replay, record

    /// As the environment variable `ENTITYCLIENT_RECORD` says.
    ///
    /// - Parameter name: The name of the recording.
    public static func environment(_ name: String) -> Mode {
      let value = ProcessInfo.processInfo.environment["ENTITYCLIENT_RECORD"] ?? ""
      return value == "1" || value.split(separator: ",").contains { $0 == name } ? .record : .replay
    }
  }

  /// In which order requests are replayed.
  public enum Order: Sendable {
    /// In that of the recording.
    case strict
    /// In any, for requests that are sent at once; equal ones get their answers in the order of the recording.
    case any
  }

  private struct State {
    /// With their secrets, in the order in which the requests began; `nil` for a request that is under way or was cancelled.
    var recorded: [RecordedInteraction?] = []
    var left: [(number: Int, interaction: RecordedInteraction)] = []
    /// An unexpected request says all; requests after it fail for no reason of their own.
    var hasFailed = false
  }

  /// Whether this one records.
  public let mode: Mode
  /// The file.
  public let file: URL
  private let order: Order
  private let redaction: RecordingRedaction
  private let adapter: (any RequestAdapter)?
  private let state: Mutex<State>

  /// An adapter for one file. ``finish()`` ends the recording or the replay; ``use(_:around:mode:order:redaction:file:_:)``
  /// calls it.
  ///
  /// - Parameters:
  ///   - name: The name of the file, without extension. Slashes are folders.
  ///   - adapter: Sends the requests that are recorded; a replay needs none.
  ///   - mode: Whether to record; `nil` leaves it to the environment.
  ///   - order: In which order requests are replayed.
  ///   - redaction: Takes the secrets out.
  ///   - file: The test's file.
  /// - Throws: ``RecordingError`` for a file that is not there or is no HAR, and for a recording without an adapter.
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
        // Another program may have recorded it, or another redaction.
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
    // A stream was read to be recorded.
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

  /// An error as a file can have it. The text of one that is not a transport's may hold a secret.
  private static func recordable(_ error: any Error) -> TransportError {
    error as? TransportError
      ?? TransportError(.other, "The adapter threw \(type(of: error)).", mayHaveBeenProcessed: true)
  }

  // MARK: Replaying

  private func replay(_ request: StubRequest, _ progress: TransferProgressHandler?) throws -> HTTPResponse {
    let wanted = redaction.withRequestRedacted(interaction(request, .success(HTTPResponse(status: 200))))
    let found: Result<RecordedInteraction, UnrecordedRequest> = state.withLock { state in
      let places = order == .strict ? state.left.indices.prefix(1) : state.left.indices[...]
      // One with a mark is for other requests, too.
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

  /// Ends a recording by writing its file, and a replay by failing the test for interactions that were not used.
  ///
  /// - Throws: The file system's error.
  public func finish() throws {
    let state = state.withLock { $0 }
    switch mode {
    case .record:
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try HARFile(redaction.redacted(state.recorded.compactMap { $0 })).data.write(to: file, options: .atomic)
    case .replay:
      guard !state.left.isEmpty, !state.hasFailed else { return }
      Issue.record(
        UnusedInteractions(interactions: state.left.map { "number \($0.number), \($0.interaction)" }))
    }
  }
}

/// A request that is not the next one of a recording.
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

/// Interactions of a recording that nobody asked for.
public struct UnusedInteractions: Error, Sendable, CustomStringConvertible {
  let interactions: [String]

  public var description: String {
    "\(interactions.count) of the recording were not used: \(interactions.prefix(10).joined(separator: "; "))"
      + (interactions.count > 10 ? "; …" : "")
  }
}
