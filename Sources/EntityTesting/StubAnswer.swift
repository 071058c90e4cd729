public import EntityJSON
public import EntityRequests
public import Foundation

/// The response of a ``StubAdapter`` to a request.
public struct StubAnswer: Sendable {
  typealias Content = @Sendable (StubRequest) async throws -> HTTPResponse

  let content: Content
  var gate: StubGate?
  /// The wait before the head.
  var delay: (@concurrent @Sendable () async throws -> Void)?
  /// The number of body bytes after which the body breaks off, and the error.
  var fault: (bytes: Int, error: TransportError)?
  /// The number of requests for this answer; `nil` where it follows from the number of answers.
  var uses: Int?
  /// The number of pieces in which the body arrives. Each piece reports progress.
  var pieces = 1
  var announcesLength = true
  /// The gates to pass before the piece with a number, from 0.
  var pieceGates: [Int: StubGate] = [:]

  init(_ content: @escaping Content) { self.content = content }

  /// A JSON body from a value or a literal: `.json(["id": 1])`. A text becomes a JSON string. For JSON as a text there
  /// is ``text(_:status:contentType:headers:)``.
  public static func json(_ value: JSONValue, status: Int = 200, headers: HTTPHeaders = [:]) -> StubAnswer {
    data(value.rawBytes, status: status, contentType: "application/json", headers: headers)
  }

  public static func data(
    _ data: Data, status: Int = 200, contentType: String? = "application/json", headers: HTTPHeaders = [:]
  ) -> StubAnswer {
    var headers = headers
    if let contentType, headers["Content-Type"] == nil { headers["Content-Type"] = contentType }
    return StubAnswer { [headers] in HTTPResponse(status: status, headers: headers, url: $0.url, body: data) }
  }

  /// The bytes of a text as they are, for example for a body that is not JSON.
  public static func text(
    _ text: String, status: Int = 200, contentType: String? = "application/json", headers: HTTPHeaders = [:]
  ) -> StubAnswer {
    data(Data(text.utf8), status: status, contentType: contentType, headers: headers)
  }

  /// A status without a body.
  public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> StubAnswer {
    data(Data(), status: status, contentType: nil, headers: headers)
  }

  /// No response.
  public static func failure(
    _ kind: TransportError.Kind, _ message: String = "a failure of the stub", mayHaveBeenProcessed: Bool = false
  ) -> StubAnswer {
    error(TransportError(kind, message, mayHaveBeenProcessed: mayHaveBeenProcessed))
  }

  public static func error(_ error: any Error) -> StubAnswer { StubAnswer { _ in throw error } }

  /// The response that a closure makes for the request.
  public static func respond(
    _ response: @escaping @Sendable (StubRequest) async throws -> HTTPResponse
  ) -> StubAnswer { StubAnswer(response) }

  /// The same answer, but given only when `gate` is open.
  public func waiting(for gate: StubGate) -> StubAnswer {
    var answer = self
    answer.gate = gate
    return answer
  }

  /// The same answer, but given after a time. With a virtual clock, the test does not wait.
  ///
  /// - Parameters:
  ///   - duration: The time from the request to the head of the response.
  ///   - clock: The clock that measures the wait.
  public func delayed<C: Clock>(by duration: Duration, on clock: C) -> StubAnswer where C.Duration == Duration {
    var answer = self
    answer.delay = { try await clock.sleep(until: clock.now.advanced(by: duration), tolerance: nil) }
    return answer
  }

  /// The same answer, but with a body that breaks off. With ``chunked(_:announcesLength:gates:)``, the pieces before
  /// the break arrive first.
  ///
  /// - Parameters:
  ///   - bytes: The number of body bytes that arrive. A shorter body arrives whole, but without its end.
  ///   - kind: The kind of the error.
  ///   - message: Its message.
  public func breaking(
    after bytes: Int, _ kind: TransportError.Kind = .badResponse, _ message: String = "a body of the stub broke off"
  ) -> StubAnswer {
    var answer = self
    answer.fault = (max(0, bytes), TransportError(kind, message, mayHaveBeenProcessed: true))
    return answer
  }

  /// The same answer, but given to a number of requests before the next answer of its route.
  ///
  /// ```swift
  /// stub.on(.get, "/users", .status(503).times(2), .json([]).always)
  /// ```
  ///
  /// - Parameter count: The number of requests that get the answer.
  public func times(_ count: Int) -> StubAnswer {
    var answer = self
    answer.uses = max(0, count)
    return answer
  }

  /// The same answer, but given to all later requests.
  public var always: StubAnswer { times(.max) }

  /// The same answer, but with a body that arrives in pieces.
  ///
  /// - Parameters:
  ///   - pieces: The number of pieces.
  ///   - announcesLength: Whether the progress knows the length of the body.
  ///   - gates: The gates that must be open before the piece with a number, from 0, arrives.
  public func chunked(
    _ pieces: Int, announcesLength: Bool = true, gates: [Int: StubGate] = [:]
  ) -> StubAnswer {
    var answer = self
    answer.pieces = max(1, pieces)
    answer.announcesLength = announcesLength
    answer.pieceGates = gates
    return answer
  }
}
