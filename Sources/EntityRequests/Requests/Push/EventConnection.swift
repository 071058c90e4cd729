import EntityJSON
import EntityStore
import Foundation
import HTTPFoundation

/// One connection of an event stream.
struct EventConnection: Sendable {
  /// How a request for the stream ended.
  enum Opening: Sendable {
    case opened(EventConnection)
    /// The server says that the stream is over.
    case ended
    /// The server refuses for now, and may ask for a wait.
    case refused(RequestError, wait: Duration?)
  }

  private let response: StreamedHTTPResponse
  private let silence: Duration?
  private let time: EventStreamTime
  private var parser: EventStreamParser
  /// The bytes that have arrived and were not handed out.
  private var rest = Data()
  /// Whether anything of the body has arrived.
  private(set) var isHeard = false

  var lastID: String { parser.lastID }
  var retry: Int? { parser.retry }

  /// Events of as many bytes wait at most, however much an adapter hands over at once.
  private static let pieceLength = 1 << 16
  /// The most bytes of the body of a refusal.
  private static let refusalLength = 1 << 20

  /// - Parameter id: The id of the last event.
  /// - Throws: ``RequestError`` of kind `transport`; of kind `status` for a refusal for good; of kind `parsing` for a body
  ///   that is no event stream.
  static func open(_ request: URLRequest, _ id: String, _ events: ServerSentEvents) async throws -> Opening {
    let (client, method) = (events.receiver.client, request.method(or: .get))
    let fetch = ResponseFetch(
      request: request, method: method, adapter: client.adapter,
      bodies: BodyReading([], client, RequestRoutes(client, method, request.url)))
    do {
      let response = try await withoutSilence(events.options.maximumSilence, events.time) {
        try await fetch.stream(nil)
      }
      if response.status == 204 { return .ended }
      guard response.status == 200 else {
        let refusal = try await withoutSilence(events.options.maximumSilence, events.time) {
          var pieces = BodyPieces(response)
          return try await pieces.whole(atMost: refusalLength)
        }
        do {
          try fetch.facts.check(refusal)
        } catch let error as RequestError where isPassing(refusal.status) {
          let told = fetch.facts.told(error) as? RequestError ?? error
          return .refused(
            told, wait: RetryAfter.wait(refusal.headers, now: AnswerClock.now(), unreadable: .seconds(60)))
        }
        throw notAStream(refusal)
      }
      guard response.headers["Content-Type"].map({ ContentType($0).mediaType }) == "text/event-stream" else {
        throw notAStream(HTTPResponse(status: response.status, headers: response.headers, url: response.url))
      }
      return .opened(
        EventConnection(
          response: response, silence: events.options.maximumSilence, time: events.time,
          parser: EventStreamParser(lastID: id, events.options)))
    } catch {
      throw fetch.facts.told(error)
    }
  }

  private static func notAStream(_ response: HTTPResponse) -> RequestError {
    let type = response.headers["Content-Type"].map { "'\($0.prefix(100).escaped)'" } ?? "not given"
    return RequestError(
      .parsing, "The response is no event stream: its content type is \(type), and text/event-stream was expected.",
      response: response)
  }

  /// Whether a refusal may end by itself.
  static func isPassing(_ status: Int) -> Bool { [408, 425, 429].contains(status) || (500...599).contains(status) }

  /// The next bytes; `nil` at the end.
  ///
  /// - Throws: ``RequestError`` of kind `transport` where the stream breaks, and where the server is silent for too long.
  mutating func next() async throws -> Data? {
    while rest.isEmpty {
      let response = response
      let piece: Data?
      do {
        piece = try await Self.withoutSilence(silence, time) {
          try await ObjectTurns.$isServing.withValue(true) { try await response.next() }
        }
      } catch {
        throw RequestError.ofTransport(error, "The event stream broke off")
      }
      guard let piece else { return nil }
      rest = piece
      isHeard = true
    }
    let piece = rest.prefix(Self.pieceLength)
    rest = rest.dropFirst(piece.count)
    return piece
  }

  /// The events that end in a piece.
  ///
  /// - Throws: ``RequestError`` of kind `parsing` for a line or an event over its limit.
  mutating func events(in piece: Data) throws -> [PushedMessage] { try parser.add(piece) }

  /// The value of work that waits for the server.
  ///
  /// - Throws: ``RequestError`` of kind `transport` when it takes longer than the server may be silent.
  private static func withoutSilence<T: Sendable>(
    _ limit: Duration?, _ time: EventStreamTime, _ work: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    guard let limit else { return try await work() }
    return try await withThrowingTaskGroup(of: T?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await work() }
      group.addTask {
        try await time.sleep(limit)
        return nil
      }
      guard let first = try await group.next(), let value = first else {
        throw RequestError(
          .transport, "The server of the event stream was silent for \(limit).",
          underlying: TransportError(.timeout, "The server was silent for too long.", mayHaveBeenProcessed: true))
      }
      return value
    }
  }
}
