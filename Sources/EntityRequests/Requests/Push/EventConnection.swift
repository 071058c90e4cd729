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
  private let silence: SilenceWatch
  private var parser: EventStreamParser
  /// The bytes that have arrived and were not handed out.
  private var rest = Data()
  /// Whether anything of the body has arrived.
  private(set) var isHeard = false

  /// Whether bytes have arrived that were not handed out.
  var hasRest: Bool { !rest.isEmpty }
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
    let silence = SilenceWatch(events.options.maximumSilence, events.time)
    do {
      let response = try await silence.reading { try await fetch.stream(nil) }
      if response.status == 204 { return .ended }
      guard response.status == 200 else {
        let refusal = try await silence.reading {
          var pieces = BodyPieces(response)
          return try await pieces.beginning(atMost: refusalLength)
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
          response: response, silence: silence, parser: EventStreamParser(lastID: id, events.options)))
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
        piece = try await silence.reading {
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
}
